/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/jsonlimit.h"

#include "base/mem.h"
#include "base/str.h"

void dmd_jsonlimit_init(dmd_jsonlimit_t *limit, const char *lists, uint32_t most) {
  limit->lists = lists;
  limit->most = most;
  limit->in_string = limit->after_backslash = limit->after_colon = false;
  limit->n_text = limit->n_blanks = 0;
  limit->depth = limit->silent = 0;
  limit->level[0] = (dmd_jsonlimit_level_t){.n_commas = 0};
}

/* The place of a word in a list with commas; 0: it is not there. */
static uint32_t place_of(const char *list, const char *word) {
  size_t n = dmd_str_length(word);
  for (uint32_t place = 1;; place++) {
    size_t n_listed = dmd_str_span_without(list, ",");
    if (n_listed == n && dmd_str_equal_n(list, word, n))
      return place;
    if (list[n_listed] == '\0')
      return 0;
    list += n_listed + 1;
  }
}

static void open_level(dmd_jsonlimit_t *limit, char c) {
  dmd_jsonlimit_level_t *level = &limit->level[++limit->depth];
  *level = (dmd_jsonlimit_level_t){.n_commas = 0};
  if (c == '[' && limit->after_colon && place_of(limit->lists, limit->text) != 0)
    dmd_mem_copy(level->key, limit->text, limit->n_text + 1);
}

/* Writes how many elements the list that has ended lacks. */
static void write_left_out(dmd_jsonlimit_t *limit, const dmd_jsonlimit_level_t *level) {
  bool is_first = place_of(limit->lists, level->key) == 1;
  dmd_out_str(&limit->out, ", \"");
  dmd_out_str(&limit->out, is_first ? "" : level->key);
  dmd_out_str(&limit->out, is_first ? "leftOut\": " : "LeftOut\": ");
  dmd_out_u64(&limit->out, level->n_commas + 1 - limit->most);
}

static void close_level(dmd_jsonlimit_t *limit, char c) {
  const dmd_jsonlimit_level_t *level = &limit->level[limit->depth];
  bool is_cut = limit->silent == limit->depth;
  if (is_cut) {
    limit->silent = 0;
    dmd_out_bytes(&limit->out, limit->blanks, limit->n_blanks);
  }
  limit->depth--;
  if (limit->silent != 0)
    return;
  dmd_out_char(&limit->out, c);
  if (is_cut)
    write_left_out(limit, level);
}

static void take_comma(dmd_jsonlimit_t *limit) {
  dmd_jsonlimit_level_t *level = &limit->level[limit->depth];
  if (++level->n_commas == limit->most && level->key[0] != '\0' && limit->silent == 0)
    limit->silent = limit->depth;
  if (limit->silent == 0)
    dmd_out_char(&limit->out, ',');
}

/* A character in a string, or the quote at its end. */
static void take_inside(dmd_jsonlimit_t *limit, char c) {
  limit->in_string = c != '"' || limit->after_backslash;
  limit->after_backslash = c == '\\' && !limit->after_backslash;
  if (limit->in_string && limit->n_text < sizeof limit->text - 1)
    limit->text[limit->n_text++] = c;
  limit->text[limit->n_text] = '\0';
  if (limit->silent == 0)
    dmd_out_char(&limit->out, c);
}

static void take_outside(dmd_jsonlimit_t *limit, char c) {
  bool is_blank = c == ' ' || c == '\n';
  if (is_blank && limit->n_blanks < sizeof limit->blanks)
    limit->blanks[limit->n_blanks++] = c;
  if (c == ',') {
    take_comma(limit);
  } else if (c == ']' || c == '}') {
    close_level(limit, c);
  } else {
    if (limit->silent == 0)
      dmd_out_char(&limit->out, c);
    if (c == '[' || c == '{')
      open_level(limit, c);
  }
  limit->in_string = c == '"';
  if (limit->in_string)
    limit->n_text = 0;
  if (!is_blank) {
    limit->n_blanks = 0;
    limit->after_colon = c == ':';
  }
}

bool dmd_jsonlimit_write(void *ctx, const char *bytes, size_t n) {
  dmd_jsonlimit_t *limit = ctx;
  for (size_t i = 0; i < n; i++)
    (limit->in_string ? take_inside : take_outside)(limit, bytes[i]);
  return !limit->out.failed;
}
