/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps a few blocks among many that it frees, and asks the allocator to return free pages. Writes
 * a heap graph, frees the few, too, and asks again. Prints how many bytes of pages that returned,
 * and how many were in memory at the graph.
 *   pins few|none SIZE: keeps some, or none
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "valgrind/dmd.h"

enum { N = 30000, EACH = 60, PAGE = 4096 };

static size_t szB;

static char *lines[N], *kept[N / EACH];
static uintptr_t
    pages[1 << 16]; /* those on which blocks begin or end, by number; 256 MiB are enough */

static void note_page(uintptr_t page) {
  pages[page % (sizeof pages / sizeof *pages)] = page;
}

static char *note(char *block) {
  uintptr_t at = (uintptr_t)block;
  note_page(at / PAGE);
  note_page((at + szB - 1) / PAGE);
  for (size_t i = 0; i < szB; i++)
    block[i] = (char)(at >> 4 ^ i * 7);
  return block;
}

__attribute__((noinline)) static char *line_new(void) {
  return note(malloc(szB));
}

__attribute__((noinline)) static char *keep_new(void) {
  return note(malloc(szB));
}

/* Bytes of the blocks' pages that are in memory. The pages between them may be the engine's. */
static unsigned long resident(void) {
  int fd = open("/proc/self/pagemap", O_RDONLY);
  unsigned long n = 0;
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    uint64_t entry = 0;
    if (pages[i] != 0 &&
        pread(fd, &entry, sizeof entry, (off_t)(pages[i] * sizeof entry)) == sizeof entry)
      n += (entry >> 63 & 1) + (entry >> 62 & 1);
  }
  close(fd);
  return n * PAGE;
}

/* The function of a preloaded allocator, or the C library's. */
static void release(void) {
  int (*mallctl)(const char *, void *, size_t *, void *, size_t);
  int (*trim)(size_t);
  void (*collect)(_Bool), (*idle)(void), (*release_free)(void);
  *(void **)&mallctl = dlsym(RTLD_DEFAULT, "mallctl");
  *(void **)&collect = dlsym(RTLD_DEFAULT, "mi_collect");
  *(void **)&idle = dlsym(RTLD_DEFAULT, "MallocExtension_MarkThreadIdle");
  *(void **)&release_free = dlsym(RTLD_DEFAULT, "MallocExtension_ReleaseFreeMemory");
  *(void **)&trim = dlsym(RTLD_DEFAULT, "malloc_trim");
  if (mallctl != NULL) {
    mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
    mallctl("arena.4096.purge", NULL, NULL, NULL, 0); /* of all arenas */
  } else if (collect != NULL) {
    collect(1);
  } else if (release_free != NULL) {
    if (idle != NULL)
      idle();
    release_free();
  } else {
    trim(0);
  }
}

int main(int argc, char **argv) {
  int keeps = argc > 2 && strcmp(argv[1], "few") == 0;
  szB = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
  for (int i = 0; i < N; i++) {
    lines[i] = line_new();
    if (keeps && i % EACH == 0)
      kept[i / EACH] = keep_new();
  }
  for (int i = 0; i < N; i++)
    free(lines[i]);
  memset(lines, 0, sizeof lines);
  release();
  unsigned long before = resident();
  DMD_GRAPH("pins");
  for (int i = 0; i < N / EACH; i++)
    free(kept[i]);
  release();
  printf("%lu %lu\n", before - resident(), before);
  return 0;
}
