/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page_fixture.h"

#include <regex.h>
#include <stdio.h>

void page_begin(page_fixture_t *f) {
  memset(f, 0, sizeof *f);
  host_init(&f->host);
  dmd_session_init(&f->page, &f->host.env);
}

void page_end(page_fixture_t *f) {
  if (f->has_text)
    sink_free(&f->sink);
  for (size_t i = 0; i < f->n_answers; i++)
    cJSON_Delete(f->answers[i]);
  dmd_session_destroy(&f->page);
  host_done(&f->host);
}

dmd_profile_t *page_add(page_fixture_t *f, dmd_mode_t mode) {
  dmd_session_file_t *file = dmd_session_begin_file(&f->page, "file");
  file->profile.mode = mode;
  dmd_session_end_file(&f->page, file, true);
  return &file->profile;
}

dmd_profile_t *page_add_random(page_fixture_t *f, dice_t *dice) {
  dmd_profile_t *profile = page_add(f, DMD_MODE_DARK_MATTER);
  fill_at_random(profile, dice);
  return profile;
}

const char *page_ask_text(page_fixture_t *f, const char *query) {
  if (f->has_text)
    sink_free(&f->sink);
  sink_init(&f->sink);
  f->has_text = true;
  dmd_session_ask(&f->page, query, &f->sink.out);
  return sink_text(&f->sink);
}

cJSON *page_parse(page_fixture_t *f, const char *text) {
  cJSON *tree = cJSON_ParseWithOpts(text, NULL, true);
  assert_non_null(tree);
  assert_true(f->n_answers < PAGE_ANSWERS);
  return f->answers[f->n_answers++] = tree;
}

cJSON *page_ask(page_fixture_t *f, const char *query) {
  return page_parse(f, page_ask_text(f, query));
}

cJSON *page_askf(page_fixture_t *f, const char *format, ...) {
  char query[512];
  va_list args;
  va_start(args, format);
  assert_in_range(vsnprintf(query, sizeof query, format, args), 0, sizeof query - 1);
  va_end(args);
  return page_ask(f, query);
}

const cJSON *member(const cJSON *object, const char *way) {
  while (*way != '\0') {
    char key[64];
    size_t n = strcspn(way, ".");
    snprintf(key, sizeof key, "%.*s", (int)n, way);
    object = cJSON_GetObjectItemCaseSensitive(object, key);
    if (object == NULL)
      print_message("there is no %s\n", way);
    assert_non_null(object);
    way += n + (way[n] == '.');
  }
  return object;
}

double number_of(const cJSON *object, const char *way) {
  assert_true(cJSON_IsNumber(member(object, way)));
  return member(object, way)->valuedouble;
}

const char *string_of(const cJSON *object, const char *way) {
  assert_true(cJSON_IsString(member(object, way)));
  return member(object, way)->valuestring;
}

void assert_same(const cJSON *a, const cJSON *b) {
  char *x = cJSON_PrintUnformatted(a), *y = cJSON_PrintUnformatted(b);
  assert_string_equal(x, y);
  cJSON_free(x);
  cJSON_free(y);
}

void assert_rejected(page_fixture_t *f, const char *query, const char *message) {
  const char *said = string_of(page_ask(f, query), "error.message");
  if (strstr(said, message) == NULL)
    print_message("%s: %s\n", query, said);
  assert_non_null(strstr(said, message));
}

static bool compile(regex_t *regex, const char *pattern) {
  return regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
}

static bool is_good(void *ctx, const char *pattern) {
  (void)ctx;
  regex_t regex;
  bool good = compile(&regex, pattern);
  if (good)
    regfree(&regex);
  return good;
}

static bool matches(void *ctx, const char *pattern, const char *text) {
  (void)ctx;
  regex_t regex;
  assert_true(compile(&regex, pattern));
  bool found = regexec(&regex, text, 0, NULL, 0) == 0;
  regfree(&regex);
  return found;
}

const dmd_session_patterns_t page_patterns = {is_good, matches, NULL};

void check_windows(page_fixture_t *f, dice_t *dice, const char *query, const char *list) {
  const cJSON *whole = member(page_askf(f, "%s&count=1000000", query), list);
  uint64_t n = (uint64_t)cJSON_GetArraySize(whole);
  for (int i = 0; i < 5; i++) {
    uint64_t first = dice_below(dice, n + 3), count = dice_below(dice, n + 3);
    const cJSON *rows = member(page_askf(f, "%s&first=%llu&count=%llu", query,
                                         (unsigned long long)first, (unsigned long long)count),
                               list);
    uint64_t left = first < n ? n - first : 0;
    assert_int_equal(cJSON_GetArraySize(rows), left < count ? left : count);
    for (int k = 0; k < cJSON_GetArraySize(rows); k++)
      assert_same(cJSON_GetArrayItem(rows, k), cJSON_GetArrayItem(whole, (int)first + k));
  }
}

void page_answers(dmd_session_t *page, const char *query) {
  dmd_strbuf_t answer;
  dmd_out_t out;
  dmd_strbuf_init(&answer, page->env);
  dmd_out_init(&out, dmd_strbuf_write, &answer);
  dmd_session_ask(page, query, &out);
  dmd_out_flush(&out);
  assert_null(strstr(answer.text, "\"error\""));
  dmd_strbuf_destroy(&answer);
}

void build_small(dmd_profile_t *profile) {
  build_blocks(profile, 2, 50, 0, "new|dark|main", DMD_NONE);
  build_blocks(profile, 1, 5, 0, "new", build_reports(profile, 1, "r", "explicit/a", NULL, NULL));
}
