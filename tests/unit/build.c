/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build.h"

enum { MAX_FRAMES = 64 };

uint32_t build_stack(dmd_profile_t *profile, const char *frames) {
  if (frames == NULL)
    return DMD_NONE;
  uint32_t ids[MAX_FRAMES];
  size_t n = 0;
  while (*frames != '\0') {
    size_t length = strcspn(frames, "|");
    assert_true(n < MAX_FRAMES);
    ids[n++] = dmd_intern_bytes(&profile->frames, frames, length);
    frames += length;
    if (*frames == '|')
      frames++;
  }
  return dmd_profile_stack(profile, ids, n);
}

static dmd_report_t report(dmd_profile_t *profile, const char *frames, const char *reporter) {
  return (dmd_report_t){.stack = build_stack(profile, frames),
                        .reporter = reporter != NULL ? dmd_intern_str(&profile->names, reporter)
                                                     : DMD_NONE};
}

uint32_t build_reports(dmd_profile_t *profile, uint32_t count, const char *first,
                       const char *first_reporter, const char *second,
                       const char *second_reporter) {
  dmd_report_set_t set = {.count = count};
  if (count > 0)
    set.report[0] = report(profile, first, first_reporter);
  if (count > 1)
    set.report[1] = report(profile, second, second_reporter);
  return count == 0 ? DMD_NONE : dmd_reports_intern(&profile->reports, &set);
}

void build_tagged(dmd_profile_t *profile, int64_t num, int64_t req, int64_t slop,
                  const char *frames, uint32_t reports, const char *tag) {
  dmd_group_t group = {
      .req = (uint64_t)req,
      .slop = (uint64_t)slop,
      .num = (uint64_t)num,
      .stack = build_stack(profile, frames),
      .reports = reports,
      .tag = tag != NULL ? (uint16_t)dmd_intern_str(&profile->tags, tag) : DMD_NONE,
  };
  dmd_groups_add(&profile->groups, &group);
}

void build_blocks(dmd_profile_t *profile, int64_t num, int64_t req, int64_t slop,
                  const char *frames, uint32_t reports) {
  build_tagged(profile, num, req, slop, frames, reports, NULL);
}

const char *build_text(sink_t *sink, dmd_profile_t *profile, uint32_t max_frames,
                       dmd_sort_by_t sort_by, const dmd_text_options_t *options) {
  sink_init(sink);
  dmd_records_t records;
  dmd_records_init(&records, profile, max_frames, sort_by);
  dmd_text_print(&sink->out, &records, options);
  dmd_records_destroy(&records);
  return sink_text(sink);
}
