/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jemalloc's functions beyond those of the C library. jemalloc is preloaded, so they are looked up
 * by name. For each block that is kept the usable size is printed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static void *(*mallocx_now)(size_t szB, int flags);
static void *(*rallocx_now)(void *p, size_t szB, int flags);
static size_t (*xallocx_now)(void *p, size_t szB, size_t extra_szB, int flags);
static void (*dallocx_now)(void *p, int flags);
static void (*sdallocx_now)(void *p, size_t szB, int flags);

static void *kept[4];

static void find(void) {
  *(void **)&mallocx_now = dlsym(RTLD_DEFAULT, "mallocx");
  *(void **)&rallocx_now = dlsym(RTLD_DEFAULT, "rallocx");
  *(void **)&xallocx_now = dlsym(RTLD_DEFAULT, "xallocx");
  *(void **)&dallocx_now = dlsym(RTLD_DEFAULT, "dallocx");
  *(void **)&sdallocx_now = dlsym(RTLD_DEFAULT, "sdallocx");
}

static void by_mallocx(void) {
  kept[0] = mallocx_now(100, 0);
}

static void by_rallocx(void) {
  kept[1] = rallocx_now(mallocx_now(100, 0), 5000, 0);
}

static void by_xallocx(void) {
  kept[2] = mallocx_now(1 << 20, 0);
  xallocx_now(kept[2], 1 << 18, 0, 0);
}

static void by_none(void) {
  dallocx_now(mallocx_now(200, 0), 0);
  sdallocx_now(mallocx_now(300, 0), 300, 0);
}

int main(void) {
  find();
  by_mallocx();
  by_rallocx();
  by_xallocx();
  by_none();
  for (int i = 0; i < 3; i++)
    fprintf(stderr, "%zu\n", malloc_usable_size(kept[i]));
  return 0;
}
