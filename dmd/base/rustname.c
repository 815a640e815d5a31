/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rustname.h"

#include "base/str.h"

enum { MAX_DEPTH = 100, MAX_OUTPUT = 4096 };

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

static unsigned hex_digit(char c) {
  return (unsigned)(is_digit(c) ? c - '0' : c - 'a' + 10);
}

/* ---- The legacy scheme: a C++ name of plain parts, the last of which is a hash. ---- */

enum { HASH_LENGTH = 17 }; /* h and 16 digits */

static bool is_hash(const char *part, size_t n) {
  bool good = n == HASH_LENGTH && part[0] == 'h';
  for (size_t i = 1; good && i < n; i++)
    good = is_hex(part[i]);
  return good;
}

/* The character that an escape between two '$' stands for; '\0': unknown. */
static char escaped(const char *name, size_t n) {
  static const struct {
    const char *name;
    char c;
  } escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
                 {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
    if (dmd_str_equal_n(escapes[i].name, name, n) && escapes[i].name[n] == '\0')
      return escapes[i].c;
  if (n != 3 || name[0] != 'u' || !is_hex(name[1]) || !is_hex(name[2]))
    return '\0';
  unsigned c = hex_digit(name[1]) * 16 + hex_digit(name[2]);
  return c >= ' ' && c < 0x7f ? (char)c : '\0';
}

static void put_part(dmd_strbuf_t *to, const char *part, size_t n) {
  size_t i = n > 1 && part[0] == '_' && part[1] == '$' ? 1 : 0;
  while (i < n) {
    size_t end = i + 1;
    while (end < n && part[i] == '$' && part[end] != '$')
      end++;
    char c = part[i] == '$' && end < n ? escaped(part + i + 1, end - i - 1) : '\0';
    if (c != '\0') {
      dmd_strbuf_bytes(to, &c, 1);
      i = end + 1;
    } else if (part[i] == '.' && i + 1 < n && part[i + 1] == '.') {
      dmd_strbuf_str(to, "::");
      i += 2;
    } else {
      dmd_strbuf_bytes(to, part + i++, 1);
    }
  }
}

static bool legacy_name(dmd_strbuf_t *to, const char *s) {
  size_t before = to->n;
  bool has_hash = false;
  while (is_digit(*s) && !has_hash) {
    size_t n = 0;
    for (; is_digit(*s) && n < MAX_OUTPUT; s++)
      n = n * 10 + (size_t)(*s - '0');
    for (size_t i = 0; i < n; i++)
      if (s[i] == '\0')
        return dmd_strbuf_cut(to, before), false;
    has_hash = is_hash(s, n) && s[n] == 'E' && to->n > before;
    if (!has_hash) {
      dmd_strbuf_str(to, to->n > before ? "::" : "");
      put_part(to, s, n);
    }
    s += n;
  }
  if (!has_hash)
    dmd_strbuf_cut(to, before);
  return has_hash;
}

/* ---- The v0 scheme. ---- */

typedef struct {
  dmd_strbuf_t *to;
  const char *start; /* the symbol behind its prefix: positions of backward references count here */
  const char *s;
  size_t before; /* length of the output at the beginning */
  int depth;
  bool is_silent; /* reads without printing */
  bool failed;
} v0_t;

static void put_n(v0_t *v, const char *text, size_t n) {
  if (v->is_silent || v->failed)
    return;
  dmd_strbuf_bytes(v->to, text, n);
  v->failed = v->to->n - v->before > MAX_OUTPUT;
}

static void put(v0_t *v, const char *text) {
  put_n(v, text, dmd_str_length(text));
}

static bool take(v0_t *v, char c) {
  if (v->failed || *v->s != c)
    return false;
  v->s++;
  return true;
}

/* Ends the reading: everything fails from here on. */
static void fail(v0_t *v) {
  v->failed = true;
}

static bool enter(v0_t *v) {
  if (++v->depth > MAX_DEPTH)
    fail(v);
  return !v->failed;
}

/* Digits, then '_'. "_" alone is 0. */
static uint64_t base62(v0_t *v) {
  uint64_t x = 0;
  if (take(v, '_'))
    return 0;
  for (; !v->failed && *v->s != '_'; v->s++) {
    char c = *v->s;
    unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10
                     : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 36
                                            : 62;
    if (digit == 62 || x > (UINT64_MAX - digit) / 62)
      fail(v);
    x = x * 62 + digit;
  }
  take(v, '_');
  return x + 1;
}

static uint64_t disambiguator(v0_t *v) {
  return take(v, 's') ? base62(v) + 1 : 0;
}

typedef struct {
  const char *text;
  size_t n;
} identifier_t;

/* Without its disambiguator. A name in Punycode is left as it is. */
static identifier_t identifier(v0_t *v) {
  identifier_t id = {NULL, 0};
  take(v, 'u');
  if (!is_digit(*v->s))
    fail(v);
  if (!take(v, '0'))
    for (; is_digit(*v->s) && id.n < MAX_OUTPUT; v->s++)
      id.n = id.n * 10 + (size_t)(*v->s - '0');
  take(v, '_');
  id.text = v->s;
  for (size_t i = 0; i < id.n && !v->failed; i++)
    if (v->s[i] == '\0')
      fail(v);
  if (v->failed)
    return (identifier_t){"", 0};
  v->s += id.n;
  return id;
}

static void path(v0_t *v, bool is_value);
static void type(v0_t *v);

/* Reads a part again that began earlier in the symbol. */
static void back(v0_t *v, void (*read)(v0_t *v)) {
  const char *here = v->s - 1;
  uint64_t at = base62(v);
  const char *after = v->s;
  if (v->failed || at >= (uint64_t)(here - v->start)) {
    fail(v);
    return;
  }
  v->s = v->start + at;
  if (!v->is_silent && enter(v)) {
    read(v);
    v->depth--;
  }
  v->s = after;
}

static void path_of_type(v0_t *v) {
  path(v, false);
}

static void path_of_value(v0_t *v) {
  path(v, true);
}

/* The place of an implementation, which is not printed. */
static void skip_impl_path(v0_t *v) {
  bool was_silent = v->is_silent;
  v->is_silent = true;
  disambiguator(v);
  path(v, false);
  v->is_silent = was_silent;
}

static void constant(v0_t *v) {
  if (take(v, 'p')) {
    put(v, "_");
    return;
  }
  if (take(v, 'B')) {
    back(v, constant);
    return;
  }
  char kind = *v->s;
  if (kind == '\0')
    fail(v);
  else
    v->s++;
  if (take(v, 'n'))
    put(v, "-");
  const char *digits = v->s;
  uint64_t x = 0;
  for (; is_hex(*v->s); v->s++)
    x = x * 16 + hex_digit(*v->s);
  size_t n = (size_t)(v->s - digits);
  if (!take(v, '_'))
    fail(v);
  if (v->failed || v->is_silent)
    return;
  if (kind == 'b')
    put(v, x == 0 ? "false" : "true");
  else if (n > 16)
    put(v, "0x"), put_n(v, digits, n);
  else
    dmd_strbuf_u64(v->to, x);
}

static void generic_argument(v0_t *v) {
  if (take(v, 'K'))
    constant(v);
  else
    type(v);
}

/* Up to 'E'. Lifetimes are left out. */
static void generic_arguments(v0_t *v) {
  bool is_first = true;
  while (!v->failed && !take(v, 'E')) {
    if (take(v, 'L')) {
      base62(v);
      continue;
    }
    put(v, is_first ? "" : ", ");
    generic_argument(v);
    is_first = false;
  }
}

static void nested(v0_t *v, bool is_value) {
  char space = *v->s;
  if (space == '\0')
    fail(v);
  else
    v->s++;
  path(v, is_value);
  uint64_t number = disambiguator(v);
  identifier_t id = identifier(v);
  if (space >= 'A' && space <= 'Z') {
    put(v, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
    put_n(v, &space, space == 'C' || space == 'S' ? 0 : 1);
    put(v, id.n > 0 ? ":" : "");
    put_n(v, id.text, id.n);
    put(v, "#");
    if (!v->is_silent && !v->failed)
      dmd_strbuf_u64(v->to, number);
    put(v, "}");
  } else if (id.n > 0) {
    put(v, "::");
    put_n(v, id.text, id.n);
  }
}

static void with_arguments(v0_t *v, bool is_value) {
  path(v, is_value);
  put(v, is_value ? "::<" : "<");
  generic_arguments(v);
  put(v, ">");
}

/* `<type>` or `<type as trait>` */
static void implementation(v0_t *v, bool has_trait) {
  put(v, "<");
  type(v);
  if (has_trait) {
    put(v, " as ");
    path(v, false);
  }
  put(v, ">");
}

static void path(v0_t *v, bool is_value) {
  if (!enter(v))
    return;
  if (take(v, 'C')) {
    disambiguator(v);
    identifier_t id = identifier(v);
    put_n(v, id.text, id.n);
  } else if (take(v, 'N')) {
    nested(v, is_value);
  } else if (take(v, 'M')) {
    skip_impl_path(v);
    implementation(v, false);
  } else if (take(v, 'X')) {
    skip_impl_path(v);
    implementation(v, true);
  } else if (take(v, 'Y')) {
    implementation(v, true);
  } else if (take(v, 'I')) {
    with_arguments(v, is_value);
  } else if (take(v, 'B')) {
    back(v, is_value ? path_of_value : path_of_type);
  } else {
    fail(v);
  }
  v->depth--;
}

/* ---- Types. ---- */

static const char *basic_type(char c) {
  static const struct {
    char c;
    const char *name;
  } types[] = {{'a', "i8"},  {'b', "bool"}, {'c', "char"},  {'d', "f64"},   {'e', "str"},
               {'f', "f32"}, {'h', "u8"},   {'i', "isize"}, {'j', "usize"}, {'l', "i32"},
               {'m', "u32"}, {'n', "i128"}, {'o', "u128"},  {'p', "_"},     {'s', "i16"},
               {'t', "u16"}, {'u', "()"},   {'v', "..."},   {'x', "i64"},   {'y', "u64"},
               {'z', "!"}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].c == c)
      return types[i].name;
  return NULL;
}

static void skip_lifetime(v0_t *v) {
  if (take(v, 'L'))
    base62(v);
}

static void skip_binder(v0_t *v) {
  if (take(v, 'G'))
    base62(v);
}

static void function_type(v0_t *v) {
  skip_binder(v);
  put(v, take(v, 'U') ? "unsafe " : "");
  if (take(v, 'K')) {
    put(v, "extern \"");
    identifier_t abi = {"C", 1};
    if (!take(v, 'C'))
      abi = identifier(v);
    put_n(v, abi.text, abi.n);
    put(v, "\" ");
  }
  put(v, "fn(");
  for (bool is_first = true; !v->failed && !take(v, 'E'); is_first = false) {
    put(v, is_first ? "" : ", ");
    type(v);
  }
  put(v, ")");
  if (take(v, 'u'))
    return;
  put(v, " -> ");
  type(v);
}

/* Begins one more argument of the path before it. */
static void join_arguments(v0_t *v) {
  bool has_some = v->to->n > v->before && v->to->text[v->to->n - 1] == '>';
  if (has_some && !v->is_silent && !v->failed)
    dmd_strbuf_cut(v->to, v->to->n - 1);
  put(v, has_some ? ", " : "<");
}

static void dyn_type(v0_t *v) {
  put(v, "dyn ");
  skip_binder(v);
  for (bool is_first = true; !v->failed && !take(v, 'E'); is_first = false) {
    put(v, is_first ? "" : " + ");
    path(v, false);
    while (take(v, 'p')) {
      identifier_t id = identifier(v);
      join_arguments(v);
      put_n(v, id.text, id.n);
      put(v, " = ");
      type(v);
      put(v, ">");
    }
  }
  skip_lifetime(v);
}

static void tuple_type(v0_t *v) {
  put(v, "(");
  int n = 0;
  for (; !v->failed && !take(v, 'E'); n++) {
    put(v, n == 0 ? "" : ", ");
    type(v);
  }
  put(v, n == 1 ? ",)" : ")");
}

/* True if the type is one of another one. */
static bool derived_type(v0_t *v) {
  if (take(v, 'A')) {
    put(v, "[");
    type(v);
    put(v, "; ");
    constant(v);
    put(v, "]");
  } else if (take(v, 'S')) {
    put(v, "[");
    type(v);
    put(v, "]");
  } else if (take(v, 'R') || take(v, 'Q')) {
    put(v, v->s[-1] == 'R' ? "&" : "&mut ");
    skip_lifetime(v);
    type(v);
  } else if (take(v, 'P') || take(v, 'O')) {
    put(v, v->s[-1] == 'P' ? "*const " : "*mut ");
    type(v);
  } else {
    return false;
  }
  return true;
}

static void type(v0_t *v) {
  if (!enter(v))
    return;
  const char *basic = basic_type(*v->s);
  if (basic != NULL) {
    v->s++;
    put(v, basic);
  } else if (!derived_type(v)) {
    if (take(v, 'T'))
      tuple_type(v);
    else if (take(v, 'F'))
      function_type(v);
    else if (take(v, 'D'))
      dyn_type(v);
    else if (take(v, 'B'))
      back(v, type);
    else
      path(v, false);
  }
  v->depth--;
}

static bool v0_name(dmd_strbuf_t *to, const char *s) {
  v0_t v = {.to = to, .start = s, .s = s, .before = to->n};
  path(&v, true);
  if (v.failed)
    dmd_strbuf_cut(to, v.before);
  return !v.failed;
}

bool dmd_is_rust_symbol(const char *symbol) {
  static const char end[] = "17h0123456789abcdefE";    /* of the legacy scheme */
  const char *suffix = dmd_str_find(symbol, ".llvm."); /* of a function that units share */
  size_t n = suffix == NULL ? dmd_str_length(symbol) : (size_t)(suffix - symbol);
  size_t n_end = sizeof end - 1;
  if (dmd_str_begins(symbol, "_R"))
    return symbol[2] >= 'A' && symbol[2] <= 'Z';
  return dmd_str_begins(symbol, "_ZN") && n > n_end && symbol[n - 1] == 'E' &&
         is_hash(symbol + n - n_end + 2, HASH_LENGTH) && dmd_str_begins(symbol + n - n_end, "17h");
}

bool dmd_rust_name(dmd_strbuf_t *to, const char *symbol) {
  if (dmd_str_begins(symbol, "_ZN"))
    return legacy_name(to, symbol + 3);
  return dmd_str_begins(symbol, "_R") && v0_name(to, symbol + 2);
}
