/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/time/when.h"

#include "base/limits.h"
#include "base/str.h"

dmd_timepoint_t dmd_when_start(const dmd_profile_t *profile) {
  if (profile->timeline.is_forked)
    return *dmd_timeline_point(&profile->timeline, 1);
  return (dmd_timepoint_t){.resident_szB = DMD_MEMORY_UNKNOWN};
}

dmd_timepoint_t dmd_when_end(const dmd_profile_t *profile) {
  return *dmd_timeline_point(&profile->timeline, profile->timeline.points.last);
}

dmd_timepoint_t dmd_when_peak(const dmd_profile_t *profile) {
  const dmd_moment_t *peak = &profile->run.peak;
  dmd_timepoint_t largest = {.ms = peak->ms,
                             .szB = peak->szB,
                             .n_blocks = peak->n_blocks,
                             .alloc_szB = peak->alloc_szB,
                             .n_instructions = peak->n_instructions,
                             .resident_szB = DMD_MEMORY_UNKNOWN};
  for (uint32_t id = 1; id <= profile->timeline.points.last && !peak->is_known; id++)
    if (id == 1 || dmd_timeline_point(&profile->timeline, id)->szB > largest.szB)
      largest = *dmd_timeline_point(&profile->timeline, id);
  return largest;
}

static uint64_t ms_of(const dmd_timepoint_t *at) {
  return at->ms;
}

static uint64_t instructions_of(const dmd_timepoint_t *at) {
  return at->n_instructions;
}

/* The last point or mark of which `place` is at most this. */
static dmd_timepoint_t last_until(const dmd_profile_t *profile, uint64_t most,
                                  uint64_t (*place)(const dmd_timepoint_t *at)) {
  const dmd_timeline_t *timeline = &profile->timeline;
  dmd_timepoint_t at = dmd_when_start(profile);
  for (uint32_t id = 1; id <= timeline->points.last; id++)
    if (place(dmd_timeline_point(timeline, id)) <= most)
      at = *dmd_timeline_point(timeline, id);
  for (uint32_t id = 1; id <= timeline->marks.last; id++) {
    const dmd_timepoint_t *mark = &dmd_timeline_mark(timeline, id)->at;
    if (place(mark) <= most && place(mark) > place(&at))
      at = *mark;
  }
  return at;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* `#2`: a number from 1 to n. */
static uint32_t number_of_mark(const char *text, uint32_t n) {
  uint32_t number = 0;
  if (*text++ != '#')
    return 0;
  for (; is_digit(*text) && number <= n; text++)
    number = number * 10 + (uint32_t)(*text - '0');
  return *text == '\0' && number <= n ? number : 0;
}

static uint32_t find_mark(const dmd_profile_t *profile, const char *text, bool latest) {
  const dmd_timeline_t *timeline = &profile->timeline;
  uint32_t found = number_of_mark(text, timeline->marks.last);
  for (uint32_t id = 1; id <= timeline->marks.last && (found == 0 || latest); id++) {
    uint32_t name = dmd_timeline_mark(timeline, id)->text;
    if (name != DMD_NONE && dmd_str_equal(dmd_intern_get_str(&profile->names, name), text))
      found = id;
  }
  return found;
}

/* A number with up to three decimals that count, in thousandths. */
static bool read_thousandths(const char **text, uint64_t *thousandths) {
  uint64_t v = 0;
  const char *p = *text;
  for (; is_digit(*p) && v <= DMD_MAX_COUNT / 10; p++)
    v = v * 10 + (uint64_t)(*p - '0');
  bool good = p > *text;
  v *= 1000;
  if (*p == '.')
    for (uint64_t place = 100; is_digit(*++p); place /= 10) {
      v += (uint64_t)(*p - '0') * place;
      good = true;
    }
  *text = p;
  *thousandths = v;
  return good;
}

typedef struct {
  const char *name;
  uint64_t n; /* 1 or thousands */
} unit_t;

/* A number with one of the units, the last of which has no name. */
static bool read_amount(const char *text, const unit_t *units, uint64_t *amount) {
  uint64_t thousandths;
  if (!read_thousandths(&text, &thousandths))
    return false;
  while (units->name != NULL && !dmd_str_equal(text, units->name))
    units++;
  if (units->name == NULL)
    return false;
  uint64_t factor = units->n / 1000;
  *amount = factor == 0                             ? thousandths / 1000
            : thousandths >= DMD_MAX_COUNT / factor ? DMD_MAX_COUNT
                                                    : thousandths * factor;
  return true;
}

static bool find_place(const dmd_profile_t *profile, const char *text, dmd_timepoint_t *at) {
  static const unit_t times[] = {{"", 1000},     {"s", 1000},    {"ms", 1},
                                 {"min", 60000}, {"h", 3600000}, {NULL, 0}};
  static const unit_t instructions[] = {{"i", 1},           {"ki", 1000},          {"Mi", 1000000},
                                        {"Gi", 1000000000}, {"Ti", 1000000000000}, {NULL, 0}};
  uint64_t amount;
  bool is_time = read_amount(text, times, &amount);
  if (!is_time &&
      !(profile->timeline.counts_instructions && read_amount(text, instructions, &amount)))
    return false;
  *at = last_until(profile, amount, is_time ? ms_of : instructions_of);
  return true;
}

bool dmd_when_find(const dmd_profile_t *profile, const char *text, bool latest,
                   dmd_timepoint_t *at) {
  const char *label = profile->run.label;
  uint32_t mark = find_mark(profile, text, latest);
  bool is_own_dump = label != NULL && dmd_str_equal(text, label);
  if (dmd_str_equal(text, "start"))
    *at = dmd_when_start(profile);
  else if (dmd_str_equal(text, "peak"))
    *at = dmd_when_peak(profile);
  else if (dmd_str_equal(text, "end") || (is_own_dump && (latest || mark == 0)))
    *at = dmd_when_end(profile);
  else if (mark > 0)
    *at = dmd_timeline_mark(&profile->timeline, mark)->at;
  else
    return find_place(profile, text, at);
  return true;
}
