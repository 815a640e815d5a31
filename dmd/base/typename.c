/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/typename.h"

#include "base/fnname.h"
#include "base/str.h"

enum { MAX_NESTING = 32 };

static bool begins(const char *s, size_t n, const char *word) {
  size_t i = 0;
  while (i < n && word[i] != '\0' && s[i] == word[i])
    i++;
  return word[i] == '\0';
}

/* ---- Brackets. ---- */

static bool is_opening(char c) {
  return c == '<' || c == '(' || c == '[' || c == '{';
}

static bool is_closing(const char *s, size_t at) {
  char c = s[at];
  return (c == '>' && (at == 0 || s[at - 1] != '-')) || c == ')' || c == ']' || c == '}';
}

/* Where the template argument at `at` ends, at a comma or at the '>'; n if it does not. */
static size_t argument_end(const char *s, size_t n, size_t at) {
  for (size_t depth = 0; at < n; at++) {
    if (is_opening(s[at]))
      depth++;
    else if (is_closing(s, at) && depth-- == 0)
      return s[at] == '>' ? at : n;
    else if (s[at] == ',' && depth == 0)
      return at;
  }
  return n;
}

/* ---- Parts that nobody writes. ---- */

/* The length of the library's inner namespace at the start of a name. */
static size_t inner_namespace(const char *s, size_t n) {
  static const char *const names[] = {"__cxx11::", "__1::"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (begins(s, n, names[i]))
      return dmd_str_length(names[i]);
  return 0;
}

static bool is_default(const char *s, size_t n) {
  static const char *const names[] = {
      "std::allocator<", "std::char_traits<", "std::default_delete<",     "std::less<",
      "std::hash<",      "std::equal_to<",    "(__gnu_cxx::_Lock_policy)"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (begins(s, n, names[i]))
      return true;
  return false;
}

static bool ends_with(const dmd_strbuf_t *buf, size_t from, const char *word) {
  size_t n = dmd_str_length(word);
  return buf->n - from >= n && dmd_str_equal(buf->text + buf->n - n, word);
}

/* Replaces a string type by its short form; its arguments begin in the buffer at `open`. */
static void replace_string(dmd_strbuf_t *to, size_t from, size_t open) {
  static const char basic[] = "std::basic_string";
  size_t n = sizeof basic - 1;
  const char *arguments = to->text + open;
  bool is_char = dmd_str_equal(arguments, "<char>"),
       is_wide = dmd_str_equal(arguments, "<wchar_t>");
  if ((!is_char && !is_wide) || open - from < n || !begins(to->text + open - n, n, basic))
    return;
  dmd_strbuf_cut(to, open - n);
  dmd_strbuf_str(to, is_char ? "std::string" : "std::wstring");
}

/* ---- Templates. ---- */

static void put(dmd_strbuf_t *to, const char *s, size_t n, int depth);

/* Appends the template arguments after the '<' at `open`. Returns the position after their '>'. */
static size_t put_arguments(dmd_strbuf_t *to, size_t from, const char *s, size_t n, size_t open,
                            int depth) {
  size_t start = to->n, at = open + 1, end;
  dmd_strbuf_str(to, "<");
  for (bool is_first = true;; is_first = false, at = end + 1) {
    while (at < n && s[at] == ' ')
      at++;
    end = argument_end(s, n, at);
    size_t length = end - at;
    while (length > 0 && s[at + length - 1] == ' ')
      length--;
    if (is_first || !is_default(s + at, length)) {
      dmd_strbuf_str(to, is_first ? "" : ", ");
      put(to, s + at, length, depth + 1);
    }
    if (s[end] == '>')
      break;
  }
  dmd_strbuf_str(to, ">");
  replace_string(to, from, start);
  return end + 1;
}

/* Whether the template arguments after `open` end. */
static bool is_whole(const char *s, size_t n, size_t open) {
  size_t at = open + 1;
  while ((at = argument_end(s, n, at)) < n && s[at] == ',')
    at++;
  return at < n;
}

static void put(dmd_strbuf_t *to, const char *s, size_t n, int depth) {
  size_t from = to->n, at = 0;
  while (at < n) {
    size_t skipped = ends_with(to, from, "std::") ? inner_namespace(s + at, n - at) : 0;
    if (skipped > 0)
      at += skipped;
    else if (s[at] == '<' && at > 0 && depth < MAX_NESTING && is_whole(s, n, at))
      at = put_arguments(to, from, s, n, at, depth);
    else {
      if (s[at] == '<')
        depth = MAX_NESTING; /* unknown syntax: do not scan the rest again and again */
      dmd_strbuf_bytes(to, s + at++, 1);
    }
  }
}

/* ---- The whole. ---- */

/* Removes the arguments of the outermost templates in the buffer from `from` on. */
static void drop_arguments(dmd_strbuf_t *to, size_t from) {
  size_t depth = 0;
  dmd_strbuf_t whole;
  dmd_strbuf_init(&whole, to->env);
  dmd_strbuf_bytes(&whole, to->text + from, to->n - from);
  dmd_strbuf_cut(to, from);
  for (size_t at = 0; at < whole.n; at++) {
    bool closes = whole.text[at] == '>' && is_closing(whole.text, at);
    depth -= closes && depth > 0;
    if (depth == 0)
      dmd_strbuf_bytes(to, whole.text + at, 1);
    if (whole.text[at] == '<' && depth++ == 0)
      dmd_strbuf_str(to, "...");
  }
  if (depth > 0) {
    dmd_strbuf_cut(to, from);
    dmd_strbuf_bytes(to, whole.text, whole.n);
  }
  dmd_strbuf_destroy(&whole);
}

void dmd_typename_short(dmd_strbuf_t *to, const char *text) {
  size_t from = to->n, n = dmd_str_length(text);
  /* The characters of operators are not brackets. */
  if (dmd_str_find(text, "operator") != NULL || dmd_str_find(text, "<") == NULL) {
    dmd_strbuf_bytes(to, text, n);
    return;
  }
  put(to, text, n, 0);
  if (to->n - from > DMD_FNNAME_LONG)
    drop_arguments(to, from);
}
