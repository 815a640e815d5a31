/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Does what a script says: argv[1], in the language of tests/engine/script.h, with malloc, the
 * requests and threads.
 *
 * Flags: -pthread
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <valgrind/dmd.h>

#include "../../engine/script.h"

static void *world_malloc(size_t szB) {
  return malloc(szB);
}

static void *world_calloc(size_t n, size_t szB) {
  return calloc(n, szB);
}

static void *world_memalign(size_t alignB, size_t szB) {
  return memalign(alignB, szB);
}

static void *world_realloc(void *p, size_t szB) {
  return realloc(p, szB);
}

static void world_free(void *p) {
  free(p);
}

static size_t world_usable(void *p) {
  return malloc_usable_size(p);
}

static void world_announce(void *p, size_t szB) {
  VALGRIND_MALLOCLIKE_BLOCK(p, szB, 0, 0);
}

static void world_resize(void *p, size_t old_szB, size_t new_szB) {
  VALGRIND_RESIZEINPLACE_BLOCK(p, old_szB, new_szB, 0);
}

static void world_unannounce(void *p) {
  VALGRIND_FREELIKE_BLOCK(p, 0);
}

static size_t world_request(unsigned number, uintptr_t a, uintptr_t b, uintptr_t c) {
  return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, VG_USERREQ__DMD_RUNNING + number, a, b, c, 0, 0);
}

/* ---- Sites. ---- */

static uintptr_t go_on(const struct step *step, const char *path);

static uintptr_t site_a(const struct step *step, const char *path) {
  return go_on(step, path);
}

static uintptr_t site_b(const struct step *step, const char *path) {
  return go_on(step, path);
}

static uintptr_t site_c(const struct step *step, const char *path) {
  return go_on(step, path);
}

static uintptr_t go_on(const struct step *step, const char *path) {
  switch (*path) {
  case 'a':
    return site_a(step, path + 1);
  case 'b':
    return site_b(step, path + 1);
  case 'c':
    return site_c(step, path + 1);
  default:
    return perform(step);
  }
}

/* ---- Threads: one runs at a time. ---- */

static struct {
  pthread_t id;
  sem_t turn;
} g_threads[MAX_THREADS];
static sem_t g_done;
static const struct step *g_step; /* of the thread whose turn it is; NULL: it ends */
static uintptr_t g_answer;

static void *run_thread(void *turn) {
  for (;;) {
    sem_wait(turn);
    if (g_step == NULL)
      return NULL;
    g_answer = go_on(g_step, g_step->path);
    sem_post(&g_done);
  }
}

static void world_start(unsigned thread) {
  sem_init(&g_threads[thread].turn, 0, 0);
  pthread_create(&g_threads[thread].id, NULL, run_thread, &g_threads[thread].turn);
}

static void world_end(unsigned thread) {
  const struct step *step = g_step;
  g_step = NULL;
  sem_post(&g_threads[thread].turn);
  pthread_join(g_threads[thread].id, NULL);
  g_step = step;
}

static uintptr_t run_step(const struct step *step) {
  if (step->thread == 1)
    return go_on(step, step->path);
  g_step = step;
  sem_post(&g_threads[step->thread].turn);
  sem_wait(&g_done);
  return g_answer;
}

int main(int argc, char **argv) {
  (void)argc;
  sem_init(&g_done, 0, 0);
  run_script(argv[1], run_step);
  return 0;
}
