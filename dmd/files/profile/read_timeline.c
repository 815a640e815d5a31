/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads "timeline". Each point and each mark is checked by itself, so that an error has its place.
 */
#include "base/limits.h"
#include "files/profile/readerstate.h"

#include "base/str.h"

/* A point follows others, none of which is later or has more allocated bytes or instructions. */
static bool follows(dmd_readerstate_t *l, const char *what, const dmd_timepoint_t *last,
                    const dmd_timepoint_t *point) {
  if (last == NULL || (last->ms <= point->ms && last->alloc_szB <= point->alloc_szB &&
                       last->n_instructions <= point->n_instructions))
    return true;
  return dmd_jsoncutter_reject(&l->cutter,
                               "%s of \"timeline\" is before the previous one, or has fewer "
                               "allocated bytes or instructions",
                               what);
}

/* The first point decides whether all have instructions. */
static bool has_instructions(dmd_readerstate_t *l, const char *what, bool has_them) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  if (timeline->points.last == 0)
    timeline->counts_instructions = has_them;
  return has_them == timeline->counts_instructions ||
         dmd_jsoncutter_reject(&l->cutter,
                               "%s of \"timeline\" has instructions and its first point has none, "
                               "or the other way round",
                               what);
}

/* A point is an array: milliseconds, bytes, blocks, allocated and, optionally, resident, which may
 * be null, the least bytes, likewise, and instructions. */
static bool take_point(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, dmd_timepoint_t *point) {
  uint64_t *const to[] = {
      &point->ms,           &point->szB,       &point->n_blocks,      &point->alloc_szB,
      &point->resident_szB, &point->least_szB, &point->n_instructions};
  int n = dmd_jsonvalue_is(item, DMD_JSONVALUE_ARRAY) ? dmd_jsonvalue_count(item) : 0, i = 0;
  if (n < 4 || n > 7)
    return dmd_jsoncutter_reject(&l->cutter,
                                 "a point of \"timeline\" is not an array of 4 to 7 numbers");
  *point = (dmd_timepoint_t){.resident_szB = DMD_MEMORY_UNKNOWN, .least_szB = UINT64_MAX};
  for (const dmd_jsonvalue_t *number = item->child; number != NULL; number = number->next, i++)
    if ((i != 4 && i != 5) || !dmd_jsonvalue_is(number, DMD_JSONVALUE_NULL))
      *to[i] = dmd_load_number_in(l, number, "points", 0);
  if (point->least_szB == UINT64_MAX)
    point->least_szB = point->szB;
  if (point->least_szB > point->szB)
    return dmd_jsoncutter_reject(
        &l->cutter, "the least heap of a point of \"timeline\" is larger than the largest");
  return has_instructions(l, "a point", n == 7) && !dmd_jsoncutter_failed(&l->cutter);
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
             .resident_szB = dmd_load_get_number(l, item, "resident", DMD_MEMORY_UNKNOWN),
             .n_instructions = dmd_load_get_number(l, item, "instructions", 0)},
      .text = dmd_load_get_name(l, item, "text"),
      .dump = dmd_load_get_number(l, item, "dump", 0)};
  mark.at.least_szB = mark.at.szB;
  if (!follows(l, "a mark", n == 0 ? NULL : &dmd_timeline_mark(timeline, n)->at, &mark.at))
    return;
  if (n == DMD_MAX_TIMEMARKS)
    dmd_jsoncutter_reject(&l->cutter, "\"timeline\" has more than %d marks", DMD_MAX_TIMEMARKS);
  else
    dmd_timeline_add_mark(timeline, &mark);
}

/* ---- Breakdowns. ---- */

static void load_stack(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  const char *id = dmd_load_string_in(l, item, "stacks");
  if (id == NULL || timeline->stacks.last == DMD_MAX_TIMESTACKS)
    dmd_jsoncutter_reject(&l->cutter,
                          "\"stacks\" of \"timeline\" has more than %d strings, or others",
                          DMD_MAX_TIMESTACKS);
  else
    dmd_timeline_add_stack(timeline, dmd_ids_number(&l->traces, dmd_span_of(id)));
}

static void load_tag(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  const char *name = dmd_load_string_in(l, item, "tags");
  if (name == NULL || timeline->tags.last == DMD_MAX_TIMETAGS)
    dmd_jsoncutter_reject(&l->cutter,
                          "\"tags\" of \"timeline\" has more than %d strings, or others",
                          DMD_MAX_TIMETAGS);
  else
    dmd_timeline_add_tag(timeline, dmd_intern_str(&l->profile->tags, name));
}

/* Reads the amounts of the stacks or tags, which come before the breakdowns. */
static bool take_amounts(dmd_readerstate_t *l, const dmd_jsonvalue_t *list, uint32_t n,
                         uint64_t *amounts) {
  bool is_list = dmd_jsonvalue_is(list, DMD_JSONVALUE_ARRAY);
  if (!is_list || dmd_jsonvalue_count(list) != (int)n)
    return dmd_jsoncutter_reject(&l->cutter,
                                 "a breakdown of \"timeline\" has not an amount for each "
                                 "of its \"stacks\" and \"tags\"");
  for (const dmd_jsonvalue_t *amount = list->child; amount != NULL; amount = amount->next)
    *amounts++ = dmd_load_number_in(l, amount, "breakdowns", 0);
  return !dmd_jsoncutter_failed(&l->cutter);
}

static bool take_breakdown(dmd_readerstate_t *l, const dmd_jsonvalue_t *item,
                           dmd_breakdown_t *breakdown) {
  const dmd_timeline_t *timeline = &l->profile->timeline;
  uint64_t *const to[] = {&breakdown->at.ms, &breakdown->at.szB, &breakdown->at.n_blocks,
                          &breakdown->at.alloc_szB};
  int n = dmd_jsonvalue_is(item, DMD_JSONVALUE_ARRAY) ? dmd_jsonvalue_count(item) : 0;
  if (n != 6 && n != 7)
    return dmd_jsoncutter_reject(&l->cutter,
                                 "a breakdown of \"timeline\" is not an array of 6 or 7 elements");
  if (!has_instructions(l, "a breakdown", n == 7))
    return false;
  const dmd_jsonvalue_t *next = item->child;
  breakdown->at.resident_szB = DMD_MEMORY_UNKNOWN;
  for (int i = 0; i < 4; i++, next = next->next)
    *to[i] = dmd_load_number_in(l, next, "breakdowns", 0);
  breakdown->at.least_szB = breakdown->at.szB;
  if (n == 7)
    breakdown->at.n_instructions = dmd_load_number_in(l, next->next->next, "breakdowns", 0);
  return take_amounts(l, next, timeline->stacks.last, breakdown->stacks) &&
         take_amounts(l, next->next, timeline->tags.last, breakdown->tags);
}

static void load_breakdown(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  dmd_timeline_t *timeline = &l->profile->timeline;
  uint32_t n = timeline->n_breakdowns;
  dmd_breakdown_t breakdown = {0};
  if (!take_breakdown(l, item, &breakdown) ||
      !follows(l, "a breakdown", n == 0 ? NULL : &timeline->breakdowns[n - 1].at, &breakdown.at))
    return;
  if (n > DMD_MAX_BREAKDOWNS)
    dmd_jsoncutter_reject(&l->cutter, "\"timeline\" has more than %d breakdowns",
                          DMD_MAX_BREAKDOWNS + 1);
  else
    *dmd_timeline_add_breakdown(timeline, &breakdown.at) = breakdown;
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
  } else if (dmd_str_equal(key, "stacks") && timeline->n_breakdowns == 0) {
    load_list(l, "stacks", load_stack);
  } else if (dmd_str_equal(key, "tags") && timeline->n_breakdowns == 0) {
    load_list(l, "tags", load_tag);
  } else if (dmd_str_equal(key, "breakdowns") && timeline->n_breakdowns == 0) {
    load_list(l, "breakdowns", load_breakdown);
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
