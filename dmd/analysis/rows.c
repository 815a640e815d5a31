/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rows.h"

#include "analysis/allocfns.h"
#include "analysis/frame.h"
#include "base/format.h"
#include "base/sort.h"
#include "base/str.h"

/* The row with this name, of n bytes. */
static dmd_tally_t *row_of(dmd_rows_t *rows, const char *name, size_t n) {
  uint32_t id = dmd_intern_bytes(&rows->names, name, n);
  dmd_pool_reach(&rows->tallies, id);
  return DMD_POOL_AT(&rows->tallies, dmd_tally_t, id);
}

static void add_to(dmd_rows_t *rows, const char *name, dmd_section_t section,
                   const dmd_group_t *g) {
  dmd_tally_add_group(row_of(rows, name, dmd_str_length(name)), section, g);
}

/* ---- By reporter. ---- */

static void add_by_reporter(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  const dmd_profile_t *profile = rows->records->profile;
  const dmd_reports_t *reports = &profile->reports;
  if (g->reports == DMD_NONE) {
    add_to(rows, "(unreported)", section, g);
    return;
  }
  bool is_shared = dmd_reports_are_shared(reports, g->reports);
  uint64_t usable = g->req + g->slop;
  const dmd_report_t *report;
  for (uint32_t i = 0; (report = dmd_reports_nth(reports, g->reports, i)) != NULL; i++) {
    /* A block that one reporter took twice is one block of its. */
    bool again = dmd_reports_is_again(reports, g->reports, i);
    if (again && !is_shared)
      continue;
    const char *name = report->reporter == DMD_NONE
                           ? "(no reporter named)"
                           : dmd_intern_get_str(&profile->names, report->reporter);
    uint64_t part = is_shared ? dmd_reports_share(reports, g->reports, i, usable) : usable;
    dmd_tally_add(row_of(rows, name, dmd_str_length(name)), section, again ? 0 : (int64_t)g->num,
                  (int64_t)g->num * (int64_t)part);
  }
}

/* ---- By function and library. ---- */

/* The frame that allocated: the innermost that is not an allocation function's, else the innermost
 * of all; NULL where no stack was recorded. */
static const char *allocating_frame(const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  return n > 0
             ? dmd_intern_get_str(&profile->frames, frames[dmd_first_own_frame(profile, frames, n)])
             : NULL;
}

/* What stands behind a frame's function: of "[/lib/libx.so +0x12]" the object, of "(file.c:12)",
 * which has nothing else to offer, the source file. *n is its length. */
static const char *object_of(const char *frame, size_t function, size_t *n) {
  const char *object = frame + function + dmd_str_span(frame + function, " ([");
  size_t length = dmd_str_span_without(object, "])");
  for (*n = 0; *n < length && object[*n] != ':' && !dmd_str_begins(object + *n, " +0x"); ++*n)
    ;
  return object;
}

static void add_by_frame(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  const char *frame = allocating_frame(rows->records->profile, g->stack);
  if (frame == NULL) {
    add_to(rows, "(no stack recorded)", section, g);
    return;
  }
  size_t n = dmd_frame_function_length(frame);
  const char *name = rows->by == DMD_BY_FUNCTION ? frame : object_of(frame, n, &n);
  if (n > 0 || rows->by == DMD_BY_FUNCTION)
    dmd_tally_add_group(row_of(rows, name, n), section, g);
  else
    add_to(rows, "(unknown)", section, g);
}

/* ---- All. ---- */

static void add_by_thread(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  static const char word[] = "thread ";
  char name[sizeof word + DMD_FORMAT_MAX];
  dmd_mem_copy(name, word, sizeof word - 1);
  dmd_format_u64(name + sizeof word - 1, g->thread);
  add_to(rows, name, section, g);
}

static void add_by_tag(dmd_rows_t *rows, dmd_section_t section, const dmd_group_t *g) {
  const dmd_intern_t *tags = &rows->records->profile->tags;
  add_to(rows, g->tag == DMD_NONE ? "(no tag)" : dmd_intern_get_str(tags, g->tag), section, g);
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
  return dmd_compare_magnitudes(DMD_POOL_AT(&rows->tallies, const dmd_tally_t, a)->total,
                                DMD_POOL_AT(&rows->tallies, const dmd_tally_t, b)->total);
}

void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections) {
  const dmd_env_t *env = records->profile->env;
  *rows = (dmd_rows_t){.records = records, .by = by};
  dmd_intern_init(&rows->names, env, "dmd.rows.names");
  dmd_pool_init(&rows->tallies, env, "dmd.rows", sizeof(dmd_tally_t));
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
  dmd_pool_destroy(&rows->tallies);
  dmd_intern_destroy(&rows->names);
}
