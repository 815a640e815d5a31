/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The frames of a thread that was stopped anywhere are those of a walk from a call, each with the
 * address where it begins.
 */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>

#include "process.h"
#include "record/unwind/unwind.h"

#if defined(__x86_64__)

enum { MAX_FRAMES = 60, DEPTH = 20 };

static bool find_code(void *ctx, uintptr_t ip, dmd_code_range_t *range) {
  (void)ctx;
  range->epoch = 1;
  return process_object(ip, range, NULL, NULL);
}

static bool can_read(void *ctx, uintptr_t at) {
  (void)ctx;
  return process_can_read(at);
}

static const dmd_unwind_host_t g_unwind_host = {NULL, find_code, can_read};
static dmd_unwinder_t g_unwinder;
static volatile int g_after; /* keeps the call before it from becoming a tail call */

/* Each frame begins above its callee's return address: the word below the start is that address. */
__attribute__((noinline)) static void check_here(uintptr_t top) {
  uintptr_t *frame = __builtin_frame_address(0);
  const dmd_walk_start_t start = {
      .ip = frame[1] - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0], .top = top};
  dmd_code_t codes[MAX_FRAMES], again[MAX_FRAMES];
  uint64_t sps[MAX_FRAMES];
  uint32_t n = dmd_unwind(&g_unwinder, &start, codes, MAX_FRAMES, NULL);
  assert_int_equal(dmd_unwind_frames(&g_unwinder, &start, again, sps, MAX_FRAMES), n);
  assert_true(n > DEPTH);
  assert_int_equal(sps[0], start.sp);
  for (uint32_t i = 0; i < n; i++) {
    assert_true(dmd_code_equal(codes[i], again[i]));
    assert_true(i == 0 || sps[i] > sps[i - 1]);
    assert_int_equal(dmd_stack_word(sps[i] - sizeof(uintptr_t)), codes[i].ip + 1);
  }
}

__attribute__((noinline)) static void recurse(int depth, uintptr_t top) {
  if (depth == 0)
    check_here(top);
  else
    recurse(depth - 1, top);
  g_after++;
}

static uintptr_t top_of_stack(void) {
  pthread_attr_t attributes;
  void *low;
  size_t szB;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &szB);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)low + szB - sizeof(uintptr_t);
}

static void frames_have_places(void **state) {
  host_t h;
  (void)state;
  host_init(&h);
  dmd_unwinder_init(&g_unwinder, &h.env, &g_unwind_host, false);
  recurse(DEPTH, top_of_stack());
  recurse(DEPTH, 0); /* the current stack is unknown */
  dmd_unwinder_destroy(&g_unwinder);
  host_done(&h);
}

static void fewer_frames(void **state) {
  host_t h;
  dmd_code_t codes[2];
  uint64_t sps[2];
  (void)state;
  host_init(&h);
  dmd_unwinder_init(&g_unwinder, &h.env, &g_unwind_host, false);
  uintptr_t *frame = __builtin_frame_address(0);
  const dmd_walk_start_t start = {
      .ip = frame[1] - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0], .top = top_of_stack()};
  assert_int_equal(dmd_unwind_frames(&g_unwinder, &start, codes, sps, 2), 2);
  assert_int_equal(dmd_unwind_frames(&g_unwinder, &start, codes, sps, 1), 1);
  dmd_unwinder_destroy(&g_unwinder);
  host_done(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_have_places),
      cmocka_unit_test(fewer_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include "not_here.h"
#endif
