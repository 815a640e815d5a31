/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glob.h: patterns that people write for functions, libraries and frames.
 *
 * A '*' stands for any characters and a '?' for one, which in UTF-8 may have several bytes; a
 * backslash takes the meaning from the character behind it. A pattern has to match the whole text.
 */
#ifndef DMD_BASE_GLOB_H
#define DMD_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the pattern matches all of the n bytes of text. Time: at worst the product of both
 * lengths. */
bool dmd_glob_matches_n(const char *pattern, const char *text, size_t n);
bool dmd_glob_matches(const char *pattern, const char *text);

#endif
