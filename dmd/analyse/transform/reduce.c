/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/transform/reduce.h"

#include "base/mem.h"
#include "base/sort.h"
#include "model/profile/profile.h"
#include "model/profile/translate.h"

/* Totals for a stack's blocks. */
typedef struct {
  uint64_t bytes;
  uint64_t n_groups;
  bool stays;
} holding_t;

/* Merged blocks: sizes in the key are 0; the sums are here. */
typedef struct {
  dmd_group_t key;
  uint64_t num, req, slop;
} sum_t;

typedef struct {
  dmd_profile_t *to;
  const dmd_profile_t *from;
  holding_t *holdings;           /* by stack; [0] for blocks without one */
  dmd_translation_t same, small; /* for stacks that are kept, and for the others */
  dmd_pool_t sums;
  dmd_table_t index;
  uint32_t frame; /* DMD_SMALLER_RECORDS */
  dmd_reduced_t reduced;
} reducer_t;

/* ---- Selecting stacks to keep. ---- */

static uint64_t n_frames(const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  dmd_profile_frames(profile, stack, &n);
  return n;
}

static void add_holdings(reducer_t *r, const dmd_groups_t *groups) {
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *group = dmd_groups_at(groups, id);
    r->holdings[group->stack].bytes += (uint64_t)dmd_group_usable(r->from, group);
    r->holdings[group->stack].n_groups++;
  }
}

static void count_holdings(reducer_t *r) {
  size_t szB = (dmd_intern_count(&r->from->stacks) + (size_t)1) * sizeof *r->holdings;
  r->holdings = dmd_env_alloc(r->from->env, "dmd.reduce", szB);
  dmd_mem_zero(r->holdings, szB);
  add_holdings(r, &r->from->groups);
  add_holdings(r, &r->from->gone);
  add_holdings(r, &r->from->recent);
}

/* dmd_compare_fn: most bytes first. */
static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const holding_t *holdings = ctx;
  return (holdings[a].bytes < holdings[b].bytes) - (holdings[a].bytes > holdings[b].bytes);
}

/* A stack that does not fit does not exclude smaller ones that do. */
static void choose(reducer_t *r, const dmd_reduce_limits_t *limits) {
  uint32_t n_stacks = dmd_intern_count(&r->from->stacks);
  uint32_t *order = dmd_sorted_ids(r->from->env, n_stacks, compare, r->holdings);
  uint64_t n_groups = r->holdings[DMD_NONE].n_groups, frames = 0;
  r->holdings[DMD_NONE].stays = n_groups <= limits->max_groups;
  for (uint32_t i = 0; i < n_stacks; i++) {
    holding_t *holding = &r->holdings[order[i]];
    uint64_t n = n_frames(r->from, order[i]);
    holding->stays =
        n_groups + holding->n_groups <= limits->max_groups && frames + n <= limits->max_frames;
    if (holding->stays) {
      n_groups += holding->n_groups;
      frames += n;
    } else {
      r->reduced.stacks += holding->n_groups > 0;
    }
  }
  dmd_env_free(r->from->env, order);
}

bool dmd_reduce_is_needed(const dmd_profile_t *profile, const dmd_reduce_limits_t *limits) {
  if (profile->mode == DMD_MODE_SCAN)
    return false;
  uint64_t frames = 0;
  for (uint32_t stack = 1; stack <= dmd_intern_count(&profile->stacks); stack++)
    frames += n_frames(profile, stack);
  uint64_t n_groups = (uint64_t)dmd_groups_count(&profile->groups) +
                      dmd_groups_count(&profile->gone) + dmd_groups_count(&profile->recent);
  return n_groups > limits->max_groups || frames > limits->max_frames;
}

/* ---- Merging the others. ---- */

/* The frame that names the process of a stack; DMD_NONE: processes are not separate. */
static uint32_t process_frame(reducer_t *r, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(r->from, stack, &n);
  if (n == 0 || dmd_intern_find_str(&r->from->processes,
                                    dmd_frames_text(&r->from->frames, frames[n - 1])) == DMD_NONE)
    return DMD_NONE;
  return dmd_translation_frame(&r->same, frames[n - 1]);
}

/* dmd_translate_fn: maps all smaller records of a process to one stack. */
static uint32_t small_stack(void *ctx, uint32_t stack) {
  reducer_t *r = ctx;
  uint32_t frames[] = {r->frame, process_frame(r, stack)};
  return dmd_profile_stack(r->to, frames, frames[1] != DMD_NONE ? 2 : 1);
}

/* For samples the sizes must be equal, too, since they determine what a sample stands for. */
static bool is_same_key(const void *owner, uint32_t id, const void *key) {
  const dmd_group_t *a = &DMD_POOL_AT((const dmd_pool_t *)owner, sum_t, id)->key, *b = key;
  return a->stack == b->stack && a->reports == b->reports && a->tag == b->tag &&
         a->thread == b->thread && a->sampled == b->sampled && a->after_peak == b->after_peak &&
         a->never_measured == b->never_measured &&
         (!a->sampled || (a->req == b->req && a->slop == b->slop));
}

static uint64_t hash_of(const reducer_t *r, const dmd_group_t *key) {
  uint64_t h = dmd_table_hash(&r->index, (uint64_t)key->stack << 32 | key->reports);
  return dmd_hash_u64(h ^ ((uint64_t)key->tag << 32 | key->thread << 1 | key->sampled));
}

static void put_together(reducer_t *r, const dmd_group_t *group) {
  dmd_group_t key = dmd_translation_group(&r->small, group);
  if (key.stack == DMD_NONE)
    key.stack = small_stack(r, DMD_NONE);
  uint64_t hash = hash_of(r, &key);
  uint32_t id = dmd_table_find(&r->index, hash, &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&r->sums);
    *DMD_POOL_AT(&r->sums, sum_t, id) = (sum_t){.key = key};
    dmd_table_add(&r->index, hash, id);
  }
  sum_t *sum = DMD_POOL_AT(&r->sums, sum_t, id);
  sum->num += group->num;
  sum->req += group->num * group->req;
  sum->slop += group->num * group->slop;
  r->reduced.groups++;
  r->reduced.bytes += (uint64_t)dmd_group_usable(r->from, group);
}

static void add_blocks(dmd_groups_t *to, const sum_t *sum, uint64_t num, uint64_t req,
                       uint64_t slop) {
  dmd_group_t group = sum->key;
  group.num = num;
  group.req = req;
  group.slop = slop;
  if (num > 0)
    dmd_groups_add(to, &group);
}

/* Adds the original number of blocks, with sizes that differ by at most one, so that the sums are
 * exact. */
static void add_sum(dmd_groups_t *to, const sum_t *sum) {
  uint64_t req = sum->req / sum->num, more_req = sum->req % sum->num;
  uint64_t slop = sum->slop / sum->num, more_slop = sum->slop % sum->num;
  uint64_t both = more_req < more_slop ? more_req : more_slop;
  uint64_t any = more_req < more_slop ? more_slop : more_req;
  add_blocks(to, sum, both, req + 1, slop + 1);
  add_blocks(to, sum, any - both, req + (more_req > both), slop + (more_slop > both));
  add_blocks(to, sum, sum->num - any, req, slop);
}

/* ---- The whole profile. ---- */

static void copy_rest(reducer_t *r) {
  dmd_profile_take_run(r->to, r->from);
  for (uint32_t i = 0; i < dmd_profile_n_arguments(r->from); i++)
    dmd_profile_add_argument(r->to, dmd_profile_argument(r->from, i));
  for (uint32_t id = 1; id <= dmd_intern_count(&r->from->processes); id++)
    dmd_profile_add_process(r->to, dmd_intern_get_str(&r->from->processes, id),
                            dmd_profile_process_memory(r->from, id));
  dmd_translation_add_faults(&r->same, &r->from->faults);
  dmd_translation_add_hints(&r->same, &r->from->hints);
  dmd_translation_add_runs(&r->same, &r->from->reporter_runs);
  dmd_translation_add_memreports(&r->same, &r->from->memreports);
  dmd_translation_add_mapped(&r->same, &r->from->mapped);
  dmd_translation_add_timeline(&r->same, &r->from->timeline);
}

static void copy_groups(reducer_t *r, dmd_groups_t *to, const dmd_groups_t *from) {
  dmd_pool_init(&r->sums, r->to->env, "dmd.reduce", sizeof(sum_t));
  dmd_table_init(&r->index, r->to->env, "dmd.reduce", is_same_key, &r->sums);
  for (uint32_t id = 1; id <= dmd_groups_count(from); id++) {
    const dmd_group_t *group = dmd_groups_at(from, id);
    if (!r->holdings[group->stack].stays) {
      put_together(r, group);
      continue;
    }
    dmd_group_t copy = dmd_translation_group(&r->same, group);
    dmd_groups_add(to, &copy);
  }
  for (uint32_t id = 1; id <= r->sums.last; id++)
    add_sum(to, DMD_POOL_AT(&r->sums, sum_t, id));
  dmd_table_destroy(&r->index);
  dmd_pool_destroy(&r->sums);
}

dmd_reduced_t dmd_reduce(dmd_profile_t *to, const dmd_profile_t *from,
                         const dmd_reduce_limits_t *limits) {
  reducer_t r = {.to = to, .from = from};
  dmd_translation_init_profile(&r.same, to, from, NULL, NULL);
  dmd_translation_init(&r.small, to, &from->names, &from->tags, &from->reports, small_stack, &r);
  r.frame = dmd_frames_read_text(&to->frames, DMD_SMALLER_RECORDS);
  count_holdings(&r);
  choose(&r, limits);
  copy_rest(&r);
  copy_groups(&r, &to->groups, &from->groups);
  copy_groups(&r, &to->gone, &from->gone);
  copy_groups(&r, &to->recent, &from->recent);
  to->has_peak = from->has_peak;
  to->has_recent = from->has_recent;
  dmd_env_free(to->env, r.holdings);
  dmd_translation_destroy(&r.small);
  dmd_translation_destroy(&r.same);
  return r.reduced;
}

/* ---- Clamping. ---- */

static uint64_t clamp_word(const dmd_addresses_t *addresses, uint64_t word,
                           dmd_clamped_t *clamped) {
  if (word == 0) {
    clamped->zeroes++;
    return 0;
  }
  uint32_t place = dmd_addresses_find(addresses, word);
  if (place == addresses->n) {
    clamped->others++;
    return 0;
  }
  uint64_t start = dmd_addresses_start(addresses, place);
  clamped->starts += start == word;
  clamped->interiors += start != word;
  return start;
}

static void clamp_block(const dmd_addresses_t *addresses, dmd_scanned_block_t *block,
                        dmd_clamped_t *clamped) {
  const dmd_scanned_t *scanned = &addresses->profile->scanned;
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->n_words; i++) {
    uint64_t *word = dmd_scanned_word(scanned, block, i);
    *word = clamp_word(addresses, *word, clamped);
    if (*word != 0)
      n = i + 1;
  }
  block->n_words = n;
}

bool dmd_clamp(dmd_profile_t *profile, dmd_clamped_t *clamped, dmd_strbuf_t *why) {
  dmd_addresses_t addresses;
  *clamped = (dmd_clamped_t){0};
  bool good = dmd_addresses_init(&addresses, profile, why);
  for (uint32_t i = 0; good && i < addresses.n; i++)
    clamp_block(&addresses, dmd_scanned_of(&profile->scanned, i + 1), clamped);
  dmd_addresses_destroy(&addresses);
  return good;
}
