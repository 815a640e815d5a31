/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/jsonscan.h"

#include "base/utf8.h"

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
