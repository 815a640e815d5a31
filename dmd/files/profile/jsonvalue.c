/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/jsonvalue.h"

#include "base/mem.h"
#include "base/utf8.h"

/* ---- Scanning. ---- */

/* ---- Strings. ---- */

#define EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (c))

/* True if one of the eight bytes ends a run of plain text: a quote, a backslash, a control
 * character or a byte beyond ASCII. Subtracting n borrows from a byte that is less than n. The
 * borrow may also disturb the bytes above it, but then this byte has been found anyway. */
static bool has_special(uint64_t word) {
  uint64_t controls = word - EACH_BYTE(0x20);
  uint64_t quotes = (word ^ EACH_BYTE('"')) - EACH_BYTE(1);
  uint64_t backslashes = (word ^ EACH_BYTE('\\')) - EACH_BYTE(1);
  return ((controls | quotes | backslashes | word) & EACH_BYTE(0x80)) != 0;
}

/* Where plain text ends. */
static const char *pass_plain(const char *p, const char *end) {
  for (; end - p >= 8; p += 8) {
    uint64_t word;
    __builtin_memcpy(&word, p, sizeof word);
    if (has_special(word))
      break;
  }
  while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
         *p != '\\')
    p++;
  return p;
}

const char *dmd_jsonscan_string(const char *p, const char *end, dmd_span_t *string) {
  p = dmd_jsonscan_char(p, end, '"');
  if (p == NULL)
    return NULL;
  string->at = p;
  for (;;) {
    p = pass_plain(p, end);
    if (p == end)
      return NULL;
    if (*p == '"') {
      string->n = (size_t)(p - string->at);
      return p + 1;
    }
    /* The sequence may be incomplete. */
    size_t n = end - p >= 4 && (unsigned char)*p >= 0x80 ? dmd_utf8_length(p) : 0;
    if (n == 0)
      return NULL;
    p += n;
  }
}

/* ---- Other values. ---- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static unsigned digit_of(char c) {
  if (is_digit(c))
    return (unsigned)(c - '0');
  c |= 'a' ^ 'A';
  return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool dmd_span_hex(dmd_span_t string, uint64_t *number) {
  unsigned digit = 0;
  *number = 0;
  for (size_t i = 0; i < string.n && digit < 16; i++) {
    digit = digit_of(string.at[i]);
    *number = *number << 4 | (digit & 15);
  }
  return string.n > 0 && string.n <= 16 && digit < 16;
}

const char *dmd_jsonscan_number(const char *p, const char *end, uint64_t *number) {
  p = dmd_jsonscan_space(p, end);
  if (p == NULL)
    return NULL;
  const char *start = p;
  uint64_t v = 0;
  while (p < end && p - start < 15 && is_digit(*p))
    v = v * 10 + (uint64_t)(*p++ - '0');
  *number = v;
  return p > start ? p : NULL;
}

const char *dmd_jsonscan_word(const char *p, const char *end, const char *word) {
  p = dmd_jsonscan_space(p, end);
  size_t n = dmd_str_length(word);
  return p != NULL && (size_t)(end - p) >= n && dmd_mem_equal(p, word, n) ? p + n : NULL;
}

static const char *pass_digits(const char *p, const char *end) {
  while (p < end && is_digit(*p))
    p++;
  return p;
}

/* A number of less than 60 characters, which every parser reads in full. */
static const char *scan_any_number(const char *p, const char *end) {
  const char *start = p, *digits = p + (*p == '-');
  p = pass_digits(digits, end);
  if (p == digits)
    return NULL;
  if (p < end && *p == '.') {
    digits = p + 1;
    p = pass_digits(digits, end);
  }
  return p > digits && p - start < 60 ? p : NULL;
}

static const char *scan_container(const char *p, const char *end, int depth) {
  char close = *p == '{' ? '}' : ']';
  p = dmd_jsonscan_space(p + 1, end);
  if (p < end && *p == close)
    return p + 1;
  bool more;
  do {
    dmd_span_t key;
    if (close == '}')
      p = dmd_jsonscan_key(p, end, &key);
    p = dmd_jsonscan_more(dmd_jsonscan_any(p, end, depth), end, close, &more);
  } while (more);
  return p;
}

/* A scalar, which must be followed by a delimiter or white space. */
static const char *scan_scalar(const char *p, const char *end) {
  const char *stop = *p == 't'   ? dmd_jsonscan_word(p, end, "true")
                     : *p == 'f' ? dmd_jsonscan_word(p, end, "false")
                     : *p == 'n' ? dmd_jsonscan_word(p, end, "null")
                                 : scan_any_number(p, end);
  if (stop == NULL || stop == end)
    return NULL;
  return *stop == ',' || *stop == '}' || *stop == ']' || dmd_jsonscan_is_space(*stop) ? stop : NULL;
}

const char *dmd_jsonscan_any(const char *p, const char *end, int depth) {
  dmd_span_t string;
  p = dmd_jsonscan_space(p, end);
  if (p == NULL || p == end)
    return NULL;
  if (*p == '"')
    return dmd_jsonscan_string(p, end, &string);
  if (*p == '{' || *p == '[')
    return depth > 0 ? scan_container(p, end, depth - 1) : NULL;
  return scan_scalar(p, end);
}

/* ---- Values. ---- */

/* ---- The arena. ---- */

enum { FIRST_PIECE = 4096, ALIGNMENT = 8 };

typedef struct dmd_jsonvalues_piece {
  struct dmd_jsonvalues_piece *older;
  size_t room;
  uint64_t bytes[];
} piece_t;

void dmd_jsonvalues_init(dmd_jsonvalues_t *values, const dmd_env_t *env, dmd_number_fn number) {
  *values = (dmd_jsonvalues_t){.env = env, .number = number};
}

static void drop(dmd_jsonvalues_t *values, piece_t *piece) {
  while (piece != NULL) {
    piece_t *older = piece->older;
    dmd_env_free(values->env, piece);
    piece = older;
  }
}

void dmd_jsonvalues_destroy(dmd_jsonvalues_t *values) {
  drop(values, values->pieces);
  values->pieces = NULL;
}

/* Keeps the newest piece, which is the largest. */
static void clear(dmd_jsonvalues_t *values) {
  if (values->pieces != NULL) {
    drop(values, values->pieces->older);
    values->pieces->older = NULL;
  }
  values->used = 0;
}

static void *take(dmd_jsonvalues_t *values, size_t n) {
  n = (n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  piece_t *piece = values->pieces;
  if (piece == NULL || n > piece->room - values->used) {
    size_t room = piece == NULL ? FIRST_PIECE : 2 * piece->room;
    room = room < n ? n : room;
    piece = dmd_env_alloc(values->env, "dmd.load.values", sizeof *piece + room);
    piece->older = values->pieces;
    piece->room = room;
    values->pieces = piece;
    values->used = 0;
  }
  void *p = (char *)piece->bytes + values->used;
  values->used += n;
  return p;
}

/* ---- Strings. ---- */

typedef struct {
  dmd_jsonvalues_t *values;
  const char *at, *end;
} parser_t;

static char peek(const parser_t *p) {
  return p->at < p->end ? *p->at : '\0';
}

static void skip_space(parser_t *p) {
  p->at = dmd_jsonscan_space(p->at, p->end);
}

/* Four hexadecimal digits; UINT32_MAX if there are fewer. */
static uint32_t take_hex(parser_t *p) {
  uint32_t v = 0;
  for (int i = 0; i < 4; i++) {
    char c = peek(p);
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 16;
    if (digit == 16)
      return UINT32_MAX;
    v = v * 16 + digit;
    p->at++;
  }
  return v;
}

/* The code point after "\u"; if the first unit is half of a surrogate pair, of two units. */
static uint32_t take_code(parser_t *p) {
  uint32_t code = take_hex(p);
  if (code < 0xd800 || code > 0xdfff)
    return code;
  if (code >= 0xdc00 || p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
    return UINT32_MAX;
  p->at += 2;
  uint32_t low = take_hex(p);
  if (low < 0xdc00 || low > 0xdfff)
    return UINT32_MAX;
  return 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
}

static char *put_code(char *to, uint32_t code) {
  unsigned n = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(lead[n] | code >> (6 * n));
  while (n-- > 0)
    *to++ = (char)(0x80 | (code >> (6 * n) & 0x3f));
  return to;
}

/* Takes the rest of an escape after its backslash; NULL if it is invalid. */
static char *take_escape(parser_t *p, char *to) {
  char c = peek(p);
  if (c == 'u') {
    p->at++;
    uint32_t code = take_code(p);
    return code == UINT32_MAX ? NULL : put_code(to, code);
  }
  char meant = c == 'b'                            ? '\b'
               : c == 'f'                          ? '\f'
               : c == 'n'                          ? '\n'
               : c == 'r'                          ? '\r'
               : c == 't'                          ? '\t'
               : c == '"' || c == '\\' || c == '/' ? c
                                                   : '\0';
  if (meant == '\0')
    return NULL;
  p->at++;
  *to++ = meant;
  return to;
}

/* Where the string that is open at p ends; NULL if it does not end. */
static const char *end_of_string(const parser_t *p) {
  const char *at = p->at;
  while (at < p->end && *at != '"')
    at += *at == '\\' && p->end - at > 1 ? 2 : 1;
  return at < p->end ? at : NULL;
}

/* Takes a string; NULL if the text is not a valid one. Decoding never makes it longer. */
static const char *take_string(parser_t *p) {
  if (peek(p) != '"')
    return NULL;
  p->at++;
  const char *end = end_of_string(p);
  if (end == NULL)
    return NULL;
  char *text = take(p->values, (size_t)(end - p->at) + 1), *to = text;
  while (p->at < end) {
    if (*p->at != '\\') {
      *to++ = *p->at++;
      continue;
    }
    p->at++;
    to = take_escape(p, to);
    if (to == NULL)
      return NULL;
  }
  *to = '\0';
  p->at++;
  return text;
}

/* ---- Numbers. ---- */

/* The end of the number at `at`, as for strtod; `at` if the text is not a number. */
static const char *end_of_number(const char *at, const char *end) {
  const char *whole = at + (*at == '-');
  const char *p = pass_digits(whole, end);
  bool any = p > whole;
  if (p < end && *p == '.') {
    const char *fraction = p + 1;
    p = pass_digits(fraction, end);
    any |= p > fraction;
  }
  if (!any)
    return at;
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char *exponent = p + 1;
    exponent += exponent < end && (*exponent == '+' || *exponent == '-');
    const char *stop = pass_digits(exponent, end);
    p = stop > exponent ? stop : p;
  }
  return p;
}

/* Reads digits alone, of a number below 2^64; false for anything else. */
static bool read_whole(const char *at, const char *stop, uint64_t *whole) {
  *whole = 0;
  for (; at < stop && *at >= '0' && *at <= '9'; at++) {
    uint64_t digit = (uint64_t)(*at - '0');
    if (*whole > (UINT64_MAX - digit) / 10)
      return false;
    *whole = 10 * *whole + digit;
  }
  return at == stop;
}

/* Most numbers are whole: converting the integer gives the nearest double, without a call of the
 * host. */
static bool take_number(parser_t *p, dmd_jsonvalue_t *value) {
  const char *stop = end_of_number(p->at, p->end);
  if (stop == p->at)
    return false;
  bool is_negative = *p->at == '-';
  bool is_whole = read_whole(p->at + is_negative, stop, &value->whole);
  value->has_whole = is_whole && !is_negative;
  value->has_negative = is_whole && is_negative;
  if (is_whole) {
    value->number = is_negative ? -(double)value->whole : (double)value->whole;
  } else {
    size_t n = (size_t)(stop - p->at);
    char *text = take(p->values, n + 1);
    dmd_mem_copy(text, p->at, n);
    text[n] = '\0';
    value->number = p->values->number(text);
  }
  p->at = stop;
  return true;
}

/* ---- Values. ---- */

static dmd_jsonvalue_t *take_value(parser_t *p);

static dmd_jsonvalue_t *take_member(parser_t *p) {
  skip_space(p);
  const char *key = take_string(p);
  skip_space(p);
  if (key == NULL || peek(p) != ':')
    return NULL;
  p->at++;
  dmd_jsonvalue_t *value = take_value(p);
  if (value != NULL)
    value->key = key;
  return value;
}

static bool take_children(parser_t *p, dmd_jsonvalue_t *value, char close) {
  dmd_jsonvalue_t **last = &value->child;
  p->at++;
  skip_space(p);
  if (peek(p) == close) {
    p->at++;
    return true;
  }
  for (;;) {
    *last = close == '}' ? take_member(p) : take_value(p);
    if (*last == NULL)
      return false;
    last = &(*last)->next;
    skip_space(p);
    char c = peek(p);
    if (c != ',' && c != close)
      return false;
    p->at++;
    if (c == close)
      return true;
  }
}

static bool take_word(parser_t *p, dmd_jsonvalue_t *value, const char *word,
                      dmd_jsonvalue_kind_t kind) {
  const char *stop = dmd_jsonscan_word(p->at, p->end, word);
  value->kind = kind;
  if (stop != NULL)
    p->at = stop;
  return stop != NULL;
}

static bool fill(parser_t *p, dmd_jsonvalue_t *value) {
  char c = peek(p);
  switch (c) {
  case '"':
    value->kind = DMD_JSONVALUE_STRING;
    value->string = take_string(p);
    return value->string != NULL;
  case '{':
    value->kind = DMD_JSONVALUE_OBJECT;
    return take_children(p, value, '}');
  case '[':
    value->kind = DMD_JSONVALUE_ARRAY;
    return take_children(p, value, ']');
  case 't':
    return take_word(p, value, "true", DMD_JSONVALUE_TRUE);
  case 'f':
    return take_word(p, value, "false", DMD_JSONVALUE_FALSE);
  case 'n':
    return take_word(p, value, "null", DMD_JSONVALUE_NULL);
  default:
    value->kind = DMD_JSONVALUE_NUMBER;
    return (c == '-' || (c >= '0' && c <= '9')) && take_number(p, value);
  }
}

static dmd_jsonvalue_t *take_value(parser_t *p) {
  skip_space(p);
  dmd_jsonvalue_t *value = take(p->values, sizeof *value);
  *value = (dmd_jsonvalue_t){.next = NULL};
  return fill(p, value) ? value : NULL;
}

const dmd_jsonvalue_t *dmd_jsonvalues_parse(dmd_jsonvalues_t *values, const char *text, size_t n,
                                            const char **stop) {
  parser_t p = {values, text, text + n};
  clear(values);
  const dmd_jsonvalue_t *value = take_value(&p);
  *stop = p.at;
  return value;
}

/* ---- Access. ---- */

const dmd_jsonvalue_t *dmd_jsonvalue_get(const dmd_jsonvalue_t *object, const char *key) {
  if (dmd_jsonvalue_is(object, DMD_JSONVALUE_OBJECT))
    DMD_JSONVALUE_EACH(member, object) {
      if (dmd_str_equal(member->key, key))
        return member;
    }
  return NULL;
}

const dmd_jsonvalue_t *dmd_jsonvalue_at(const dmd_jsonvalue_t *array, int i) {
  DMD_JSONVALUE_EACH(element, array) {
    if (i-- == 0)
      return element;
  }
  return NULL;
}

int dmd_jsonvalue_count(const dmd_jsonvalue_t *array) {
  int n = 0;
  DMD_JSONVALUE_EACH(element, array) n++;
  return n;
}
