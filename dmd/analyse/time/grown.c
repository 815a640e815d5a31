/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/time/grown.h"

#include "analyse/time/when.h"

static uint64_t distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

/* The later one of two that are equally near. */
static const dmd_breakdown_t *nearest(const dmd_timeline_t *timeline, const dmd_breakdown_t *start,
                                      const dmd_timepoint_t *at) {
  uint64_t place = dmd_timeline_place(timeline, at);
  const dmd_breakdown_t *found = start;
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++) {
    const dmd_breakdown_t *next = &timeline->breakdowns[i];
    if (found == NULL || distance(dmd_timeline_place(timeline, &next->at), place) <=
                             distance(dmd_timeline_place(timeline, &found->at), place))
      found = next;
  }
  return found;
}

static void insert(dmd_grown_row_t *rows, uint32_t *n, dmd_grown_row_t row) {
  if (row.szB == 0)
    return;
  uint32_t i = (*n)++;
  for (; i > 0 && rows[i - 1].szB < row.szB; i--)
    rows[i] = rows[i - 1];
  rows[i] = row;
}

static int64_t change(uint64_t from, uint64_t to) {
  return (int64_t)(to - from);
}

bool dmd_grown_find(const dmd_profile_t *profile, const dmd_timepoint_t *from,
                    const dmd_timepoint_t *to, dmd_grown_t *grown) {
  const dmd_timeline_t *timeline = &profile->timeline;
  dmd_breakdown_t empty = {.at = dmd_when_start(profile)};
  const dmd_breakdown_t *start = timeline->is_forked ? NULL : &empty;
  const dmd_breakdown_t *a = start != NULL && dmd_timeline_place(timeline, from) ==
                                                  dmd_timeline_place(timeline, &empty.at)
                                 ? start
                                 : nearest(timeline, start, from),
                        *b = nearest(timeline, start, to);
  if (timeline->n_breakdowns == 0 || a == b)
    return false;
  *grown = (dmd_grown_t){.from = a->at, .to = b->at, .others = change(a->at.szB, b->at.szB)};
  for (uint32_t i = 0; i < timeline->stacks.last; i++) {
    dmd_grown_row_t row = {*dmd_timeline_stack(timeline, i), change(a->stacks[i], b->stacks[i])};
    insert(grown->stacks, &grown->n_stacks, row);
    grown->others = (int64_t)((uint64_t)grown->others - (uint64_t)row.szB);
  }
  for (uint32_t i = 0; i < timeline->tags.last; i++) {
    dmd_grown_row_t row = {*dmd_timeline_tag(timeline, i), change(a->tags[i], b->tags[i])};
    insert(grown->tags, &grown->n_tags, row);
  }
  return true;
}
