/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/snapshot.h"

#include "base/bitset.h"
#include "base/mem.h"
#include "model/profile/claimblocks.h"
#include "model/profile/fault.h"
#include "model/profile/measured.h"
#include "model/profile/translate.h"
#include "record/heap/live.h"
#include "record/heap/nested.h"
#include "record/heap/pages.h"
#include "record/heap/stack.h"

/* ---- Memory reports that differ from what their reporter measured. ----
 *
 * A program publishes a number of bytes under the path of one of its reporters. Valid amounts are:
 * what the reporter measured when it ran, even if the blocks are gone since; what its reports cover
 * at the dump, with or without the reporters below it, with shared blocks counted in part or whole;
 * and, for a counting reporter (counters.h), what its reports on allocation covered at publication,
 * give or take what other threads were counting then. Any other amount is a fault, and is compared
 * with the closest valid one.
 *
 * A sum that is too large by exactly the blocks that were freed while counted yields a fault for
 * each place where they were freed; any other error yields one fault. */

typedef struct {
  const dmd_live_t *live;
  dmd_translation_t *ids;
  dmd_measured_t measured;
} check_t;

/* Finds the amount closest to `claimed` among those that the reporter may rightly publish. Returns
 * false if it measured nothing, so that none is known. */
static bool find_nearest(const check_t *c, const char *path, uint32_t reporter, uint64_t claimed,
                         uint64_t *nearest) {
  const dmd_counter_t *counter = dmd_counters_find(&c->live->counters, reporter);
  uint64_t at_ends = dmd_lastreports_runs(&c->live->last_time, reporter).measured;
  const uint64_t of_blocks[] = {(uint64_t)dmd_measured_at(&c->measured, path),
                                (uint64_t)dmd_measured_at_or_below(&c->measured, path),
                                (uint64_t)dmd_measured_whole(&c->measured, path)};
  bool known = counter != NULL || at_ends != 0;
  *nearest = at_ends + (counter != NULL ? counter->published : 0);
  if (counter != NULL && dmd_counter_may_be(counter, claimed - at_ends))
    *nearest = claimed;
  if (!known && of_blocks[0] == 0)
    return false;
  for (size_t i = 0; i < sizeof of_blocks / sizeof of_blocks[0]; i++)
    if (of_blocks[i] != 0 &&
        (!known || dmd_distance(claimed, of_blocks[i]) < dmd_distance(claimed, *nearest))) {
      *nearest = of_blocks[i];
      known = true;
    }
  return true;
}

/* Adds a fault for one place where blocks were freed that the amount still includes. */
static void add_loss(const check_t *c, const dmd_loss_t *loss, dmd_fault_t fault) {
  fault.kind = DMD_FAULT_FREED_COUNTED;
  fault.num = loss->num;
  fault.bytes = loss->bytes;
  fault.allocated = dmd_translation_stack(c->ids, loss->allocated);
  fault.freed = dmd_translation_stack(c->ids, loss->freed);
  fault.reported = dmd_translation_stack(c->ids, loss->reported);
  dmd_faults_add(&c->ids->to->faults, &fault);
}

/* Adds a fault for each place whose freed blocks explain the excess; false if they do not. */
static bool add_losses(const check_t *c, uint32_t reporter, const dmd_fault_t *fault) {
  const dmd_counters_t *counters = &c->live->counters;
  const dmd_counter_t *counter = dmd_counters_find(counters, reporter);
  bool all;
  if (counter == NULL || fault->claimed < fault->measured)
    return false;
  uint32_t id = dmd_counters_explain(counters, counter, fault->bytes, &all);
  if (id == DMD_NONE)
    return false;
  do {
    add_loss(c, dmd_counters_loss(counters, id), *fault);
    id = dmd_counters_loss(counters, id)->next;
  } while (all && id != DMD_NONE);
  return true;
}

static void check_report(const check_t *c, const dmd_memreport_t *report) {
  dmd_profile_t *profile = c->ids->to;
  uint32_t reporter = dmd_intern_find_str(&c->live->reporter_names, report->path);
  uint64_t claimed = report->amount < 0 ? 0 : (uint64_t)report->amount, szB;
  if (!find_nearest(c, report->path, reporter, claimed, &szB) || szB == claimed)
    return;
  dmd_fault_t fault = {.num = 1,
                       .kind = DMD_FAULT_MEMORY_REPORT,
                       .stack = dmd_translation_stack(c->ids, report->stack),
                       .reporter = dmd_intern_str(&profile->names, report->path),
                       .bytes = dmd_distance(claimed, szB),
                       .claimed = claimed,
                       .measured = szB};
  if (!add_losses(c, reporter, &fault))
    dmd_faults_add(&profile->faults, &fault);
}

/* Adds these faults to the profile, which must already contain all blocks. ids: translates the live
 * heap's ids to the profile's. */
static void check_published(const dmd_live_t *live, dmd_translation_t *ids) {
  const dmd_memreports_t *reports = &live->memreports;
  /* If blocks are sampled, the right amount is not known exactly enough. */
  if (dmd_memreports_count(reports) == 0 || !dmd_live_keeps_reports(live) ||
      live->config.sample_below > 0 || live->config.sample_interval > 0)
    return;
  check_t c = {.live = live, .ids = ids};
  dmd_measured_init(&c.measured, ids->to);
  for (uint32_t id = 1; id <= dmd_memreports_count(reports); id++) {
    dmd_memreport_t report = dmd_memreports_get(reports, id);
    if (report.process == NULL && report.units == DMD_MEMREPORT_BYTES)
      check_report(&c, &report);
  }
  dmd_measured_destroy(&c.measured);
}

/* ---- The snapshot. ---- */

typedef struct {
  const dmd_live_t *live;
  dmd_profile_t *profile;
  dmd_translation_t ids; /* translates the live heap's ids to the profile's */
  dmd_resolve_fn resolve;
  void *resolve_ctx;
  bool advises;
  bool has_peak;       /* blocks are marked that are not of the peak */
  bool knows_measured; /* groups are marked whose stacks no reporter has covered at a dump */
  bool has_recent;     /* no live block is: the blocks of the recent peak are listed beside it */
  /* The blocks, sorted by stack. places, by the stack's profile id + 1: first the number of its
   * blocks, then the index of the first, finally the index after the last. */
  const dmd_block_t **blocks;
  dmd_pool_t places;                     /* uint32_t */
  uint64_t in_blocks_szB, announced_szB; /* usable bytes of all blocks, and of announced ones */
  dmd_nested_t nested;
  dmd_pages_t *pages; /* in mode scan */
} snapshot_t;

static uint32_t resolve(void *ctx, uint32_t id) {
  const snapshot_t *s = ctx;
  return s->resolve(s->resolve_ctx, s->profile, id);
}

/* Adds a group that has the live heap's ids. */
static void add_group(snapshot_t *s, const dmd_group_t *group) {
  dmd_group_t g = dmd_translation_group(&s->ids, group);
  dmd_groups_add(&s->profile->groups, &g);
}

/* ---- Blocks. ---- */

/* Blocks are grouped one stack at a time. The groups to compare are then few and close together,
 * whatever the size of the heap; and related groups are adjacent in the file. */

static uint32_t *place_of(const snapshot_t *s, uint32_t stack) {
  return DMD_POOL_AT(&s->places, uint32_t, stack + 1);
}

static bool is_kept(const snapshot_t *s, const dmd_block_t *block) {
  return !(block->flags & DMD_BLOCK_UNSAMPLED) && s->live->config.mode != DMD_MODE_CUMULATIVE;
}

/* The reports of outer blocks apply to the blocks within them. */
static uint32_t with_reports_of_outer(snapshot_t *s, uint32_t reports, const dmd_block_t *outer) {
  for (; outer != NULL; outer = dmd_nested_find(&s->nested, outer)->outer)
    reports = dmd_reports_join(&s->profile->reports, reports,
                               dmd_translation_reports(&s->ids, outer->reports));
  return reports;
}

/* Subtracts the bytes of a pool's pieces from the pool. */
static void take_inner(dmd_group_t *g, uint64_t inner_szB) {
  uint64_t from_req = inner_szB < g->req ? inner_szB : g->req;
  g->req -= from_req;
  g->slop -= inner_szB - from_req;
}

/* For the peak since the last dump. */
static bool is_after_peak(const snapshot_t *s, const dmd_block_t *block) {
  return s->has_peak && !dmd_blocks_was_at_peak(s->live->blocks, block);
}

static bool is_never_measured(const snapshot_t *s, uint32_t stack) {
  return s->knows_measured && dmd_stacks_get(s->live->measured, stack) == 0;
}

/* Adds a group that has the live heap's ids, of blocks that are still there. Their
 * reporters at the peak are not known. */
static void add_live(snapshot_t *s, dmd_group_t g, bool after_peak, uint32_t stack) {
  g.never_measured = is_never_measured(s, stack);
  g.after_peak = after_peak || s->has_recent;
  dmd_groups_add(&s->profile->groups, &g);
  if (!s->has_recent || after_peak)
    return;
  g.after_peak = false;
  g.reports = DMD_NONE;
  dmd_groups_add(&s->profile->recent, &g);
}

/* The peak counts a piece with the block that contains it. */
static bool is_nested_after_peak(const snapshot_t *s, const dmd_nesting_t *nesting) {
  while (nesting->outer != NULL && (nesting->block->flags & DMD_BLOCK_ANNOUNCED)) {
    const dmd_nesting_t *outer = dmd_nested_find(&s->nested, nesting->outer);
    if (outer == NULL)
      return is_after_peak(s, nesting->outer);
    nesting = outer;
  }
  return is_after_peak(s, nesting->block);
}

static void add_nested(snapshot_t *s, const dmd_nesting_t *nesting) {
  dmd_group_t group = dmd_live_group_of(s->live, nesting->block);
  uint64_t req = group.req;
  if (!group.sampled)
    take_inner(&group, nesting->inner_szB);
  s->profile->run.nested_szB += req - group.req;
  dmd_group_t g = dmd_translation_group(&s->ids, &group);
  g.reports = with_reports_of_outer(s, g.reports, nesting->outer);
  add_live(s, g, is_nested_after_peak(s, nesting), nesting->block->stack);
}

static void add_block(snapshot_t *s, const dmd_block_t *block) {
  const dmd_nesting_t *nesting = dmd_nested_find(&s->nested, block);
  if (nesting != NULL) {
    add_nested(s, nesting);
    return;
  }
  dmd_group_t group = dmd_live_group_of(s->live, block);
  add_live(s, dmd_translation_group(&s->ids, &group), is_after_peak(s, block), block->stack);
  if (s->advises && block->reports == DMD_NONE && !group.sampled)
    dmd_lastreports_advise(&s->live->last_time, &s->live->reports, &s->ids, block);
}

static void add_up(snapshot_t *s, const dmd_block_t *block) {
  uint64_t usable = dmd_block_usable(block);
  if (s->live->config.sample_interval > 0)
    usable = (uint64_t)(dmd_live_weight(s->live, block) * (double)usable);
  s->in_blocks_szB += usable;
  if (block->flags & DMD_BLOCK_ANNOUNCED)
    s->announced_szB += dmd_block_usable(block);
}

/* ---- Lifetimes. ---- */

static void add_lifetime(const snapshot_t *s, uint32_t stack, dmd_lifetime_t lifetime) {
  dmd_translation_t *ids = (dmd_translation_t *)&s->ids;
  lifetime.stack = dmd_translation_stack(ids, stack);
  dmd_lifetimes_add(&s->profile->lifetimes, &lifetime);
}

static void add_living(void *ctx, uint64_t addr, dmd_block_t *block) {
  (void)addr;
  if (!(block->flags & DMD_BLOCK_ANNOUNCED))
    add_lifetime(ctx, block->stack, (dmd_lifetime_t){.n_allocs = 1, .alloc_szB = block->req});
}

/* To what was freed, and the largest live sizes, come the blocks that are still there. */
static void add_lifetimes(snapshot_t *s) {
  dmd_blocks_t *blocks = s->live->blocks;
  if (!dmd_blocks_has_lifetimes(blocks))
    return;
  s->profile->lifetimes.is_known = true;
  for (uint32_t stack = 0; stack <= dmd_blocks_last_freed_stack(blocks); stack++) {
    const dmd_lifetime_t *freed = dmd_blocks_lifetime(blocks, stack);
    if (freed == NULL || (freed->n_freed == 0 && freed->most_szB == 0))
      continue;
    dmd_lifetime_t lifetime = *freed;
    lifetime.n_allocs = lifetime.n_freed;
    add_lifetime(s, stack, lifetime);
  }
  dmd_blocks_walk(blocks, add_living, s);
}

static void count_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  snapshot_t *s = ctx;
  (void)addr;
  add_up(s, block);
  if (block->reports != DMD_NONE && dmd_live_keeps_reports(s->live))
    dmd_stacks_set(s->live->measured, block->stack, 1);
  if (!is_kept(s, block))
    return;
  uint32_t stack = dmd_translation_stack(&s->ids, block->stack);
  if (stack >= s->places.last)
    dmd_pool_reach(&s->places, stack + 1);
  ++*place_of(s, stack);
}

static void place_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  snapshot_t *s = ctx;
  (void)addr;
  if (is_kept(s, block))
    s->blocks[(*place_of(s, dmd_translation_stack(&s->ids, block->stack)))++] = block;
}

/* Turns each stack's number of blocks into the index of its first block. Returns the number of all
 * blocks. */
static uint32_t add_up_places(const snapshot_t *s) {
  uint32_t n = 0;
  for (uint32_t stack = 0; stack < s->places.last; stack++) {
    uint32_t *place = place_of(s, stack);
    uint32_t n_blocks = *place;
    *place = n;
    n += n_blocks;
  }
  return n;
}

static void add_blocks(snapshot_t *s) {
  enum { AHEAD = 16 }; /* number of blocks prefetched ahead */
  const dmd_env_t *env = s->profile->env;
  dmd_pool_init(&s->places, env, "dmd.snapshot.places", sizeof(uint32_t));
  dmd_blocks_walk(s->live->blocks, count_block, s);
  uint32_t n_blocks = add_up_places(s);
  s->blocks =
      dmd_env_alloc(env, "dmd.snapshot.blocks", ((size_t)n_blocks + AHEAD) * sizeof(dmd_block_t *));
  if (n_blocks > 0)
    dmd_blocks_walk(s->live->blocks, place_block, s);
  for (uint32_t i = 0; i < AHEAD; i++)
    s->blocks[n_blocks + i] = NULL;
  for (uint32_t stack = 0, i = 0; stack < s->places.last; stack++) {
    dmd_groups_close(&s->profile->groups);
    for (; i < *place_of(s, stack); i++) {
      __builtin_prefetch(s->blocks[i + AHEAD]);
      add_block(s, s->blocks[i]);
    }
  }
  dmd_env_free(env, s->blocks);
  dmd_pool_destroy(&s->places);
}

/* ---- Mode scan. ---- */

static void scan_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  snapshot_t *s = ctx;
  dmd_profile_t *profile = s->profile;
  const dmd_nesting_t *nesting = dmd_nested_find(&s->nested, block);
  add_up(s, block);
  if (nesting != NULL && nesting->outer != NULL) {
    profile->run.nested_szB += block->req;
    return;
  }
  dmd_group_t group = dmd_live_group_of(s->live, block);
  group = dmd_translation_group(&s->ids, &group);
  bool after_peak = is_after_peak(s, block);
  if (s->has_recent && !after_peak)
    dmd_groups_add(&profile->recent, &group);
  group.after_peak = after_peak || s->has_recent;
  dmd_scanned_add(&profile->scanned, dmd_groups_append(&profile->groups, &group), addr);
  dmd_contents_add(&profile->scanned, s->pages, addr, block->req, s->live->config.word_szB);
}

static void scan_blocks(snapshot_t *s, const dmd_memory_t *memory) {
  const dmd_env_t *env = s->profile->env;
  s->pages = dmd_env_alloc(env, "dmd.snapshot.pages", sizeof *s->pages);
  dmd_pages_init(s->pages, memory);
  dmd_blocks_walk(s->live->blocks, scan_block, s);
  dmd_env_free(env, s->pages);
}

/* ---- The peak. ---- */

static void add_gone_to(snapshot_t *s, dmd_groups_t *to, const dmd_block_t *block, uint32_t n) {
  if (block->flags & DMD_BLOCK_UNSAMPLED)
    return;
  dmd_group_t group = dmd_live_group_of(s->live, block);
  group.num *= n;
  group.never_measured = is_never_measured(s, block->stack);
  group = dmd_translation_group(&s->ids, &group);
  dmd_groups_add(to, &group);
}

static void add_gone(void *ctx, const dmd_block_t *block, uint32_t n) {
  snapshot_t *s = ctx;
  add_gone_to(s, s->has_recent ? &s->profile->recent : &s->profile->gone, block, n);
}

static void add_earlier(void *ctx, const dmd_block_t *block, uint32_t n) {
  snapshot_t *s = ctx;
  add_gone_to(s, &s->profile->gone, block, n);
}

static void add_peak(snapshot_t *s) {
  dmd_profile_t *profile = s->profile;
  s->has_peak = dmd_blocks_peak(s->live->blocks, &profile->run.peak, &profile->run.recent_peak);
  s->has_recent = profile->run.recent_peak.is_known;
  profile->run.counts_instructions = s->live->config.instructions.now != NULL;
  profile->has_peak = s->has_peak;
  profile->has_recent = s->has_recent;
}

/* ---- Never measured. ---- */

static void unmark(dmd_groups_t *groups, const dmd_bitset_t *measured, bool may_join) {
  bool any = false;
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    dmd_group_t *group = dmd_groups_at(groups, id);
    bool is_measured = group->never_measured && dmd_bitset_has(measured, group->stack);
    any = any || is_measured;
    group->never_measured = group->never_measured && !is_measured;
  }
  if (any && may_join)
    dmd_groups_join(groups);
}

/* Different stacks of the heap may be one stack of the profile, which a reporter has covered if it
 * covered one of them. */
static void join_measured(snapshot_t *s) {
  dmd_profile_t *profile = s->profile;
  dmd_bitset_t measured;
  uint32_t most = 0;
  for (uint32_t id = 1; id <= s->ids.stacks.last; id++) {
    uint32_t stack = dmd_translation_known_stack(&s->ids, id);
    most = stack > most ? stack : most;
  }
  dmd_bitset_init(&measured, profile->env, "dmd.snapshot", (uint64_t)most + 1);
  for (uint32_t id = 1; id <= s->ids.stacks.last; id++) {
    uint32_t stack = dmd_translation_known_stack(&s->ids, id);
    if (stack != DMD_NONE && dmd_stacks_get(s->live->measured, id) != 0)
      dmd_bitset_add(&measured, stack);
  }
  unmark(&profile->groups, &measured, dmd_scanned_is_empty(&profile->scanned));
  unmark(&profile->gone, &measured, true);
  unmark(&profile->recent, &measured, true);
  dmd_bitset_destroy(&measured);
}

/* ---- Building the profile. ---- */

static void add_run(const dmd_live_t *live, dmd_profile_t *profile) {
  dmd_run_t *run = &profile->run;
  profile->mode = live->config.mode;
  run->is_known = true;
  run->allocator = dmd_allocator_name(live->config.allocator);
  run->allocator_chosen = live->config.allocator_is_auto ? "auto" : "option";
  run->word_szB = live->config.word_szB;
  run->partial_stacks = live->config.partial_stacks;
  run->sample_below = live->config.sample_below;
  run->sample_interval = live->config.sample_interval;
  run->seed = live->config.seed;
  dmd_totals_t totals = dmd_live_totals(live);
  run->n_allocs = totals.n_allocs;
  run->n_frees = totals.n_frees;
  run->alloc_szB = totals.alloc_szB;
  run->in_use_szB = totals.in_use_szB;
  run->in_use_blocks = totals.n_blocks;
  run->freed_reported = totals.freed_reported;
}

static void add_mapped(snapshot_t *s) {
  const dmd_regions_t *regions = &s->live->regions;
  for (uint32_t i = 0; i < regions->n; i++) {
    const dmd_region_t *region = &regions->regions[i];
    dmd_mapped_add(
        &s->profile->mapped,
        &(dmd_mapped_entry_t){.szB = region->end - region->start,
                              .num = 1,
                              .stack = dmd_translation_stack(&s->ids, region->stack),
                              .reporter = dmd_translation_name(&s->ids, region->reporter),
                              .is_reported = region->is_reported,
                              .is_stack = region->thread != 0});
  }
}

uint64_t dmd_snapshot_take(const dmd_live_t *live, const dmd_memory_t *memory,
                           dmd_profile_t *profile, dmd_resolve_fn resolve_stack, void *ctx) {
  snapshot_t s = {.live = live,
                  .profile = profile,
                  .resolve = resolve_stack,
                  .resolve_ctx = ctx,
                  .advises = memory != NULL && dmd_live_keeps_reports(live),
                  .knows_measured =
                      dmd_live_wants_stack_of_free(live) && dmd_live_keeps_reports(live)};
  dmd_translation_init(&s.ids, profile, &live->reporter_names, &live->tag_names, &live->reports,
                       resolve, &s);
  add_run(live, profile);
  for (uint32_t id = 1; id <= dmd_groups_count(&live->history); id++)
    add_group(&s, dmd_groups_at(&live->history, id));
  add_peak(&s);
  dmd_nested_init(&s.nested, profile->env, live->blocks);
  if (live->config.mode == DMD_MODE_SCAN && memory != NULL) {
    scan_blocks(&s, memory);
  } else {
    profile->mode = live->config.mode == DMD_MODE_SCAN ? DMD_MODE_LIVE : live->config.mode;
    add_blocks(&s);
  }
  dmd_blocks_walk_gone(live->blocks, add_gone, &s);
  dmd_blocks_walk_earlier_peak(live->blocks, add_earlier, &s);
  if (s.knows_measured)
    join_measured(&s);
  dmd_peak_add_up_never_measured(profile);
  add_lifetimes(&s);
  profile->memory.heap_allocated = s.in_blocks_szB - dmd_nested_szB(&s.nested);
  dmd_nested_destroy(&s.nested);
  dmd_translation_add_faults(&s.ids, &live->faults);
  if (s.advises)
    profile->run.partial_hint = !dmd_blockreferrers_find(live, &s.ids, memory, &profile->hints);
  dmd_blocks_tell_timeline(live->blocks, &s.ids);
  dmd_lastreports_list_runs(&live->last_time, &s.ids);
  dmd_translation_add_memreports(&s.ids, &live->memreports);
  add_mapped(&s);
  check_published(live, &s.ids);
  dmd_claimblocks_explain(profile);
  dmd_faults_join_names(&profile->faults);
  dmd_translation_destroy(&s.ids);
  return s.in_blocks_szB - s.announced_szB;
}
