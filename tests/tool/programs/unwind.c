/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks that repeat, and stacks that almost do: the same call from the same stack pointer with
 * other callers, frames of changing size, frame pointers that matter, code without unwind
 * information, other stacks.
 *
 * Flags: -O1 -fno-optimize-sibling-calls -pthread
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <valgrind/dmd.h>

#define KEEP __attribute__((noinline, noclone))

enum { ROUNDS = 400 };

static void *g_last[64];

/* A block that lives until the 64th next one. */
KEEP static void block(int i) {
  free(g_last[i & 63]);
  g_last[i & 63] = malloc(16 + (size_t)(i & 31));
}

/* The frame pointer leads to the caller's frame. */
KEEP static void with_alloca(int szB, int i) {
  char *p = alloca((size_t)szB);
  memset(p, i, (size_t)szB);
  block(i);
  __asm__ volatile("" : : "r"(p) : "memory");
}

KEEP static void with_array(int szB, int depth) {
  volatile char array[szB + 1];
  array[szB] = (char)depth;
  if (depth > 0)
    with_array((szB * 7 + 3) % 200, depth - 1);
  else
    block(szB);
  array[0] = 0;
}

/* One more frame, and a next one that is smaller by its size: at block, the stack pointer and all
 * old return addresses are unchanged. Only the frame pointer distinguishes these calls: that of the
 * caller's caller of malloc, and that of the function with the request. */
KEEP static void direct(int szB, int i) {
  char *p = alloca((size_t)szB);
  block(i);
  DMD_REPORT(g_last[i & 63]);
  __asm__ volatile("" : : "r"(p) : "memory");
}
KEEP static void with_room(int szB, int i) {
  volatile char room[32];
  room[0] = 0;
  direct(szB, i);
  room[1] = 0;
}
KEEP static void through(void (*function)(int, int), int szB, int i) {
  function(szB, i);
}
KEEP static void alike(int i) {
  for (int n = 0; n < 32; n++)
    through(n % 2 == 0 ? direct : with_room, i % 5 * 16 + (n % 2 == 0 ? n / 2 * 16 : 0), i);
}

/* A function that aligns its stack has the same stack pointer under callers with frames of
 * different sizes, and the return address into the other one may still lie where it was. */
KEEP static void aligned(int i) {
  char room[64] __attribute__((aligned(256)));
  memset(room, i, sizeof room);
  char *p = alloca((size_t)(i % 2) * 16 + 16); /* then a word has the caller's frame */
  block(i);
  __asm__ volatile("" : : "r"(room), "r"(p) : "memory");
}
KEEP static void small_frame(int i) {
  aligned(i);
  __asm__ volatile("" : : : "memory");
}
KEEP static void large_frame(int i) {
  volatile char room[64];
  room[0] = 0;
  aligned(i);
  room[1] = 0;
}
KEEP static void same_place(int i) {
  static void (*const functions[2])(int) = {small_frame, large_frame};
  for (int n = 0; n < 32; n++) {
    char *p = alloca((size_t)(i % 16) * 16);
    functions[n % 2](i);
    __asm__ volatile("" : : "r"(p) : "memory");
  }
}

/* Paths that differ in their outer frames only. */
KEEP static int left(int path, int depth);
KEEP static int right(int path, int depth);
KEEP static int down(int path, int depth) {
  if (depth == 0)
    block(path);
  else
    return path & 1 ? left(path >> 1, depth - 1) + 1 : right(path >> 1, depth - 1) + 2;
  return path;
}
KEEP static int left(int path, int depth) {
  return down(path, depth) + 3;
}
KEEP static int right(int path, int depth) {
  return down(path, depth) + 4;
}

KEEP static int compare(const void *a, const void *b) {
  block(*(const int *)a);
  return *(const int *)a - *(const int *)b;
}

/* Called by the C library. */
KEEP static void sort(int i) {
  int values[20];
  for (int k = 0; k < 20; k++)
    values[k] = i * k * 7 % 31;
  qsort(values, 20, sizeof values[0], compare);
}

static void handler(int signal_number) {
  block(signal_number);
  with_alloca(32 + signal_number, signal_number);
}

static jmp_buf g_jump;

KEEP static void jump(int i) {
  block(i);
  if (i % 3 == 0)
    longjmp(g_jump, 1);
}

KEEP static void leave_early(int i) {
  if (setjmp(g_jump) == 0)
    jump(i);
  block(i);
}

/* Code without unwind information, at one address with frames of two sizes:
 *   push %rbp; mov $FP, %rbp; sub $SIZE, %rsp; call *%rsi; add $SIZE, %rsp; pop %rbp; ret */
KEEP static void unknown_code(int i) {
#if defined(__x86_64__)
  static unsigned char *code;
  if (code == NULL)
    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED)
    exit(1);
  unsigned char sizes[2] = {16, 48};
  unsigned char bytes[] = {0x55, 0x48, 0xc7, 0xc5, 0,    0,    0,    0, 0x48, 0x83,
                           0xec, 0,    0xff, 0xd6, 0x48, 0x83, 0xc4, 0, 0x5d, 0xc3};
  bytes[4] = (unsigned char)(i % 5);
  bytes[11] = bytes[17] = sizes[i / 7 % 2];
  if (memcmp(code, bytes, sizeof bytes) != 0) {
    munmap(code, 4096);
    code = mmap(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy(code, bytes, sizeof bytes);
  }
  ((void (*)(int, void (*)(int)))(uintptr_t)code)(i, block);
#else
  block(i);
#endif
}

static void all(int i) {
  with_alloca(16 + i * 37 % 500, i);
  with_array(i % 100, i % 7);
  for (int path = 0; path < 16; path++)
    down(path, 5);
  sort(i);
  alike(i);
  same_place(i);
  leave_early(i);
}

static void *thread(void *argument) {
  (void)argument;
  for (int i = 0; i < 5; i++) {
    with_array(i, 3);
    down(i, 8);
  }
  return NULL;
}

static ucontext_t g_main, g_other;

static void coroutine(void) {
  for (int i = 0;; i++) {
    down(i, 4);
    with_alloca(64, i);
    swapcontext(&g_other, &g_main);
  }
}

int main(void) {
  static char stack[64 * 1024];
  signal(SIGUSR1, handler);
  getcontext(&g_other);
  g_other.uc_stack.ss_sp = stack;
  g_other.uc_stack.ss_size = sizeof stack;
  makecontext(&g_other, coroutine, 0);
  for (int i = 0; i < ROUNDS; i++) {
    all(i);
    unknown_code(i);
    raise(SIGUSR1);
    swapcontext(&g_main, &g_other);
    pthread_t id;
    if (i % 20 == 0 && pthread_create(&id, NULL, thread, NULL) == 0)
      pthread_join(id, NULL);
  }
  return 0;
}
