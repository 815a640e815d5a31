/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/availablememory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* MemAvailable, see proc(5): an estimate of what a new program can take without swapping. */
static uint64_t of_machine(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  uint64_t kib = UINT64_MAX / 1024;
  char line[128];
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return kib * 1024;
}

/* Address space still available under RLIMIT_AS. */
static uint64_t of_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  FILE *file = fopen("/proc/self/statm", "r");
  uint64_t pages = 0;
  bool known = file != NULL && fscanf(file, "%" SCNu64, &pages) == 1;
  if (file != NULL)
    fclose(file);
  uint64_t taken = known ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

uint64_t dmdv_memory_available(void) {
  uint64_t machine = of_machine(), limit = of_limit();
  return machine < limit ? machine : limit;
}
