/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"

#include "base/mem.h"
#include "base/utf8.h"

int dmd_str_compare(const char *a, const char *b) {
  while (*a != '\0' && *a == *b)
    a++, b++;
  return (unsigned char)*a - (unsigned char)*b;
}

bool dmd_str_begins(const char *s, const char *prefix) {
  while (*prefix != '\0' && *s == *prefix)
    s++, prefix++;
  return *prefix == '\0';
}

bool dmd_str_ends(const char *s, size_t n, const char *ending) {
  size_t length = dmd_str_length(ending);
  return n >= length && dmd_str_equal_n(s + n - length, ending, length);
}

bool dmd_str_equal_n(const char *a, const char *b, size_t n) {
  for (; n > 0 && *a == *b; n--, a++, b++)
    if (*a == '\0')
      return true;
  return n == 0;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

bool dmd_str_equal_ignoring_case(const char *a, const char *b) {
  while (*a != '\0' && lower(*a) == lower(*b))
    a++, b++;
  return *a == *b;
}

const char *dmd_str_find_char(const char *s, char c) {
  while (*s != '\0' && *s != c)
    s++;
  return *s == c ? s : NULL;
}

const char *dmd_str_find_last_char(const char *s, char c) {
  const char *last = NULL;
  for (; *s != '\0'; s++)
    if (*s == c)
      last = s;
  return last;
}

const char *dmd_str_find(const char *s, const char *part) {
  for (;; s++) {
    if (dmd_str_begins(s, part))
      return s;
    if (*s == '\0')
      return NULL;
  }
}

size_t dmd_str_span(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] != '\0' && dmd_str_find_char(set, s[n]) != NULL)
    n++;
  return n;
}

size_t dmd_str_span_without(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] != '\0' && dmd_str_find_char(set, s[n]) == NULL)
    n++;
  return n;
}

void dmd_str_to_upper(char *s) {
  for (; *s != '\0'; s++)
    if (*s >= 'a' && *s <= 'z')
      *s = (char)(*s - 'a' + 'A');
}

/* 16: not a digit. */
static unsigned digit_of(char c) {
  if (c >= '0' && c <= '9')
    return (unsigned)(c - '0');
  c = lower(c);
  return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool dmd_str_to_u64(const char *s, unsigned base, uint64_t *number) {
  uint64_t v = 0;
  bool good = *s != '\0';
  for (; *s != '\0' && good; s++) {
    unsigned digit = digit_of(*s);
    good = digit < base && v <= (UINT64_MAX - digit) / base;
    v = v * base + digit;
  }
  if (good)
    *number = v;
  return good;
}

/* ---- Patterns. ---- */

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
