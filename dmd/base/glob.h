/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glob.h: patterns that people write for functions, libraries and frames.
 *
 * '*' matches any characters and '?' one character, which in UTF-8 may have several bytes; a
 * backslash protects the next character. A pattern has to match the whole text.
 */
#ifndef DMD_BASE_GLOB_H
#define DMD_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the pattern matches all n bytes of text. Worst-case time: the product of both lengths. */
bool dmd_glob_matches_n(const char *pattern, const char *text, size_t n);
bool dmd_glob_matches(const char *pattern, const char *text);

#endif
