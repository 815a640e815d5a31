/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/path.h"

#include "base/str.h"

int dmd_path_compare(const char *a, const char *b) {
  while (*a != '\0' && *a == *b)
    a++, b++;
  unsigned char x = (unsigned char)*a, y = (unsigned char)*b;
  if (x == y)
    return 0;
  if (x == '\0' || (x == '/' && y != '\0'))
    return -1;
  if (y == '\0' || y == '/')
    return 1;
  return x < y ? -1 : 1;
}

static bool is_below(const char *path, const char *top, size_t n) {
  return dmd_str_equal_n(path, top, n) && (path[n] == '\0' || path[n] == '/');
}

/* "/" and "//" are paths, too: the second is below the first. */
bool dmd_path_is_at_or_below(const char *path, const char *top) {
  while (*top != '\0' && *path == *top)
    path++, top++;
  return *top == '\0' && (*path == '\0' || *path == '/');
}

bool dmd_path_is_within(const char *path, const char *top) {
  size_t n = dmd_str_length(top);
  if (is_below(path, top, n))
    return true;
  while (n > 0 && top[n - 1] == '/')
    n--;
  return n > 0 && is_below(path, top, n);
}

const char *dmd_path_base(const char *path) {
  const char *slash = dmd_str_find_last_char(path, '/');
  return slash == NULL ? path : slash + 1;
}

void dmd_path_show(dmd_strbuf_t *to, const char *parts) {
  size_t at = to->n;
  dmd_strbuf_str(to, parts);
  for (; at < to->n; at++)
    if (to->text[at] == '\\')
      to->text[at] = '/';
}
