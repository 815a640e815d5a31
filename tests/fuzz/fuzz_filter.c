/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_filter: texts that come from debug information and from the command line. The first line is
 * a filter, each other line a frame of one stack. What is made of a frame stays within it, and the
 * filter and its negation never both let the stack through.
 */
#include "fuzz.h"

#include "analysis/allocfns.h"
#include "analysis/filter.h"
#include "analysis/frame.h"
#include "analysis/location.h"
#include "analysis/normalize.h"
#include "reader/host/host.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 30 };

static void check_frame(const char *frame) {
  size_t n = strlen(frame);
  FUZZ_CHECK(dmd_frame_function_length(frame) <= n);
  char *without = malloc(n + 1), *again = malloc(n + 1);
  FUZZ_CHECK(without != NULL && again != NULL);
  dmd_frame_without_line(without, frame);
  FUZZ_CHECK(strlen(without) <= n);
  dmd_frame_without_line(again, without);
  dmd_is_alloc_fn(frame);
  dmd_location_t location;
  dmd_location_init(&location, &dmdv_env, frame);
  FUZZ_CHECK(location.function != NULL && location.function[0] != '\0');
  FUZZ_CHECK(strlen(location.function) <= n || strcmp(location.function, "???") == 0);
  FUZZ_CHECK(location.file == NULL || strlen(location.file) <= n);
  FUZZ_CHECK(location.object == NULL || strlen(location.object) <= n);
  dmd_location_destroy(&location);
  char *normal = dmd_normalize(&dmdv_env, frame);
  char *twice = dmd_normalize(&dmdv_env, normal);
  FUZZ_CHECK(strcmp(normal, twice) == 0);
  dmd_env_free(&dmdv_env, twice);
  dmd_env_free(&dmdv_env, normal);
  free(again);
  free(without);
}

/* ctx is the filter: of it, of its negation and of it with a backslash, what must hold holds. */
static bool check_filter(void *ctx, const dmd_records_t *records, const dmd_record_t *record) {
  const char *filter = ctx;
  size_t n = strlen(filter);
  char *other = malloc(n + 2);
  FUZZ_CHECK(other != NULL);
  memcpy(other + 1, filter, n + 1);
  other[0] = '!';
  bool negated = dmd_filter_passes(other, records, record);
  other[0] = '\\';
  bool escaped = dmd_filter_passes(other, records, record);
  FUZZ_CHECK(negated != escaped);
  bool passes = dmd_filter_passes(ctx, records, record);
  if (filter[0] != '!' && filter[0] != '\\')
    FUZZ_CHECK(passes == escaped);
  free(other);
  return passes;
}

static void filter_stack(char *filter, const uint32_t *frames, size_t n, dmd_profile_t *profile) {
  dmd_group_t g = {.req = 8, .num = 1, .thread = 1};
  g.stack = dmd_profile_stack(profile, frames, n);
  dmd_groups_add(&profile->groups, &g);
  profile->mode = DMD_MODE_LIVE;
  dmd_records_t records;
  dmd_records_init(&records, profile, MAX_FRAMES, DMD_SORT_USABLE);
  dmd_records_filter(&records, check_filter, filter);
  FUZZ_CHECK(records.section[DMD_SECTION_ALL].n_all == 1);
  dmd_records_destroy(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char *text = fuzz_string(data, n);
  dmd_profile_t profile;
  dmd_profile_init(&profile, &dmdv_env);
  uint32_t frames[MAX_FRAMES];
  size_t n_frames = 0;
  for (char *line = text, *next; line != NULL; line = next) {
    next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    check_frame(line);
    if (line != text && n_frames < MAX_FRAMES)
      frames[n_frames++] = dmd_intern_str(&profile.frames, line);
  }
  filter_stack(text, frames, n_frames, &profile);
  dmd_profile_destroy(&profile);
  free(text);
  return 0;
}
