/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -O2
 *
 * Frames of every kind: inlined ones, and ones in code that belongs to no file.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *volatile keep[2];

static inline __attribute__((always_inline)) void *innermost(size_t n) {
  return malloc(n);
}

static inline __attribute__((always_inline)) void *between(size_t n) {
  return innermost(n + 1);
}

__attribute__((noinline)) static void outermost(void) {
  keep[0] = between(99);
}

/* Machine code that calls malloc(300): sub rsp, 8; mov edi, 300; mov rax, malloc; call rax; add
 * rsp, 8; ret. */
static void from_nowhere(void) {
#if defined(__x86_64__)
  unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xbf, 0x2c, 1,    0,    0,    0x48, 0xb8, 0, 0,
                          0,    0,    0,    0, 0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
  void *(*target)(size_t) = malloc;
  memcpy(code + 11, &target, sizeof target);
  void *page =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, code, sizeof code);
  void *(*made)(void);
  memcpy(&made, &page, sizeof page);
  keep[1] = made();
#endif
}

int main(void) {
  outermost();
  from_nowhere();
  return 0;
}
