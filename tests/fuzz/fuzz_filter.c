/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_filter: texts that come from debug information and from the command line. The first line is
 * a filter, each other line a frame of one stack. The names taken from a frame lie within it, and
 * the filter and its negation never both let the stack through.
 */
#include "fuzz.h"

#include "analyse/records/allocfns.h"
#include "analyse/records/filter.h"
#include "analyse/records/plain.h"
#include "analyse/tree/amounts.h"
#include "host/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 30 };

static void check_frame(const char *frame) {
  size_t n = strlen(frame);
  dmd_frames_t frames;
  dmd_frames_init(&frames, &dmdv_env);
  uint32_t id = dmd_frames_read_text(&frames, frame);
  FUZZ_CHECK(strcmp(dmd_frames_text(&frames, id), frame) == 0);
  FUZZ_CHECK(dmd_frames_read_text(&frames, frame) == id);
  char *without = dmd_frame_without_line(&frames, id);
  FUZZ_CHECK(strlen(without) <= n + strlen("?\?\?"));
  dmd_env_free(&dmdv_env, without);
  dmd_location_t location = dmd_frames_location(&frames, id);
  dmd_is_alloc_fn(location.function);
  FUZZ_CHECK(location.function == NULL ||
             strncmp(frame, location.function, strlen(location.function)) == 0);
  FUZZ_CHECK(location.file == NULL || strstr(frame, location.file) != NULL);
  FUZZ_CHECK(location.object == NULL || strstr(frame, location.object) != NULL);
  /* Nothing but the text is needed to read it again. */
  FUZZ_CHECK(!dmd_frames_rest(&frames, id).object && !dmd_frames_rest(&frames, id).function);
  dmd_frames_destroy(&frames);
  char *normal = dmd_normalize(&dmdv_env, frame);
  char *twice = dmd_normalize(&dmdv_env, normal);
  FUZZ_CHECK(strcmp(normal, twice) == 0);
  dmd_env_free(&dmdv_env, twice);
  dmd_env_free(&dmdv_env, normal);
}

static bool passes(const char *text, const dmd_records_t *records, const dmd_record_t *record) {
  dmd_filter_t filter;
  dmd_filter_init(&filter, records->profile, text);
  bool first = dmd_filter_passes(&filter, records, record);
  FUZZ_CHECK(dmd_filter_passes(&filter, records, record) == first);
  dmd_filter_destroy(&filter);
  return first;
}

static bool line_contains(const char *text, size_t n, const char *frame) {
  size_t szB = strlen(frame) + 32;
  char *line = malloc(szB);
  FUZZ_CHECK(line != NULL);
  snprintf(line, szB, "    #%02zu: %s", n, frame);
  bool found = strstr(line, text) != NULL;
  free(line);
  return found;
}

/* Whether one of the lines contains the text, line by line: with whole names or in brief. */
static bool slowly(const char *text, const dmd_records_t *records, const dmd_record_t *record) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, record->stack, &n);
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    const dmd_frames_t *all = &records->profile->frames;
    dmd_strbuf_t shown;
    dmd_strbuf_init(&shown, &dmdv_env);
    dmd_frame_brief(&shown, all, frames[i]);
    found |= line_contains(text, i + 1, dmd_frames_text(all, frames[i]));
    found |= line_contains(text, i + 1, shown.text);
    dmd_strbuf_destroy(&shown);
  }
  return found;
}

/* Checks a filter (ctx), its negation, and the filter with a backslash. */
static bool check_filter(void *ctx, const dmd_records_t *records, const dmd_record_t *record) {
  const char *text = ctx;
  size_t n = strlen(text);
  char *other = malloc(n + 2);
  FUZZ_CHECK(other != NULL);
  memcpy(other + 1, text, n + 1);
  other[0] = '!';
  bool negated = passes(other, records, record);
  other[0] = '\\';
  bool escaped = passes(other, records, record);
  FUZZ_CHECK(escaped == slowly(text, records, record));
  FUZZ_CHECK(negated != escaped);
  bool good = passes(text, records, record);
  if (text[0] != '!' && text[0] != '\\')
    FUZZ_CHECK(good == escaped);
  free(other);
  return good;
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
      frames[n_frames++] = dmd_frames_read_text(&profile.frames, line);
  }
  filter_stack(text, frames, n_frames, &profile);
  dmd_profile_destroy(&profile);
  free(text);
  return 0;
}
