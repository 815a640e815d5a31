/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/host.h"

#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = malloc(szB);
  if (p == NULL) {
    fprintf(stderr, "dmdv: out of memory: %zu bytes more could not be had\n", szB);
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
  fprintf(stderr, "dmdv: %s\n", what);
  exit(2);
}

const dmd_env_t dmdv_env = {host_alloc, host_free, host_panic, NULL};

static void *cjson_alloc(size_t szB) {
  return host_alloc(NULL, "cJSON", szB);
}

void dmdv_host_init(void) {
  cJSON_Hooks hooks = {cjson_alloc, free};
  cJSON_InitHooks(&hooks);
}
