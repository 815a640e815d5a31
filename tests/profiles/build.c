/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build.h"

#include <string.h>

enum { MAX_FRAMES = 64, MAX_TEXT = 4096 };

uint32_t build_name(dmd_profile_t *profile, const char *name) {
  return name == NULL ? DMD_NONE : dmd_intern_str(&profile->names, name);
}

/* "text" or "text@object": the n bytes at s. */
static uint32_t build_frame(dmd_profile_t *profile, const char *s, size_t n) {
  char text[MAX_TEXT];
  if (n >= sizeof text)
    profile->env->panic(profile->env->ctx, "build_stack: a frame is too long");
  memcpy(text, s, n);
  text[n] = '\0';
  char *object = strchr(text, '@');
  if (object != NULL)
    *object++ = '\0';
  const dmd_frame_words_t words = {.text =
                                       dmd_frames_keep_text(&profile->frames, text, strlen(text)),
                                   .object = object,
                                   .offset = DMD_OFFSET_UNKNOWN};
  return dmd_frames_read(&profile->frames, &words);
}

uint32_t build_stack(dmd_profile_t *profile, const char *frames) {
  if (frames == NULL)
    return DMD_NONE;
  uint32_t ids[MAX_FRAMES];
  size_t n = 0;
  while (*frames != '\0') {
    size_t length = strcspn(frames, "|");
    if (n == MAX_FRAMES)
      profile->env->panic(profile->env->ctx, "build_stack: too many frames");
    ids[n++] = build_frame(profile, frames, length);
    frames += length;
    if (*frames == '|')
      frames++;
  }
  return dmd_profile_stack(profile, ids, n);
}

uint32_t build_reports(dmd_profile_t *profile, uint32_t count, const char *first,
                       const char *first_reporter, const char *second,
                       const char *second_reporter) {
  dmd_report_set_t set = {.count = count};
  if (count > 0)
    set.report[0] = (dmd_report_t){.stack = build_stack(profile, first),
                                   .reporter = build_name(profile, first_reporter)};
  if (count > 1)
    set.report[1] = (dmd_report_t){.stack = build_stack(profile, second),
                                   .reporter = build_name(profile, second_reporter)};
  return count == 0 ? DMD_NONE : dmd_reports_intern(&profile->reports, &set);
}

uint32_t build_shared(dmd_profile_t *profile, const char *const *owners, size_t n) {
  uint32_t set = DMD_NONE;
  for (size_t i = 0; i < n; i++) {
    const uint32_t frames[] = {
        dmd_frames_read_text(&profile->frames, owners[i] == NULL ? "none" : owners[i]),
        dmd_frames_read_text(&profile->frames, "all")};
    dmd_report_t report = {.stack = dmd_profile_stack(profile, frames, 2),
                           .reporter = build_name(profile, owners[i]),
                           .flags = DMD_REPORT_SHARED};
    set = dmd_reports_add(&profile->reports, set, report);
  }
  return set;
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

void build_fault(dmd_profile_t *profile, dmd_fault_kind_t kind, uint64_t num, const char *frames,
                 const char *reporter) {
  dmd_fault_t fault = {.num = num,
                       .kind = kind,
                       .stack = build_stack(profile, frames),
                       .reporter = build_name(profile, reporter)};
  dmd_faults_add(&profile->faults, &fault);
}

void build_hint(dmd_profile_t *profile, const char *alloc, dmd_referrer_kind_t kind,
                const char *reporter, const char *referrer, uint32_t offset, uint64_t bytes) {
  dmd_hint_t hint = {.blocks = 1,
                     .bytes = bytes,
                     .alloc = build_stack(profile, alloc),
                     .referrer_kind = kind,
                     .reporter = build_name(profile, reporter),
                     .stack = build_stack(profile, referrer),
                     .offset = offset};
  dmd_hints_add(&profile->hints, &hint);
}
