/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/process.h"

#include "host/message.h"
#include "host/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = malloc(szB);
  if (p == NULL) {
    fprintf(stderr, "%s: out of memory: cannot allocate %zu more bytes\n", dmdv_program, szB);
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

/* A random number that the kernel makes for each process. */
static uint64_t unknown_number(void) {
  const void *random = (const void *)getauxval(AT_RANDOM);
  uint64_t number = 0;
  if (random != NULL)
    memcpy(&number, random, sizeof number);
  return number;
}

static void do_nothing(int number) {
  (void)number;
}

/* A write beyond the file size limit fails, and is reported, instead of ending dmdv. Programs that
 * dmdv starts have the signal's default: they inherit what is ignored, but no handler. */
static void survive_the_file_size_limit(void) {
  struct sigaction action;
  if (sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
    action.sa_handler = do_nothing;
    sigaction(SIGXFSZ, &action, NULL);
  }
}

void dmdv_host_init(void) {
  survive_the_file_size_limit();
  dmdv_env.hash_seed = unknown_number();
}
