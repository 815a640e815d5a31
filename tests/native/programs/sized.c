/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * C23's deallocation functions, which the C library may lack: they are looked up by name. It prints
 * how many of them exist.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *kept;

int main(void) {
  void (*free_sized_now)(void *, size_t), (*free_aligned_sized_now)(void *, size_t, size_t);
  *(void **)&free_sized_now = dlsym(RTLD_DEFAULT, "free_sized");
  *(void **)&free_aligned_sized_now = dlsym(RTLD_DEFAULT, "free_aligned_sized");
  printf("%d\n", (free_sized_now != NULL) + (free_aligned_sized_now != NULL));
  kept = malloc(1000);
  if (free_sized_now != NULL) {
    free_sized_now(malloc(1001), 1001);
    free_sized_now(calloc(2, 600), 1200);
    free_sized_now(NULL, 7);
  }
  if (free_aligned_sized_now != NULL) {
    free_aligned_sized_now(aligned_alloc(64, 1024), 64, 1024);
    free_aligned_sized_now(NULL, 64, 1024);
  }
  return 0;
}
