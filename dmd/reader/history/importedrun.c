/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/history/importedrun.h"

#include "reader/host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The runs of a build, moment and environment. */
typedef struct {
  int64_t build, environment; /* ids */
  const char *moment;
  int64_t most; /* the highest number that is a launch's */
} group_t;

typedef struct {
  uint32_t group;
  const char *name;  /* in the document */
  const char *there; /* in the history; NULL: not known so far */
  bool is_taken;
} launch_t;

typedef struct {
  dmdv_importing_t *m;
  dmd_intern_t group_keys, launch_keys;
  dmd_pool_t groups, launches;    /* by key */
  dmd_intern_t digests;           /* of the history's runs, each with its group */
  dmd_pool_t launches_of_digests; /* const char *, by digest */
  dmd_intern_t taken;             /* process and launch of the history's runs, with the group */
  dmd_pool_t launch_of;           /* uint32_t, by run: its launch; 0: none */
} launches_t;

/* The number that the text is, with nothing around it; 0: it is none. */
static int64_t number_of(const char *text) {
  size_t n = strlen(text);
  return n > 0 && n <= 18 && text[0] != '0' && strspn(text, "0123456789") == n
             ? strtoll(text, NULL, 10)
             : 0;
}

static const char *keep(launches_t *l, const char *text) {
  return dmd_intern_get_str(&l->m->texts, dmd_intern_str(&l->m->texts, text));
}

static dmdv_imported_run_t *run_at(const launches_t *l, uint32_t number) {
  return DMD_POOL_AT(&l->m->runs, dmdv_imported_run_t, number);
}

/* ---- Of the document. ---- */

static group_t *group_at(const launches_t *l, uint32_t number) {
  return DMD_POOL_AT(&l->groups, group_t, number);
}

static launch_t *launch_at(const launches_t *l, uint32_t number) {
  return DMD_POOL_AT(&l->launches, launch_t, number);
}

/* Texts of the import are told apart by where they are. */
static uint32_t group_of(launches_t *l, const dmdv_imported_run_t *run) {
  const int64_t key[] = {run->build, run->environment, (int64_t)(intptr_t)run->moment};
  uint32_t number = dmd_intern_bytes(&l->group_keys, key, sizeof key);
  if (number > l->groups.last) {
    dmd_pool_add(&l->groups);
    *group_at(l, number) = (group_t){run->build, run->environment, run->moment, 0};
  }
  return number;
}

static uint32_t launch_of(launches_t *l, uint32_t group, const char *name) {
  const int64_t key[] = {group, (int64_t)(intptr_t)name};
  uint32_t number = dmd_intern_bytes(&l->launch_keys, key, sizeof key);
  int64_t most = number_of(name);
  if (number > l->launches.last) {
    dmd_pool_add(&l->launches);
    *launch_at(l, number) = (launch_t){.group = group, .name = name};
  }
  if (most > group_at(l, group)->most)
    group_at(l, group)->most = most;
  return number;
}

static void take_runs(launches_t *l) {
  for (uint32_t number = 1; number <= l->m->runs.last; number++) {
    const dmdv_imported_run_t *run = run_at(l, number);
    dmd_pool_reach(&l->launch_of, number);
    if (run->build_was_there)
      *DMD_POOL_AT(&l->launch_of, uint32_t, number) = launch_of(l, group_of(l, run), run->launch);
  }
}

/* ---- Of the history. ---- */

static uint32_t digest_key(launches_t *l, uint32_t group, const void *digest) {
  unsigned char key[sizeof group + DMDV_DIGEST_SZB];
  memcpy(key, &group, sizeof group);
  memcpy(key + sizeof group, digest, DMDV_DIGEST_SZB);
  return dmd_intern_bytes(&l->digests, key, sizeof key);
}

static uint32_t taken_key(launches_t *l, uint32_t group, const char *process, const char *launch) {
  const int64_t key[] = {group, (int64_t)(intptr_t)process, (int64_t)(intptr_t)launch};
  return dmd_intern_bytes(&l->taken, key, sizeof key);
}

static void take_row(launches_t *l, uint32_t group) {
  dmdv_database_t *db = l->m->db;
  size_t n;
  const void *digest = dmdv_sql_column_bytes(db, 0, &n);
  if (n != DMDV_DIGEST_SZB)
    return;
  const char *process = keep(l, dmdv_sql_column_text(db, 1));
  const char *launch = keep(l, dmdv_sql_column_text(db, 2));
  uint32_t number = digest_key(l, group, digest);
  dmd_pool_reach(&l->launches_of_digests, number);
  *DMD_POOL_AT(&l->launches_of_digests, const char *, number) = launch;
  taken_key(l, group, process, launch);
  if (number_of(launch) > group_at(l, group)->most)
    group_at(l, group)->most = number_of(launch);
}

static bool take_history(launches_t *l) {
  dmdv_database_t *db = l->m->db;
  for (uint32_t number = 1; number <= l->groups.last; number++) {
    const group_t *group = group_at(l, number);
    dmdv_sql_step_t step;
    dmdv_sql_start(db, DMDV_SQL_RUNS_OF);
    dmdv_sql_int(db, group->build);
    dmdv_sql_text(db, group->moment);
    dmdv_sql_int(db, group->environment);
    while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
      take_row(l, number);
    if (step != DMDV_SQL_DONE)
      return false;
  }
  return true;
}

/* ---- Both. ---- */

/* A run that is there says which launch the others of its launch are of. */
static void compare(launches_t *l) {
  uint32_t n_digests = dmd_intern_count(&l->digests), n_taken = dmd_intern_count(&l->taken);
  for (uint32_t number = 1; number <= l->m->runs.last; number++) {
    dmdv_imported_run_t *run = run_at(l, number);
    if (!run->build_was_there)
      continue;
    launch_t *launch = launch_at(l, *DMD_POOL_AT(&l->launch_of, uint32_t, number));
    uint32_t digest = digest_key(l, launch->group, run->digest);
    run->is_there = digest <= n_digests;
    if (run->is_there && launch->there == NULL)
      launch->there = *DMD_POOL_AT(&l->launches_of_digests, const char *, digest);
    if (number_of(launch->name) > 0 &&
        taken_key(l, launch->group, run->process, run->launch) <= n_taken)
      launch->is_taken = true;
  }
}

static void name_launches(launches_t *l) {
  for (uint32_t number = 1; number <= l->launches.last; number++) {
    launch_t *launch = launch_at(l, number);
    char text[24];
    if (launch->there != NULL)
      continue;
    launch->there = launch->name;
    if (launch->is_taken) {
      snprintf(text, sizeof text, "%lld", (long long)++group_at(l, launch->group)->most);
      launch->there = keep(l, text);
    }
  }
  for (uint32_t number = 1; number <= l->m->runs.last; number++)
    if (run_at(l, number)->build_was_there)
      run_at(l, number)->launch =
          launch_at(l, *DMD_POOL_AT(&l->launch_of, uint32_t, number))->there;
}

bool dmdv_import_launches(dmdv_importing_t *m) {
  launches_t l = {.m = m};
  dmd_intern_t *interns[] = {&l.group_keys, &l.launch_keys, &l.digests, &l.taken};
  for (size_t i = 0; i < sizeof interns / sizeof *interns; i++)
    dmd_intern_init(interns[i], &dmdv_env, "dmdv.launches");
  dmd_pool_init(&l.groups, &dmdv_env, "dmdv.launches", sizeof(group_t));
  dmd_pool_init(&l.launches, &dmdv_env, "dmdv.launches", sizeof(launch_t));
  dmd_pool_init(&l.launches_of_digests, &dmdv_env, "dmdv.launches", sizeof(const char *));
  dmd_pool_init(&l.launch_of, &dmdv_env, "dmdv.launches", sizeof(uint32_t));
  take_runs(&l);
  bool good = take_history(&l);
  if (good) {
    compare(&l);
    name_launches(&l);
  }
  dmd_pool_destroy(&l.launch_of);
  dmd_pool_destroy(&l.launches_of_digests);
  dmd_pool_destroy(&l.launches);
  dmd_pool_destroy(&l.groups);
  for (size_t i = 0; i < sizeof interns / sizeof *interns; i++)
    dmd_intern_destroy(interns[i]);
  return good;
}
