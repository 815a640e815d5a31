/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "valgrind/dm_match.h"

static Bool is_wildcard(HChar c) {
  return c == '*' || c == '?';
}

/* Skips the equal prefix, which decides nothing, whatever follows. */
Bool __wrap_vgPlain_string_match(const HChar *pattern, const HChar *text) {
  while (*pattern == *text && *pattern != '\0' && !is_wildcard(*pattern))
    pattern++, text++;
  return is_wildcard(*pattern) ? __real_vgPlain_string_match(pattern, text) : *pattern == *text;
}
