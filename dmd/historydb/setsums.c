/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/setsums.h"

#include "host/process.h"

#include <string.h>

enum { MOST_SZB = 32 << 20, STACK_SZB = 128 /* of one with its place in the map */ };

typedef struct {
  uint32_t first, n; /* of the ids */
} launch_t;

/* A record of a link. The stack is a number of this module. */
typedef struct {
  uint32_t stack, section;
  int64_t bytes;
} entry_t;

typedef struct {
  int64_t id;
  uint32_t base;            /* its number; 0: none */
  int64_t times;            /* in the current sum */
  bool is_read, is_touched; /* read: at all; touched: in the current sum */
  entry_t *entries;
  size_t n;
} link_t;

static void init(dmdv_setsums_t *s) {
  dmd_intern_init(&s->launches, &dmdv_env, "dmdv.setsums");
  dmd_pool_init(&s->launch_sets, &dmdv_env, "dmdv.setsums", sizeof(launch_t));
  dmd_pool_init(&s->ids, &dmdv_env, "dmdv.setsums", sizeof(int64_t));
  dmd_map_init(&s->numbers, &dmdv_env, "dmdv.setsums");
  dmd_pool_init(&s->links, &dmdv_env, "dmdv.setsums", sizeof(link_t));
  dmd_pool_init(&s->touched, &dmdv_env, "dmdv.setsums", sizeof(uint32_t));
  dmd_map_init(&s->stack_numbers, &dmdv_env, "dmdv.setsums");
  dmd_pool_init(&s->stacks, &dmdv_env, "dmdv.setsums", sizeof(dmdv_setsum_t));
  dmd_pool_init(&s->in_sum, &dmdv_env, "dmdv.setsums", sizeof(uint32_t));
  s->szB = 0;
}

void dmdv_setsums_init(dmdv_setsums_t *sums, dmdv_database_t *db) {
  sums->db = db;
  init(sums);
}

static link_t *link_at(const dmdv_setsums_t *s, uint32_t number) {
  return DMD_POOL_AT(&s->links, link_t, number);
}

void dmdv_setsums_destroy(dmdv_setsums_t *sums) {
  for (uint32_t number = 1; number <= sums->links.last; number++)
    if (link_at(sums, number)->entries != NULL)
      dmd_env_free(&dmdv_env, link_at(sums, number)->entries);
  dmd_pool_destroy(&sums->in_sum);
  dmd_pool_destroy(&sums->stacks);
  dmd_map_destroy(&sums->stack_numbers);
  dmd_pool_destroy(&sums->touched);
  dmd_pool_destroy(&sums->links);
  dmd_map_destroy(&sums->numbers);
  dmd_pool_destroy(&sums->ids);
  dmd_pool_destroy(&sums->launch_sets);
  dmd_intern_destroy(&sums->launches);
}

void dmdv_setsums_begin(dmdv_setsums_t *sums) {
  if (sums->szB > MOST_SZB) {
    dmdv_setsums_destroy(sums);
    init(sums);
  }
  for (uint32_t i = 1; i <= sums->touched.last; i++) {
    link_t *link = link_at(sums, *DMD_POOL_AT(&sums->touched, const uint32_t, i));
    link->times = 0;
    link->is_touched = false;
  }
  dmd_pool_rewind(&sums->touched);
  dmd_pool_rewind(&sums->in_sum);
  sums->number++;
}

/* ---- Which links there are. ---- */

static uint32_t key_of(dmdv_setsums_t *s, int64_t build, const char *moment, int64_t environment,
                       const char *process) {
  const int64_t numbers[] = {build, environment};
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_bytes(&key, (const char *)numbers, sizeof numbers);
  dmd_strbuf_bytes(&key, moment, strlen(moment) + 1);
  dmd_strbuf_str(&key, process);
  uint32_t number = dmd_intern_bytes(&s->launches, key.text, key.n);
  dmd_strbuf_destroy(&key);
  return number;
}

static bool find_launch(dmdv_setsums_t *s, int64_t build, const char *moment, int64_t environment,
                        const char *process, launch_t *launch) {
  uint32_t number = key_of(s, build, moment, environment, process);
  if (number <= s->launch_sets.last) {
    *launch = *DMD_POOL_AT(&s->launch_sets, const launch_t, number);
    return true;
  }
  uint32_t n_before = s->ids.last;
  bool good = dmdv_storedsets_of_build(&s->ids, s->db, build, moment, environment, process);
  *launch = (launch_t){n_before, s->ids.last - n_before};
  dmd_pool_add(&s->launch_sets);
  *DMD_POOL_AT(&s->launch_sets, launch_t, number) = *launch;
  return good;
}

static uint32_t number_of(const dmdv_setsums_t *s, int64_t id) {
  return (uint32_t)(uintptr_t)dmd_map_find(&s->numbers, (uint64_t)id);
}

/* Adds the chain of sets from this one down to a whole one, as far as it is not known yet. */
static bool add_chain(dmdv_setsums_t *s, int64_t id, uint32_t *number) {
  uint32_t above = DMD_NONE;
  bool known = false;
  *number = DMD_NONE;
  for (int depth = 0; id != 0 && !known; depth++) {
    uint32_t at = number_of(s, id);
    known = at != DMD_NONE;
    if (!known) {
      int64_t base;
      if (depth == DMDV_RECORDSET_CHAIN || !dmdv_storedset_base(s->db, id, &base))
        return dmdv_storedset_say_damaged(s->db);
      at = dmd_pool_add(&s->links);
      *link_at(s, at) = (link_t){.id = id};
      dmd_map_add(&s->numbers, (uint64_t)id, (void *)(uintptr_t)at);
      id = base;
    }
    if (above != DMD_NONE)
      link_at(s, above)->base = at;
    else
      *number = at;
    above = at;
  }
  return true;
}

static void touch(dmdv_setsums_t *s, uint32_t number, int64_t times) {
  link_t *link = link_at(s, number);
  if (!link->is_touched) {
    uint32_t at = dmd_pool_add(&s->touched);
    *DMD_POOL_AT(&s->touched, uint32_t, at) = number;
  }
  link->is_touched = true;
  link->times += times;
}

bool dmdv_setsums_add(dmdv_setsums_t *sums, int64_t build, const char *moment, int64_t environment,
                      const char *process, int64_t times) {
  launch_t launch;
  uint32_t number;
  bool good = find_launch(sums, build, moment, environment, process, &launch);
  for (uint32_t i = 1; i <= launch.n && good; i++) {
    good = add_chain(sums, *DMD_POOL_AT(&sums->ids, const int64_t, launch.first + i), &number);
    for (int depth = 0; good && number != DMD_NONE; number = link_at(sums, number)->base) {
      touch(sums, number, times);
      if (depth++ == DMDV_RECORDSET_CHAIN)
        return dmdv_storedset_say_damaged(sums->db);
    }
  }
  return good;
}

/* ---- The sum. ---- */

static dmdv_setsum_t *stack_at(const dmdv_setsums_t *s, uint32_t number) {
  return DMD_POOL_AT(&s->stacks, dmdv_setsum_t, number);
}

/* This module's number of a stack. */
static uint32_t number_stack(dmdv_setsums_t *s, int64_t stack) {
  uint32_t number = (uint32_t)(uintptr_t)dmd_map_find(&s->stack_numbers, (uint64_t)stack);
  if (number == DMD_NONE) {
    number = dmd_pool_add(&s->stacks);
    *stack_at(s, number) = (dmdv_setsum_t){.stack = stack};
    dmd_map_add(&s->stack_numbers, (uint64_t)stack, (void *)(uintptr_t)number);
    s->szB += STACK_SZB;
  }
  return number;
}

static bool read_link(dmdv_setsums_t *s, link_t *link) {
  dmd_stackset_t set = {0};
  int64_t base;
  if (link->is_read)
    return true;
  bool good = dmdv_storedset_load_link(&set, s->db, link->id, &base);
  if (good) {
    size_t szB = (set.n + 1) * sizeof *link->entries;
    link->is_read = true;
    link->entries = dmd_env_alloc(&dmdv_env, "dmdv.setsums", szB);
    s->szB += szB;
    for (; link->n < set.n; link->n++) {
      const dmd_stack_record_t *record = &set.records[link->n];
      link->entries[link->n] =
          (entry_t){number_stack(s, record->stack), record->section, record->bytes};
    }
  }
  dmd_stackset_destroy(&set);
  return good || dmdv_storedset_say_damaged(s->db);
}

/* Sums wrap around, as those of sets do. */
static void add_link(dmdv_setsums_t *s, const link_t *link) {
  for (size_t i = 0; i < link->n; i++) {
    const entry_t *entry = &link->entries[i];
    dmdv_setsum_t *stack = stack_at(s, entry->stack);
    if (stack->sum != s->number) {
      uint32_t at = dmd_pool_add(&s->in_sum);
      *DMD_POOL_AT(&s->in_sum, uint32_t, at) = entry->stack;
      *stack = (dmdv_setsum_t){.stack = stack->stack, .sum = s->number};
    }
    int64_t *bytes = &stack->bytes[entry->section];
    *bytes = (int64_t)((uint64_t)*bytes + (uint64_t)entry->bytes * (uint64_t)link->times);
  }
}

bool dmdv_setsums_add_up(dmdv_setsums_t *sums) {
  bool good = true;
  for (uint32_t i = 1; i <= sums->touched.last && good; i++) {
    link_t *link = link_at(sums, *DMD_POOL_AT(&sums->touched, const uint32_t, i));
    if (link->times == 0)
      continue;
    good = read_link(sums, link);
    add_link(sums, link);
  }
  return good;
}
