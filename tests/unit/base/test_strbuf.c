/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strbuf.h"
#include "host.h"

#include <inttypes.h>
#include <stdio.h>

static void pieces_are_put_together(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &host.env);
  assert_string_equal(buf.text, "");
  dmd_strbuf_str(&buf, "one");
  dmd_strbuf_bytes(&buf, ", two and more", 5);
  assert_string_equal(buf.text, "one, two");
  assert_true(dmd_strbuf_write(&buf, "!?", 1));
  assert_string_equal(buf.text, "one, two!");
  dmd_strbuf_cut(&buf, 3);
  assert_string_equal(buf.text, "one");
  assert_int_equal(buf.n, 3);
  dmd_strbuf_destroy(&buf);
  host_done(&host);
}

static void room_is_written_to_at_once(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &host.env);
  dmd_strbuf_str(&buf, "a");
  for (size_t n = 0; n < 300; n++) {
    memset(dmd_strbuf_reserve(&buf, n + 5), 'b', n + 5);
    dmd_strbuf_cut(&buf, buf.n + n);
  }
  assert_int_equal(buf.n, 1 + 299 * 300 / 2);
  assert_int_equal(strspn(buf.text + 1, "b"), buf.n - 1);
  assert_int_equal(buf.text[buf.n], '\0');
  dmd_strbuf_destroy(&buf);
  host_done(&host);
}

static void what_is_taken_is_the_callers(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &host.env);
  dmd_strbuf_str(&buf, "kept");
  char *text = dmd_strbuf_take(&buf);
  assert_string_equal(text, "kept");
  dmd_env_free(&host.env, text);
  host_done(&host);
}

/* The C library's printf into a buffer that is large enough. */
static void random_against_printf(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {3};
  for (int round = 0; round < 200; round++) {
    char expected[8192] = "";
    size_t n = 0;
    dmd_strbuf_t buf;
    dmd_strbuf_init(&buf, &host.env);
    for (int i = 0; i < 100; i++) {
      uint64_t v = dice_any_size(&dice);
      char *to = expected + n;
      switch (dice_below(&dice, 4)) {
      case 0:
        dmd_strbuf_u64(&buf, v);
        n += (size_t)sprintf(to, "%" PRIu64, v);
        break;
      case 1:
        dmd_strbuf_i64(&buf, (int64_t)v);
        n += (size_t)sprintf(to, "%" PRIi64, (int64_t)v);
        break;
      case 2:
        dmd_strbuf_hex(&buf, v);
        n += (size_t)sprintf(to, "%" PRIx64, v);
        break;
      default:
        dmd_strbuf_str(&buf, "some text that is longer");
        n += (size_t)sprintf(to, "some text that is longer");
      }
      assert_int_equal(buf.n, n);
    }
    assert_string_equal(buf.text, expected);
    dmd_strbuf_destroy(&buf);
  }
  host_done(&host);
}

static void put_together(host_t *host, void *arg) {
  (void)arg;
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &host->env);
  for (int i = 0; i < 100; i++)
    dmd_strbuf_str(&buf, "as long as that");
  dmd_strbuf_destroy(&buf);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(put_together, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_put_together),
      cmocka_unit_test(room_is_written_to_at_once),
      cmocka_unit_test(what_is_taken_is_the_callers),
      cmocka_unit_test(random_against_printf),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
