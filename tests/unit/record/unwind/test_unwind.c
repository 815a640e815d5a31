/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "host.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "process.h"
#include "record/unwind/unwind.h"

#if defined(__x86_64__)

/* Compares our walks through this process with the C library's backtrace(). */

enum { MAX_FRAMES = 60, N_INNER = 4 /* frames of backtrace() and its caller, at most */ };

static uint32_t g_epoch; /* of all objects */

/* Volatile: the functions that change these seem to the compiler never to call this file. */
static volatile unsigned g_asked; /* how often the host was asked about memory */

static bool find_code(void *ctx, uintptr_t ip, dmd_code_range_t *range) {
  (void)ctx;
  range->epoch = g_epoch;
  return process_object(ip, range, NULL, NULL);
}

static bool can_read(void *ctx, uintptr_t at) {
  ++*(volatile unsigned *)ctx;
  return process_can_read(at);
}

static const dmd_unwind_host_t g_unwind_host = {(void *)&g_asked, find_code, can_read};
static host_t g_host;
static dmd_unwinder_t g_unwinder;
static dmd_unwindcache_t g_walks;
static volatile uintptr_t g_top;   /* of the stack that we are on; 0: not known */
static volatile unsigned g_frames; /* of the last walk */
static volatile unsigned g_known, g_remembered;

/* By number, from 1. */
static dmd_code_t g_stacks[2000][MAX_FRAMES];
static uint32_t g_n_of[2000], g_n_stacks;

static void check_same(const dmd_code_t *codes, uint32_t n, const dmd_code_t *others,
                       uint32_t n_others) {
  assert_int_equal(n, n_others);
  for (uint32_t i = 0; i < n; i++)
    assert_true(dmd_code_equal(codes[i], others[i]));
}

/* Walks from its caller on, by dmd_unwind and by backtrace; a cached stack must be right, too. */
__attribute__((noinline)) static void check_here(void) {
  uintptr_t *frame = __builtin_frame_address(0);
  const dmd_walk_start_t start = {
      .ip = frame[1] - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0], .top = g_top, .key = 1};
  void *called[MAX_FRAMES + N_INNER], **expected = called;
  int n_expected = backtrace(called, MAX_FRAMES + N_INNER);
  while (n_expected > 0 && *expected != (void *)frame[1])
    expected++, n_expected--;
  if (n_expected > MAX_FRAMES)
    n_expected = MAX_FRAMES;
  dmd_code_t codes[MAX_FRAMES];
  dmd_trace_t trace;
  uint32_t n = dmd_unwind(&g_unwinder, &start, codes, MAX_FRAMES, &trace);
  bool differs = n != (uint32_t)n_expected;
  for (uint32_t i = 0; !differs && i < n; i++)
    differs = codes[i].ip != (uintptr_t)expected[i] - 1 && codes[i].ip != (uintptr_t)expected[i];
  if (differs) {
    for (uint32_t i = 0; i < n || i < (uint32_t)n_expected; i++)
      print_message("%d: %p %p\n", (int)i, i < n ? (void *)codes[i].ip : NULL,
                    i < (uint32_t)n_expected ? expected[i] : NULL);
    fail();
  }
  g_frames = n;
  uint32_t known = g_top != 0 ? dmd_unwindcache_find(&g_walks, &start) : 0;
  if (known != 0) {
    g_known++;
    check_same(codes, n, g_stacks[known - 1], g_n_of[known - 1]);
  } else if (trace.n > 0 && g_n_stacks < COUNT_OF(g_n_of)) {
    assert_int_equal(trace.n, n);
    g_n_of[g_n_stacks] = n;
    memcpy(g_stacks[g_n_stacks++], codes, n * sizeof *codes);
    dmd_unwindcache_remember(&g_walks, &start, &trace, g_n_stacks);
    g_remembered++;
  }
}

static int set_up(void **state) {
  (void)state;
  host_init(&g_host);
  dmd_unwinder_init(&g_unwinder, &g_host.env, &g_unwind_host, false);
  dmd_unwindcache_init(&g_walks, &g_host.env, MAX_FRAMES,
                       DMD_UNWINDCACHE_LEAST + 4); /* never full */
  g_walks.is_restless = true;
  pthread_attr_t attributes;
  void *low;
  size_t szB;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &szB);
  pthread_attr_destroy(&attributes);
  g_top = (uintptr_t)low + szB - sizeof(uintptr_t);
  g_known = g_remembered = g_asked = g_n_stacks = 0;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  dmd_unwindcache_destroy(&g_walks);
  dmd_unwinder_destroy(&g_unwinder);
  host_done(&g_host);
  return 0;
}

/* Makes the call several times; all but the first must be cached, if the walk can be. */
#define CHECK_KNOWN(call)                                                                          \
  do {                                                                                             \
    unsigned known = g_known;                                                                      \
    for (volatile int round = 0; round < 3; round++)                                               \
      call;                                                                                        \
    assert_true(g_known >= known + 2);                                                             \
  } while (0)

/* Keeps the call before it from becoming a tail call. */
static volatile int g_after;

__attribute__((noinline)) static void recurse(int depth) {
  if (depth == 0)
    check_here();
  else
    recurse(depth - 1);
  g_after++;
}

static void recursions(void **state) {
  (void)state;
  for (int depth = 0; depth < 40; depth++)
    CHECK_KNOWN(recurse(depth));
  unsigned n = g_frames;
  recurse(38);
  assert_int_equal(g_frames, n - 1);
  /* Deeper stacks lose their outer frames. */
  CHECK_KNOWN(recurse(1000));
  assert_int_equal(g_frames, MAX_FRAMES);
  assert_int_equal(g_asked, 0);
}

/* Two functions that call each other, for many different stacks. */
static void left(unsigned path, int depth);

__attribute__((noinline)) static void right(unsigned path, int depth) {
  char text[24];
  snprintf(text, sizeof text, "%u", path);
  if (depth == 0)
    check_here();
  else if (path & 1)
    right(path >> 1, depth - 1);
  else
    left(path >> 1, depth - 1);
  g_after += text[0];
}

__attribute__((noinline)) static void left(unsigned path, int depth) {
  if (depth == 0)
    check_here();
  else if (path & 1)
    right(path >> 1, depth - 1);
  else
    left(path >> 1, depth - 1);
  g_after++;
}

static void paths(void **state) {
  (void)state;
  for (volatile int round = 0; round < 3; round++)
    for (volatile unsigned path = 0; path < 1 << 7; path++)
      left(path, 7);
  assert_int_equal(g_remembered, 1 << 7);
  assert_int_equal(g_known, 2 << 7);
}

/* A frame whose size is known only at run time has a frame pointer. */
__attribute__((noinline)) static void with_alloca(size_t szB, int depth) {
  char *volatile room = __builtin_alloca(szB);
  room[0] = 1;
  if (depth > 0)
    with_alloca(szB, depth - 1);
  else
    recurse(2);
  g_after += room[0];
}

static void sizes_that_change(void **state) {
  (void)state;
  for (size_t szB = 16; szB < 4000; szB += 400)
    CHECK_KNOWN(with_alloca(szB, 3));
}

/* A function that aligns its stack stores in a word where its caller's frame is. */
__attribute__((noinline)) static void aligned(int depth) {
  _Alignas(128) volatile char room[256];
  room[depth] = 1;
  char *volatile more = __builtin_alloca(16 * (size_t)(depth + 1));
  more[0] = 1;
  if (depth > 0)
    aligned(depth - 1);
  else
    recurse(1);
  g_after += room[0] + more[0];
}

static void aligned_frames(void **state) {
  (void)state;
  CHECK_KNOWN(aligned(5));
}

/* Walks through code of the C library. */
static int compare(const void *a, const void *b) {
  check_here();
  return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort(void) {
  int numbers[] = {4, 2, 3, 1, 7, 5};
  qsort(numbers, COUNT_OF(numbers), sizeof *numbers, compare);
}

static void callbacks(void **state) {
  (void)state;
  CHECK_KNOWN(sort());
}

/* The caller of a signal's frame is the interrupted code, which need not be at a call. */
static void handle(int number, siginfo_t *info, void *at) {
  (void)number, (void)info;
  recurse(3);
  assert_int_equal(g_unwinder.interrupted_sp, ((ucontext_t *)at)->uc_mcontext.gregs[REG_RSP]);
}

__attribute__((noinline)) static void interrupted(int depth) {
  if (depth == 0)
    raise(SIGUSR1);
  else
    interrupted(depth - 1);
  g_after++;
}

static void signals(void **state) {
  (void)state;
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  interrupted(5);
  assert_true(g_frames > 10);
  assert_int_equal(g_remembered, 0);
}

static void signals_on_a_stack_of_their_own(void **state) {
  (void)state;
  static char room[1 << 16];
  stack_t stack = {.ss_sp = room, .ss_size = sizeof room}, old;
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_ONSTACK | SA_SIGINFO};
  uintptr_t top = g_top;
  sigaltstack(&stack, &old);
  sigaction(SIGUSR1, &action, NULL);
  g_top = 0;
  interrupted(5);
  g_top = top;
  assert_true(g_frames > 10);
  assert_true(g_asked > 0);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, NULL);
}

/* A stack that the program made itself, with no readable memory above it. */
static ucontext_t g_here, g_there;

static void on_another_stack(void) {
  recurse(4);
}

static void other_stacks(void **state) {
  (void)state;
  enum { SZB = 1 << 16 };
  char *room = mmap(NULL, 2 * SZB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(room != MAP_FAILED);
  mprotect(room, SZB, PROT_READ | PROT_WRITE);
  /* This frame pointer is still in the register when the new stack begins. */
  assert_non_null(__builtin_frame_address(0));
  uintptr_t top = g_top;
  g_top = 0;
  getcontext(&g_there);
  g_there.uc_stack.ss_sp = room;
  g_there.uc_stack.ss_size = SZB;
  g_there.uc_link = &g_here;
  makecontext(&g_there, on_another_stack, 0);
  swapcontext(&g_here, &g_there);
  g_top = top;
  assert_true(g_frames >= 6);
  assert_int_equal(g_remembered, 0);
  munmap(room, 2 * SZB);
}

static void *run_thread(void *arg) {
  (void)arg;
  set_up(NULL);
  CHECK_KNOWN(recurse(5));
  assert_true(g_frames >= 7);
  tear_down(NULL);
  return NULL;
}

static void threads(void **state) {
  pthread_t thread;
  tear_down(state);
  assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
  pthread_join(thread, NULL);
  set_up(state);
}

/* Code without unwind information, which may keep frame pointers:
 *   push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret
 * or may not: push %rbx; mov $garbage,%ebp (in some); call *%rdi; pop; ret */
typedef void (*call_fn)(void (*callee)(void));

static call_fn made_code(const unsigned char *bytes, size_t n) {
  unsigned char *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(code != MAP_FAILED);
  memcpy(code, bytes, n);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  call_fn call;
  memcpy(&call, &code, sizeof call);
  return call;
}

static dmd_code_t g_codes[MAX_FRAMES];

__attribute__((noinline)) static void unknown_caller(void) {
  uintptr_t *frame = __builtin_frame_address(0);
  const dmd_walk_start_t start = {
      .ip = frame[1] - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0], .top = g_top};
  g_frames = dmd_unwind(&g_unwinder, &start, g_codes, MAX_FRAMES, NULL);
}

__attribute__((noinline)) static void call_unknown(call_fn call) {
  call(unknown_caller);
  g_after++;
}

static void code_without_unwind_information(void **state) {
  (void)state;
  static const unsigned char chained[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
  static const unsigned char unchained[] = {0x55, 0xbd, 0x78, 0x56, 0x34,
                                            0x12, 0xff, 0xd7, 0x5d, 0xc3};
  recurse(1);
  unsigned n = g_frames;
  call_fn call = made_code(chained, sizeof chained);
  call_unknown(call);
  /* The code's own frame; this function's two callees replace recurse's two. */
  assert_int_equal(g_frames, n);
  munmap((void *)(uintptr_t)call, 4096);
  call = made_code(unchained, sizeof unchained);
  call_unknown(call);
  assert_int_equal(g_frames, 1);
  munmap((void *)(uintptr_t)call, 4096);
}

/* A walk by frame pointers alone finds functions that keep one. */
__attribute__((noinline)) static void chained(int depth) {
  void *volatile frame = __builtin_frame_address(0);
  (void)frame;
  if (depth == 0)
    unknown_caller();
  else
    chained(depth - 1);
  g_after++;
}

static void frame_pointers(void **state) {
  (void)state;
  enum { DEPTH = 5, N = DEPTH + 1 };
  dmd_code_t expected[N];
  chained(DEPTH);
  memcpy(expected, g_codes, sizeof expected);
  dmd_unwinder_t by_information = g_unwinder;
  dmd_unwinder_init(&g_unwinder, &g_host.env, &g_unwind_host, true);
  chained(DEPTH);
  assert_true(g_frames >= N);
  check_same(g_codes, N, expected, N);
  dmd_unwinder_destroy(&g_unwinder);
  g_unwinder = by_information;
}

/* A chain of three frames in an array; the last return address is 0. The walk reads the return
 * addresses, the frame pointer, and the places that the next two came from. */
static void what_a_walk_depends_on(void **state) {
  (void)state;
  uintptr_t stack[16] = {0};
  stack[2] = (uintptr_t)&stack[6];
  stack[3] = 0x11111;
  stack[6] = (uintptr_t)&stack[10];
  stack[7] = 0x22222;
  const dmd_walk_start_t start = {.ip = 0x10000,
                                  .sp = (uintptr_t)&stack[0],
                                  .fp = (uintptr_t)&stack[2],
                                  .top = (uintptr_t)&stack[15]};
  dmd_trace_t trace;
  assert_int_equal(dmd_unwind(&g_unwinder, &start, g_codes, MAX_FRAMES, &trace), 3);
  assert_int_equal(g_codes[0].ip, 0x10000);
  assert_int_equal(g_codes[1].ip, 0x11110);
  assert_int_equal(g_codes[2].ip, 0x22221);
  assert_true(trace.needs_fp);
  unsigned read = 0;
  for (uint32_t i = 0; i < trace.n_words; i++)
    read |= 1u << (trace.at[i] - start.sp) / sizeof *stack;
  assert_int_equal(read, 1u << 2 | 1u << 3 | 1u << 6 | 1u << 7 | 1u << 11);
}

static uint32_t epoch_of(uintptr_t ip) {
  uintptr_t word = 0;
  const dmd_walk_start_t start = {.ip = ip, .sp = (uintptr_t)&word, .top = (uintptr_t)&word};
  dmd_code_t code;
  assert_int_equal(dmd_unwind(&g_unwinder, &start, &code, 1, NULL), 1);
  return code.epoch;
}

/* Other code may be at the address of unloaded code. */
static void what_is_forgotten_is_asked_for_again(void **state) {
  (void)state;
  uintptr_t ip = (uintptr_t)check_here;
  g_epoch = 7;
  assert_int_equal(epoch_of(ip), 7);
  g_epoch = 8;
  assert_int_equal(epoch_of(ip), 7);
  dmd_unwinder_forget(&g_unwinder);
  assert_int_equal(epoch_of(ip), 8);
}

/* Many walks, so that the table of rules grows. */
static void walk_many(host_t *host, void *arg) {
  const dmd_walk_start_t *start = arg;
  dmd_unwinder_t unwinder;
  dmd_unwinder_init(&unwinder, &host->env, &g_unwind_host, false);
  for (uintptr_t ip = 1; ip < 1000; ip++) {
    dmd_code_t code;
    dmd_walk_start_t at = *start;
    at.ip += ip;
    assert_int_equal(dmd_unwind(&unwinder, &at, &code, 1, NULL), 1);
    assert_int_equal(code.ip, at.ip);
  }
  dmd_unwinder_destroy(&unwinder);
}

static void out_of_memory(void **state) {
  (void)state;
  uintptr_t word = 0;
  const dmd_walk_start_t start = {
      .ip = (uintptr_t)check_here, .sp = (uintptr_t)&word, .top = (uintptr_t)&word};
  assert_true(host_fail_everywhere(walk_many, (void *)&start) >= 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(recursions),
      TEST(paths),
      TEST(sizes_that_change),
      TEST(aligned_frames),
      TEST(callbacks),
      TEST(signals),
      TEST(signals_on_a_stack_of_their_own),
      TEST(other_stacks),
      TEST(threads),
      TEST(code_without_unwind_information),
      TEST(frame_pointers),
      TEST(what_a_walk_depends_on),
      TEST(what_is_forgotten_is_asked_for_again),
      TEST(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include "not_here.h"
#endif
