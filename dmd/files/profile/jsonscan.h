/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jsonscan.h: reads JSON values of the shapes common in profiles directly from the text.
 *
 * A profile is a million small objects with the same few keys. Building a tree for each would take
 * longer than everything else. So the reader first checks whether the text has the common shape:
 * strings without escapes, and whole numbers without sign, fraction or exponent.
 *
 * Each function reads the text from p on, skips white space, and returns where the value ends. It
 * returns NULL if the text before `end` has another shape, is invalid, or is incomplete. That is
 * not an error: the cutter then reads the same text in the general way. So any text accepted here
 * must also be accepted there, with the same meaning. NULL for p gives NULL, so that callers can
 * chain calls and check the result once.
 */
#ifndef DMD_FILES_PROFILE_JSONSCAN_H
#define DMD_FILES_PROFILE_JSONSCAN_H

#include "base/mem.h"

/* A string that is not NUL-terminated, such as a part of the text. */
typedef struct dmd_span {
  const char *at; /* NULL: none */
  size_t n;
} dmd_span_t;

static inline dmd_span_t dmd_span_of(const char *s) {
  return s == NULL ? (dmd_span_t){NULL, 0} : (dmd_span_t){s, dmd_str_length(s)};
}

static inline bool dmd_jsonscan_is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Where white space ends. NULL only if p is. */
static inline const char *dmd_jsonscan_space(const char *p, const char *end) {
  if (p != NULL)
    while (p < end && dmd_jsonscan_is_space(*p))
      p++;
  return p;
}

/* One of JSON's structural characters. */
static inline const char *dmd_jsonscan_char(const char *p, const char *end, char c) {
  p = dmd_jsonscan_space(p, end);
  return p != NULL && p < end && *p == c ? p + 1 : NULL;
}

/* What follows an element or a member: a comma, which sets *more, or `close`. */
static inline const char *dmd_jsonscan_more(const char *p, const char *end, char close,
                                            bool *more) {
  p = dmd_jsonscan_space(p, end);
  bool is_there = p != NULL && p < end;
  *more = is_there && *p == ',';
  return *more || (is_there && *p == close) ? p + 1 : NULL;
}

/* A string of valid UTF-8 without escapes; *string is the text between its quotes. */
const char *dmd_jsonscan_string(const char *p, const char *end, dmd_span_t *string);

/* Reads a string that consists of 1 to 16 hexadecimal digits of either case. */
bool dmd_span_hex(dmd_span_t string, uint64_t *number);

/* A member's key and its colon. */
static inline const char *dmd_jsonscan_key(const char *p, const char *end, dmd_span_t *key) {
  return dmd_jsonscan_char(dmd_jsonscan_string(p, end, key), end, ':');
}

/* A whole number of up to 15 digits. For a longer one, the caller's next call fails on the rest of
 * the digits. */
const char *dmd_jsonscan_number(const char *p, const char *end, uint64_t *number);

/* A word such as true; word is NUL-terminated. */
const char *dmd_jsonscan_word(const char *p, const char *end, const char *word);

/* Any value whose strings have no escapes, with at most `depth` levels of arrays and objects. */
const char *dmd_jsonscan_any(const char *p, const char *end, int depth);

#endif
