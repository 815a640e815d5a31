/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/optiontable.h"

#include "base/str.h"

/* ---- Values. ---- */

/* The number of the word among "a|b|c", or -1. */
static int64_t number_of_word(const char *words, const char *word) {
  size_t length = dmd_str_length(word);
  for (int64_t i = 0;; i++) {
    size_t n = dmd_str_span_without(words, "|");
    if (n == length && dmd_str_equal_n(words, word, n))
      return i;
    if (words[n] == '\0')
      return -1;
    words += n + 1;
  }
}

/* A decimal number, which may be negative, as a whole. */
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

static bool take_word(const dmd_option_t *option, void *target, const char *value,
                      dmd_strbuf_t *why) {
  int64_t number = number_of_word(option->values, value);
  if (number < 0) {
    quote(why, value);
    dmd_strbuf_str(why, " is none of ");
    dmd_strbuf_str(why, option->values);
    return false;
  }
  store(option, target, number);
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

static bool take(const dmd_option_t *option, void *target, const char *value, dmd_strbuf_t *why) {
  switch (option->kind) {
  case DMD_OPTION_WORD:
    return take_word(option, target, value, why);
  case DMD_OPTION_NUMBER:
  case DMD_OPTION_NUMBER_OR_ALL:
    return take_number(option, target, value, why);
  case DMD_OPTION_OWN:
    break;
  }
  return option->take(target, value, why);
}

/* ---- Arguments. ---- */

/* What stands behind "--NAME=", or NULL. */
static const char *value_of(const dmd_option_t *option, const char *argument) {
  if (!dmd_str_begins(argument, "--") || !dmd_str_begins(argument + 2, option->name))
    return NULL;
  const char *behind = argument + 2 + dmd_str_length(option->name);
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
  return take(option, target, value_of(option, argument), why);
}

void dmd_options_set_defaults(const dmd_option_table_t *table, void *target, const dmd_env_t *env) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, env);
  for (size_t i = 0; i < table->n; i++)
    if (table->options[i].fallback != NULL &&
        !take(&table->options[i], target, table->options[i].fallback, &why))
      env->panic(env->ctx, why.text);
  dmd_strbuf_destroy(&why);
}

/* ---- Help. ---- */

enum { COLUMNS = 80, INDENT = 4, HELP_COLUMN = 37 };

static void pad(dmd_strbuf_t *text, size_t n) {
  while (n-- > 0)
    dmd_strbuf_str(text, " ");
}

/* A word, behind a blank or on a line of its own. *column: where the text is at. */
static void add_word(dmd_strbuf_t *text, size_t *column, const char *word, size_t n) {
  if (*column + 1 + n > COLUMNS) {
    dmd_strbuf_str(text, "\n");
    *column = 0;
  }
  size_t gap = *column < HELP_COLUMN ? HELP_COLUMN - *column : 1;
  pad(text, gap);
  dmd_strbuf_bytes(text, word, n);
  *column += gap + n;
}

static void describe(const dmd_option_t *option, dmd_strbuf_t *text) {
  size_t start = text->n;
  pad(text, INDENT);
  dmd_strbuf_str(text, "--");
  dmd_strbuf_str(text, option->name);
  dmd_strbuf_str(text, "=");
  dmd_strbuf_str(text, option->values);
  size_t column = text->n - start;
  if (column >= HELP_COLUMN) {
    dmd_strbuf_str(text, "\n");
    column = 0;
  }
  for (const char *word = option->help; *word != '\0';) {
    size_t n = dmd_str_span_without(word, " ");
    add_word(text, &column, word, n);
    word += n + dmd_str_span(word + n, " ");
  }
  if (option->fallback != NULL) {
    dmd_strbuf_t fallback;
    dmd_strbuf_init(&fallback, text->env);
    dmd_strbuf_str(&fallback, "[");
    dmd_strbuf_str(&fallback, option->fallback);
    dmd_strbuf_str(&fallback, "]");
    add_word(text, &column, fallback.text, fallback.n);
    dmd_strbuf_destroy(&fallback);
  }
  dmd_strbuf_str(text, "\n");
}

void dmd_options_describe(const dmd_option_table_t *table, dmd_strbuf_t *text) {
  for (size_t i = 0; i < table->n; i++)
    describe(&table->options[i], text);
}
