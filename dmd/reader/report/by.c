/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/report/by.h"

#include "analysis/allocfns.h"
#include "analysis/frame.h"
#include "base/format.h"
#include "base/sort.h"
#include "reader/host/host.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  int64_t usable[DMD_N_SECTIONS], total;
  int64_t num;
} row_t;

typedef struct {
  const dmd_records_t *records;
  dmd_by_t by;
  dmd_intern_t names; /* row id -> name */
  dmd_pool_t rows;
} table_t;

static row_t *row_at(const table_t *t, uint32_t id) {
  return DMD_POOL_AT(&t->rows, row_t, id);
}

/* Adds blocks, of which this many bytes in all count. */
static void add_blocks(table_t *t, const char *name, size_t n, dmd_section_t section, int64_t num,
                       int64_t szB) {
  uint32_t id = dmd_intern_bytes(&t->names, name, n);
  if (id > t->rows.last) {
    dmd_pool_add(&t->rows);
    memset(row_at(t, id), 0, sizeof(row_t));
  }
  row_at(t, id)->usable[section] += szB;
  row_at(t, id)->total += szB;
  row_at(t, id)->num += num;
}

static void add_to(table_t *t, const char *name, size_t n, dmd_section_t section,
                   const dmd_group_t *g) {
  add_blocks(t, name, n, section, (int64_t)g->num, (int64_t)g->num * (int64_t)(g->req + g->slop));
}

static void add_by_reporter(table_t *t, dmd_section_t section, const dmd_group_t *g) {
  const dmd_profile_t *profile = t->records->profile;
  static const char unreported[] = "(unreported)", unnamed[] = "(no reporter named)";
  if (g->reports == DMD_NONE) {
    add_to(t, unreported, strlen(unreported), section, g);
    return;
  }
  const dmd_reports_t *reports = &profile->reports;
  bool is_shared = dmd_reports_are_shared(reports, g->reports);
  uint64_t usable = g->req + g->slop;
  const dmd_report_t *report;
  for (uint32_t i = 0; (report = dmd_reports_nth(reports, g->reports, i)) != NULL; i++) {
    /* A block that one reporter took twice is one block of its. */
    bool again = dmd_reports_is_again(reports, g->reports, i);
    if (again && !is_shared)
      continue;
    const char *name = report->reporter == DMD_NONE
                           ? unnamed
                           : dmd_intern_get_str(&profile->names, report->reporter);
    uint64_t part = is_shared ? dmd_reports_share(reports, g->reports, i, usable) : usable;
    add_blocks(t, name, strlen(name), section, again ? 0 : (int64_t)g->num,
               (int64_t)g->num * (int64_t)part);
  }
}

/* The frame that allocated: the innermost that is not an allocation function's, else the innermost
 * of all; NULL where no stack was recorded. */
static const char *allocating_frame(const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  for (size_t i = 0; i < n; i++) {
    const char *frame = dmd_intern_get_str(&profile->frames, frames[i]);
    if (!dmd_is_alloc_fn(frame))
      return frame;
  }
  return n > 0 ? dmd_intern_get_str(&profile->frames, frames[0]) : NULL;
}

static void add_by_frame(table_t *t, dmd_section_t section, const dmd_group_t *g) {
  const char *frame = allocating_frame(t->records->profile, g->stack);
  if (frame == NULL) {
    static const char none[] = "(no stack recorded)";
    add_to(t, none, strlen(none), section, g);
    return;
  }
  size_t n = dmd_frame_function_length(frame);
  if (t->by == DMD_BY_FUNCTION) {
    add_to(t, frame, n, section, g);
    return;
  }
  /* "[/lib/libx.so +0x12]" names the object; "(file.c:12)" has only the source file to offer. */
  const char *object = frame + n + strspn(frame + n, " ([");
  size_t length = strcspn(object, "])");
  for (size_t i = 0; i < length; i++)
    if (strncmp(object + i, " +0x", 4) == 0 || object[i] == ':')
      length = i;
  if (length == 0)
    add_to(t, "(unknown)", strlen("(unknown)"), section, g);
  else
    add_to(t, object, length, section, g);
}

static void add_group(table_t *t, dmd_section_t section, const dmd_group_t *g) {
  const dmd_profile_t *profile = t->records->profile;
  char thread[32];
  const char *name = thread;
  switch (t->by) {
  case DMD_BY_REPORTER:
    add_by_reporter(t, section, g);
    return;
  case DMD_BY_TAG:
    name = g->tag == DMD_NONE ? "(no tag)" : dmd_intern_get_str(&profile->tags, g->tag);
    break;
  case DMD_BY_THREAD:
    snprintf(thread, sizeof thread, "thread %u", (unsigned)g->thread);
    break;
  default:
    add_by_frame(t, section, g);
    return;
  }
  add_to(t, name, strlen(name), section, g);
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const table_t *t = ctx;
  int64_t x = row_at(t, a)->total, y = row_at(t, b)->total;
  if (x < 0)
    x = -x;
  if (y < 0)
    y = -y;
  return (x < y) - (x > y);
}

enum { WIDTH = 15 };

static void print_number(dmd_out_t *out, int64_t v) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_commas(buf, v);
  dmd_out_right(out, buf, WIDTH);
}

static void print_row(dmd_out_t *out, const table_t *t, uint32_t id) {
  const row_t *row = row_at(t, id);
  char buf[DMD_FORMAT_MAX + 1];
  print_number(out, row->total);
  size_t n = dmd_format_fixed2(buf, dmd_percent(row->total, t->records->usable));
  strcpy(buf + n, "%");
  dmd_out_right(out, buf, 9);
  print_number(out, row->num);
  if (t->records->profile->mode == DMD_MODE_DARK_MATTER) {
    print_number(out, row->usable[DMD_SECTION_UNREPORTED]);
    print_number(out, row->usable[DMD_SECTION_TWICE]);
  }
  dmd_out_str(out, "  ");
  dmd_out_safe(out, dmd_intern_get_str(&t->names, id));
  dmd_out_char(out, '\n');
}

static void print_rows(dmd_out_t *out, const table_t *t, uint32_t max_rows) {
  uint32_t n = t->rows.last;
  uint32_t *ids = dmd_env_alloc(&dmdv_env, "dmdv.by", (n + 1) * sizeof *ids);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = i + 1;
  dmd_sort(&dmdv_env, ids, n, compare_rows, t);
  dmd_out_right(out, "bytes", WIDTH);
  dmd_out_right(out, "of heap", 9);
  dmd_out_right(out, "blocks", WIDTH);
  if (t->records->profile->mode == DMD_MODE_DARK_MATTER) {
    dmd_out_right(out, "unreported", WIDTH);
    dmd_out_right(out, "twice-reported", WIDTH);
  }
  dmd_out_str(out, "\n");
  for (uint32_t i = 0; i < n && (max_rows == 0 || i < max_rows); i++)
    print_row(out, t, ids[i]);
  if (max_rows != 0 && max_rows < n) {
    dmd_out_str(out, "# and ");
    dmd_out_u64(out, n - max_rows);
    dmd_out_str(out, " more (--max-records=all shows them)\n");
  }
  dmd_env_free(&dmdv_env, ids);
}

void dmdv_by_print(dmd_out_t *out, const dmd_records_t *records, const dmd_view_t *view) {
  table_t t = {.records = records, .by = view->by};
  dmd_intern_init(&t.names, &dmdv_env, "dmdv.by.names");
  dmd_pool_init(&t.rows, &dmdv_env, "dmdv.by.rows", sizeof(row_t));
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    const dmd_section_records_t *s = &records->section[section];
    if (view->sections != 0 && !(view->sections & 1u << section))
      continue;
    for (uint32_t i = 0; i < s->n; i++) {
      const dmd_record_t *r = dmd_records_at(records, s->ids[i]);
      for (uint32_t k = 0; k < r->n_groups; k++)
        add_group(&t, section, dmd_record_group(records, r, k));
    }
  }
  print_rows(out, &t, view->max_records);
  dmd_pool_destroy(&t.rows);
  dmd_intern_destroy(&t.names);
}
