/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_graph.h"

#include "base/jsonout.h"
#include "show/text/print.h"

/* ---- Text. ---- */

static void print_amount(dmd_out_t *out, uint64_t blocks, uint64_t bytes) {
  dmd_print_count(out, (int64_t)blocks, false, "block", "blocks");
  dmd_out_str(out, ", ");
  dmd_print_bytes(out, bytes);
}

/* The members by which a step leads on to more blocks of its kind. */
static void print_loops(dmd_out_t *out, const dmd_paths_t *paths, uint32_t shape) {
  const dmd_path_shape_t *step = dmd_paths_at(paths, shape);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, paths->graph->env);
  for (uint32_t i = step->loops; i != DMD_NONE; i = dmd_path_loop_at(paths, i)->next) {
    dmd_strbuf_cut(&name, 0);
    dmd_path_loop_name(paths, shape, i, &name);
    dmd_out_str(out, i == step->loops ? ", then more through " : ", ");
    dmd_print_types(out, paths->graph->env, name.text);
  }
  if (step->has_more_loops)
    dmd_out_str(out, " and others");
  dmd_strbuf_destroy(&name);
}

static void print_step(dmd_out_t *out, const dmd_paths_t *paths, uint32_t shape, uint32_t depth) {
  const dmd_path_shape_t *step = dmd_paths_at(paths, shape);
  for (uint32_t i = 0; i <= depth; i++)
    dmd_out_str(out, "  ");
  if (step->way != DMD_NONE) {
    dmd_print_kind(out, paths->kinds, step->way);
    dmd_out_str(out, ": ");
  }
  dmd_print_kind(out, paths->kinds, step->kind);
  print_loops(out, paths, shape);
  if (step->is_doubtful)
    dmd_out_str(out, " (may be no pointer)");
  dmd_out_char(out, '\n');
}

static void print_shape(dmd_out_t *out, const dmd_paths_t *paths, uint32_t shape) {
  const dmd_path_shape_t *last = dmd_paths_at(paths, shape);
  uint32_t n, *steps = dmd_path_steps(paths, shape, &n);
  dmd_out_str(out, "Path {\n  ");
  print_amount(out, last->blocks, last->bytes);
  dmd_out_char(out, '\n');
  for (uint32_t i = 0; i < n; i++)
    print_step(out, paths, steps[i], i);
  dmd_out_str(out, "}\n\n");
  dmd_env_free(paths->graph->env, steps);
}

void dmd_paths_print(dmd_out_t *out, const dmd_paths_t *paths, uint32_t max_shapes) {
  uint32_t n = max_shapes != 0 && max_shapes < paths->n_order ? max_shapes : paths->n_order;
  for (uint32_t i = 0; i < n; i++)
    print_shape(out, paths, paths->order[i]);
  dmd_print_left_out(out, paths->n_order, n, " more path", " more paths");
  print_amount(out, paths->blocks, paths->bytes);
  if (paths->lost_blocks > 0) {
    dmd_out_str(out, "; lost: ");
    print_amount(out, paths->lost_blocks, paths->lost_bytes);
  }
  dmd_out_char(out, '\n');
}

/* ---- JSON. ---- */

static void write_loops(dmd_jsonout_t *j, const dmd_paths_t *paths, uint32_t shape) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, paths->graph->env);
  dmd_jsonout_key(j, "through");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = dmd_paths_at(paths, shape)->loops; i != DMD_NONE;
       i = dmd_path_loop_at(paths, i)->next) {
    dmd_strbuf_cut(&name, 0);
    dmd_path_loop_name(paths, shape, i, &name);
    dmd_jsonout_str(j, name.text);
  }
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(&name);
}

static void write_step(dmd_jsonout_t *j, const dmd_paths_t *paths, uint32_t shape) {
  const dmd_path_shape_t *step = dmd_paths_at(paths, shape);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  if (step->before == DMD_NONE) {
    dmd_jsonout_key_str(j, "root", dmd_kinds_name(paths->kinds, step->kind));
  } else {
    dmd_jsonout_key_str(j, "type", dmd_kinds_name(paths->kinds, step->kind));
    dmd_jsonout_key_str(j, "evidence", dmd_kinds_evidence(paths->kinds, step->kind));
    dmd_jsonout_key_str(j, "member", dmd_kinds_name(paths->kinds, step->way));
    dmd_jsonout_key_u64(j, "offset", paths->graph->graph.offset[step->edge]);
    if (step->loops != DMD_NONE) {
      dmd_jsonout_key_bool(j, "repeats", true);
      write_loops(j, paths, shape);
    }
    if (step->is_doubtful)
      dmd_jsonout_key_bool(j, "doubtful", true);
  }
  dmd_jsonout_end(j);
}

static void write_shape(dmd_jsonout_t *j, const dmd_paths_t *paths, uint32_t shape) {
  uint32_t n, *steps = dmd_path_steps(paths, shape, &n);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "count", dmd_paths_at(paths, shape)->blocks);
  dmd_jsonout_key_u64(j, "bytes", dmd_paths_at(paths, shape)->bytes);
  dmd_jsonout_key(j, "steps");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < n; i++)
    write_step(j, paths, steps[i]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_env_free(paths->graph->env, steps);
}

void dmd_paths_write_sums(dmd_jsonout_t *j, const dmd_paths_t *paths) {
  dmd_jsonout_key_u64(j, "blocks", paths->blocks);
  dmd_jsonout_key_u64(j, "bytes", paths->bytes);
  dmd_jsonout_key(j, "lost");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "blocks", paths->lost_blocks);
  dmd_jsonout_key_u64(j, "bytes", paths->lost_bytes);
  dmd_jsonout_end(j);
}

void dmd_paths_write_paths(dmd_jsonout_t *j, const dmd_paths_t *paths, uint32_t first,
                           uint32_t end) {
  dmd_jsonout_key(j, "paths");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = first; i < end; i++)
    write_shape(j, paths, paths->order[i]);
  dmd_jsonout_end(j);
}

void dmd_paths_json(dmd_out_t *out, const dmd_paths_t *paths) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_paths_write_sums(&j, paths);
  dmd_paths_write_paths(&j, paths, 0, paths->n_order);
  dmd_jsonout_end(&j);
}
