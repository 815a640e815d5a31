/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <cjson/cJSON.h>

#include "profiles/build.h"
#include "show/page/asks.h"
#include "show/page/view.h"

/* The answer, which the caller deletes. It must be JSON. */
static cJSON *ask(dmd_session_t *page, const char *query) {
  sink_t sink;
  sink_init(&sink);
  dmd_session_ask(page, query, &sink.out);
  cJSON *answer = cJSON_Parse(sink_text(&sink));
  assert_non_null(answer);
  sink_free(&sink);
  return answer;
}

static const char *string_of(const cJSON *object, const char *key) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return text != NULL ? text : "(none)";
}

static double number_of(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static void assert_error(dmd_session_t *page, const char *query, const char *message,
                         const char *hint) {
  cJSON *answer = ask(page, query);
  const cJSON *error = cJSON_GetObjectItemCaseSensitive(answer, "error");
  assert_string_equal(string_of(error, "message"), message);
  assert_string_equal(string_of(error, "hint"), hint);
  cJSON_Delete(answer);
}

static void what_cannot_be_answered_is_an_error(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_session_t page;
  dmd_session_init(&page, &host.env);
  assert_error(&page, "", "the query has no ask", "for example ask=files");
  assert_error(&page, "ask=no%22thing", "there is no such ask", "no\"thing");
  assert_error(&page, "ask=%", "the query is not text encoded as in a link",
               "%XX stands for a byte of UTF-8 other than 0");
  dmd_session_destroy(&page);
  host_done(&host);
}

/* Two blocks of 100 + 12 bytes that are not reported, one of 50 that is. */
static void add_profile(dmd_session_t *page, const char *name, bool keep) {
  dmd_session_file_t *file = dmd_session_begin_file(page, name);
  dmd_profile_t *profile = &file->profile;
  build_blocks(profile, 2, 100, 12, "new|knead|main", DMD_NONE);
  build_blocks(profile, 1, 50, 0, "new|main", build_reports(profile, 1, "f", "explicit/a", "", ""));
  profile->run.is_known = true;
  profile->run.label = "morning";
  profile->run.pid = 77;
  dmd_profile_add_argument(profile, "/bin/baker");
  dmd_session_end_file(page, file, keep);
}

static void files_are_listed(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_session_t page;
  dmd_session_init(&page, &host.env);
  add_profile(&page, "a </script>.json", true);
  add_profile(&page, "broken.json", false);
  dmd_session_end_file(&page, dmd_session_begin_file(&page, "empty.json"), true);
  assert_int_equal(dmd_session_n_files(&page), 2);

  cJSON *answer = ask(&page, "ask=files&later=1");
  const cJSON *files = cJSON_GetObjectItemCaseSensitive(answer, "files");
  assert_int_equal(cJSON_GetArraySize(files), 2);
  const cJSON *first = cJSON_GetArrayItem(files, 0);
  assert_string_equal(string_of(first, "name"), "a </script>.json");
  assert_string_equal(string_of(first, "kind"), "profile");
  assert_string_equal(string_of(first, "process"), "/bin/baker");
  assert_string_equal(string_of(first, "label"), "morning");
  assert_string_equal(string_of(first, "mode"), "dark-matter");
  assert_true(number_of(first, "pid") == 77);
  assert_true(number_of(first, "blocks") == 3 && number_of(first, "bytes") == 2 * 112 + 50);
  const cJSON *unreported = cJSON_GetObjectItemCaseSensitive(first, "unreported");
  assert_true(number_of(unreported, "blocks") == 2 && number_of(unreported, "bytes") == 2 * 112);
  const cJSON *second = cJSON_GetArrayItem(files, 1);
  assert_string_equal(string_of(second, "name"), "empty.json");
  assert_string_equal(string_of(second, "label"), "(none)");
  assert_true(number_of(second, "bytes") == 0);
  cJSON_Delete(answer);
  dmd_session_destroy(&page);
  host_done(&host);
}

static void files_have_numbers(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_session_t page;
  dmd_query_t query;
  dmd_session_init(&page, &host.env);
  dmd_query_init(&query, &host.env, "of=1&old=2");
  assert_null(dmd_session_file_of(&page, &query, "of"));
  assert_string_equal(query.message.text, "there is no file");
  dmd_query_destroy(&query);
  add_profile(&page, "a", true);
  add_profile(&page, "b", true);
  dmd_query_init(&query, &host.env, "of=1&old=2");
  assert_ptr_equal(dmd_session_file_of(&page, &query, "of"), dmd_session_file(&page, 1));
  assert_ptr_equal(dmd_session_file_of(&page, &query, "other"), dmd_session_file(&page, 0));
  assert_null(dmd_session_file_of(&page, &query, "old"));
  assert_string_equal(query.hint.text, "a whole number from 0 to 1");
  dmd_query_destroy(&query);
  dmd_session_destroy(&page);
  host_done(&host);
}

/* Each query has an answer, possibly an error, before any file is added. */
static void questions_of_an_empty_page(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_session_t page;
  dmd_session_init(&page, &host.env);
  for (const dmd_ask_t *each = dmd_asks; each->name != NULL; each++) {
    dmd_strbuf_t query;
    dmd_strbuf_init(&query, &host.env);
    dmd_strbuf_str(&query, "ask=");
    dmd_strbuf_str(&query, each->name);
    cJSON_Delete(ask(&page, query.text));
    dmd_strbuf_destroy(&query);
  }
  dmd_session_destroy(&page);
  host_done(&host);
}

static void live_a_day(host_t *host, void *arg) {
  (void)arg;
  dmd_session_t page;
  dmd_session_init(&page, &host->env);
  add_profile(&page, "a", true);
  cJSON_Delete(ask(&page, "ask=files"));
  cJSON_Delete(ask(&page, "ask=nothing"));
  dmd_session_destroy(&page);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(live_a_day, NULL) >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_answered_is_an_error),
      cmocka_unit_test(files_are_listed),
      cmocka_unit_test(files_have_numbers),
      cmocka_unit_test(questions_of_an_empty_page),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
