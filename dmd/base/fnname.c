/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fnname.h"

static size_t length(const char *s) {
  size_t n = 0;
  while (s[n] != '\0')
    n++;
  return n;
}

/* Whether the n bytes at s begin with this word. */
static bool begins(const char *s, size_t n, const char *word) {
  size_t i = 0;
  while (i < n && word[i] != '\0' && s[i] == word[i])
    i++;
  return word[i] == '\0';
}

static bool ends(const char *s, size_t n, const char *word) {
  size_t len = length(word);
  return n > len && begins(s + n - len, len, word);
}

/* Up to where a copy's name begins: " [clone" of C++, a dot and a word of C. */
static size_t without_clone(const char *name, size_t n) {
  static const char *const clones[] = {" [clone ", ".part.",     ".constprop.", ".isra.",
                                       ".cold",    ".lto_priv.", ".localalias"};
  for (size_t at = 1; at < n; at++)
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
      if (begins(name + at, n - at, clones[i]))
        return at;
  return n;
}

/* Without what may stand behind the parameters of a member function. */
static size_t without_qualifiers(const char *name, size_t n) {
  static const char *const qualifiers[] = {" const", " volatile", " &", " &&"};
  for (bool found = true; found;) {
    found = false;
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
      if (ends(name, n, qualifiers[i])) {
        n -= length(qualifiers[i]);
        found = true;
      }
  }
  return n;
}

/* Where the parenthesis that ends the name was opened; 0 where it was not, or has nothing before
 * it. */
static size_t opening(const char *name, size_t n) {
  size_t depth = 0;
  for (size_t at = n; at-- > 0;) {
    if (name[at] == ')')
      depth++;
    else if (name[at] == '(' && --depth == 0)
      return at;
  }
  return 0;
}

size_t dmd_fnname_plain(const char *name, size_t n) {
  n = without_clone(name, n);
  size_t end = without_qualifiers(name, n);
  if (end == 0 || name[end - 1] != ')')
    return n;
  /* The parentheses of operator() are its name, those behind them its parameters. */
  size_t open = opening(name, end);
  return open == 0 || ends(name, open, "operator") ? n : open;
}

/* Where the part of a qualified name begins that ends before n; the "::" within template arguments
 * and parentheses do not count. */
static size_t last_part(const char *name, size_t n) {
  size_t depth = 0;
  for (size_t at = n; at-- > 0;) {
    if (name[at] == '>' || name[at] == ')')
      depth++;
    else if ((name[at] == '<' || name[at] == '(') && depth > 0)
      depth--;
    else if (depth == 0 && (name[at] == ' ' || (name[at] == ':' && at > 0 && name[at - 1] == ':')))
      return at + 1;
  }
  return 0;
}

/* The part's bytes without its template arguments. */
static size_t without_arguments(const char *part, size_t n) {
  size_t at = 0;
  while (at < n && part[at] != '<')
    at++;
  return at;
}

bool dmd_fnname_is_constructor(const char *name, size_t n) {
  n = dmd_fnname_plain(name, n);
  size_t own = last_part(name, n);
  if (own < 3 || name[own - 1] != ':')
    return false;
  size_t of_class = last_part(name, own - 2);
  size_t length_of_own = without_arguments(name + own, n - own);
  size_t length_of_class = without_arguments(name + of_class, own - 2 - of_class);
  if (length_of_own == 0 || length_of_own != length_of_class)
    return false;
  for (size_t i = 0; i < length_of_own; i++)
    if (name[own + i] != name[of_class + i])
      return false;
  return true;
}
