/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * str.h: NUL-terminated strings without a libc.
 *
 * The functions work like their counterparts in <string.h>. Bytes are compared as unsigned numbers,
 * as in strcmp.
 */
#ifndef DMD_BASE_STR_H
#define DMD_BASE_STR_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* Like strcmp: negative, 0 or positive if a comes before, equals or comes after b. */
int dmd_str_compare(const char *a, const char *b);

/* Whether s begins with this prefix. */
bool dmd_str_begins(const char *s, const char *prefix);

/* Whether s, which has n bytes, ends with this. */
bool dmd_str_ends(const char *s, size_t n, const char *ending);

/* Whether the first n bytes are equal, as strncmp(a, b, n) == 0. */
bool dmd_str_equal_n(const char *a, const char *b, size_t n);

/* Whether a and b are equal, ignoring the case of the letters A to Z. */
bool dmd_str_equal_ignoring_case(const char *a, const char *b);

/* The first or last c in s, or NULL. c is not NUL. */
const char *dmd_str_find_char(const char *s, char c);
const char *dmd_str_find_last_char(const char *s, char c);

/* The first occurrence of part in s, or NULL. */
const char *dmd_str_find(const char *s, const char *part);

/* The number of bytes at the start of s that are all in the set (strspn), or all outside it
 * (strcspn). */
size_t dmd_str_span(const char *s, const char *set);
size_t dmd_str_span_without(const char *s, const char *set);

/* Converts the letters a to z to upper case. */
void dmd_str_to_upper(char *s);

/* Parses the whole string as a number in base 10 or 16; hexadecimal digits may have either case.
 * Returns false, and leaves *number unchanged, if it is not such a number or does not fit. */
bool dmd_str_to_u64(const char *s, unsigned base, uint64_t *number);

/* ---- Patterns. ----
 *
 * Patterns that people write for functions, libraries and frames.
 *
 * '*' matches any characters and '?' one character, which in UTF-8 may have several bytes; a
 * backslash protects the next character. A pattern has to match the whole text. */

/* Whether the pattern matches all n bytes of text. Worst-case time: the product of both lengths. */
bool dmd_glob_matches_n(const char *pattern, const char *text, size_t n);
bool dmd_glob_matches(const char *pattern, const char *text);

#endif
