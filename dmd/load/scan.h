/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scan.h: JSON values of the shapes that profiles are full of, read directly from the text.
 *
 * A profile is a million small objects with the same few keys. To build a tree for each would take
 * longer than everything else that is done with it. So the reader first checks whether the text has
 * the common shape: strings without escapes, whole numbers without sign, fraction or exponent.
 *
 * Each function looks at the text from p on, passes over white space, and returns where the value
 * ends. It returns NULL if the text before `end` has another shape, is wrong, or is not complete.
 * That is not an error: the cutter then reads the same text in the general way. So whatever is
 * accepted here must be accepted there too, and mean the same. NULL for p gives NULL, so that a
 * caller may ask for one thing after another and look at the end only.
 */
#ifndef DMD_LOAD_SCAN_H
#define DMD_LOAD_SCAN_H

#include "base/mem.h"

/* A part of the text, or any other string, that is not NUL-terminated. */
typedef struct dmd_span {
  const char *at; /* NULL: none */
  size_t n;
} dmd_span_t;

static inline dmd_span_t dmd_span_of(const char *s) {
  return s == NULL ? (dmd_span_t){NULL, 0} : (dmd_span_t){s, dmd_str_length(s)};
}

static inline bool dmd_scan_is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Where white space ends; never NULL but for p. */
static inline const char *dmd_scan_space(const char *p, const char *end) {
  if (p != NULL)
    while (p < end && dmd_scan_is_space(*p))
      p++;
  return p;
}

/* One of the characters of JSON's structure. */
static inline const char *dmd_scan_char(const char *p, const char *end, char c) {
  p = dmd_scan_space(p, end);
  return p != NULL && p < end && *p == c ? p + 1 : NULL;
}

/* What follows an element of an array or a member of an object: a comma, which sets *more, or the
 * end. */
static inline const char *dmd_scan_more(const char *p, const char *end, char close, bool *more) {
  p = dmd_scan_space(p, end);
  bool is_there = p != NULL && p < end;
  *more = is_there && *p == ',';
  return *more || (is_there && *p == close) ? p + 1 : NULL;
}

/* A string of valid UTF-8 without escapes; what is between its quotes. */
const char *dmd_scan_string(const char *p, const char *end, dmd_span_t *string);

/* Hexadecimal digits of either case, up to 16, that are all of a string. */
bool dmd_span_hex(dmd_span_t string, uint64_t *number);

/* A member's key and its colon. */
static inline const char *dmd_scan_key(const char *p, const char *end, dmd_span_t *key) {
  return dmd_scan_char(dmd_scan_string(p, end, key), end, ':');
}

/* A whole number: up to 15 digits. A longer one is noticed by whatever is asked for next. */
const char *dmd_scan_number(const char *p, const char *end, uint64_t *number);

/* A word such as true; word is NUL-terminated. */
const char *dmd_scan_word(const char *p, const char *end, const char *word);

/* Any value whose strings have no escapes, in which no more than `depth` arrays and objects nest.
 */
const char *dmd_scan_any(const char *p, const char *end, int depth);

#endif
