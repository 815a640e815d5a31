/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/intern.h"

enum { MAX = 4000 };

typedef struct {
  char *bytes;
  size_t n;
  const void *kept;
} sequence_t;

static void check_kept(const dmd_intern_t *in, uint32_t id, const sequence_t *s) {
  size_t n = 99;
  const char *kept = dmd_intern_get(in, id, &n);
  assert_int_equal(n, s->n);
  assert_memory_equal(kept, s->bytes, n);
  assert_int_equal(kept[n], '\0');
  assert_int_equal((uintptr_t)kept % _Alignof(uint32_t), 0);
  assert_ptr_equal(kept, dmd_intern_get_str(in, id));
  assert_ptr_equal(kept, s->kept);
}

/* Lengths around everything that could matter to the code or the hash: empty, a word, a chunk's
 * quarter, a chunk, more. */
static size_t any_length(dice_t *dice) {
  switch (dice_below(dice, 40)) {
  case 0:
    return 8190 - (size_t)dice_below(dice, 20);
  case 1:
    return 32768 + 20 - (size_t)dice_below(dice, 40);
  case 2:
    return (size_t)dice_below(dice, 100000);
  default:
    return (size_t)dice_below(dice, 20);
  }
}

/* Few different byte values, NUL among them, so that equal short sequences are frequent. */
static void random_against_a_list(void **state) {
  (void)state;
  static sequence_t list[MAX + 1];
  uint32_t n = 0;
  size_t n_again = 0;
  dice_t dice = {21};
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  for (int step = 0; step < MAX; step++) {
    sequence_t s = {.n = any_length(&dice)};
    /* Without the NUL behind it: only n bytes may be read. */
    s.bytes = malloc(s.n > 0 ? s.n : 1);
    for (size_t i = 0; i < s.n; i++)
      s.bytes[i] = "\0\1\xff"[dice_below(&dice, s.n < 4 ? 3 : 2)];
    uint32_t expected = 1;
    while (expected <= n &&
           (list[expected].n != s.n || memcmp(list[expected].bytes, s.bytes, s.n) != 0))
      expected++;
    assert_int_equal(dmd_intern_bytes(&in, s.bytes, s.n), expected);
    if (expected <= n) {
      n_again++;
      free(s.bytes);
    } else {
      size_t length;
      s.kept = dmd_intern_get(&in, expected, &length);
      list[++n] = s;
    }
    assert_int_equal(dmd_intern_count(&in), n);
  }
  assert_true(n > 500 && n_again > 500);
  for (uint32_t id = 1; id <= n; id++) {
    check_kept(&in, id, &list[id]);
    free(list[id].bytes);
  }
  dmd_intern_destroy(&in);
  host_done(&host);
}

static void strings_are_byte_sequences(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  assert_int_equal(dmd_intern_count(&in), 0);
  assert_int_equal(dmd_intern_str(&in, "cookies"), 1);
  assert_int_equal(dmd_intern_str(&in, ""), 2);
  assert_int_equal(dmd_intern_bytes(&in, "cookies", 8), 3); /* with its NUL it is another */
  assert_int_equal(dmd_intern_bytes(&in, "cookies", 7), 1);
  assert_int_equal(dmd_intern_bytes(&in, NULL, 0), 2);
  assert_int_equal(dmd_intern_bytes(&in, "cook", 4), 4);
  assert_string_equal(dmd_intern_get_str(&in, 1), "cookies");
  assert_string_equal(dmd_intern_get_str(&in, 2), "");
  assert_string_equal(dmd_intern_get_str(&in, 4), "cook");
  dmd_intern_destroy(&in);
  host_done(&host);
}

/* The input may be an interned string: growth must not move it away. */
static void looking_for_a_string_keeps_nothing(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  assert_int_equal(dmd_intern_find_str(&in, "flour"), DMD_NONE);
  uint32_t flour = dmd_intern_str(&in, "flour");
  uint32_t empty = dmd_intern_str(&in, "");
  assert_int_equal(dmd_intern_find_str(&in, "flour"), flour);
  assert_int_equal(dmd_intern_find_str(&in, ""), empty);
  assert_int_equal(dmd_intern_find_str(&in, "flou"), DMD_NONE);
  assert_int_equal(dmd_intern_count(&in), 2);
  dmd_intern_destroy(&in);
  host_done(&host);
}

/* Bytes that are not UTF-8 are all equal, as they are in a file. */
static void what_is_the_same_as_text_is_one(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  assert_int_equal(dmd_intern_find_text(&in, "caf\xe9"), DMD_NONE);
  uint32_t id = dmd_intern_text(&in, "caf\xe9");
  assert_string_equal(dmd_intern_get_str(&in, id), "caf\xef\xbf\xbd");
  assert_int_equal(dmd_intern_text(&in, "caf\xe8"), id);
  assert_int_equal(dmd_intern_text(&in, "caf\xef\xbf\xbd"), id);
  assert_int_equal(dmd_intern_find_text(&in, "caf\xff"), id);
  uint32_t text = dmd_intern_text(&in, "caf\xc3\xa9");
  assert_int_not_equal(text, id);
  assert_string_equal(dmd_intern_get_str(&in, text), "caf\xc3\xa9");
  assert_int_equal(dmd_intern_find_text(&in, "caf\xc3\xa9"), text);
  assert_int_equal(dmd_intern_count(&in), 2);
  dmd_intern_destroy(&in);
  host_done(&host);
}

static void a_kept_sequence_can_be_interned(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  char text[200];
  memset(text, 'x', sizeof text);
  dmd_intern_bytes(&in, text, sizeof text);
  const char *kept = dmd_intern_get_str(&in, 1);
  for (size_t n = 0; n < sizeof text; n++)
    assert_int_equal(dmd_intern_bytes(&in, kept, n), n + 2);
  assert_int_equal(dmd_intern_bytes(&in, kept, sizeof text), 1);
  dmd_intern_destroy(&in);
  host_done(&host);
}

/* A long sequence gets a chunk of its own; short ones go on using the current chunk. */
static void long_ones_leave_room_for_short_ones(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  dmd_intern_str(&in, "short");
  size_t before = host.n_calls;
  char big[20000];
  memset(big, 'b', sizeof big);
  for (size_t i = 0; i < 50; i++) {
    dmd_intern_bytes(&in, big, sizeof big - i);
    dmd_intern_bytes(&in, big, i);
  }
  assert_int_equal(dmd_intern_count(&in), 101);
  /* 50 long ones; the table grows past 48 and past 96 ids. */
  assert_int_equal(host.n_calls - before, 50 + 2);
  dmd_intern_destroy(&in);
  host_done(&host);
}

static uint32_t hash_with(uint64_t seed) {
  host_t host;
  host_init(&host);
  host.env.hash_seed = seed;
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  assert_int_equal(dmd_intern_str(&in, "crumb"), 1);
  assert_int_equal(dmd_intern_find_str(&in, "crumb"), 1);
  uint32_t i = 0;
  while (in.index.slots[i].id == DMD_NONE)
    i++;
  uint32_t hash = in.index.slots[i].hash;
  dmd_intern_destroy(&in);
  host_done(&host);
  return hash;
}

static void hashes_begin_with_the_seed(void **state) {
  (void)state;
  assert_int_equal(hash_with(1), hash_with(1));
  assert_int_not_equal(hash_with(1), hash_with(2));
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_intern_t in;
  dmd_intern_init(&in, &host->env, "test");
  char big[40000];
  memset(big, 'b', sizeof big);
  assert_int_equal(dmd_intern_bytes(&in, big, sizeof big), 1);
  for (uint32_t i = 0; i < 3000; i++)
    assert_int_equal(dmd_intern_bytes(&in, &i, sizeof i), i + 2);
  assert_int_equal(dmd_intern_bytes(&in, big, sizeof big - 1), 3002);
  dmd_intern_destroy(&in);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 10);
}

static void destroying_an_empty_one(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_intern_t in;
  dmd_intern_init(&in, &host.env, "test");
  dmd_intern_destroy(&in);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(strings_are_byte_sequences),
      cmocka_unit_test(looking_for_a_string_keeps_nothing),
      cmocka_unit_test(what_is_the_same_as_text_is_one),
      cmocka_unit_test(a_kept_sequence_can_be_interned),
      cmocka_unit_test(long_ones_leave_room_for_short_ones),
      cmocka_unit_test(hashes_begin_with_the_seed),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(destroying_an_empty_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
