/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * str.h: NUL-terminated strings without a libc.
 *
 * What the functions of <string.h> with these names do. Bytes are compared as unsigned numbers, as
 * strcmp compares them.
 */
#ifndef DMD_BASE_STR_H
#define DMD_BASE_STR_H

#include "base/mem.h"

/* As strcmp: negative, 0 or positive as a comes before, equals or comes after b. */
int dmd_str_compare(const char *a, const char *b);

/* Whether s begins with this prefix. */
bool dmd_str_begins(const char *s, const char *prefix);

/* Whether the first n bytes are equal, as strncmp(a, b, n) == 0. */
bool dmd_str_equal_n(const char *a, const char *b, size_t n);

/* Whether a and b are equal but for the case of the letters A to Z. */
bool dmd_str_equal_ignoring_case(const char *a, const char *b);

/* The first or the last place of c in s; NULL where s has none. c is not NUL. */
const char *dmd_str_find_char(const char *s, char c);
const char *dmd_str_find_last_char(const char *s, char c);

/* The first place of part in s; NULL where there is none. */
const char *dmd_str_find(const char *s, const char *part);

/* How many bytes at the start of s are all in this set, as strspn, or all outside of it, as
 * strcspn. */
size_t dmd_str_span(const char *s, const char *set);
size_t dmd_str_span_without(const char *s, const char *set);

/* Turns the letters a to z into capitals. */
void dmd_str_to_upper(char *s);

/* Reads the whole string as a number in base 10 or 16; hexadecimal digits may be of either case.
 * False if it is not such a number or does not fit; *number is then left alone. */
bool dmd_str_to_u64(const char *s, unsigned base, uint64_t *number);

#endif
