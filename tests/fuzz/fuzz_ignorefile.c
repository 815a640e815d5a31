/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_ignorefile: an ignore file and, behind the last NUL byte, a frame. Patterns have texts and
 * reasons, and match whenever a slow matcher, which fills a table, matches.
 */
#include "fuzz.h"

#include "analyse/limits/ignore.h"
#include "base/str.h"
#include "base/utf8.h"
#include "host/process.h"

#include <stdlib.h>
#include <string.h>

/* Limits; above them, the table would take all the time. */
enum { MAX_PATTERN = 200, MAX_FRAME = 200 };

static size_t character(const char *s, size_t left) {
  size_t n = dmd_utf8_length(s);
  return n == 0 || n > left ? 1 : n;
}

/* row[j] says whether the rest of the pattern matches text + j; this goes from the pattern's
 * end to its start. */
static bool naive_matches(const char *pattern, const char *text, size_t n) {
  size_t starts[MAX_PATTERN] = {0}, n_parts = 0;
  for (size_t i = 0; pattern[i] != '\0'; n_parts++) {
    starts[n_parts] = i;
    i += pattern[i] == '\\' && pattern[i + 1] != '\0' ? 2 : 1;
  }
  bool row[MAX_FRAME + 1] = {false};
  row[n] = true;
  while (n_parts-- > 0) {
    const char *p = pattern + starts[n_parts];
    bool next[MAX_FRAME + 1];
    memcpy(next, row, sizeof next);
    for (size_t j = n + 1; j-- > 0;) {
      size_t step = j < n ? character(text + j, n - j) : 0;
      if (*p == '*')
        row[j] = next[j] || (j < n && row[j + step]);
      else if (*p == '?')
        row[j] = j < n && next[j + step];
      else
        row[j] = j < n && text[j] == (*p == '\\' && p[1] != '\0' ? p[1] : p[0]) && next[j + 1];
    }
  }
  return row[0];
}

static bool is_utf8(const char *s) {
  while (*s != '\0') {
    size_t n = dmd_utf8_length(s);
    if (n == 0)
      return false;
    s += n;
  }
  return true;
}

static void check(const dmd_pattern_t *pattern, const char *frame, size_t n) {
  FUZZ_CHECK(pattern->text[0] != '\0' && pattern->reason[0] != '\0' && pattern->line > 0);
  bool matches = dmd_glob_matches_n(pattern->text, frame, n);
  if (strlen(pattern->text) <= MAX_PATTERN && n <= MAX_FRAME && is_utf8(frame))
    FUZZ_CHECK(matches == naive_matches(pattern->text, frame, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static const char default_frame[] = "cJSON_New_Item (legacy/json.c:230)";
  size_t n_file = n;
  while (n_file > 0 && data[n_file - 1] != '\0')
    n_file--;
  char *frame = fuzz_string(n_file > 0 ? data + n_file : (const uint8_t *)default_frame,
                            n_file > 0 ? n - n_file : sizeof default_frame - 1);
  n_file = n_file > 0 ? n_file - 1 : n;
  dmd_ignore_t file;
  uint64_t line = 0;
  const char *why = dmd_ignore_parse(&file, &dmdv_env, (const char *)data, n_file, &line);
  if (why == NULL)
    for (size_t i = 0; i < file.n; i++)
      check(&file.patterns[i], frame, strlen(frame));
  else
    FUZZ_CHECK(file.n == 0 && line > 0 && why[0] != '\0');
  dmd_ignore_destroy(&file);
  free(frame);
  return 0;
}
