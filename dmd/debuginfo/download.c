/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "debuginfo/download.h"

#include "host/process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in elfutils/debuginfod.h. */
typedef struct debuginfod_client client_t;
typedef int (*progress_fn)(client_t *client, long at, long total);

static const char urls[] = "DEBUGINFOD_URLS";

/* For the callback, which only gets the client. */
static void *(*g_user_data)(client_t *);

static void give_up(void) {
  dmdv_note("no server in %s sent anything for %d seconds: debug information is not downloaded",
            urls, DMDV_DOWNLOAD_WAIT);
  unsetenv(urls);
}

/* Called about once a second. Returns whether to give up. While nothing has come yet, `at` counts
 * the calls. */
static int go_on(client_t *client, long at, long total) {
  enum { MORE_THAN_CALLS = 1024 };
  dmdv_download_t *d = g_user_data(client);
  double now = dmdv_seconds();
  if (at < d->received || at - d->received >= MORE_THAN_CALLS || (total > 0 && at > d->received)) {
    d->received = at;
    d->seconds = now;
  }
  dmdv_progress_update(&d->progress, &(dmdv_read_t){.bytes = total > 0 ? (uint64_t)at : 0,
                                                    .at = (uint64_t)at,
                                                    .total = total > 0 ? (uint64_t)total : 0,
                                                    .verb = "of debug information downloaded"});
  if (now - d->seconds < DMDV_DOWNLOAD_WAIT)
    return 0;
  dmdv_progress_end(&d->progress);
  if (getenv(urls) != NULL)
    give_up();
  return 1;
}

/* elfutils 0.192 calls nobody until a server answers, waits for 90 seconds, and tries three times.
 * What the user has set stays. */
static void limit_time(void) {
  char seconds[16];
  snprintf(seconds, sizeof seconds, "%d", DMDV_DOWNLOAD_WAIT + 1);
  setenv("DEBUGINFOD_TIMEOUT", seconds, 0);
  setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
}

/* libdwfl loads libdebuginfod when it is asked for its client. The library stays loaded. */
void dmdv_download_init(dmdv_download_t *d, Dwfl *dwfl) {
  client_t *(*client_of)(Dwfl *); /* from elfutils 0.188 on */
  void (*set_progress)(client_t *, progress_fn);
  void (*set_user_data)(client_t *, void *);
  *d = (dmdv_download_t){.client = NULL};
  const char *given = getenv(urls);
  *(void **)&client_of = dlsym(RTLD_DEFAULT, "dwfl_get_debuginfod_client");
  if (given == NULL || *given == '\0' || client_of == NULL)
    return;
  client_t *client = client_of(dwfl);
  void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (client == NULL || library == NULL)
    return;
  *(void **)&set_progress = dlsym(library, "debuginfod_set_progressfn");
  *(void **)&set_user_data = dlsym(library, "debuginfod_set_user_data");
  *(void **)&g_user_data = dlsym(library, "debuginfod_get_user_data");
  *(void **)&d->find = dlsym(library, "debuginfod_find_debuginfo");
  if (set_progress == NULL || set_user_data == NULL || g_user_data == NULL || d->find == NULL)
    return;
  d->client = client;
  limit_time();
  set_user_data(client, d);
  set_progress(client, go_on);
}

void dmdv_download_begin(dmdv_download_t *d) {
  if (d->client == NULL)
    return;
  dmdv_progress_start(&d->progress);
  d->received = 0;
  d->seconds = dmdv_seconds();
}

void dmdv_download_end(dmdv_download_t *d) {
  if (d->client == NULL)
    return;
  dmdv_progress_end(&d->progress);
  if (d->received == 0 && dmdv_seconds() - d->seconds >= DMDV_DOWNLOAD_WAIT && getenv(urls) != NULL)
    give_up();
}

char *dmdv_download_file(dmdv_download_t *d, const void *build_id, size_t n) {
  enum { MOST = 63 }; /* that libdebuginfod has room for */
  char *path = NULL;
  if (d->client == NULL || n == 0 || n > MOST)
    return NULL;
  int fd = d->find(d->client, build_id, (int)n, &path);
  if (fd < 0)
    return NULL;
  close(fd);
  return path;
}
