/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/engine/channel.h"

enum { ME = 7, OTHER = 8 };

typedef struct {
  dmd_channel_t *channel;
  dmd_channel_reader_t *reader;
} both_t;

static both_t begin(void) {
  both_t both = {.channel = aligned_alloc(4096, sizeof(dmd_channel_t)),
                 .reader = malloc(sizeof(dmd_channel_reader_t))};
  assert_non_null(both.channel);
  assert_non_null(both.reader);
  memset(both.channel, 0, sizeof *both.channel);
  dmd_channel_init(both.channel);
  dmd_channel_reader_init(both.reader, both.channel);
  return both;
}

static void end(both_t *both) {
  free(both->reader);
  free(both->channel);
}

static dmd_put_t put(both_t *both, dmd_packet_kind_t kind, const void *payload, uint32_t n) {
  uint64_t owner;
  const dmd_packet_t packet = {.kind = kind, .n = n, .pid = 4711, .stream = 12};
  assert_true(dmd_channel_lock(both->channel, ME, &owner));
  dmd_put_t result = dmd_channel_put(both->channel, ME, &packet, payload);
  dmd_channel_unlock(both->channel, ME);
  return result;
}

static bool take(const both_t *both, dmd_packet_t *packet) {
  bool is_there = dmd_channel_take(both->reader, packet);
  if (is_there)
    dmd_channel_done(both->reader);
  return is_there;
}

static void what_is_put_is_taken(void **state) {
  (void)state;
  both_t both = begin();
  dmd_packet_t packet;
  assert_false(take(&both, &packet));
  assert_int_equal(put(&both, DMD_PACKET_SAY, "abc", 3), DMD_PUT_DONE);
  assert_int_equal(put(&both, DMD_PACKET_END, NULL, 0), DMD_PUT_DONE);
  assert_true(dmd_channel_head(both.channel) > dmd_channel_tail(both.channel));
  assert_true(take(&both, &packet));
  assert_int_equal(packet.kind, DMD_PACKET_SAY);
  assert_int_equal(packet.pid, 4711);
  assert_int_equal(packet.stream, 12);
  assert_string_equal(both.reader->payload, "abc");
  assert_true(take(&both, &packet));
  assert_int_equal(packet.kind, DMD_PACKET_END);
  assert_string_equal(both.reader->payload, "");
  assert_int_equal(dmd_channel_head(both.channel), dmd_channel_tail(both.channel));
  assert_false(take(&both, &packet));
  assert_null(both.reader->fault);
  end(&both);
}

/* A writer and a reader take turns at random. The packets are a queue of the same numbers, from
 * which their bytes are made. */
static void random_turns(void **state) {
  (void)state;
  enum { ROUNDS = 200000, MOST = 4096 };
  both_t both = begin();
  dice_t dice = {4}, from = {99}, to = {99};
  static char bytes[DMD_CHANNEL_MAX_PAYLOAD];
  uint32_t n_put = 0, n_taken = 0, n_full = 0, n = 0;
  bool is_made = false;
  for (int round = 0; round < ROUNDS; round++) {
    bool writes = dice_below(&dice, 1000) < (round / 20000 % 2 == 0 ? 700 : 300);
    if (writes) {
      if (!is_made) {
        n = (uint32_t)dice_below(&from, 2) ? (uint32_t)dice_below(&from, 40)
                                           : (uint32_t)dice_below(&from, sizeof bytes + 1);
        memset(bytes, (int)(n_put & 0xff), n);
        is_made = true;
      }
      dmd_put_t result = put(&both, DMD_PACKET_DATA, bytes, n);
      n_full += result == DMD_PUT_FULL;
      n_put += result == DMD_PUT_DONE;
      is_made = result != DMD_PUT_DONE;
      continue;
    }
    dmd_packet_t packet;
    bool is_there = take(&both, &packet);
    assert_int_equal(is_there, n_taken < n_put);
    if (!is_there)
      continue;
    uint32_t expected = (uint32_t)dice_below(&to, 2) ? (uint32_t)dice_below(&to, 40)
                                                     : (uint32_t)dice_below(&to, sizeof bytes + 1);
    assert_int_equal(packet.n, expected);
    for (uint32_t i = 0; i < packet.n; i++)
      if ((unsigned char)both.reader->payload[i] != (n_taken & 0xff))
        fail_msg("byte %u of packet %u is another one", i, n_taken);
    n_taken++;
  }
  assert_null(both.reader->fault);
  assert_true(n_full > 10); /* it was full, and went around many times */
  assert_true(both.reader->tail > 20 * (uint64_t)DMD_CHANNEL_RING_SZB);
  end(&both);
}

static void one_has_the_lock(void **state) {
  (void)state;
  both_t both = begin();
  uint64_t owner;
  const dmd_packet_t packet = {.kind = DMD_PACKET_END};
  assert_true(dmd_channel_lock(both.channel, ME, &owner));
  assert_false(dmd_channel_lock(both.channel, OTHER, &owner));
  assert_int_equal(owner, ME);
  dmd_channel_unlock(both.channel, OTHER);
  assert_false(dmd_channel_lock(both.channel, OTHER, &owner));
  dmd_channel_break_lock(both.channel, ME);
  assert_true(dmd_channel_lock(both.channel, OTHER, &owner));
  /* The former owner was merely slow. */
  assert_int_equal(dmd_channel_put(both.channel, ME, &packet, NULL), DMD_PUT_LOST);
  dmd_channel_unlock(both.channel, ME);
  assert_int_equal(dmd_channel_put(both.channel, OTHER, &packet, NULL), DMD_PUT_DONE);
  end(&both);
}

static void nothing_comes_after_the_close(void **state) {
  (void)state;
  both_t both = begin();
  dmd_packet_t packet;
  assert_int_equal(put(&both, DMD_PACKET_SAY, "x", 1), DMD_PUT_DONE);
  assert_false(dmd_channel_is_closed(both.channel));
  dmd_channel_close(both.channel);
  assert_true(dmd_channel_is_closed(both.channel));
  assert_int_equal(put(&both, DMD_PACKET_SAY, "y", 1), DMD_PUT_LOST);
  assert_true(take(&both, &packet));
  assert_string_equal(both.reader->payload, "x");
  assert_false(take(&both, &packet));
  end(&both);
}

static void streams_have_numbers_of_their_own(void **state) {
  (void)state;
  both_t both = begin();
  uint64_t a = dmd_channel_new_stream(both.channel), b = dmd_channel_new_stream(both.channel);
  assert_true(a != 0 && b != 0 && a != b);
  end(&both);
}

static void a_writer_waits_until_its_packet_is_dealt_with(void **state) {
  (void)state;
  both_t both = begin();
  dmd_packet_t packet;
  assert_int_equal(put(&both, DMD_PACKET_CLOSE, NULL, 0), DMD_PUT_DONE);
  assert_true(dmd_channel_take(both.reader, &packet));
  assert_true(dmd_channel_tail(both.channel) < dmd_channel_head(both.channel));
  dmd_channel_done(both.reader);
  assert_int_equal(dmd_channel_head(both.channel), dmd_channel_tail(both.channel));
  end(&both);
}

static void streams_are_refused_one_by_one(void **state) {
  (void)state;
  both_t both = begin();
  bool refused[2 * DMD_CHANNEL_N_REFUSED] = {false};
  dice_t dice = {6};
  for (uint64_t i = 0; i < COUNT_OF(refused); i++) {
    uint64_t stream = dmd_channel_new_stream(both.channel);
    assert_false(dmd_channel_is_refused(both.channel, stream));
    if (dice_below(&dice, 2) == 0) {
      dmd_channel_refuse(both.channel, stream);
      refused[i] = true;
    }
    for (uint64_t back = 0; back < DMD_CHANNEL_N_REFUSED && back <= i; back++)
      assert_int_equal(dmd_channel_is_refused(both.channel, stream - back), refused[i - back]);
  }
  end(&both);
}

/* ---- Hostile processes. ---- */

/* A packet that breaks the rules, with the head that the process claims. */
static void write_raw(both_t *both, dmd_packet_t packet, uint64_t head) {
  memcpy(both->channel->ring, &packet, sizeof packet);
  both->channel->head = head;
}

static void the_reader_gives_up_nonsense(void **state) {
  (void)state;
  const struct {
    dmd_packet_t packet;
    uint64_t head;
    const char *fault;
  } cases[] = {
      {{.kind = DMD_PACKET_SAY}, DMD_CHANNEL_RING_SZB + 1, "more bytes than there is room for"},
      {{.kind = DMD_PACKET_SAY}, UINT64_MAX, "more bytes than there is room for"},
      {{.kind = DMD_PACKET_SAY}, 8, "half a packet"},
      {{.kind = 0}, 64, "a packet of no known kind"},
      {{.kind = DMD_PACKET_KINDS}, 64, "a packet of no known kind"},
      {{.kind = UINT32_MAX}, 64, "a packet of no known kind"},
      {{.kind = DMD_PACKET_SAY, .unused = 1}, 64, "a packet of no known kind"},
      {{.kind = DMD_PACKET_SAY, .n = DMD_CHANNEL_MAX_PAYLOAD + 1},
       DMD_CHANNEL_RING_SZB,
       "a packet that is too large"},
      {{.kind = DMD_PACKET_SAY, .n = UINT32_MAX},
       DMD_CHANNEL_RING_SZB,
       "a packet that is too large"},
      {{.kind = DMD_PACKET_SAY, .n = 41}, 64, "a packet that ends behind what was put"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    both_t both = begin();
    dmd_packet_t packet;
    write_raw(&both, cases[i].packet, cases[i].head);
    assert_false(take(&both, &packet));
    assert_string_equal(both.reader->fault, cases[i].fault);
    /* The cursor stays there. */
    write_raw(&both, (dmd_packet_t){.kind = DMD_PACKET_END}, sizeof(dmd_packet_t));
    assert_false(take(&both, &packet));
    end(&both);
  }
  both_t both = begin();
  dmd_packet_t packet;
  write_raw(&both, (dmd_packet_t){.kind = DMD_PACKET_SAY, .n = 40}, 64);
  assert_true(take(&both, &packet));
  end(&both);
}

/* A writer stays in the ring even if head and tail are wrong; otherwise sanitizers would report
 * it. */
static void writers_stay_in_the_ring(void **state) {
  (void)state;
  static const char bytes[DMD_CHANNEL_MAX_PAYLOAD];
  both_t both = begin();
  dice_t dice = {5};
  int n_done = 0;
  for (int i = 0; i < 20000; i++) {
    uint64_t head = dice_below(&dice, UINT32_MAX) << 32 | dice_below(&dice, UINT32_MAX);
    both.channel->head = dice_below(&dice, 2) ? head : head % (2 * DMD_CHANNEL_RING_SZB);
    both.channel->tail = both.channel->head - dice_below(&dice, 2 * DMD_CHANNEL_RING_SZB);
    n_done += put(&both, DMD_PACKET_DATA, bytes, (uint32_t)dice_below(&dice, sizeof bytes + 1)) ==
              DMD_PUT_DONE;
  }
  assert_true(n_done > 1000 && n_done < 19000);
  end(&both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_put_is_taken),
      cmocka_unit_test(random_turns),
      cmocka_unit_test(one_has_the_lock),
      cmocka_unit_test(nothing_comes_after_the_close),
      cmocka_unit_test(streams_have_numbers_of_their_own),
      cmocka_unit_test(a_writer_waits_until_its_packet_is_dealt_with),
      cmocka_unit_test(streams_are_refused_one_by_one),
      cmocka_unit_test(the_reader_gives_up_nonsense),
      cmocka_unit_test(writers_stay_in_the_ring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
