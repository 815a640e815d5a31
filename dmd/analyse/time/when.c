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
                             .resident_szB = DMD_MEMORY_UNKNOWN};
  for (uint32_t id = 1; id <= profile->timeline.points.last && !peak->is_known; id++)
    if (id == 1 || dmd_timeline_point(&profile->timeline, id)->szB > largest.szB)
      largest = *dmd_timeline_point(&profile->timeline, id);
  return largest;
}

dmd_timepoint_t dmd_when_at(const dmd_profile_t *profile, uint64_t ms) {
  const dmd_timeline_t *timeline = &profile->timeline;
  dmd_timepoint_t at = dmd_when_start(profile);
  for (uint32_t id = 1; id <= timeline->points.last; id++)
    if (dmd_timeline_point(timeline, id)->ms <= ms)
      at = *dmd_timeline_point(timeline, id);
  for (uint32_t id = 1; id <= timeline->marks.last; id++) {
    const dmd_timepoint_t *mark = &dmd_timeline_mark(timeline, id)->at;
    if (mark->ms <= ms && mark->ms > at.ms)
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
  for (; is_digit(*p) && v < DMD_MAX_COUNT; p++)
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
  return good && v < DMD_MAX_COUNT;
}

static bool read_time(const char *text, uint64_t *ms) {
  static const struct {
    const char *unit;
    uint64_t ms;
  } units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"min", 60000}, {"h", 3600000}};
  uint64_t thousandths;
  if (!read_thousandths(&text, &thousandths))
    return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (dmd_str_equal(text, units[i].unit)) {
      *ms = units[i].ms < 1000 ? thousandths / 1000 : thousandths * (units[i].ms / 1000);
      return true;
    }
  return false;
}

bool dmd_when_find(const dmd_profile_t *profile, const char *text, bool latest,
                   dmd_timepoint_t *at) {
  const char *label = profile->run.label;
  uint64_t ms;
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
  else if (read_time(text, &ms))
    *at = dmd_when_at(profile, ms);
  else
    return false;
  return true;
}
