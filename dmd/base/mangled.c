/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mangled.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdbool.h>

/* The state of reading a symbol. */
typedef struct {
  const char *at;
  dmd_strbuf_t *to;
  size_t last;  /* where the last part begins in `to`; constructors repeat it */
  size_t first; /* where the name begins */
} reader_t;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* ---- Parts that are skipped. ---- */

/* A number and that many characters. Returns false if there are fewer. */
static bool skip_identifier(const char **at) {
  size_t n = 0;
  while (is_digit(**at) && n < 100000)
    n = n * 10 + (size_t)(*(*at)++ - '0');
  for (; n > 0 && **at != '\0'; n--)
    ++*at;
  return n == 0;
}

/* "S_", "S1a_", "T_", and two letters such as "St" */
static void skip_substitution(const char **at) {
  ++*at;
  if (**at >= 'a' && **at <= 'z') {
    ++*at;
    return;
  }
  while (**at != '_' && **at != '\0')
    ++*at;
  *at += **at == '_';
}

/* A value, "Lb1E". Values of types that are not built in are rare, and not supported. */
static bool skip_value(const char **at) {
  if (**at < 'a' || **at > 'z')
    return false;
  while (**at != 'E' && **at != '\0')
    ++*at;
  *at += **at == 'E';
  return true;
}

/* Template arguments, "I...E", with everything in them. */
static bool skip_arguments(const char **at) {
  unsigned depth = 0;
  do {
    char c = **at;
    if (c == '\0')
      return false;
    if (c == 'S' || c == 'T') {
      skip_substitution(at);
    } else if (is_digit(c)) {
      if (!skip_identifier(at))
        return false;
    } else {
      depth += c == 'I' || c == 'N' || c == 'X' || c == 'J' || c == 'F';
      depth -= c == 'E';
      ++*at;
      if (c == 'L' && !skip_value(at))
        return false;
    }
  } while (depth > 0);
  return true;
}

/* ---- Parts of a name. ---- */

static void begin_part(reader_t *r) {
  if (r->to->n > r->first)
    dmd_strbuf_str(r->to, "::");
  r->last = r->to->n;
}

static bool read_identifier(reader_t *r) {
  const char *from = r->at;
  while (is_digit(*from))
    from++;
  if (!skip_identifier(&r->at))
    return false;
  begin_part(r);
  dmd_strbuf_bytes(r->to, from, (size_t)(r->at - from));
  return true;
}

/* "C1" and "D0" are named like the preceding part. */
static bool read_structor(reader_t *r) {
  bool is_destructor = *r->at == 'D';
  size_t last = r->last, n = r->to->n - last;
  if (n == 0 || !is_digit(r->at[1]))
    return false;
  begin_part(r);
  if (is_destructor)
    dmd_strbuf_str(r->to, "~");
  dmd_strbuf_reserve(r->to, n); /* so that the source of the copy does not move */
  dmd_strbuf_bytes(r->to, r->to->text + last, n);
  r->at += 2;
  return true;
}

static bool read_part(reader_t *r) {
  if (is_digit(*r->at))
    return read_identifier(r);
  if ((r->at[0] == 'C' || r->at[0] == 'D') && is_digit(r->at[1]))
    return read_structor(r);
  if (r->at[0] == 'S' && r->at[1] == 't') {
    r->at += 2;
    begin_part(r);
    dmd_strbuf_str(r->to, "std");
    return true;
  }
  if (r->at[0] == 'I')
    return skip_arguments(&r->at);
  if (r->at[0] == 'B') { /* a tag of the ABI */
    r->at++;
    return skip_identifier(&r->at);
  }
  return false;
}

static bool read_nested(reader_t *r) {
  r->at++;
  while (*r->at == 'K' || *r->at == 'V' || *r->at == 'r' || *r->at == 'R' || *r->at == 'O')
    r->at++;
  while (*r->at != 'E')
    if (!read_part(r))
      return false;
  r->at++;
  return true;
}

static bool read_name(reader_t *r) {
  if (*r->at == 'N')
    return read_nested(r);
  r->at += *r->at == 'L'; /* local to its file */
  if (r->at[0] == 'S' && r->at[1] == 't' && !read_part(r))
    return false;
  return read_part(r) && (*r->at != 'I' || skip_arguments(&r->at));
}

/* Appends the compiler's note on a copy. */
static void put_note(dmd_strbuf_t *to, const char *note) {
  dmd_strbuf_str(to, " [clone ");
  dmd_strbuf_str(to, note);
  dmd_strbuf_str(to, "]");
}

/* ---- Coroutines. ---- */

/* GCC names a coroutine's parts like functions that take its frame, a class whose name is the
 * coroutine's symbol and ".Frame": "_Z4walkPZ4walkiE14_Z4walki.Frame.actor". Returns where that
 * symbol begins, and its end in *end, or NULL. */
static const char *find_coroutine(const char *symbol, const char **end) {
  static const char suffix[] = ".Frame";
  const char *note = dmd_str_find(symbol, ".Frame."), *at = symbol;
  for (; note != NULL && at < note; at++) {
    size_t n = 0;
    const char *name = at + 1;
    for (; *at == 'E' && is_digit(*name) && n < 100000; name++)
      n = n * 10 + (size_t)(*name - '0');
    *end = note;
    if (n > sizeof suffix && name < note && n == (size_t)(note - name) + sizeof suffix - 1)
      return dmd_str_begins(name, "_Z") ? name : NULL;
  }
  return NULL;
}

/* Appends the coroutine's name, and a note on this part. */
static bool put_part_of_coroutine(dmd_strbuf_t *to, const char *symbol) {
  const char *end, *at = find_coroutine(symbol, &end);
  if (at == NULL)
    return false;
  dmd_strbuf_t coroutine;
  dmd_strbuf_init(&coroutine, to->env);
  dmd_strbuf_bytes(&coroutine, at, (size_t)(end - at));
  dmd_mangled_name(to, coroutine.text);
  dmd_strbuf_destroy(&coroutine);
  put_note(to, dmd_str_find_char(end + 1, '.'));
  return true;
}

/* ---- The whole. ---- */

/* Appends the parameters, up to a dot, after which the note on a copy follows. */
static void put_parameters(reader_t *r) {
  size_t n = dmd_str_span_without(r->at, ".");
  dmd_strbuf_str(r->to, "(");
  dmd_strbuf_bytes(r->to, r->at, n);
  dmd_strbuf_str(r->to, ")");
  if (r->at[n] != '\0')
    put_note(r->to, r->at + n);
}

/* The allocation operators, by their letters. */
static bool read_operator(reader_t *r) {
  static const char *const operators[][2] = {{"nw", "operator new"},
                                             {"na", "operator new[]"},
                                             {"dl", "operator delete"},
                                             {"da", "operator delete[]"}};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (dmd_str_begins(r->at, operators[i][0])) {
      r->at += 2;
      dmd_strbuf_str(r->to, operators[i][1]);
      return true;
    }
  return false;
}

void dmd_mangled_name(dmd_strbuf_t *to, const char *symbol) {
  reader_t r = {.at = symbol, .to = to, .first = to->n, .last = to->n};
  bool is_mangled = dmd_str_begins(symbol, "_Z");
  r.at += is_mangled ? 2 : 0;
  if (is_mangled && put_part_of_coroutine(to, symbol))
    return;
  if (is_mangled && (read_operator(&r) || read_name(&r))) {
    put_parameters(&r);
    return;
  }
  dmd_strbuf_cut(to, r.first);
  dmd_strbuf_str(to, symbol);
}

/* ---- Several names. ---- */

int dmd_symbol_compare(const char *a, const char *b) {
  size_t n_a = dmd_str_span_without(a, "@"), n_b = dmd_str_span_without(b, "@");
  if (n_a != n_b)
    return n_a < n_b ? -1 : 1;
  if ((a[n_a] == '@') != (b[n_b] == '@'))
    return a[n_a] == '@' ? -1 : 1;
  return dmd_str_compare(a, b);
}
