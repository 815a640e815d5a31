/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_export: a file from a stranger, exported. Formats based on JSON are valid JSON, and the
 * lines of the flame graph add up to the heap.
 */
#include "fuzz.h"

#include "model/profile/profile.h"
#include "show/export/export.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

static const dmd_export_options_t options = {.section = DMD_SECTION_ALL, .exporter = "a fuzzer"};

static void check_json(dmd_profile_t *profile, dmd_export_fn export) {
  fuzz_text_t text = {0};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, &text);
  bool good = export(profile, &out, &options) == NULL;
  FUZZ_CHECK(dmd_out_flush(&out));
  if (good) {
    cJSON *json = cJSON_ParseWithLength(text.bytes, text.n);
    FUZZ_CHECK(json != NULL);
    cJSON_Delete(json);
  }
  fuzz_text_free(&text);
}

static uint64_t usable(const dmd_profile_t *profile) {
  uint64_t sum = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    sum += (uint64_t)dmd_group_usable(profile, dmd_groups_at(&profile->groups, id));
  return sum;
}

static void check_collapsed(dmd_profile_t *profile) {
  fuzz_text_t text = {0};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, &text);
  FUZZ_CHECK(dmd_export_collapsed(profile, &out, &options) == NULL);
  dmd_out_char(&out, '\0');
  FUZZ_CHECK(dmd_out_flush(&out) && strlen(text.bytes) == text.n - 1);
  uint64_t sum = 0;
  for (char *line = text.bytes, *end; *line != '\0'; line = end + 1) {
    end = strchr(line, '\n');
    FUZZ_CHECK(end != NULL);
    *end = '\0';
    const char *blank = strrchr(line, ' ');
    FUZZ_CHECK(blank != NULL && blank > line);
    sum += strtoull(blank + 1, NULL, 10);
  }
  FUZZ_CHECK(sum == usable(profile));
  fuzz_text_free(&text);
}

/* The lines of costs that follow no calls= add up to the heap. */
static void check_callgrind(dmd_profile_t *profile) {
  fuzz_text_t text = {0};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, &text);
  FUZZ_CHECK(dmd_export_callgrind(profile, &out, &options) == NULL);
  dmd_out_char(&out, '\0');
  FUZZ_CHECK(dmd_out_flush(&out) && strlen(text.bytes) == text.n - 1);
  uint64_t sum = 0;
  bool is_call = false;
  for (char *line = text.bytes, *end; *line != '\0'; line = end + 1) {
    end = strchr(line, '\n');
    FUZZ_CHECK(end != NULL);
    if (*line >= '0' && *line <= '9') {
      char *cost;
      strtoull(line, &cost, 10);
      sum += is_call ? 0 : strtoull(cost, NULL, 10);
    }
    is_call = strncmp(line, "calls=", 6) == 0;
  }
  FUZZ_CHECK(sum == usable(profile));
  fuzz_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  if (fuzz_load(&profile, data, n, SIZE_MAX, &fail)) {
    check_json(&profile, dmd_export_speedscope);
    check_json(&profile, dmd_export_dhat);
    check_json(&profile, dmd_export_about_memory);
    check_collapsed(&profile);
    check_callgrind(&profile);
  }
  dmd_profile_destroy(&profile);
  return 0;
}
