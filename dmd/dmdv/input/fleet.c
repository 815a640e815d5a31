/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/input/fleet.h"

#include "host/process.h"

#include <pthread.h>
#include <unistd.h>

enum { MAX_THREADS = 16, SLOTS_A_THREAD = 2 };

typedef enum { SLOT_EMPTY, SLOT_READ, SLOT_FAILED } slot_state_t;

/* The i-th file uses slot i modulo the number of slots. */
typedef struct {
  slot_state_t state;
  dmd_profile_t profile; /* partial if reading failed */
  dmd_fail_t fail;
} slot_t;

struct dmdv_fleet {
  char *const *names;
  int n;
  dmd_load_options_t options;
  dmd_env_t env; /* the threads' environment, which shows no progress */
  dmd_namer_t namer;
  const dmd_namer_t *inner_namer; /* protected by its lock */
  pthread_mutex_t naming, lock;
  /* Protected by the lock: */
  pthread_cond_t is_changed;
  int n_taken;  /* files that threads have begun to read */
  int n_handed; /* files that `next` was called for */
  bool is_ending;
  slot_t *slots;
  int n_slots;
  pthread_t threads[MAX_THREADS];
  int n_threads;
};

/* ---- The reading threads. ---- */

static bool name_functions(void *ctx, const dmd_location_t *at, dmd_function_fn visit,
                           void *visitor, dmd_code_kind_t *kind) {
  dmdv_fleet_t *fleet = ctx;
  const dmd_namer_t *namer = fleet->inner_namer;
  pthread_mutex_lock(&fleet->naming);
  bool good = namer->functions(namer->ctx, at, visit, visitor, kind);
  pthread_mutex_unlock(&fleet->naming);
  return good;
}

/* The number of a file to read, whose slot is empty; -1: no file is left. */
static int take(dmdv_fleet_t *fleet) {
  int file = -1;
  pthread_mutex_lock(&fleet->lock);
  while (!fleet->is_ending && fleet->n_taken < fleet->n &&
         fleet->n_taken >= fleet->n_handed + fleet->n_slots - 1)
    pthread_cond_wait(&fleet->is_changed, &fleet->lock);
  if (!fleet->is_ending && fleet->n_taken < fleet->n)
    file = fleet->n_taken++;
  pthread_mutex_unlock(&fleet->lock);
  return file;
}

static void hand_over(dmdv_fleet_t *fleet, slot_t *slot, bool good) {
  pthread_mutex_lock(&fleet->lock);
  slot->state = good ? SLOT_READ : SLOT_FAILED;
  pthread_cond_broadcast(&fleet->is_changed);
  pthread_mutex_unlock(&fleet->lock);
}

static void *work(void *arg) {
  dmdv_fleet_t *fleet = arg;
  for (int file; (file = take(fleet)) >= 0;) {
    slot_t *slot = &fleet->slots[file % fleet->n_slots];
    slot->fail = (dmd_fail_t){0};
    dmd_profile_init(&slot->profile, &fleet->env);
    hand_over(fleet, slot,
              dmdv_load_silently(&slot->profile, fleet->names[file], &fleet->options, &slot->fail));
  }
  return NULL;
}

/* ---- The caller's thread. ---- */

static int wanted_threads(int n) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long most = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : processors;
  return n < most ? n : (int)most;
}

dmdv_fleet_t *dmdv_fleet_begin(char *const *names, int n, const dmd_load_options_t *options) {
  dmdv_fleet_t *fleet = dmd_env_alloc(&dmdv_env, "dmdv.fleet", sizeof *fleet);
  int n_threads = wanted_threads(n);
  *fleet = (dmdv_fleet_t){.names = names,
                          .n = n,
                          .options = *options,
                          .env = dmdv_env,
                          .n_slots = SLOTS_A_THREAD * n_threads + 1};
  fleet->env.tell = NULL;
  if (options->namer != NULL) {
    fleet->inner_namer = options->namer;
    fleet->namer = (dmd_namer_t){.ctx = fleet,
                                 .functions = name_functions,
                                 .shows_below_main = options->namer->shows_below_main};
    fleet->options.namer = &fleet->namer;
  }
  size_t szB = (size_t)fleet->n_slots * sizeof *fleet->slots;
  fleet->slots = dmd_env_alloc(&dmdv_env, "dmdv.fleet", szB);
  for (int i = 0; i < fleet->n_slots; i++)
    fleet->slots[i].state = SLOT_EMPTY;
  pthread_mutex_init(&fleet->naming, NULL);
  pthread_mutex_init(&fleet->lock, NULL);
  pthread_cond_init(&fleet->is_changed, NULL);
  while (fleet->n_threads < n_threads &&
         pthread_create(&fleet->threads[fleet->n_threads], NULL, work, fleet) == 0)
    fleet->n_threads++;
  return fleet;
}

/* If the system could start no thread, the caller reads the files. */
static void read_here(dmdv_fleet_t *fleet) {
  if (fleet->n_threads == 0) {
    fleet->n = fleet->n_taken + 1;
    work(fleet);
  }
}

static void empty(slot_t *slot) {
  if (slot->state != SLOT_EMPTY)
    dmd_profile_destroy(&slot->profile);
  slot->state = SLOT_EMPTY;
}

dmd_profile_t *dmdv_fleet_next(dmdv_fleet_t *fleet, dmd_fail_t *fail) {
  read_here(fleet);
  if (fleet->n_handed > 0)
    empty(&fleet->slots[(fleet->n_handed - 1) % fleet->n_slots]);
  slot_t *slot = &fleet->slots[fleet->n_handed % fleet->n_slots];
  pthread_mutex_lock(&fleet->lock);
  fleet->n_handed++;
  pthread_cond_broadcast(&fleet->is_changed);
  while (slot->state == SLOT_EMPTY)
    pthread_cond_wait(&fleet->is_changed, &fleet->lock);
  bool good = slot->state == SLOT_READ;
  pthread_mutex_unlock(&fleet->lock);
  if (!good)
    *fail = slot->fail;
  return good ? &slot->profile : NULL;
}

void dmdv_fleet_end(dmdv_fleet_t *fleet) {
  pthread_mutex_lock(&fleet->lock);
  fleet->is_ending = true;
  pthread_cond_broadcast(&fleet->is_changed);
  pthread_mutex_unlock(&fleet->lock);
  for (int i = 0; i < fleet->n_threads; i++)
    pthread_join(fleet->threads[i], NULL);
  for (int i = 0; i < fleet->n_slots; i++)
    empty(&fleet->slots[i]);
  pthread_cond_destroy(&fleet->is_changed);
  pthread_mutex_destroy(&fleet->lock);
  pthread_mutex_destroy(&fleet->naming);
  dmd_env_free(&dmdv_env, fleet->slots);
  dmd_env_free(&dmdv_env, fleet);
}
