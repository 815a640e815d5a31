/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/host.h"

#include "reader/host/message.h"
#include "reader/host/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = malloc(szB);
  if (p == NULL) {
    fprintf(stderr, "%s: out of memory: %zu bytes more could not be had\n", dmdv_program, szB);
    exit(2);
  }
  return p;
}

static void host_free(void *ctx, void *p) {
  (void)ctx;
  free(p);
}

static void host_panic(void *ctx, const char *what) {
  (void)ctx;
  fprintf(stderr, "%s: %s\n", dmdv_program, what);
  exit(2);
}

static void host_tell(void *ctx, const char *what, uint64_t done, uint64_t total) {
  (void)ctx;
  dmdv_work_update(&(dmdv_work_t){.what = what, .done = done, .total = total});
}

dmd_env_t dmdv_env = {
    .alloc = host_alloc, .free = host_free, .panic = host_panic, .tell = host_tell};

/* Numbers that the kernel makes up for each process. */
static uint64_t unknown_number(void) {
  const void *random = (const void *)getauxval(AT_RANDOM);
  uint64_t number = 0;
  if (random != NULL)
    memcpy(&number, random, sizeof number);
  return number;
}

void dmdv_host_init(void) {
  dmdv_env.hash_seed = unknown_number();
}
