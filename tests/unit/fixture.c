/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <stdio.h>

#include "files/profile/profilewriter.h"

void fixture_begin(fixture_t *f, dmd_mode_t mode) {
  host_init(&f->host);
  dmd_profile_init(&f->profile, &f->host.env);
  dmd_profile_init(&f->other, &f->host.env);
  f->profile.mode = f->other.mode = mode;
  f->has_records = f->has_text = false;
}

static void drop_records(fixture_t *f) {
  if (f->has_records)
    dmd_records_destroy(&f->records);
  f->has_records = false;
}

static void drop_text(fixture_t *f) {
  if (f->has_text)
    sink_free(&f->sink);
  f->has_text = false;
}

void fixture_end(fixture_t *f) {
  drop_text(f);
  drop_records(f);
  dmd_profile_destroy(&f->other);
  dmd_profile_destroy(&f->profile);
  host_done(&f->host);
}

void fixture_records(fixture_t *f, uint32_t max_frames, dmd_sort_by_t sort_by) {
  drop_records(f);
  dmd_records_init(&f->records, &f->profile, max_frames, sort_by);
  f->has_records = true;
}

static dmd_out_t *new_text(fixture_t *f) {
  drop_text(f);
  sink_init(&f->sink);
  f->has_text = true;
  return &f->sink.out;
}

const char *fixture_text(fixture_t *f, uint32_t max_frames, dmd_sort_by_t sort_by,
                         const dmd_text_options_t *options) {
  static const dmd_text_options_t plain = {.title = "title"};
  dmd_out_t *out = new_text(f);
  dmd_records_t records;
  dmd_records_init(&records, &f->profile, max_frames, sort_by);
  dmd_text_print(out, &records, options == NULL ? &plain : options);
  dmd_records_destroy(&records);
  return sink_text(&f->sink);
}

const char *fixture_json(fixture_t *f) {
  dmd_profilewriter_write(new_text(f), &f->profile);
  return sink_text(&f->sink);
}

void assert_has(const char *text, const char *part) {
  if (strstr(text, part) == NULL)
    fail_msg("no\n%s\nin\n%s", part, text);
}

void assert_lacks(const char *text, const char *part) {
  if (strstr(text, part) != NULL)
    fail_msg("there should be no\n%s\nin\n%s", part, text);
}

void assert_prints(fixture_t *f, const char *part) {
  assert_has(fixture_text(f, 24, DMD_SORT_USABLE, NULL), part);
}

void assert_prints_no(fixture_t *f, const char *part) {
  assert_lacks(fixture_text(f, 24, DMD_SORT_USABLE, NULL), part);
}

const char *frames_text(const dmd_profile_t *profile, const uint32_t *frames, size_t n) {
  static char text[512];
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "|" : "",
                             dmd_frames_text(&profile->frames, frames[i]));
    assert_true(used < sizeof text);
  }
  return text;
}

const char *stack_text(const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  return frames_text(profile, frames, n);
}

static uint64_t throw_dice(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

void fill_at_random(dmd_profile_t *profile, dice_t *dice) {
  random_profile(profile, &(random_dice_t){throw_dice, dice});
}

void add_times_at_random(dmd_profile_t *profile, dice_t *dice) {
  random_peak(profile, &(random_dice_t){throw_dice, dice});
  random_timeline(profile, &(random_dice_t){throw_dice, dice});
}
