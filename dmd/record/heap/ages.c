/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/ages.h"

#include "base/mem.h"

dmd_ages_t *dmd_ages_create(const dmd_env_t *env, const dmd_waiting_t *waiting, dmd_clock_t clock) {
  dmd_ages_t *ages = dmd_env_alloc(env, "dmd.ages", sizeof *ages);
  dmd_mem_zero(ages, sizeof *ages);
  ages->env = env;
  ages->waiting = waiting;
  ages->clock = clock;
  dmd_pool_init(&ages->stacks, env, "dmd.ages.stacks", sizeof(dmd_lifetime_t));
  dmd_pool_init(&ages->live, env, "dmd.ages.live", sizeof(uint64_t));
  dmd_ages_restart(ages, dmd_ages_time(ages, 0));
  return ages;
}

void dmd_ages_destroy(dmd_ages_t *ages) {
  if (ages == NULL)
    return;
  for (int i = 0; i < DMD_AGES_LEVELS; i++)
    dmd_env_free(ages->env, ages->levels[i].notes);
  dmd_pool_destroy(&ages->live);
  dmd_pool_destroy(&ages->stacks);
  dmd_env_free(ages->env, ages);
}

/* ---- Notes. ---- */

static dmd_age_note_t *note_at(const dmd_age_level_t *level, uint32_t i) {
  return &level->notes[(level->first + i) % DMD_AGES_SLOTS];
}

/* Adds a note to a level; returns true if another one has no room there any more. */
static bool add_note(dmd_age_level_t *level, dmd_age_note_t note, dmd_age_note_t *oldest) {
  bool is_full = level->n == DMD_AGES_SLOTS;
  if (is_full) {
    *oldest = *note_at(level, 0);
    level->first = (level->first + 1) % DMD_AGES_SLOTS;
    level->n--;
  }
  *note_at(level, level->n++) = note;
  return is_full;
}

/* Whether the last note of a level may be left out: the times beside it are close together. */
static bool is_last_dense(const dmd_age_level_t *level, uint64_t next, int i) {
  return i > 0 && level->n > 1 &&
         next - note_at(level, level->n - 2)->at <= (uint64_t)DMD_AGES_SZB << i;
}

void dmd_ages_note(dmd_ages_t *ages, uint32_t number, uint64_t now) {
  dmd_age_note_t note = {.number = number, .at = now}, oldest;
  for (int i = 0; i < DMD_AGES_LEVELS; i++) {
    dmd_age_level_t *level = &ages->levels[i];
    if (level->notes == NULL)
      level->notes = dmd_env_alloc(ages->env, "dmd.ages", DMD_AGES_SLOTS * sizeof *level->notes);
    if (is_last_dense(level, now, i))
      level->n--;
    if (!add_note(level, note, &oldest))
      return;
    note = oldest;
    now = note.at;
  }
}

void dmd_ages_note_birth(dmd_ages_t *ages, dmd_block_t *block, uint32_t *number) {
  uint64_t now = ages->clock.now(ages->clock.ctx);
  if (now - ages->last_note >= DMD_AGES_SZB) {
    dmd_ages_note(ages, ++*number, ages->last_birth);
    dmd_ages_note(ages, ++*number, now);
    block->born = *number;
    ages->last_note = now;
  }
  ages->last_birth = now;
}

void dmd_ages_restart(dmd_ages_t *ages, uint64_t now) {
  for (int i = 0; i < DMD_AGES_LEVELS; i++)
    ages->levels[i].first = ages->levels[i].n = 0;
  ages->last_note = ages->last_birth = now;
  dmd_ages_note(ages, 0, now);
}

/* The place of the last note whose number is not larger. The first of the level is not larger. */
static uint32_t find(const dmd_age_level_t *level, uint32_t number) {
  uint32_t from = 0, end = level->n;
  while (end - from > 1) {
    uint32_t middle = from + (end - from) / 2;
    if (note_at(level, middle)->number <= number)
      from = middle;
    else
      end = middle;
  }
  return from;
}

/* When the block was born: in the middle of the time in which it can have been. */
static uint64_t birth_of(const dmd_ages_t *ages, const dmd_block_t *block, uint64_t now) {
  const dmd_age_level_t *level = ages->levels;
  uint64_t latest = ages->clock.now != NULL && ages->last_birth < now ? ages->last_birth : now;
  while (note_at(level, 0)->number > block->born) {
    latest = note_at(level, 0)->at;
    level++;
  }
  uint32_t i = find(level, block->born);
  if (i + 1 < level->n)
    latest = note_at(level, i + 1)->at;
  if (latest > now)
    latest = now;
  uint64_t earliest = note_at(level, i)->at + (ages->clock.now == NULL ? block->req : 0);
  return earliest >= latest ? latest : earliest + (latest - earliest) / 2;
}

/* ---- Blocks. ---- */

static void lock(dmd_ages_t *ages) {
  if (ages->waiting != NULL)
    dmd_lock_take(&ages->lock, ages->waiting);
}

static void unlock(dmd_ages_t *ages) {
  if (ages->waiting != NULL)
    dmd_lock_let_go(&ages->lock, ages->waiting);
}

static dmd_lifetime_t *stack_of(dmd_ages_t *ages, const dmd_block_t *block) {
  return DMD_POOL_AT(&ages->stacks, dmd_lifetime_t, block->stack + 1);
}

static uint64_t *live_of(dmd_ages_t *ages, const dmd_block_t *block) {
  return DMD_POOL_AT(&ages->live, uint64_t, block->stack + 1);
}

static void reach(dmd_ages_t *ages, const dmd_block_t *block) {
  dmd_pool_reach(&ages->stacks, block->stack + 1);
  dmd_pool_reach(&ages->live, block->stack + 1);
}

void dmd_ages_add(dmd_ages_t *ages, const dmd_block_t *block) {
  lock(ages);
  reach(ages, block);
  uint64_t live = *live_of(ages, block) += block->req;
  if (live > stack_of(ages, block)->most_szB)
    stack_of(ages, block)->most_szB = live;
  unlock(ages);
}

static void count(dmd_ages_t *ages, const dmd_block_t *block, uint64_t now, bool is_temporary) {
  bool is_brief = is_temporary && ages->clock.now == NULL;
  uint64_t life = is_brief ? 0 : now - birth_of(ages, block, now);
  reach(ages, block);
  dmd_lifetime_t *of = stack_of(ages, block);
  *live_of(ages, block) -= block->req;
  of->n_freed++;
  of->alloc_szB += block->req;
  of->n_temporary += is_temporary;
  of->sum += (double)life;
  of->classes[dmd_lifetime_class(life)]++;
}

/* The block is temporary if nothing was allocated or freed since it was born. */
void dmd_ages_free(dmd_ages_t *ages, const dmd_block_t *block, uint64_t now, uint32_t number,
                   bool is_newest) {
  count(ages, block, now, is_newest && block->born > ages->last_number);
  ages->last_number = number;
}

void dmd_ages_pass(dmd_ages_t *ages, uint64_t szB, uint32_t *number, uint32_t most) {
  lock(ages);
  uint32_t next = __atomic_load_n(number, __ATOMIC_RELAXED) + 1;
  ages->now += szB;
  if (next <= most) {
    dmd_ages_note(ages, next, ages->now);
    __atomic_store_n(number, next, __ATOMIC_RELAXED);
  }
  unlock(ages);
}

void dmd_ages_free_in_parallel(dmd_ages_t *ages, const dmd_block_t *block, bool is_temporary) {
  lock(ages);
  count(ages, block, ages->now, is_temporary);
  unlock(ages);
}

const dmd_lifetime_t *dmd_ages_of(const dmd_ages_t *ages, uint32_t stack) {
  return stack + 1 > ages->stacks.last
             ? NULL
             : DMD_POOL_AT(&ages->stacks, const dmd_lifetime_t, stack + 1);
}
