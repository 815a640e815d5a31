/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * utf8.h: whether bytes are text.
 *
 * Overlong forms and surrogates are not well-formed, nor is anything above U+10FFFF.
 */
#ifndef DMD_BASE_UTF8_H
#define DMD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FFFD, which stands for a byte that is not text. */
#define DMD_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* The length in bytes (1 to 4) of the well-formed sequence at s, which ends in NUL or has at least
 * 4 bytes; 0 where there is none. */
size_t dmd_utf8_length(const char *s);

/* Whether the well-formed sequence at s is a control character, which a terminal may obey: C0 and
 * DEL, of one byte, or C1, U+0080 to U+009F, of two. */
static inline bool dmd_utf8_is_control(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  return u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && u[1] < 0xa0);
}

/* Whether the well-formed sequence at s is white space (property White_Space of Unicode) that is
 * neither ASCII nor a control character: U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
 * U+205F, U+3000. */
bool dmd_utf8_is_wide_space(const char *s);

/* The well-formed sequence of n bytes at s in UTF-16; returns how many units that are, 1 or 2. */
size_t dmd_utf8_to_utf16(uint16_t units[2], const char *s, size_t n);

bool dmd_utf8_is_valid(const char *s);

/* The bytes of s as text: U+FFFD for each byte that is not part of a well-formed sequence. Writes
 * this and a NUL to `to`, unless that is NULL. Returns the length without the NUL. */
size_t dmd_utf8_repair(char *to, const char *s);

#endif
