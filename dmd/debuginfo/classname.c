/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/classname.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* From the C++ library, which declares it in no C header. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *n, int *status);

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of a number's suffix, which only gives its type. */
static size_t suffix(const char *s) {
  size_t n = strspn(s, "uUlL");
  return is_word(s[n]) ? 0 : n;
}

/* The length of "const" and the blanks after it, if the text begins with that; otherwise 0. */
static size_t qualifier(const char *s) {
  enum { LENGTH = 5 };
  if (!dmd_str_begins(s, "const") || is_word(s[LENGTH]))
    return 0;
  return LENGTH + strspn(s + LENGTH, " ");
}

void dmdv_classname_normal(dmd_strbuf_t *to, const char *name) {
  bool in_word = false, is_number = false;
  for (const char *s = name; *s != '\0'; s++) {
    size_t left_out = in_word ? 0 : qualifier(s);
    if (left_out > 0) {
      s += left_out - 1;
      continue;
    }
    if (*s == ' ') {
      if (in_word && is_word(s[1]) && qualifier(s + 1) == 0)
        dmd_strbuf_bytes(to, s, 1);
      in_word = false;
      continue;
    }
    if (is_word(*s) && !in_word)
      is_number = isdigit((unsigned char)*s);
    in_word = is_word(*s);
    size_t skipped = in_word && is_number && !isdigit((unsigned char)*s) ? suffix(s) : 0;
    if (skipped > 0)
      s += skipped - 1;
    else
      dmd_strbuf_bytes(to, s, 1);
  }
}

const char *dmdv_demangle(const char *symbol, char **freed) {
  int status = -1;
  *freed = dmd_str_begins(symbol, "_Z") ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
  return status == 0 && *freed != NULL ? *freed : symbol;
}

bool dmdv_classname_of_vtable(dmd_strbuf_t *to, const char *symbol) {
  if (!dmd_str_begins(symbol, "_ZTV"))
    return false;
  char *freed;
  const char *name = dmdv_demangle(symbol, &freed);
  static const char before[] = "vtable for ";
  bool good = dmd_str_begins(name, before);
  if (good)
    dmd_strbuf_str(to, name + sizeof before - 1);
  free(freed);
  return good;
}
