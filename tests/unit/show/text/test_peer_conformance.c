/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Mozilla's own test data: its files in, its script's output out, byte for byte but for the second
 * line, which is the script's command.
 *
 * The data is not part of this project. It is read from peers/dmd below the folder that the
 * environment variable DMD_SHARED names, or else below ../shared seen from the source folder.
 * Without that folder, the tests are skipped. */
#include "fixture.h"

#include <stdio.h>

#include <cjson/cJSON.h>
#include <zlib.h>

/* ---- files ---- */

/* A whole file, inflated if necessary; NULL if it cannot be opened. */
static char *read_all(const char *path) {
  gzFile file = gzopen(path, "rb");
  if (file == NULL)
    return NULL;
  size_t room = 1 << 16, n = 0;
  char *text = malloc(room);
  assert_non_null(text);
  for (;;) {
    int got = gzread(file, text + n, (unsigned)(room - n - 1));
    assert_true(got >= 0);
    if (got == 0)
      break;
    n += (size_t)got;
    if (room - n < 2) {
      room *= 2;
      text = realloc(text, room);
      assert_non_null(text);
    }
  }
  gzclose(file);
  text[n] = '\0';
  return text;
}

static char *read_peer(const char *name) {
  const char *folders[] = {getenv("DMD_SHARED"), getenv("DMD_SRCDIR"), getenv("srcdir")};
  for (size_t i = 0; i < COUNT_OF(folders); i++) {
    if (folders[i] == NULL)
      continue;
    char path[4096];
    snprintf(path, sizeof path, "%s%s/peers/dmd/%s", folders[i], i == 0 ? "" : "/../shared", name);
    char *text = read_all(path);
    if (text != NULL)
      return text;
    if (i == 0)
      fail_msg("DMD_SHARED is set, but there is no %s", path);
  }
  print_message("# no folder with Mozilla's test data: set DMD_SHARED\n");
  skip();
  return NULL;
}

/* ---- a document to a profile ---- */

typedef struct {
  const cJSON *traces, *frames;
  dmd_profile_t *profile;
} loader_t;

static uint32_t load_stack(const loader_t *l, const cJSON *trace_id) {
  if (trace_id == NULL)
    return DMD_NONE;
  uint32_t ids[64];
  size_t n = 0;
  const cJSON *frame_id;
  const cJSON *trace = cJSON_GetObjectItemCaseSensitive(l->traces, cJSON_GetStringValue(trace_id));
  assert_non_null(trace);
  cJSON_ArrayForEach(frame_id, trace) {
    const char *frame = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(l->frames, cJSON_GetStringValue(frame_id)));
    assert_non_null(frame);
    assert_int_equal(strncmp(frame, "#00: ", 5), 0);
    assert_true(n < COUNT_OF(ids));
    ids[n++] = dmd_frames_read_text(&l->profile->frames, frame + 5);
  }
  return dmd_profile_stack(l->profile, ids, n);
}

static uint64_t load_number(const cJSON *block, const char *key, uint64_t otherwise) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(block, key);
  return value == NULL ? otherwise : (uint64_t)cJSON_GetNumberValue(value);
}

static uint32_t load_reports(const loader_t *l, const cJSON *reps) {
  if (reps == NULL)
    return DMD_NONE;
  dmd_report_set_t set = {0};
  const cJSON *trace_id;
  cJSON_ArrayForEach(trace_id, reps) {
    assert_true(set.count < DMD_REPORTS_KEPT);
    set.report[set.count++].stack = load_stack(l, trace_id);
  }
  return dmd_reports_intern(&l->profile->reports, &set);
}

/* sign: -1 counts the file's blocks as gone. */
static void load(dmd_profile_t *profile, const char *text, int64_t sign) {
  cJSON *root = cJSON_ParseWithOpts(text, NULL, true);
  assert_non_null(root);
  const cJSON *invocation = cJSON_GetObjectItemCaseSensitive(root, "invocation");
  profile->options = dmd_profile_keep(
      profile, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(invocation, "dmdEnvVar")));
  const char *mode = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(invocation, "mode"));
  assert_non_null(mode);
  profile->mode = DMD_MODE_DARK_MATTER;
  while (strcmp(dmd_mode_name(profile->mode), mode) != 0)
    assert_true(++profile->mode <= DMD_MODE_SCAN);
  loader_t l = {cJSON_GetObjectItemCaseSensitive(root, "traceTable"),
                cJSON_GetObjectItemCaseSensitive(root, "frameTable"), profile};
  const cJSON *block;
  cJSON_ArrayForEach(block, cJSON_GetObjectItemCaseSensitive(root, "blockList")) {
    dmd_group_t g = {
        .req = load_number(block, "req", 0),
        .slop = load_number(block, "slop", 0),
        .num = (uint64_t)(sign * (int64_t)load_number(block, "num", 1)),
        .stack = load_stack(&l, cJSON_GetObjectItemCaseSensitive(block, "alloc")),
        .reports = load_reports(&l, cJSON_GetObjectItemCaseSensitive(block, "reps")),
    };
    dmd_groups_add(&profile->groups, &g);
  }
  assert_true(dmd_groups_count(&profile->groups) > 0);
  cJSON_Delete(root);
}

/* ---- the tests ---- */

typedef struct {
  const char *json, *second_json, *expected;
  uint32_t max_frames;
  dmd_sort_by_t sort_by;
} row_t;

static void cut_second_line(char *text) {
  char *second = strchr(text, '\n');
  assert_non_null(second);
  char *third = strchr(second + 1, '\n');
  assert_non_null(third);
  memmove(second + 1, third + 1, strlen(third + 1) + 1);
}

static void printed_as_mozilla_prints(void **state) {
  const row_t *row = *state;
  char *expected = read_peer(row->expected), *json = read_peer(row->json);
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  load(&f.profile, json, 1);
  fixture_text(&f, row->max_frames, row->sort_by, NULL);
  cut_second_line(f.sink.text);
  cut_second_line(expected);
  assert_text_equal(f.sink.text, expected);
  free(json);
  free(expected);
  fixture_end(&f);
}

/* The core's part of a difference: freed blocks count as negative. The core prints one invocation
 * and keeps records whose blocks cancel out, so the test compares only the records that changed,
 * without their numbers and the invocations. */
static void a_difference_of_two(void **state) {
  const row_t *row = *state;
  char *expected = read_peer(row->expected), *first = read_peer(row->json);
  char *second = read_peer(row->second_json);
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  load(&f.profile, first, -1);
  load(&f.profile, second, 1);
  const char *text = fixture_text(&f, row->max_frames, row->sort_by, NULL);
  size_t n_records = 0;
  for (const char *at = expected; (at = strstr(at, "\nLive {\n")) != NULL; n_records++) {
    at = strstr(at, " of ");
    at += strcspn(at, "\n");
    const char *past = strstr(at, "\n}\n");
    char record[4096];
    snprintf(record, sizeof record, "%.*s", (int)(past - at), at);
    if (strstr(text, record) == NULL)
      fail_msg("no record with%s\nin\n%s", record, text);
  }
  assert_true(n_records > 0);
  const char *summary = strstr(expected, "\nSummary {\n");
  assert_non_null(summary);
  assert_text_equal(strstr(text, "\nSummary {\n"), summary);
  free(first);
  free(second);
  free(expected);
  fixture_end(&f);
}

int main(void) {
  static row_t rows[] = {
      {"script-max-frames.json", NULL, "script-max-frames-8-expected.txt", 8, DMD_SORT_USABLE},
      {"script-max-frames.json", NULL, "script-max-frames-3-expected.txt", 3, DMD_SORT_USABLE},
      {"script-sort-by.json.gz", NULL, "script-sort-by-usable-expected.txt", 8, DMD_SORT_USABLE},
      {"script-sort-by.json.gz", NULL, "script-sort-by-slop-expected.txt", 8, DMD_SORT_SLOP},
      {"script-diff-live1.json", "script-diff-live2.json", "script-diff-live-expected.txt", 8,
       DMD_SORT_USABLE},
  };
  const struct CMUnitTest tests[] = {
      {"max_frames_8", printed_as_mozilla_prints, NULL, NULL, &rows[0]},
      {"max_frames_3", printed_as_mozilla_prints, NULL, NULL, &rows[1]},
      {"sort_by_usable", printed_as_mozilla_prints, NULL, NULL, &rows[2]},
      {"sort_by_slop", printed_as_mozilla_prints, NULL, NULL, &rows[3]},
      {"diff_live", a_difference_of_two, NULL, NULL, &rows[4]},
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
