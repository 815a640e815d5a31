/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads "timeline". Each point and each mark is checked by itself, so that an error has its place.
 */
#include "base/limits.h"
#include "files/profile/readerstate.h"

#include "base/str.h"

/* A point follows others, none of which is later or has more allocated bytes. */
static bool follows(dmd_readerstate_t *l, const char *what, const dmd_timepoint_t *last,
                    const dmd_timepoint_t *point) {
  if (last == NULL || (last->ms <= point->ms && last->alloc_szB <= point->alloc_szB))
    return true;
  return dmd_jsoncutter_reject(
      &l->cutter, "%s of \"timeline\" is before the previous one, or has fewer allocated bytes",
      what);
}

/* A point is an array: milliseconds, bytes, blocks, allocated and, optionally, resident. */
static bool take_point(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, dmd_timepoint_t *point) {
  uint64_t *const to[] = {&point->ms, &point->szB, &point->n_blocks, &point->alloc_szB,
                          &point->resident_szB};
  int n = dmd_jsonvalue_is(item, DMD_JSONVALUE_ARRAY) ? dmd_jsonvalue_count(item) : 0, i = 0;
  if (n < 4 || n > 5)
    return dmd_jsoncutter_reject(&l->cutter,
                                 "a point of \"timeline\" is not an array of 4 or 5 numbers");
  point->resident_szB = DMD_MEMORY_UNKNOWN;
  for (const dmd_jsonvalue_t *number = item->child; number != NULL; number = number->next)
    *to[i++] = dmd_load_number_in(l, number, "points", 0);
  return !dmd_jsoncutter_failed(&l->cutter);
}

static void load_point(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  uint32_t n = timeline->points.last;
  dmd_timepoint_t point;
  if (!take_point(l, item, &point) ||
      !follows(l, "a point", n == 0 ? NULL : dmd_timeline_point(timeline, n), &point))
    return;
  if (n > DMD_MAX_TIMEPOINTS)
    dmd_jsoncutter_reject(&l->cutter, "\"timeline\" has more than %d points",
                          DMD_MAX_TIMEPOINTS + 1);
  else
    dmd_timeline_add_point(timeline, &point);
}

static void load_mark(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  uint32_t n = timeline->marks.last;
  if (!dmd_jsonvalue_is(item, DMD_JSONVALUE_OBJECT)) {
    dmd_jsoncutter_reject(&l->cutter, "a mark of \"timeline\" is not an object");
    return;
  }
  dmd_timemark_t mark = {
      .at = {.ms = dmd_load_get_number(l, item, "milliseconds", 0),
             .szB = dmd_load_get_number(l, item, "bytes", 0),
             .n_blocks = dmd_load_get_number(l, item, "blocks", 0),
             .alloc_szB = dmd_load_get_number(l, item, "allocated", 0),
             .resident_szB = dmd_load_get_number(l, item, "resident", DMD_MEMORY_UNKNOWN)},
      .text = dmd_load_get_name(l, item, "text"),
      .dump = dmd_load_get_number(l, item, "dump", 0)};
  if (!follows(l, "a mark", n == 0 ? NULL : &dmd_timeline_mark(timeline, n)->at, &mark.at))
    return;
  if (n == DMD_MAX_TIMEMARKS)
    dmd_jsoncutter_reject(&l->cutter, "\"timeline\" has more than %d marks", DMD_MAX_TIMEMARKS);
  else
    dmd_timeline_add_mark(timeline, &mark);
}

static void load_list(dmd_readerstate_t *l, const char *key,
                      void (*load)(dmd_readerstate_t *l, const dmd_jsonvalue_t *item)) {
  if (!dmd_jsoncutter_begins(&l->cutter, '[')) {
    dmd_jsoncutter_value(&l->cutter);
    dmd_jsoncutter_reject(&l->cutter, "\"%s\" of \"timeline\" is not an array", key);
    return;
  }
  dmd_jsoncutter_enter(&l->cutter, '[');
  while (dmd_jsoncutter_next_element(&l->cutter)) {
    const dmd_jsonvalue_t *item = dmd_jsoncutter_value(&l->cutter);
    if (item != NULL)
      load(l, item);
  }
}

static void load_member(dmd_readerstate_t *l, const char *key) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  if (dmd_str_equal(key, "points") && timeline->points.last == 0) {
    load_list(l, "points", load_point);
  } else if (dmd_str_equal(key, "marks") && timeline->marks.last == 0) {
    load_list(l, "marks", load_mark);
  } else if (dmd_str_equal(key, "spacing")) {
    const dmd_jsonvalue_t *item = dmd_jsoncutter_value(&l->cutter);
    if (item != NULL)
      timeline->spacing_ms = dmd_load_number_in(l, item, "spacing", 1);
  } else if (dmd_str_equal(key, "forked")) {
    timeline->is_forked = dmd_jsonvalue_is(dmd_jsoncutter_value(&l->cutter), DMD_JSONVALUE_TRUE);
  } else {
    dmd_jsoncutter_skip(&l->cutter);
  }
}

void dmd_load_timeline(dmd_readerstate_t *l) {
  const char *key;
  if (!dmd_jsoncutter_begins(&l->cutter, '{')) {
    dmd_jsoncutter_value(&l->cutter);
    dmd_jsoncutter_reject(&l->cutter, "\"timeline\" is not an object");
    return;
  }
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &key))
    load_member(l, key);
}
