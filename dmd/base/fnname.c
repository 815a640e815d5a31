/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fnname.h"

#include "base/str.h"

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

/* The length without the suffix of a copy: " [clone" in C++, a dot and a word in C. */
static size_t without_clone(const char *name, size_t n) {
  static const char *const clones[] = {" [clone ", ".part.",     ".constprop.", ".isra.",
                                       ".cold",    ".lto_priv.", ".localalias"};
  for (size_t at = 1; at < n; at++)
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
      if (begins(name + at, n - at, clones[i]))
        return at;
  return n;
}

/* The length without the qualifiers that follow the parameters of a member function. */
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

/* Index of the '(' that matches the ')' at the end; 0 without one, or if nothing precedes it. */
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

/* ---- Brackets. ---- */

enum { MAX_NESTING = 64 };

/* The state of a scan through a name: the open brackets. */
typedef struct {
  char open[MAX_NESTING];
  size_t n_open;
  size_t at;
} walk_t;

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A character that operators consist of. */
static bool is_sign(char c) {
  static const char signs[] = "<>=-+*/%^&|~!,";
  size_t i = 0;
  while (signs[i] != '\0' && signs[i] != c)
    i++;
  return signs[i] != '\0';
}

/* The length of the operator name that begins here, such as "operator<<" or "operator()"; 0 if none
 * does. For "operator new" and "operator bool" only the word: the rest has no unpaired brackets. */
static size_t operator_length(const char *name, size_t n, size_t at) {
  static const char word[] = "operator";
  size_t end = at + sizeof word - 1;
  if ((at > 0 && is_word(name[at - 1])) || !begins(name + at, n - at, word) ||
      (end < n && is_word(name[end])))
    return 0;
  if (begins(name + end, n - end, "()") || begins(name + end, n - end, "[]"))
    return end + 2 - at;
  while (end < n && is_sign(name[end]))
    end++;
  return end - at;
}

static char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
}

/* Advances over one character, or over the name of an operator. Returns false if brackets nest too
 * deep, or one closes that was not opened. A '<' or '>' within parentheses may be a comparison: the
 * closing parenthesis also closes them. */
static bool pass(walk_t *walk, const char *name, size_t n) {
  size_t length = operator_length(name, n, walk->at);
  if (length > 0) {
    walk->at += length;
    return true;
  }
  char c = name[walk->at++];
  if (c == '(' || c == '[' || c == '{' || c == '<') {
    if (walk->n_open == MAX_NESTING)
      return false;
    walk->open[walk->n_open++] = c;
  } else if (c == ')' || c == ']' || c == '}') {
    while (walk->n_open > 0 && closing(walk->open[walk->n_open - 1]) != c)
      walk->n_open--;
    if (walk->n_open == 0)
      return false;
    walk->n_open--;
  } else if (c == '>' && walk->at >= 2 && name[walk->at - 2] != '-') {
    if (walk->n_open > 0 && walk->open[walk->n_open - 1] == '<')
      walk->n_open--;
  }
  return true;
}

/* Whether a type may end at this blank. It does not before a function's qualifiers, after which the
 * name of something local to that function follows. */
static bool is_behind_type(const char *name, size_t n, size_t blank) {
  static const char *const qualifiers[] = {" const", " volatile", " &"};
  bool is_qualifier = false;
  for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
    is_qualifier |= begins(name + blank, n - blank, qualifiers[i]);
  return blank + 1 < n && !(is_qualifier && blank > 0 && name[blank - 1] == ')');
}

/* Where the name begins after a return type, which only template functions have: after the last
 * blank outside brackets and before an operator's name; else 0. */
static size_t without_return_type(const char *name, size_t n) {
  walk_t walk = {.n_open = 0};
  size_t start = 0;
  while (walk.at < n) {
    bool is_outside = walk.n_open == 0;
    if (is_outside && operator_length(name, n, walk.at) > 0)
      return start;
    if (is_outside && name[walk.at] == ' ' && is_behind_type(name, n, walk.at))
      start = walk.at + 1;
    if (!pass(&walk, name, n))
      return 0;
  }
  return walk.n_open == 0 ? start : 0;
}

/* ---- Public functions. ---- */

/* The length of the name without clone suffix, qualifiers and parameters. */
static size_t plain_end(const char *name, size_t n) {
  n = without_clone(name, n);
  size_t end = without_qualifiers(name, n);
  if (end == 0 || name[end - 1] != ')')
    return n;
  /* The first parentheses of operator() belong to its name, the next ones are its parameters. */
  size_t open = opening(name, end);
  return open == 0 || ends(name, open, "operator") ? n : open;
}

dmd_fnname_t dmd_fnname_plain(const char *name, size_t n) {
  size_t end = plain_end(name, n), start = without_return_type(name, end);
  return (dmd_fnname_t){name + start, end - start};
}

/* Whether the '<' begins template arguments, not a name such as <lambda()>. */
static bool is_template(const char *name, size_t at) {
  if (at == 0)
    return false;
  char c = name[at - 1];
  return is_word(c) || c == ']' || (c == ' ' && at >= 2 && is_sign(name[at - 2]));
}

/* Appends n bytes with `instead` in place of the text between the '<' and '>' of templates. */
static void put_without_arguments(dmd_strbuf_t *to, const char *name, size_t n,
                                  const char *instead) {
  walk_t walk = {.n_open = 0};
  size_t n_before = to->n, outer = 0; /* brackets open around the arguments, plus 1 */
  while (walk.at < n) {
    size_t from = walk.at, n_open = walk.n_open;
    if (!pass(&walk, name, n)) {
      dmd_strbuf_cut(to, n_before);
      dmd_strbuf_bytes(to, name, n);
      return;
    }
    bool opens = walk.n_open > n_open && name[walk.at - 1] == '<';
    if (outer == 0 && opens && is_template(name, from)) {
      outer = n_open + 1;
      dmd_strbuf_str(to, instead);
    } else if (outer == 0) {
      dmd_strbuf_bytes(to, name + from, walk.at - from);
    } else if (walk.n_open < outer) {
      outer = 0;
    }
  }
}

bool dmd_fnname_matches(const char *glob, const char *name) {
  size_t n = dmd_str_length(name);
  dmd_fnname_t plain = dmd_fnname_plain(name, n);
  return n > 0 &&
         (dmd_glob_matches_n(glob, name, n) || dmd_glob_matches_n(glob, plain.at, plain.n));
}

void dmd_fnname_bare(dmd_strbuf_t *to, const char *name, size_t n) {
  dmd_fnname_t plain = dmd_fnname_plain(name, n);
  put_without_arguments(to, plain.at, plain.n, "");
}

void dmd_fnname_short(dmd_strbuf_t *to, const char *name, size_t n) {
  size_t start = without_return_type(name, plain_end(name, n));
  if (n - start > DMD_FNNAME_LONG)
    put_without_arguments(to, name + start, n - start, "<...>");
  else
    dmd_strbuf_bytes(to, name + start, n - start);
}

/* ---- Constructors. ---- */

/* Where the last part of the qualified name that ends before n begins; a "::" within template
 * arguments and parentheses does not count. */
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

/* The part's length without its template arguments. */
static size_t without_arguments(const char *part, size_t n) {
  size_t at = 0;
  while (at < n && part[at] != '<')
    at++;
  return at;
}

bool dmd_fnname_is_constructor(const char *name, size_t n) {
  dmd_fnname_t plain = dmd_fnname_plain(name, n);
  name = plain.at;
  n = plain.n;
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

bool dmd_fnname_says_size(const char *name) {
  return dmd_str_find(name, "size") != NULL || dmd_str_find(name, "Size") != NULL;
}

size_t dmd_fnname_coroutine(const char *name) {
  static const char *const parts[] = {" [clone .actor]", " [clone .resume]", " [clone .destroy]",
                                      " [clone .cleanup]"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    const char *part = dmd_str_find(name, parts[i]);
    if (part != NULL)
      return (size_t)(part - name);
  }
  return 0;
}

/* ---- Names of types. ---- */

enum { MAX_TYPE_NESTING = 32 };

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
    size_t skipped =
        dmd_str_ends(to->text + from, to->n - from, "std::") ? inner_namespace(s + at, n - at) : 0;
    if (skipped > 0)
      at += skipped;
    else if (s[at] == '<' && at > 0 && depth < MAX_TYPE_NESTING && is_whole(s, n, at))
      at = put_arguments(to, from, s, n, at, depth);
    else {
      if (s[at] == '<')
        depth = MAX_TYPE_NESTING; /* unknown syntax: do not scan the rest again and again */
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
