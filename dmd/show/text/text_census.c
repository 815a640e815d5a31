/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_graph.h"

#include "base/jsonout.h"
#include "base/str.h"
#include "show/text/print.h"

/* ---- A table. ---- */

enum { WIDTH = 15, PERCENT_WIDTH = 9, NAME_COLUMN = 3 * WIDTH + PERCENT_WIDTH + 2, INDENT = 2 };

typedef struct {
  dmd_out_t *out;
  const dmd_census_t *census;
  int64_t heap_szB;
  uint32_t max_rows;
} table_t;

static void print_blanks(dmd_out_t *out, size_t n) {
  dmd_out_left(out, "", n);
}

static void print_heads(const table_t *t) {
  dmd_out_right(t->out, "bytes", WIDTH);
  dmd_out_right(t->out, "of heap", PERCENT_WIDTH);
  dmd_out_right(t->out, "blocks", WIDTH);
  dmd_out_right(t->out, "slop", WIDTH);
  for (uint32_t level = 0; level < t->census->by.n; level++) {
    dmd_out_str(t->out, level == 0 ? "  " : ", ");
    dmd_out_str(t->out, dmd_nodekey_name(t->census->by.keys[level]));
  }
  dmd_out_char(t->out, '\n');
}

static void print_amounts(const table_t *t, const dmd_census_row_t *row) {
  dmd_print_number_column(t->out, row->szB, WIDTH);
  dmd_print_percent_column(t->out, row->szB, t->heap_szB, PERCENT_WIDTH);
  dmd_print_number_column(t->out, row->blocks, WIDTH);
  dmd_print_number_column(t->out, row->slop, WIDTH);
  dmd_out_str(t->out, "  ");
}

/* Prints the evidence for a type, unless the type is just named after the allocating function. */
static void print_evidence(const table_t *t, const dmd_census_row_t *row) {
  if (dmd_census_key(t->census, row) != DMD_KEY_TYPE || row->evidence <= DMD_EVIDENCE_FUNCTION)
    return;
  dmd_out_str(t->out, " (");
  dmd_out_str(t->out, dmd_type_evidence_name((dmd_type_evidence_t)row->evidence));
  dmd_out_char(t->out, ')');
}

static bool has_types(dmd_nodekey_t key) {
  return key == DMD_KEY_TYPE || key == DMD_KEY_ROOT || key == DMD_KEY_REFERRER;
}

/* A stack has one line per frame. */
static void print_name(const table_t *t, const dmd_census_row_t *row) {
  const char *name = dmd_census_name(t->census, row);
  size_t indent = row->level * INDENT;
  print_blanks(t->out, indent);
  if (dmd_census_key(t->census, row) == DMD_KEY_STACK)
    for (const char *end; (end = dmd_str_find_char(name, '\n')) != NULL; name = end + 1) {
      dmd_out_safe_n(t->out, name, (size_t)(end - name));
      dmd_out_char(t->out, '\n');
      print_blanks(t->out, NAME_COLUMN + indent);
    }
  if (has_types(dmd_census_key(t->census, row)))
    dmd_print_types(t->out, t->census->env, name);
  else
    dmd_out_safe(t->out, name);
  print_evidence(t, row);
  dmd_out_char(t->out, '\n');
}

static uint32_t n_shown(const table_t *t, const dmd_census_row_t *row) {
  return t->max_rows != 0 && t->max_rows < row->n ? t->max_rows : row->n;
}

/* Prints how many rows were left out. */
static void print_more(const table_t *t, const dmd_census_row_t *outer, size_t level) {
  if (n_shown(t, outer) == outer->n)
    return;
  if (level > 0)
    print_blanks(t->out, NAME_COLUMN + level * INDENT);
  dmd_print_left_out(t->out, outer->n, n_shown(t, outer), " more", " more");
}

/* Recursion is limited by the number of levels. */
static void print_rows(const table_t *t, const dmd_census_row_t *outer, size_t level) {
  for (uint32_t i = 0; i < n_shown(t, outer); i++) {
    const dmd_census_row_t *row = dmd_census_at(t->census, outer, i);
    print_amounts(t, row);
    print_name(t, row);
    print_rows(t, row, level + 1);
  }
  print_more(t, outer, level);
}

void dmd_census_print(dmd_out_t *out, const dmd_census_t *census, int64_t heap_szB,
                      uint32_t max_rows) {
  const table_t t = {.out = out, .census = census, .heap_szB = heap_szB, .max_rows = max_rows};
  print_heads(&t);
  print_amounts(&t, &census->total);
  dmd_out_str(out, "in all\n");
  print_rows(&t, &census->total, 0);
}

/* ---- JSON. ---- */

void dmd_census_write_amounts(dmd_jsonout_t *j, const dmd_census_row_t *row) {
  dmd_jsonout_key(j, "blocks");
  dmd_jsonout_i64(j, row->blocks);
  dmd_jsonout_key(j, "bytes");
  dmd_jsonout_i64(j, row->szB);
  dmd_jsonout_key(j, "slop");
  dmd_jsonout_i64(j, row->slop);
}

static void write_lines(dmd_jsonout_t *j, const dmd_env_t *env, const char *lines) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, env);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (;;) {
    const char *end = dmd_str_find_char(lines, '\n');
    dmd_strbuf_cut(&line, 0);
    dmd_strbuf_bytes(&line, lines, end != NULL ? (size_t)(end - lines) : dmd_str_length(lines));
    dmd_jsonout_str(j, line.text);
    if (end == NULL)
      break;
    lines = end + 1;
  }
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(&line);
}

static void write_key(dmd_jsonout_t *j, const dmd_census_t *census, const dmd_census_row_t *row) {
  dmd_nodekey_t key = dmd_census_key(census, row);
  dmd_jsonout_key(j, "key");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_any(j, dmd_nodekey_name(key));
  if (key == DMD_KEY_STACK)
    write_lines(j, census->env, dmd_census_name(census, row));
  else
    dmd_jsonout_str(j, dmd_census_name(census, row));
  dmd_jsonout_end(j);
  if (key == DMD_KEY_TYPE)
    dmd_jsonout_key_str(j, "evidence", dmd_type_evidence_name((dmd_type_evidence_t)row->evidence));
}

void dmd_census_write_row(dmd_jsonout_t *j, const dmd_census_t *census,
                          const dmd_census_row_t *row) {
  write_key(j, census, row);
  dmd_census_write_amounts(j, row);
}

static void write_rows(dmd_jsonout_t *j, const dmd_census_t *census,
                       const dmd_census_row_t *outer) {
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < outer->n; i++) {
    const dmd_census_row_t *row = dmd_census_at(census, outer, i);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_census_write_row(j, census, row);
    if (row->level + 1 < census->by.n)
      write_rows(j, census, row);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

void dmd_census_json(dmd_out_t *out, const dmd_census_t *census) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&j, "total");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_census_write_amounts(&j, &census->total);
  dmd_jsonout_end(&j);
  write_rows(&j, census, &census->total);
  dmd_jsonout_end(&j);
}
