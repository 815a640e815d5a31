/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

#include "base/mem.h"

static bool is_continuation(unsigned char c) {
  return (c & 0xc0) == 0x80;
}

size_t dmd_utf8_length(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] < 0x80)
    return 1;
  if (u[0] < 0xc2 || !is_continuation(u[1]))
    return 0;
  if (u[0] < 0xe0)
    return 2;
  if (!is_continuation(u[2]))
    return 0;
  if (u[0] < 0xf0) {
    bool overlong = u[0] == 0xe0 && u[1] < 0xa0;
    bool surrogate = u[0] == 0xed && u[1] >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (u[0] > 0xf4 || !is_continuation(u[3]))
    return 0;
  bool overlong = u[0] == 0xf0 && u[1] < 0x90;
  bool too_large = u[0] == 0xf4 && u[1] >= 0x90;
  return overlong || too_large ? 0 : 4;
}

bool dmd_utf8_is_wide_space(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] == 0xc2)
    return u[1] == 0xa0;
  if (u[0] == 0xe1)
    return u[1] == 0x9a && u[2] == 0x80;
  if (u[0] == 0xe3)
    return u[1] == 0x80 && u[2] == 0x80;
  if (u[0] != 0xe2)
    return false;
  return (u[1] == 0x80 && (u[2] <= 0x8a || u[2] == 0xa8 || u[2] == 0xa9 || u[2] == 0xaf)) ||
         (u[1] == 0x81 && u[2] == 0x9f);
}

size_t dmd_utf8_to_utf16(uint16_t units[2], const char *s, size_t n) {
  uint32_t c = (unsigned char)s[0] & (n > 1 ? 0xffu >> (n + 1) : 0x7f);
  for (size_t i = 1; i < n; i++)
    c = c << 6 | ((unsigned char)s[i] & 0x3f);
  if (c < 0x10000) {
    units[0] = (uint16_t)c;
    return 1;
  }
  c -= 0x10000;
  units[0] = (uint16_t)(0xd800 | c >> 10);
  units[1] = (uint16_t)(0xdc00 | (c & 0x3ff));
  return 2;
}

bool dmd_utf8_is_valid(const char *s) {
  while (*s != '\0') {
    size_t n = dmd_utf8_length(s);
    if (n == 0)
      return false;
    s += n;
  }
  return true;
}

size_t dmd_utf8_repair(char *to, const char *s) {
  size_t length = 0;
  while (*s != '\0') {
    size_t n = dmd_utf8_length(s);
    const char *from = n == 0 ? DMD_UTF8_REPLACEMENT : s;
    size_t n_to = n == 0 ? sizeof DMD_UTF8_REPLACEMENT - 1 : n;
    if (to != NULL)
      dmd_mem_copy(to + length, from, n_to);
    length += n_to;
    s += n == 0 ? 1 : n;
  }
  if (to != NULL)
    to[length] = '\0';
  return length;
}
