/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/glob.h"

#include "base/mem.h"
#include "base/utf8.h"

/* The length of the character at s, whose text ends at end. */
static size_t character(const char *s, const char *end) {
  size_t n = dmd_utf8_length(s);
  return n == 0 || n > (size_t)(end - s) ? 1 : n;
}

/* On a mismatch, the part after the last '*' is tried one character further on. An earlier '*' need
 * never match more, since the last one can match it as well. */
bool dmd_glob_matches_n(const char *pattern, const char *text, size_t n) {
  const char *end = text + n;
  const char *star = NULL, *star_text = NULL;
  while (text < end || *pattern != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      star_text = text;
      continue;
    }
    if (text < end && *pattern == '?') {
      pattern++;
      text += character(text, end);
      continue;
    }
    const char *p = *pattern == '\\' && pattern[1] != '\0' ? pattern + 1 : pattern;
    if (text < end && *p == *text) {
      pattern = p + 1;
      text++;
      continue;
    }
    if (star == NULL || star_text >= end)
      return false;
    star_text += character(star_text, end);
    pattern = star;
    text = star_text;
  }
  return true;
}

bool dmd_glob_matches(const char *pattern, const char *text) {
  return dmd_glob_matches_n(pattern, text, dmd_str_length(text));
}
