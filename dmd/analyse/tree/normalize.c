/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/normalize.h"

#include "base/str.h"
#include <stdbool.h>

static const char DECIMAL[] = "0123456789";
static const char HEXADECIMAL[] = "0123456789abcdefABCDEF";

/* The text before a variable number, and after it ("": any). */
static const struct {
  const char *before, *digits, *after;
} forms[] = {
    {"pid ", DECIMAL, ""},     {"pid=", DECIMAL, ""},      {"(tid=", DECIMAL, ")"},
    {"(0x", HEXADECIMAL, ")"}, {", 0x", HEXADECIMAL, ")"},
};

/* If one of the forms begins at s: its length, and the length before the number; else 0. */
static size_t match(const char *s, size_t *before) {
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    *before = dmd_str_length(forms[i].before);
    if (!dmd_str_begins(s, forms[i].before))
      continue;
    size_t n = dmd_str_span(s + *before, forms[i].digits);
    if (n > 0 && dmd_str_begins(s + *before + n, forms[i].after))
      return *before + n;
  }
  return 0;
}

char *dmd_normalize(const dmd_env_t *env, const char *name) {
  /* The shortest form, "pid 1", grows by two characters. */
  char *normal = dmd_env_alloc(env, "dmd.normalize", dmd_str_length(name) * 2 + 1);
  char *to = normal;
  while (*name != '\0') {
    size_t before, n = match(name, &before);
    if (n == 0) {
      *to++ = *name++;
      continue;
    }
    dmd_mem_copy(to, name, before);
    dmd_mem_copy(to + before, "NNN", 3);
    to += before + 3;
    name += n;
  }
  *to = '\0';
  return normal;
}
