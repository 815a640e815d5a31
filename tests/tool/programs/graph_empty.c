/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A lot of memory that was never written, or belongs to a file: prints how much of it, and of the
 * whole process, is resident before and after a graph was written, in KiB.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/dmd.h>

enum { MIB = 1 << 20 };

static void *g_target;

/* The resident pages of a mapping. */
static size_t resident(void *mapped, size_t szB) {
  static unsigned char pages[MIB];
  size_t n = 0;
  mincore(mapped, szB, pages);
  for (size_t i = 0; i < szB / 4096; i++)
    n += pages[i] & 1;
  return n * 4;
}

/* The second number in the process's statm, in pages. */
static size_t resident_in_all(void) {
  char text[256] = "";
  int fd = open("/proc/self/statm", O_RDONLY);
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  return n > 0 ? strtoul(strchr(text, ' '), NULL, 10) * 4 : 0;
}

static void *map(size_t szB, int flags, int fd) {
  void *p = mmap(NULL, szB, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (p == MAP_FAILED)
    abort();
  return p;
}

int main(int argc, char **argv) {
  size_t in_file = 512 * (size_t)MIB, anonymous = 1024 * (size_t)MIB, before, after;
  int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)in_file) != 0)
    return 2;
  char *empty = map(anonymous, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char *copied = map(in_file, MAP_PRIVATE, fd), *shared = map(in_file, MAP_SHARED, fd);
  char *block = calloc(256, MIB);
  /* One word in each of these pages, so that the pages are read. */
  g_target = malloc(77);
  memcpy(empty + 100 * 4096, &g_target, sizeof g_target);
  memcpy(copied + 200 * 4096, &g_target, sizeof g_target);
  memcpy(shared + 300 * 4096, &g_target, sizeof g_target);
  memcpy(block + 400 * 4096, &g_target, sizeof g_target);
  before = resident_in_all();
  size_t of_file = resident(shared, in_file);
  if (DMD_GRAPH("empty") != 1)
    return 3;
  after = resident_in_all();
  printf("%zu %zu %zu %zu\n", before, after, of_file, resident(shared, in_file));
  printf("%p %p %p %p\n", (void *)(empty + 100 * 4096), (void *)(copied + 200 * 4096),
         (void *)(shared + 300 * 4096), (void *)(block + 400 * 4096));
  return 0;
}
