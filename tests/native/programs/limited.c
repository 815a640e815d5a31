/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * limited size: prints the size of its address space, in bytes.
 * limited as|data BYTES: limits that, or its data, to so many bytes, then keeps 40 blocks of 1 MiB.
 * limited fill: limits its address space to 24 MiB more than it has, keeps blocks of 64 KiB until
 * malloc fails, frees half of them, and allocates once more.
 * limited crumbs MIB: lets the C library's heap grow to 64 MiB, limits its address space to MIB
 *   more than it has, and keeps a million blocks of 16 bytes: the heap has room for them.
 * limited asks MIB: like crumbs, but requests ten dumps meanwhile.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <valgrind/dmd.h>

enum { MIB = 1 << 20 };

static void **g_kept;

static unsigned long long figure(const char *name) {
  char line[256];
  unsigned long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, name, strlen(name)) == 0)
      kib = strtoull(line + strlen(name), NULL, 10);
  if (f != NULL)
    fclose(f);
  return kib * 1024;
}

static void limit(int what, unsigned long long szB) {
  struct rlimit limit = {.rlim_cur = szB, .rlim_max = szB};
  if (setrlimit(what, &limit) != 0)
    exit(90);
}

__attribute__((noinline)) static void *keep(size_t szB) {
  void **block = malloc(szB);
  if (block != NULL) {
    memset(block, 1, szB);
    *block = g_kept;
    g_kept = block;
  }
  return block;
}

static int keep_large(void) {
  for (int i = 0; i < 40; i++)
    if (keep(MIB) == NULL) {
      printf("no block %d\n", i);
      return 1;
    }
  puts("40 blocks");
  return 7;
}

static int fill(void) {
  enum { SZB = 64 * 1024 };
  limit(RLIMIT_AS, figure("VmSize:") + 24 * MIB);
  size_t n = 0;
  while (keep(SZB) != NULL)
    n++;
  for (size_t i = 0; i < n / 2; i++) {
    void **next = *g_kept;
    free(g_kept);
    g_kept = next;
  }
  void *again = malloc(SZB);
  puts(again != NULL ? "filled and freed" : "nothing to be had");
  free(again);
  return 8;
}

static int keep_crumbs(unsigned long long room_szB, int n_dumps) {
  enum { N = 1000000 };
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  void *half[] = {malloc(31 * MIB), malloc(31 * MIB)};
  free(half[0]);
  free(half[1]);
  limit(RLIMIT_AS, figure("VmSize:") + room_szB);
  for (int i = 1; i <= N; i++) {
    if (keep(16) == NULL)
      return 1;
    if (n_dumps > 0 && i % (N / n_dumps) == 0)
      DMD_DUMP("asked");
  }
  puts("all kept");
  return 9;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(mode, "size") == 0)
    printf("%llu\n", figure("VmSize:"));
  else if (strcmp(mode, "fill") == 0)
    return fill();
  if (argc != 3)
    return 0;
  unsigned long long number = strtoull(argv[2], NULL, 10);
  if (strcmp(mode, "crumbs") == 0 || strcmp(mode, "asks") == 0)
    return keep_crumbs(number * MIB, mode[0] == 'a' ? 10 : 0);
  limit(strcmp(mode, "as") == 0 ? RLIMIT_AS : RLIMIT_DATA, number);
  return keep_large();
}
