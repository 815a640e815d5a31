/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "files/graph/graphmember.h"

#include <zlib.h>

enum { ROOM = 1 << 20 };

typedef struct {
  unsigned char bytes[ROOM];
  size_t n;
} file_t;

static bool append(void *ctx, const char *bytes, size_t n) {
  file_t *file = ctx;
  assert_true(file->n + n <= ROOM);
  memcpy(file->bytes + file->n, bytes, n);
  file->n += n;
  return true;
}

/* The graph that the members after the first `before` bytes have. */
static size_t read_graph(const file_t *file, size_t before, char *graph) {
  uint64_t at;
  size_t n = 0;
  uint32_t szB;
  assert_true(dmd_graphmember_find(file->bytes + file->n - DMD_GRAPHMEMBER_LAST_SZB, file->n, &at));
  assert_int_equal(at, before);
  while (dmd_graphmember_of(file->bytes + at, &szB) == DMD_GRAPHMEMBER_PIECE) {
    memcpy(graph + n, file->bytes + at + DMD_GRAPHMEMBER_HEAD_SZB, szB);
    n += szB;
    at += DMD_GRAPHMEMBER_HEAD_SZB + szB;
    assert_true(dmd_graphmember_ends(file->bytes + at));
    at += DMD_GRAPHMEMBER_TAIL_SZB;
  }
  assert_int_equal(dmd_graphmember_of(file->bytes + at, &szB), DMD_GRAPHMEMBER_LAST);
  assert_int_equal(at + DMD_GRAPHMEMBER_LAST_SZB, file->n);
  return n;
}

/* zlib reads nothing after the profile, and finds nothing wrong there. */
static void inflate_all(file_t *file, const char *expected) {
  char text[1000];
  z_stream stream = {.next_in = file->bytes, .avail_in = (uInt)file->n};
  stream.next_out = (Bytef *)text;
  stream.avail_out = sizeof text;
  assert_int_equal(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  while (stream.avail_in > 0) {
    assert_int_equal(inflate(&stream, Z_NO_FLUSH), Z_STREAM_END);
    inflateReset(&stream);
  }
  inflateEnd(&stream);
  assert_int_equal(sizeof text - stream.avail_out, strlen(expected));
  assert_memory_equal(text, expected, strlen(expected));
}

static void add_profile(file_t *file, const char *text) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)strlen(text)};
  stream.next_out = file->bytes;
  stream.avail_out = 1000;
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
                   Z_OK);
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  file->n = stream.total_out;
  deflateEnd(&stream);
}

static void a_graph_is_found_after_a_profile(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 100, DMD_GRAPHMEMBER_MOST_SZB, DMD_GRAPHMEMBER_MOST_SZB + 1,
                                 400000};
  static file_t file;
  static char graph[ROOM], read[ROOM];
  dice_t dice = {7};
  for (size_t i = 0; i < sizeof graph; i++)
    graph[i] = (char)dice_below(&dice, 256);
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    dmd_graphmembers_t members = {.write = append, .ctx = &file};
    add_profile(&file, "{\"version\": 5}");
    size_t before = file.n;
    assert_true(dmd_graphmembers_write(&members, graph, sizes[i] / 3));
    assert_true(dmd_graphmembers_write(&members, graph + sizes[i] / 3, sizes[i] - sizes[i] / 3));
    assert_true(dmd_graphmembers_end(&members));
    assert_int_equal(read_graph(&file, before, read), sizes[i]);
    assert_memory_equal(read, graph, sizes[i]);
    inflate_all(&file, "{\"version\": 5}");
  }
}

/* Whichever byte of the last member is another one, the graph is not found, or begins elsewhere. */
static void other_ends_are_none(void **state) {
  (void)state;
  static file_t file;
  dmd_graphmembers_t members = {.write = append, .ctx = &file};
  uint64_t at, other;
  add_profile(&file, "{}");
  dmd_graphmembers_write(&members, "graph", 5);
  dmd_graphmembers_end(&members);
  unsigned char *last = file.bytes + file.n - DMD_GRAPHMEMBER_LAST_SZB;
  assert_true(dmd_graphmember_find(last, file.n, &at));
  for (size_t i = 0; i < DMD_GRAPHMEMBER_LAST_SZB; i++)
    for (int bit = 0; bit < 8; bit++) {
      last[i] ^= (unsigned char)(1 << bit);
      bool is_distance = i >= DMD_GRAPHMEMBER_HEAD_SZB && i < DMD_GRAPHMEMBER_HEAD_SZB + 8;
      bool is_found = dmd_graphmember_find(last, file.n, &other);
      assert_true(!is_found || (is_distance && other != at && other < file.n));
      last[i] ^= (unsigned char)(1 << bit);
    }
  assert_false(dmd_graphmember_find(last, DMD_GRAPHMEMBER_LAST_SZB, &at));
}

static bool refuse(void *ctx, const char *bytes, size_t n) {
  (void)bytes;
  (void)n;
  return --*(int *)ctx >= 0;
}

static void failed_writes_are_told(void **state) {
  (void)state;
  for (int good = 0; good < 9; good++) {
    int left = good;
    dmd_graphmembers_t members = {.write = refuse, .ctx = &left};
    char bytes[DMD_GRAPHMEMBER_MOST_SZB + 1] = {0};
    bool is_good = dmd_graphmembers_write(&members, bytes, sizeof bytes);
    assert_int_equal(is_good && dmd_graphmembers_end(&members), false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_graph_is_found_after_a_profile),
      cmocka_unit_test(other_ends_are_none),
      cmocka_unit_test(failed_writes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
