/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_patch.h: writes jumps to our code into the program's.
 *
 * A jump of 5 bytes reaches 2 GiB, so it leads to a page of ours near the object, and from there on
 * to anywhere. Code is written through /proc/self/mem, which leaves the pages' protection as it is
 * and gives this process private copies of them; or, where the kernel forbids that, after mprotect.
 *
 * x86-64 only; elsewhere nothing is changed. Call while no other thread may run the code.
 */
#ifndef DMD_NATIVE_PL_PATCH_H
#define DMD_NATIVE_PL_PATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { PL_JUMP_SZB = 5, PL_PAGE_SZB = 4096 };

/* A function of the program's, and ours that takes its place. */
typedef struct pl_patch {
  uint64_t from, to;
} pl_patch_t;

/* Maps a writable page near an object, below it, where the program's break never comes. NULL: no
 * place is free. */
char *pl_patch_page(uint64_t start, uint64_t end);

/* Makes each function of the object at start to end jump to ours: all of them or, if that fails,
 * none. Their code has room for a jump. */
bool pl_patch_all(const pl_patch_t *patches, uint32_t n, uint64_t start, uint64_t end);

#endif
