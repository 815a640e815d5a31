/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/importedrun.h"

#include "host/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lookup tables of one part. */
typedef struct {
  dmdv_importing_t *m;
  dmdv_database_t *db;
  uint32_t part;
  dmd_intern_t digests;           /* digests of the history's runs, each with its group */
  dmd_pool_t launches_of_digests; /* const char *, by digest */
  dmd_intern_t taken;             /* process, launch and group of the history's runs */
} finding_t;

/* The number that is the whole text; 0: the text is not a positive number. */
static int64_t number_of(const char *text) {
  size_t n = strlen(text);
  return n > 0 && n <= 18 && text[0] != '0' && strspn(text, "0123456789") == n
             ? strtoll(text, NULL, 10)
             : 0;
}

static const char *keep(dmdv_importing_t *m, const char *text) {
  return dmd_intern_get_str(&m->texts, dmd_intern_str(&m->texts, text));
}

static dmdv_imported_group_t *group_at(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->groups, dmdv_imported_group_t, number);
}

/* ---- The document. Equal texts have equal addresses. ---- */

static uint32_t group_of(dmdv_importing_t *m, const dmdv_imported_run_t *run) {
  const int64_t key[] = {run->build, run->environment, (int64_t)(intptr_t)run->moment};
  uint32_t number = dmd_intern_bytes(&m->group_keys, key, sizeof key);
  if (number > m->groups.last) {
    dmd_pool_add(&m->groups);
    *group_at(m, number) = (dmdv_imported_group_t){.most = 0};
  }
  return number;
}

static void take_number(dmdv_imported_group_t *group, const char *launch) {
  int64_t number = number_of(launch);
  if (number > group->most)
    group->most = number;
}

void dmdv_import_note_launch(dmdv_importing_t *m, uint32_t run, const char *name) {
  dmdv_imported_run_t *at = dmdv_imported_run(m, run);
  uint32_t group = group_of(m, at);
  const int64_t key[] = {group, (int64_t)(intptr_t)name};
  at->launch = dmd_intern_bytes(&m->launch_keys, key, sizeof key);
  if (at->launch > m->launches.last) {
    dmd_pool_add(&m->launches);
    *dmdv_imported_launch(m, at->launch) = (dmdv_imported_launch_t){.group = group, .name = name};
  }
  dmdv_imported_launch(m, at->launch)->last = run;
  take_number(group_at(m, group), name);
}

void dmdv_import_find_ends(dmdv_importing_t *m) {
  uint32_t last = 0;
  for (uint32_t number = 1; number <= m->runs.last; number++) {
    dmdv_imported_run_t *run = dmdv_imported_run(m, number);
    uint32_t of_launch = dmdv_imported_launch(m, run->launch)->last;
    last = of_launch > last ? of_launch : last;
    run->may_end = last == number;
  }
}

/* ---- The history. ---- */

static uint32_t digest_key(finding_t *f, uint32_t group, const void *digest) {
  unsigned char key[sizeof group + DMDV_DIGEST_SZB];
  memcpy(key, &group, sizeof group);
  memcpy(key + sizeof group, digest, DMDV_DIGEST_SZB);
  return dmd_intern_bytes(&f->digests, key, sizeof key);
}

static uint32_t taken_key(finding_t *f, uint32_t group, const char *process, const char *launch) {
  const int64_t key[] = {group, (int64_t)(intptr_t)process, (int64_t)(intptr_t)launch};
  return dmd_intern_bytes(&f->taken, key, sizeof key);
}

static void take_row(finding_t *f, uint32_t group) {
  size_t n;
  const void *digest = dmdv_sql_column_bytes(f->db, 0, &n);
  if (n != DMDV_DIGEST_SZB)
    return;
  const char *process = keep(f->m, dmdv_sql_column_text(f->db, 1));
  const char *launch = keep(f->m, dmdv_sql_column_text(f->db, 2));
  uint32_t number = digest_key(f, group, digest);
  dmd_pool_reach(&f->launches_of_digests, number);
  *DMD_POOL_AT(&f->launches_of_digests, const char *, number) = launch;
  taken_key(f, group, process, launch);
  take_number(group_at(f->m, group), launch);
}

/* Reads all runs that the history has of this run's build, moment and environment. */
static bool take_group(finding_t *f, const dmdv_imported_run_t *run) {
  dmdv_importing_t *m = f->m;
  uint32_t group = dmdv_imported_launch(m, run->launch)->group;
  dmdv_sql_step_t step;
  if (group_at(m, group)->part == f->part)
    return true;
  group_at(m, group)->part = f->part;
  if (DMD_POOL_AT(&m->builds, dmdv_imported_build_t, run->build)->is_new)
    return true;
  dmdv_sql_start(f->db, DMDV_SQL_RUNS_OF);
  dmdv_sql_int(f->db, dmdv_imported_build_id(m, run->build));
  dmdv_sql_text(f->db, run->moment);
  dmdv_sql_int(f->db, dmdv_imported_environment_id(m, run->environment));
  while ((step = dmdv_sql_step(f->db)) == DMDV_SQL_ROW)
    take_row(f, group);
  return step == DMDV_SQL_DONE;
}

/* ---- Both. ---- */

/* A run that the history already has decides the name of its launch for the launch's other runs. */
static void compare(finding_t *f, uint32_t first, uint32_t last) {
  uint32_t n_digests = dmd_intern_count(&f->digests), n_taken = dmd_intern_count(&f->taken);
  for (uint32_t number = first; number <= last; number++) {
    dmdv_imported_run_t *run = dmdv_imported_run(f->m, number);
    dmdv_imported_launch_t *launch = dmdv_imported_launch(f->m, run->launch);
    uint32_t digest = digest_key(f, launch->group, run->digest);
    run->is_there = digest <= n_digests;
    if (run->is_there && launch->there == NULL)
      launch->there = *DMD_POOL_AT(&f->launches_of_digests, const char *, digest);
    if (number_of(launch->name) > 0 &&
        taken_key(f, launch->group, run->process, launch->name) <= n_taken)
      launch->is_taken = true;
  }
}

static void name_launches(dmdv_importing_t *m, uint32_t first, uint32_t last) {
  for (uint32_t number = first; number <= last; number++) {
    dmdv_imported_launch_t *launch = dmdv_imported_launch(m, dmdv_imported_run(m, number)->launch);
    char text[24];
    if (launch->there != NULL)
      continue;
    launch->there = launch->name;
    if (launch->is_taken) {
      snprintf(text, sizeof text, "%lld", (long long)++group_at(m, launch->group)->most);
      launch->there = keep(m, text);
    }
  }
}

bool dmdv_import_launches(dmdv_importing_t *m, dmdv_database_t *db, uint32_t part, uint32_t first,
                          uint32_t last) {
  finding_t f = {.m = m, .db = db, .part = part};
  bool good = true;
  dmd_intern_init(&f.digests, &dmdv_env, "dmdv.launches");
  dmd_intern_init(&f.taken, &dmdv_env, "dmdv.launches");
  dmd_pool_init(&f.launches_of_digests, &dmdv_env, "dmdv.launches", sizeof(const char *));
  for (uint32_t number = first; number <= last && good; number++)
    good = take_group(&f, dmdv_imported_run(m, number));
  if (good) {
    compare(&f, first, last);
    name_launches(m, first, last);
  }
  dmd_pool_destroy(&f.launches_of_digests);
  dmd_intern_destroy(&f.taken);
  dmd_intern_destroy(&f.digests);
  return good;
}
