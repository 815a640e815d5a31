/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * utf8.h: checks and repairs UTF-8.
 *
 * Overlong forms, surrogates and anything above U+10FFFF are not well-formed.
 */
#ifndef DMD_BASE_UTF8_H
#define DMD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FFFD, the replacement for a byte that is not valid. */
#define DMD_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* The length in bytes (1 to 4) of the well-formed sequence at s, which ends in NUL or has at least
 * 4 bytes; else 0. */
size_t dmd_utf8_length(const char *s);

/* Whether the well-formed sequence at s can change how a terminal or a viewer shows the text around
 * it: a control character (C0, DEL and C1: U+0000 to U+001F, U+007F to U+009F), a line or paragraph
 * separator (U+2028, U+2029), or a character that changes the direction of text (U+061C, U+200E,
 * U+200F, U+202A to U+202E, U+2066 to U+2069). */
static inline bool dmd_utf8_is_unsafe(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] < 0x80)
    return u[0] < 0x20 || u[0] == 0x7f;
  if (u[0] == 0xc2)
    return u[1] < 0xa0;
  if (u[0] == 0xd8)
    return u[1] == 0x9c;
  if (u[0] != 0xe2)
    return false;
  return u[1] == 0x80 ? u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xa8 && u[2] <= 0xae)
                      : u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9;
}

/* Whether the well-formed sequence at s is white space (property White_Space of Unicode) that is
 * neither ASCII nor a control character: U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
 * U+205F, U+3000. */
bool dmd_utf8_is_wide_space(const char *s);

/* Converts the well-formed sequence of n bytes at s to UTF-16; returns the number of units, 1 or
 * 2. */
size_t dmd_utf8_to_utf16(uint16_t units[2], const char *s, size_t n);

bool dmd_utf8_is_valid(const char *s);

/* Copies s to `to`, with U+FFFD for each byte that is not part of a well-formed sequence, and a
 * NUL; `to` may be NULL. Returns the length without the NUL. */
size_t dmd_utf8_repair(char *to, const char *s);

#endif
