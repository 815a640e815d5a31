/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/engine/listing.h"

static bool read_path(dmd_strbuf_t *path, const char *line) {
  dmd_listing_t listing;
  dmd_strbuf_cut(path, 0);
  return dmd_listing_read(&listing, path, line, strlen(line));
}

static void a_line_says_who_and_where(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t line, path;
  dmd_strbuf_init(&line, &host.env);
  dmd_strbuf_init(&path, &host.env);
  dmd_run_t run = {.pid = 4711, .dump_number = 12, .trigger = "request"};
  dmd_listing_t listing;
  dmd_listing_write(&line, &run, false, "/a b/new\nline\\n");
  assert_string_equal(line.text, "4711 12 request /a b/new\\nline\\\\n\n");
  assert_true(dmd_listing_read(&listing, &path, line.text, line.n - 1));
  assert_string_equal(path.text, "/a b/new\nline\\n");
  assert_false(listing.is_graph);
  assert_int_equal(listing.pid, 4711);
  assert_int_equal(listing.number, 12);
  dmd_strbuf_destroy(&path);
  dmd_strbuf_destroy(&line);
  host_done(&host);
}

static void graphs_are_told_from_profiles(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t line, path;
  dmd_strbuf_init(&line, &host.env);
  dmd_strbuf_init(&path, &host.env);
  dmd_run_t run = {.pid = 4711, .dump_number = 12, .trigger = "request"};
  dmd_listing_t listing;
  dmd_listing_write(&line, &run, true, "/graph exit");
  assert_string_equal(line.text, "4711 12 graph /graph exit\n");
  assert_true(dmd_listing_read(&listing, &path, line.text, line.n - 1));
  assert_string_equal(path.text, "/graph exit");
  assert_true(listing.is_graph);
  assert_true(read_path(&path, "1 1 graphs /graph"));
  dmd_strbuf_destroy(&path);
  dmd_strbuf_destroy(&line);
  host_done(&host);
}

static void what_is_no_such_line(void **state) {
  (void)state;
  static const char *const wrong[] = {"",
                                      " ",
                                      "1",
                                      "1 1",
                                      "1 1 exit",
                                      "1 1 exit ",
                                      "1  exit /a",
                                      " 1 1 exit /a",
                                      "x 1 exit /a",
                                      "1 -1 exit /a",
                                      "1 12345678901234567890 exit /a",
                                      "1 1 exit /a\\",
                                      "1 1 exit /a\\t"};
  host_t host;
  host_init(&host);
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &host.env);
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    if (read_path(&path, wrong[i]))
      fail_msg("'%s' has a path: '%s'", wrong[i], path.text);
  assert_true(read_path(&path, "1 1 exit  "));
  assert_string_equal(path.text, " ");
  dmd_strbuf_destroy(&path);
  host_done(&host);
}

/* Any name can be read back, and its line has no line end but the one at its end. */
static void random_names(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {77};
  dmd_strbuf_t line, path;
  dmd_strbuf_init(&line, &host.env);
  dmd_strbuf_init(&path, &host.env);
  for (int i = 0; i < 20000; i++) {
    static const char letters[] = "\n\\n /a\xff";
    char name[12] = "";
    for (size_t n = 1 + dice_below(&dice, sizeof name - 1), k = 0; k < n; k++)
      name[k] = letters[dice_below(&dice, sizeof letters - 1)];
    dmd_strbuf_cut(&line, 0);
    dmd_strbuf_cut(&path, 0);
    dmd_listing_t listing;
    dmd_listing_write(&line, &(dmd_run_t){.pid = 1, .trigger = "exit"}, false, name);
    assert_ptr_equal(memchr(line.text, '\n', line.n), line.text + line.n - 1);
    assert_true(dmd_listing_read(&listing, &path, line.text, line.n - 1));
    assert_string_equal(path.text, name);
  }
  dmd_strbuf_destroy(&path);
  dmd_strbuf_destroy(&line);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_strbuf_t line;
  char name[300];
  memset(name, '\\', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  dmd_strbuf_init(&line, &host->env);
  dmd_listing_write(&line, &(dmd_run_t){.trigger = "exit"}, false, name);
  dmd_strbuf_destroy(&line);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_says_who_and_where),
      cmocka_unit_test(graphs_are_told_from_profiles),
      cmocka_unit_test(what_is_no_such_line),
      cmocka_unit_test(random_names),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
