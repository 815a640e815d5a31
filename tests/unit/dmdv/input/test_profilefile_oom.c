/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader with memory that runs out at the n-th allocation, for every n: it says so and ends
 * with status 2, or returns the failure with everything given back.
 *
 * This program is linked so that the reader's calls of malloc and its kin, and of exit, come here.
 */
#include "host.h"

#include <stdio.h>

#include <zlib.h>

#include "dmdv/input/profilefile.h"
#include "host/process.h"

#include "profiles/randomgraph.h"

void *__real_malloc(size_t szB);
void *__real_realloc(void *p, size_t szB);
void __real_free(void *p);
_Noreturn void __real_exit(int status);

void *__wrap_malloc(size_t szB);
void *__wrap_calloc(size_t n, size_t szB);
void *__wrap_realloc(void *p, size_t szB);
void __wrap_free(void *p);
_Noreturn void __wrap_exit(int status);

enum { MAX_BLOCKS = 4096 };

static struct {
  bool on;
  size_t calls, fail_at;
  void *blocks[MAX_BLOCKS]; /* outstanding, with gaps */
  size_t n;                 /* how many */
  jmp_buf escape;
} watch;

/* Replaces one outstanding block, or a gap, by another. */
static void replace(void *old, void *new) {
  size_t i = 0;
  while (i < MAX_BLOCKS && watch.blocks[i] != old)
    i++;
  /* Frees of memory that was allocated before the watch began are ignored. */
  if (i < MAX_BLOCKS) {
    watch.blocks[i] = new;
    watch.n += (old == NULL) - (size_t)(new == NULL);
  }
}

static bool fails(void) {
  return watch.on && ++watch.calls == watch.fail_at;
}

void *__wrap_malloc(size_t szB) {
  void *p = fails() ? NULL : __real_malloc(szB);
  if (watch.on && p != NULL)
    replace(NULL, p);
  return p;
}

void *__wrap_calloc(size_t n, size_t szB) {
  void *p = __wrap_malloc(n * szB);
  if (p != NULL)
    memset(p, 0, n * szB);
  return p;
}

void *__wrap_realloc(void *p, size_t szB) {
  if (p == NULL)
    return __wrap_malloc(szB);
  if (fails())
    return NULL;
  void *moved = __real_realloc(p, szB);
  if (watch.on && moved != NULL)
    replace(p, moved);
  return moved;
}

void __wrap_free(void *p) {
  if (watch.on && p != NULL)
    replace(p, NULL);
  __real_free(p);
}

void __wrap_exit(int status) {
  if (!watch.on)
    __real_exit(status);
  watch.on = false;
  assert_int_equal(status, 2);
  longjmp(watch.escape, 1);
}

static void free_all(void) {
  for (size_t i = 0; i < MAX_BLOCKS; i++)
    __real_free(watch.blocks[i]);
  memset(&watch, 0, sizeof watch);
}

/* A file with keys and texts that need each way through the cutter. */
static const char document[] =
    "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": \"--mode=live\", \"mode\": "
    "\"dark-matter\"},\n"
    "\"\\u0064md\": {\"version\": \"\xc3\xa4\", \"faults\": [{\"kind\": \"invalid-free\", \"num\": "
    "1}]},"
    "\"blockList\": [{\"req\": 10, \"alloc\": \"a\", \"reps\": [\"b\"], \"reporters\": [\"x\"]},"
    "{\"req\": 1, \"tag\": \"\xe2\x82\xac\"}, {\"req\": 9, \"addr\": \"f0\", \"contents\": "
    "[\"1\"]}], \"more\": [[\"unknown\"], {\"a\": null}],\n"
    "\"traceTable\": {\"a\": [\"1\", \"2\"], \"b\": []},"
    "\"frameTable\": {\"1\": \"#00: f (a.c:1)\", \"2\": \"#00: main (m.c:2)\"}}";

/* Loads with an allocation that fails; returns true when no allocation was left to fail. */
static bool load_failing_at(const void *bytes, size_t n, size_t fail_at) {
  static dmd_profile_t profile;
  static dmd_fail_t fail;
  dmdv_input_t *volatile input = NULL;
  dmd_load_options_t options = {.contents = true};
  volatile bool good = false, done = false;
  watch.fail_at = fail_at;
  if (setjmp(watch.escape) == 0) {
    watch.on = true;
    input = dmdv_input_open_memory(bytes, n, 16, &fail);
    if (input != NULL) {
      dmd_profile_init(&profile, &dmdv_env);
      good = dmdv_load_input(&profile, input, &options, &fail);
      dmd_profile_destroy(&profile);
      dmdv_input_close(input);
    }
    watch.on = false;
    assert_int_equal(watch.n, 0);
    done = watch.calls < fail_at;
    assert_int_equal(good, done);
    if (!good)
      assert_string_equal(fail.reason, "out of memory");
  } else {
    /* Allocations that an ended process need not free; only the input knows zlib's memory. */
    watch.on = true;
    dmdv_input_close(input);
    watch.on = false;
  }
  free_all();
  return done;
}

static void fail_everywhere(const void *bytes, size_t n) {
  size_t fail_at = 1;
  while (!load_failing_at(bytes, n, fail_at))
    fail_at++;
  /* The allocations that a document of any size takes for the reader and the profile. */
  assert_true(fail_at > 45);
}

static void plain(void **state) {
  (void)state;
  fail_everywhere(document, sizeof document - 1);
}

static void gzipped(void **state) {
  (void)state;
  unsigned char packed[2048];
  z_stream stream = {0};
  assert_int_equal(
      deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16 /*gzip*/, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = (Bytef *)document;
  stream.avail_in = sizeof document - 1;
  stream.next_out = packed;
  stream.avail_out = sizeof packed;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  size_t n = stream.total_out;
  deflateEnd(&stream);
  fail_everywhere(packed, n);
}

static uint64_t throw_below(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

static bool load_graph_failing_at(const void *bytes, size_t n, size_t fail_at) {
  static dmd_heapgraph_t graph;
  static dmd_fail_t fail;
  dmdv_input_t *volatile input = NULL;
  const dmd_load_graph_options_t options = {0};
  volatile bool done = false;
  watch.fail_at = fail_at;
  if (setjmp(watch.escape) == 0) {
    watch.on = true;
    input = dmdv_input_open_memory(bytes, n, 64, &fail);
    bool good = input != NULL && dmdv_load_graph_input(&graph, input, &options, &fail);
    if (good)
      dmd_heapgraph_destroy(&graph);
    if (input != NULL)
      dmdv_input_close(input);
    watch.on = false;
    assert_int_equal(watch.n, 0);
    done = watch.calls < fail_at;
    assert_int_equal(good, done);
  } else {
    watch.on = true;
    dmdv_input_close(input);
    watch.on = false;
  }
  free_all();
  return done;
}

static void heap_graph(void **state) {
  (void)state;
  dice_t dice = {3};
  random_dice_t random = {.below = throw_below, .ctx = &dice};
  dmd_heapgraph_t graph;
  sink_t file;
  random_graph(&graph, &dmdv_env, &random);
  sink_init(&file);
  write_graph(&graph, file.out.write, file.out.ctx);
  dmd_heapgraph_destroy(&graph);
  size_t fail_at = 1;
  while (!load_graph_failing_at(file.text, file.n, fail_at))
    fail_at++;
  /* The graph alone takes some 20, and each message and text in the file takes one. */
  assert_true(fail_at > 80);
  sink_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain),
      cmocka_unit_test(gzipped),
      cmocka_unit_test(heap_graph),
  };
  dmdv_host_init();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
