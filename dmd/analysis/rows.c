/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rows.h"

#include "base/format.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/strbuf.h"

/* The id of the row with this name, of n bytes. */
static uint32_t row_named(dmd_rows_t *rows, const char *name, size_t n) {
  uint32_t id = dmd_intern_bytes(&rows->names, name, n);
  dmd_pool_reach(&rows->tallies, id);
  return id;
}

static dmd_tally_t *tally_of(dmd_rows_t *rows, uint32_t row) {
  return DMD_POOL_AT(&rows->tallies, dmd_tally_t, row);
}

/* The row of the thing with this id; `name` is called once for each, for its name. */
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

/* ---- By function, library and file. ---- */

static uint32_t name_frame(dmd_rows_t *rows, uint32_t frame) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, rows->names.env);
  static void (*const names[])(dmd_places_t *, uint32_t, dmd_strbuf_t *) = {
      [DMD_BY_FUNCTION] = dmd_places_function,
      [DMD_BY_LIBRARY] = dmd_places_library,
      [DMD_BY_FILE] = dmd_places_file,
  };
  names[rows->by](&rows->places, frame, &name);
  uint32_t row = row_of_str(rows, name.text);
  dmd_strbuf_destroy(&name);
  return row;
}

/* Of the frame that allocated. */
static uint32_t name_stack(dmd_rows_t *rows, uint32_t stack) {
  uint32_t frame = dmd_places_own_frame(&rows->places, stack);
  dmd_pool_reach(&rows->of_frames, frame + 1);
  uint32_t *row = DMD_POOL_AT(&rows->of_frames, uint32_t, frame + 1);
  if (*row == DMD_NONE)
    *row = name_frame(rows, frame);
  return *row;
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

void dmd_rows_add(dmd_rows_t *rows, const dmd_record_t *r) {
  static void (*const add[])(dmd_rows_t *, dmd_section_t, const dmd_group_t *) = {
      [DMD_BY_REPORTER] = add_by_reporter, [DMD_BY_TAG] = add_by_tag,
      [DMD_BY_THREAD] = add_by_thread,     [DMD_BY_FUNCTION] = add_by_frame,
      [DMD_BY_LIBRARY] = add_by_frame,     [DMD_BY_FILE] = add_by_frame,
  };
  dmd_section_t section = dmd_record_section(rows->records, r);
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

void dmd_rows_begin(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by) {
  const dmd_env_t *env = records->profile->env;
  *rows = (dmd_rows_t){.records = records, .by = by};
  dmd_intern_init(&rows->names, env, "dmd.rows.names");
  dmd_pool_init(&rows->tallies, env, "dmd.rows", sizeof(dmd_tally_t));
  dmd_pool_init(&rows->known, env, "dmd.rows.known", sizeof(uint32_t));
  dmd_pool_init(&rows->of_frames, env, "dmd.rows.known", sizeof(uint32_t));
  dmd_places_init(&rows->places, records->profile);
}

void dmd_rows_finish(dmd_rows_t *rows) {
  rows->n = rows->tallies.last;
  rows->order = dmd_sorted_ids(rows->names.env, rows->n, compare_rows, rows);
}

void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections) {
  dmd_rows_begin(rows, records, by);
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    const dmd_section_records_t *s = &records->section[section];
    if (sections != 0 && !(sections & 1u << section))
      continue;
    for (uint32_t i = 0; i < s->n; i++)
      dmd_rows_add(rows, dmd_records_at(records, s->ids[i]));
  }
  dmd_rows_finish(rows);
}

void dmd_rows_destroy(dmd_rows_t *rows) {
  dmd_env_free(rows->records->profile->env, rows->order);
  dmd_places_destroy(&rows->places);
  dmd_pool_destroy(&rows->of_frames);
  dmd_pool_destroy(&rows->known);
  dmd_pool_destroy(&rows->tallies);
  dmd_intern_destroy(&rows->names);
}
