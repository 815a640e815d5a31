/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rows.h"

#include "analysis/frame.h"
#include "base/format.h"
#include "base/sort.h"
#include "base/str.h"

/* The id of the row with this name, of n bytes. */
static uint32_t row_named(dmd_rows_t *rows, const char *name, size_t n) {
  uint32_t id = dmd_intern_bytes(&rows->names, name, n);
  dmd_pool_reach(&rows->tallies, id);
  return id;
}

static dmd_tally_t *tally_of(dmd_rows_t *rows, uint32_t row) {
  return DMD_POOL_AT(&rows->tallies, dmd_tally_t, row);
}

/* The row of the thing with this id; name is asked for what it is called, once. */
static uint32_t row_of(dmd_rows_t *rows, uint32_t id,
                       uint32_t (*name)(dmd_rows_t *rows, uint32_t id)) {
  dmd_pool_reach(&rows->known, id + 1);
  uint32_t row = *DMD_POOL_AT(&rows->known, uint32_t, id + 1);
  if (row == DMD_NONE) {
    row = name(rows, id);
    *DMD_POOL_AT(&rows->known, uint32_t, id + 1) = row;
  }
  return row;
}

static uint32_t row_of_str(dmd_rows_t *rows, const char *name) {
  return row_named(rows, name, dmd_str_length(name));
}

/* ---- By reporter. ---- */

static uint32_t name_reporter(dmd_rows_t *rows, uint32_t reporter) {
  const dmd_intern_t *names = &rows->records->profile->names;
  return row_of_str(rows, reporter == DMD_NONE ? "(no reporter named)"
                                               : dmd_intern_get_str(names, reporter));
}

static void add_by_reporter(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  const dmd_reports_t *reports = &rows->records->profile->reports;
  if (g->reports == DMD_NONE) {
    dmd_tally_add_group(tally_of(rows, row_of_str(rows, "(unreported)")), section, g);
    return;
  }
  bool is_shared = dmd_reports_are_shared(reports, g->reports);
  dmd_report_walk_t walk = dmd_reports_walk(reports, g->reports);
  while (dmd_reports_next(&walk)) {
    /* A block that one reporter took twice is one block of its. */
    if (walk.is_again && !is_shared)
      continue;
    uint64_t part = dmd_reports_part(reports, g->reports, walk.is_first, g->req + g->slop);
    dmd_tally_add(tally_of(rows, row_of(rows, walk.report->reporter, name_reporter)), section,
                  walk.is_again ? 0 : (int64_t)g->num, (int64_t)g->num * (int64_t)part);
  }
}

/* ---- By function and library. ---- */

/* What stands behind a frame's function: of "[/lib/libx.so +0x12]" the object, of "(file.c:12)",
 * which has nothing else to offer, the source file. *n is its length. */
static const char *object_of(const char *frame, size_t function, size_t *n) {
  const char *object = frame + function + dmd_str_span(frame + function, " ([");
  size_t length = dmd_str_span_without(object, "])");
  for (*n = 0; *n < length && object[*n] != ':' && !dmd_str_begins(object + *n, " +0x"); ++*n)
    ;
  return object;
}

static uint32_t row_of_frame(dmd_rows_t *rows, uint32_t id) {
  dmd_pool_reach(&rows->of_frames, id);
  uint32_t *row = DMD_POOL_AT(&rows->of_frames, uint32_t, id);
  if (*row != DMD_NONE)
    return *row;
  const char *frame = dmd_intern_get_str(&rows->records->profile->frames, id);
  size_t n = dmd_frame_function_length(frame);
  const char *name = rows->by == DMD_BY_FUNCTION ? frame : object_of(frame, n, &n);
  bool is_known = n > 0 || rows->by == DMD_BY_FUNCTION;
  *row = is_known ? row_named(rows, name, n) : row_of_str(rows, "(unknown)");
  return *row;
}

/* Of the frame that allocated: the innermost that is not an allocation function's, else the
 * innermost of all. */
static uint32_t name_stack(dmd_rows_t *rows, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(rows->records->profile, stack, &n);
  return n > 0 ? row_of_frame(rows, frames[dmd_first_own_frame(&rows->allocfns, frames, n)])
               : row_of_str(rows, "(no stack recorded)");
}

static void add_by_frame(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  dmd_tally_add_group(tally_of(rows, row_of(rows, g->stack, name_stack)), section, g);
}

/* ---- All. ---- */

static uint32_t name_thread(dmd_rows_t *rows, uint32_t thread) {
  static const char word[] = "thread ";
  char name[sizeof word + DMD_FORMAT_MAX];
  dmd_mem_copy(name, word, sizeof word - 1);
  dmd_format_u64(name + sizeof word - 1, thread);
  return row_of_str(rows, name);
}

static void add_by_thread(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  dmd_tally_add_group(tally_of(rows, row_of(rows, g->thread, name_thread)), section, g);
}

static uint32_t name_tag(dmd_rows_t *rows, uint32_t tag) {
  const dmd_intern_t *tags = &rows->records->profile->tags;
  return row_of_str(rows, tag == DMD_NONE ? "(no tag)" : dmd_intern_get_str(tags, tag));
}

static void add_by_tag(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  dmd_tally_add_group(tally_of(rows, row_of(rows, g->tag, name_tag)), section, g);
}

static void add_record(dmd_rows_t *rows, dmd_section_t section, const dmd_record_t *r) {
  static void (*const add[])(dmd_rows_t *, dmd_section_t, const dmd_group_t *) = {
      [DMD_BY_REPORTER] = add_by_reporter, [DMD_BY_TAG] = add_by_tag,
      [DMD_BY_THREAD] = add_by_thread,     [DMD_BY_FUNCTION] = add_by_frame,
      [DMD_BY_LIBRARY] = add_by_frame,
  };
  for (uint32_t i = 0; i < r->n_groups; i++)
    add[rows->by](rows, section, dmd_record_group(rows->records, r, i));
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_rows_t *rows = ctx;
  int order = dmd_compare_magnitudes(DMD_POOL_AT(&rows->tallies, const dmd_tally_t, a)->total,
                                     DMD_POOL_AT(&rows->tallies, const dmd_tally_t, b)->total);
  return order != 0 ? order
                    : dmd_str_compare(dmd_intern_get_str(&rows->names, a),
                                      dmd_intern_get_str(&rows->names, b));
}

void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections) {
  const dmd_env_t *env = records->profile->env;
  *rows = (dmd_rows_t){.records = records, .by = by};
  dmd_intern_init(&rows->names, env, "dmd.rows.names");
  dmd_pool_init(&rows->tallies, env, "dmd.rows", sizeof(dmd_tally_t));
  dmd_pool_init(&rows->known, env, "dmd.rows.known", sizeof(uint32_t));
  dmd_pool_init(&rows->of_frames, env, "dmd.rows.known", sizeof(uint32_t));
  dmd_allocfns_init(&rows->allocfns, records->profile);
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    const dmd_section_records_t *s = &records->section[section];
    if (sections != 0 && !(sections & 1u << section))
      continue;
    for (uint32_t i = 0; i < s->n; i++)
      add_record(rows, section, dmd_records_at(records, s->ids[i]));
  }
  rows->n = rows->tallies.last;
  rows->order = dmd_sorted_ids(env, rows->n, compare_rows, rows);
}

void dmd_rows_destroy(dmd_rows_t *rows) {
  dmd_env_free(rows->records->profile->env, rows->order);
  dmd_allocfns_destroy(&rows->allocfns);
  dmd_pool_destroy(&rows->of_frames);
  dmd_pool_destroy(&rows->known);
  dmd_pool_destroy(&rows->tallies);
  dmd_intern_destroy(&rows->names);
}
