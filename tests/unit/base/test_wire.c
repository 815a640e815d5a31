/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/wire.h"

typedef struct {
  uint64_t n;
  dmd_wire_span_t text;
  dmd_wire_list_t texts, numbers;
} message_t;

static const dmd_wire_member_t members[] = {
    {1, DMD_WIRE_NUMBER, offsetof(message_t, n)},
    {2, DMD_WIRE_SPAN, offsetof(message_t, text)},
    {3, DMD_WIRE_LIST, offsetof(message_t, texts)},
    {400, DMD_WIRE_COLUMN, offsetof(message_t, numbers)},
};

static bool read_bytes(const char *bytes, size_t n, message_t *message) {
  dmd_wire_span_t span = {.at = (const uint8_t *)bytes, .n = n};
  return dmd_wire_read(span, members, sizeof members / sizeof *members, message);
}

#define READ(literal, message) read_bytes(literal, sizeof literal - 1, message)

static void assert_span(dmd_wire_span_t span, const char *text) {
  assert_int_equal(span.n, strlen(text));
  assert_memory_equal(span.at, text, span.n);
}

static void a_message_has_what_was_written(void **state) {
  (void)state;
  host_t host;
  dmd_strbuf_t bytes, packed;
  message_t m;
  host_init(&host);
  dmd_strbuf_init(&bytes, &host.env);
  dmd_strbuf_init(&packed, &host.env);
  static const uint64_t numbers[] = {0, 1, 127, 128, 300, UINT64_MAX, 7};
  for (size_t i = 0; i < 6; i++)
    dmd_wire_number(&packed, numbers[i]);
  dmd_wire_u64(&bytes, 1, 5);
  dmd_wire_bytes(&bytes, 3, "a", 1);
  dmd_wire_bytes(&bytes, 400, packed.text, packed.n);
  dmd_wire_bytes(&bytes, 99, "not known", 9);
  dmd_wire_bytes(&bytes, 3, "", 0);
  dmd_wire_bytes(&bytes, 2, "first", 5);
  dmd_wire_bytes(&bytes, 2, "last", 4);
  dmd_wire_bytes(&bytes, 400, "", 0);
  dmd_wire_u64(&bytes, 400, numbers[6]); /* not packed */
  dmd_wire_u64(&bytes, 1, UINT64_MAX);
  assert_true(read_bytes(bytes.text, bytes.n, &m));
  assert_true(m.n == UINT64_MAX);
  assert_span(m.text, "last");
  assert_int_equal(m.texts.n, 2);
  assert_int_equal(m.numbers.n, 7);
  dmd_wire_span_t text;
  dmd_wire_list_t again = m.texts;
  assert_true(dmd_wire_list_next(&m.texts, &text));
  assert_span(text, "a");
  assert_true(dmd_wire_list_next(&m.texts, &text));
  assert_span(text, "");
  assert_false(dmd_wire_list_next(&m.texts, &text));
  assert_true(dmd_wire_list_next(&again, &text));
  assert_span(text, "a");
  for (size_t i = 0; i < 7; i++)
    assert_true(dmd_wire_column_next(&m.numbers) == numbers[i]);
  assert_int_equal(dmd_wire_column_next(&m.numbers), 0);
  dmd_strbuf_destroy(&packed);
  dmd_strbuf_destroy(&bytes);
  host_done(&host);
}

static void what_is_missing_is_nothing(void **state) {
  (void)state;
  message_t m;
  dmd_wire_span_t text;
  assert_true(read_bytes(NULL, 0, &m));
  assert_int_equal(m.n, 0);
  assert_null(m.text.at);
  assert_int_equal(m.texts.n, 0);
  assert_false(dmd_wire_list_next(&m.texts, &text));
  assert_int_equal(dmd_wire_column_next(&m.numbers), 0);
}

/* Fields are tag, which is number * 8 + form, and value. 0x82 0x19 is field 400 of bytes. */
static void a_damaged_message_is_seen(void **state) {
  (void)state;
  message_t m;
  assert_true(READ("\x08\x05", &m));
  assert_false(READ("\x08", &m));                 /* no value */
  assert_false(READ("\x08\x85", &m));             /* half of one */
  assert_false(READ("\x00\x05", &m));             /* field 0 */
  assert_false(READ("\x12\x03zz", &m));           /* longer than the message */
  assert_false(READ("\x0b\x05", &m));             /* a group */
  assert_false(READ("\x0a\x01z", &m));            /* bytes, where a number should be */
  assert_false(READ("\x10\x05", &m));             /* the other way around */
  assert_false(READ("\x18\x05", &m));             /* in a list, too */
  assert_false(READ("\x0d\x01\x02\x03\x04", &m)); /* a number of 4 bytes */
  assert_true(READ("\x6d\x01\x02\x03\x04", &m));  /* of an unknown field */
  assert_false(READ("\x6d\x01\x02\x03", &m));
  assert_true(READ("\x69\x01\x02\x03\x04\x05\x06\x07\x08", &m));
  assert_false(READ("\x69\x01\x02\x03\x04\x05\x06\x07", &m));
  assert_true(READ("\x82\x19\x02\x81\x01", &m));
  assert_int_equal(m.numbers.n, 1);
  assert_false(READ("\x82\x19\x02\x01\x81", &m)); /* ends within a number */
  /* A number has 64 bits, in ten bytes. */
  assert_true(READ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &m));
  assert_true(m.n == UINT64_MAX);
  assert_false(READ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", &m));
  assert_false(READ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &m));
  assert_false(READ("\x82\x19\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &m));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_message_has_what_was_written),
      cmocka_unit_test(what_is_missing_is_nothing),
      cmocka_unit_test(a_damaged_message_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
