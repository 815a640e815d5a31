/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/optiontable.h"

#include "base/str.h"

/* ---- Values. ---- */

/* The i-th of "a|b|c". */
static const char *part(const char *parts, unsigned i, size_t *n) {
  for (;; i--) {
    *n = dmd_str_span_without(parts, "|");
    if (i == 0)
      return parts;
    if (parts[*n] == '\0')
      return NULL;
    parts += *n + 1;
  }
}

const char *dmd_option_word(const dmd_option_t *option, unsigned i, size_t *n) {
  switch (option->kind) {
  case DMD_OPTION_WORD:
  case DMD_OPTION_WORD_BIT:
    return part(option->values, i, n);
  case DMD_OPTION_NUMBER_OR_ALL:
    *n = dmd_str_length("all");
    return i == 0 ? "all" : NULL;
  case DMD_OPTION_OWN:
    return option->words != NULL ? part(option->words, i, n) : NULL;
  default:
    return NULL;
  }
}

/* The index of the word among the option's words, or -1. */
static int64_t number_of_word(const dmd_option_t *option, const char *word) {
  size_t length = dmd_str_length(word), n;
  const char *other;
  for (unsigned i = 0; (other = dmd_option_word(option, i, &n)) != NULL; i++)
    if (n == length && dmd_str_equal_n(other, word, n))
      return i;
  return -1;
}

/* Parses all of s as a decimal number, which may be negative. */
static bool parse_number(const char *s, int64_t *number) {
  bool is_negative = *s == '-';
  if (is_negative)
    s++;
  if (*s == '\0')
    return false;
  uint64_t v = 0, most = (uint64_t)INT64_MAX + is_negative;
  for (; *s >= '0' && *s <= '9'; s++) {
    uint64_t digit = (uint64_t)(*s - '0');
    if (v > (most - digit) / 10)
      return false;
    v = 10 * v + digit;
  }
  *number = (int64_t)(is_negative ? 0 - v : v);
  return *s == '\0';
}

static void store(const dmd_option_t *option, void *target, int64_t number) {
  unsigned char *to = (unsigned char *)target + option->place;
  uint64_t v64 = (uint64_t)number;
  uint32_t v32 = (uint32_t)v64;
  uint8_t v8 = (uint8_t)v64;
  if (option->szB == sizeof v64)
    dmd_mem_copy(to, &v64, sizeof v64);
  else if (option->szB == sizeof v32)
    dmd_mem_copy(to, &v32, sizeof v32);
  else
    dmd_mem_copy(to, &v8, sizeof v8);
}

static void quote(dmd_strbuf_t *why, const char *value) {
  dmd_strbuf_str(why, "'");
  dmd_strbuf_str(why, value);
  dmd_strbuf_str(why, "'");
}

static void add_bit(const dmd_option_t *option, void *target, int64_t number) {
  uint32_t bits;
  dmd_mem_copy(&bits, (unsigned char *)target + option->place, sizeof bits);
  store(option, target, bits | INT64_C(1) << number);
}

static bool take_word(const dmd_option_t *option, void *target, const char *value,
                      dmd_strbuf_t *why) {
  int64_t number = number_of_word(option, value);
  if (number < 0) {
    quote(why, value);
    dmd_strbuf_str(why, " is not one of ");
    dmd_strbuf_str(why, option->values);
    return false;
  }
  if (option->kind == DMD_OPTION_WORD)
    store(option, target, number);
  else
    add_bit(option, target, number);
  return true;
}

static bool take_number(const dmd_option_t *option, void *target, const char *value,
                        dmd_strbuf_t *why) {
  bool or_all = option->kind == DMD_OPTION_NUMBER_OR_ALL;
  int64_t number;
  if (or_all && dmd_str_equal(value, "all")) {
    store(option, target, 0);
    return true;
  }
  if (!parse_number(value, &number) || number < option->least || number > option->most) {
    quote(why, value);
    dmd_strbuf_str(why, or_all ? " is neither a number from " : " is not a number from ");
    dmd_strbuf_i64(why, option->least);
    dmd_strbuf_str(why, " to ");
    dmd_strbuf_i64(why, option->most);
    if (or_all)
      dmd_strbuf_str(why, " nor 'all'");
    return false;
  }
  store(option, target, number);
  return true;
}

bool dmd_option_take(const dmd_option_t *option, void *target, const char *value,
                     dmd_strbuf_t *why) {
  switch (option->kind) {
  case DMD_OPTION_SWITCH:
    store(option, target, 1);
    return true;
  case DMD_OPTION_WORD:
  case DMD_OPTION_WORD_BIT:
    return take_word(option, target, value, why);
  case DMD_OPTION_NUMBER:
  case DMD_OPTION_NUMBER_OR_ALL:
    return take_number(option, target, value, why);
  case DMD_OPTION_TEXT:
    dmd_mem_copy((unsigned char *)target + option->place, &value, sizeof value);
    return true;
  case DMD_OPTION_OWN:
    break;
  }
  return option->take(target, value, why);
}

/* ---- Arguments. ---- */

/* The text after "--NAME="; "" for a switch, given as "--NAME" or by its letter. NULL: the argument
 * is for another option. */
static const char *value_of(const dmd_option_t *option, const char *argument) {
  const char letter[] = {'-', option->letter, '\0'};
  if (option->kind == DMD_OPTION_SWITCH && option->letter != '\0' &&
      dmd_str_equal(argument, letter))
    return "";
  if (!dmd_str_begins(argument, "--") || !dmd_str_begins(argument + 2, option->name))
    return NULL;
  const char *behind = argument + 2 + dmd_str_length(option->name);
  if (option->kind == DMD_OPTION_SWITCH)
    return *behind == '\0' ? behind : NULL;
  return *behind == '=' ? behind + 1 : NULL;
}

const dmd_option_t *dmd_option_of(const dmd_option_table_t *table, const char *argument) {
  for (size_t i = 0; i < table->n; i++)
    if (value_of(&table->options[i], argument) != NULL)
      return &table->options[i];
  return NULL;
}

bool dmd_option_set(const dmd_option_t *option, void *target, const char *argument,
                    dmd_strbuf_t *why) {
  return dmd_option_take(option, target, value_of(option, argument), why);
}

void dmd_options_set_defaults(const dmd_option_table_t *table, void *target, const dmd_env_t *env) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, env);
  for (size_t i = 0; i < table->n; i++)
    if (table->options[i].fallback != NULL &&
        !dmd_option_take(&table->options[i], target, table->options[i].fallback, &why))
      env->panic(env->ctx, why.text);
  dmd_strbuf_destroy(&why);
}

/* ---- Help. ---- */

enum { COLUMNS = 80 };

typedef struct {
  dmd_strbuf_t *text;
  size_t at;          /* the current column */
  size_t help_column; /* where help texts begin */
} page_t;

static void end_line(page_t *page) {
  dmd_strbuf_str(page->text, "\n");
  page->at = 0;
}

static void add(page_t *page, const char *bytes, size_t n) {
  dmd_strbuf_bytes(page->text, bytes, n);
  page->at += n;
}

static void add_str(page_t *page, const char *s) {
  add(page, s, dmd_str_length(s));
}

static void add_blanks(page_t *page, size_t column) {
  while (page->at < column)
    add_str(page, " ");
}

/* Adds a word, after a blank or on a new line. */
static void add_word(page_t *page, const char *word, size_t n) {
  if (page->at + 1 + n > COLUMNS)
    end_line(page);
  if (page->at >= page->help_column)
    add_str(page, " ");
  add_blanks(page, page->help_column);
  add(page, word, n);
}

static void add_words(page_t *page, const char *words) {
  while (*words != '\0') {
    size_t n = dmd_str_span_without(words, " ");
    add_word(page, words, n);
    words += n + dmd_str_span(words + n, " ");
  }
}

static void add_fallback(page_t *page, const char *value) {
  dmd_strbuf_t fallback;
  dmd_strbuf_init(&fallback, page->text->env);
  dmd_strbuf_str(&fallback, "[");
  dmd_strbuf_str(&fallback, value);
  dmd_strbuf_str(&fallback, "]");
  add_word(page, fallback.text, fallback.n);
  dmd_strbuf_destroy(&fallback);
}

static void add_option(page_t *page, const dmd_option_t *option, size_t name_column) {
  char letter[] = {'-', option->letter, ',', ' ', '\0'};
  if (option->letter != '\0') {
    add_blanks(page, name_column - dmd_str_length(letter));
    add_str(page, letter);
  }
  add_blanks(page, name_column);
  add_str(page, "--");
  add_str(page, option->name);
  if (option->values != NULL) {
    add_str(page, "=");
    add_str(page, option->values);
  }
}

void dmd_options_describe(const dmd_option_table_t *table, size_t name_column, size_t help_column,
                          dmd_strbuf_t *text) {
  page_t page = {text, 0, help_column};
  for (size_t i = 0; i < table->n; i++) {
    const dmd_option_t *option = &table->options[i];
    add_option(&page, option, name_column);
    if (page.at >= help_column)
      end_line(&page);
    add_words(&page, option->help);
    if (option->fallback != NULL)
      add_fallback(&page, option->fallback);
    end_line(&page);
  }
}
