/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * State used per event: an allocation or a free uses the blocks of its address, a sampler, the
 * thread's tag and, with rules, the verdicts; a free of a reported block also uses the report sets
 * and counters. A report uses the block, the thread's reporter and claim, the report sets and the
 * counters; a scope uses its thread's stacks, the names and, to find others in the same reporter,
 * the stacks of all threads. A dump uses everything: it takes all shard locks to see all blocks at
 * one moment, while threads that allocate wait. The host makes sure that the program's memory does
 * not change meanwhile (dump.h).
 */
#include "record/engine/engine.h"

#include "base/str.h"
#include "record/engine/filename.h"

/* ---- Services for the live state. ---- */

static dmd_fault_kind_t classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  const dmd_engine_host_t *host = ((dmd_engine_t *)ctx)->host;
  return host->classify(host->ctx, addr, text, szB);
}

static bool same_function(void *ctx, uint64_t ip, uint64_t other_ip) {
  dmd_engine_t *engine = ctx;
  dmd_strbuf_t name, other_name;
  dmd_strbuf_init(&name, engine->env);
  dmd_strbuf_init(&other_name, engine->env);
  dmd_running_name(&engine->running, (dmd_code_t){.ip = ip}, &name);
  dmd_running_name(&engine->running, (dmd_code_t){.ip = other_ip}, &other_name);
  bool same = name.n > 0 && dmd_str_equal(name.text, other_name.text);
  dmd_strbuf_destroy(&other_name);
  dmd_strbuf_destroy(&name);
  return same;
}

static dmd_begin_frame_t begin_frame(void *ctx, uint32_t begun, uint32_t now) {
  return dmd_running_where(&((dmd_engine_t *)ctx)->running, begun, now);
}

static bool has_other_coroutine(void *ctx, uint32_t begun, uint32_t now) {
  return dmd_running_has_other_coroutine(&((dmd_engine_t *)ctx)->running, begun, now);
}

static dmd_begin_state_t begin_state(void *ctx, uint32_t begun, uint32_t now) {
  return dmd_running_ask(&((dmd_engine_t *)ctx)->running, begun, now);
}

static bool pops_itself(void *ctx, uint64_t ip) {
  return dmd_popsites_follows(&((dmd_engine_t *)ctx)->popsites, ip);
}

static bool has_ended(void *ctx, uint32_t begun, uint32_t now) {
  return dmd_running_has_ended(&((dmd_engine_t *)ctx)->running, begun, now);
}

/* ---- The heap, if the host has one. ---- */

static uint64_t take_slab(void *ctx) {
  const dmd_engine_host_t *host = ((dmd_engine_t *)ctx)->host;
  return host->heap_alloc(host->ctx, DMD_SLAB_UNIT, DMD_SLAB_SZB);
}

static void give_slab_back(void *ctx, uint64_t addr) {
  const dmd_engine_host_t *host = ((dmd_engine_t *)ctx)->host;
  host->heap_free(host->ctx, addr);
}

static void init_heap(dmd_engine_t *engine) {
  const dmd_slab_source_t source = {.take = take_slab, .give_back = give_slab_back, .ctx = engine};
  dmd_slabs_init(&engine->slabs, engine->env, &source);
  engine->heap_alignB = engine->host->heap_alignment(engine->host->ctx);
}

/* ---- The engine. ---- */

/* Shards of the blocks if threads run in parallel: enough that sixteen threads rarely meet. */
enum { N_SHARDS = 64 };

/* A share of a limit that there is not does no harm, so the program runs: the same command is used
 * with and without a container. */
static void watch_cgroup(dmd_engine_t *engine, dmd_live_config_t *config) {
  const uint64_t whole = 100 * 1000000, share = engine->options->dump_above_share;
  if (share == 0)
    return;
  if (!dmd_cgroup_find(&engine->cgroup, engine->host)) {
    engine->host->say(engine->host->ctx, "dmd: --dump-above has no effect: no memory limit of a "
                                         "cgroup holds for this process; use a size instead");
    return;
  }
  uint64_t limit = engine->cgroup.limit_szB;
  config->dump_above_szB = limit / whole * share + limit % whole * share / whole;
  config->used = (dmd_resident_t){.now = dmd_cgroup_used, .ctx = &engine->cgroup};
}

bool dmd_engine_init(dmd_engine_t *engine, const dmd_env_t *env, const dmd_engine_host_t *host,
                     const dmd_options_t *options, dmd_strbuf_t *why) {
  if (!dmd_filename_check(options->out_file, env, host, why) ||
      (options->list_file != NULL && !dmd_filename_check(options->list_file, env, host, why)))
    return false;
  dmd_mem_zero(engine, sizeof *engine);
  engine->env = env;
  engine->host = host;
  engine->options = options;
  dmd_live_config_t config = dmd_options_live(options);
  config.word_szB = host->word_szB;
  config.waiting = host->waiting;
  config.clock = (dmd_clock_t){.now = host->clock, .ctx = host->ctx};
  if (options->counts_instructions)
    config.instructions = (dmd_clock_t){.now = host->instructions, .ctx = host->ctx};
  config.resident = (dmd_resident_t){.now = host->resident, .ctx = host->ctx};
  watch_cgroup(engine, &config);
  config.n_shards = host->waiting == NULL ? 1 : N_SHARDS;
  config.host = (dmd_live_host_t){.ctx = engine,
                                  .classify = classify,
                                  .same_function = same_function,
                                  .begin_state = begin_state,
                                  .begin_frame = begin_frame,
                                  .has_other_coroutine = has_other_coroutine,
                                  .pops_itself = pops_itself,
                                  .has_ended = has_ended};
  if (host->heap_alloc != NULL) {
    init_heap(engine);
    config.slabs = &engine->slabs;
  }
  dmd_live_init(&engine->live, env, &config);
  dmd_mempools_init(&engine->mempools, env);
  dmd_rules_init(&engine->rules, env, host, options, &engine->live);
  dmd_claimfns_init(&engine->claimfns, env, host, options, &engine->live);
  dmd_running_init(&engine->running, env, host);
  dmd_popsites_init(&engine->popsites, env, &engine->running);
  engine->live.config.no_fast_path = host->waiting == NULL || engine->rules.tag;
  return true;
}

void dmd_engine_attach(dmd_engine_t *engine) {
  engine->attached =
      (dmd_attached_t){.is_attached = true, .time = engine->host->time(engine->host->ctx)};
}

void dmd_engine_destroy(dmd_engine_t *engine) {
  dmd_running_destroy(&engine->running);
  dmd_claimfns_destroy(&engine->claimfns);
  dmd_rules_destroy(&engine->rules);
  dmd_mempools_destroy(&engine->mempools);
  dmd_live_destroy(&engine->live);
  if (engine->host->heap_alloc != NULL)
    dmd_slabs_destroy(&engine->slabs);
}

void dmd_engine_leave(dmd_engine_t *engine, uint32_t thread, dmd_fastpath_t *fastpath) {
  if (fastpath != NULL)
    dmd_live_refresh(&engine->live, thread, fastpath);
  dmd_blocks_let_go(engine->live.blocks);
}

void dmd_engine_start_thread(dmd_engine_t *engine, uint32_t parent, uint32_t thread) {
  dmd_live_start_thread(&engine->live, parent, thread);
}

void dmd_engine_end_thread(dmd_engine_t *engine, uint32_t thread) {
  dmd_live_end_thread(&engine->live, thread);
}

void dmd_engine_begin_handler(dmd_engine_t *engine, uint32_t thread, uint64_t sp) {
  dmd_live_begin_handler(&engine->live, thread, sp);
}

void dmd_engine_end_handler(dmd_engine_t *engine, uint32_t thread) {
  dmd_live_end_handler(&engine->live, thread);
}

void dmd_engine_forked(dmd_engine_t *engine, uint32_t thread) {
  dmd_live_forked(&engine->live, thread);
  engine->n_dumps = 0;
  engine->n_requested_dumps = 0;
  engine->n_automatic_dumps = 0;
  engine->most_resident_szB = engine->most_after_szB = 0;
  engine->attached.older_blocks = engine->attached.older_szB = 0;
}

/* A host that replaces the program's allocator sees an allocation from within the replacement. The
 * frame of the replacement lies below its caller's stack pointer, by at most this much. */
enum { REPLACEMENT_FRAME_SZB = 512 };

void dmd_engine_look_for_left_tag(dmd_engine_t *engine, uint32_t thread, bool is_allocation) {
  const dmd_engine_host_t *host = engine->host;
  uint64_t limit = dmd_live_tag_limit(&engine->live, thread);
  if (limit == UINT64_MAX)
    return;
  uint64_t sp = host->place(host->ctx, thread).sp;
  if (is_allocation && host->heap_alloc != NULL)
    sp += REPLACEMENT_FRAME_SZB;
  if (sp > limit)
    dmd_live_drop_left_tags(&engine->live, thread, dmd_engine_capture(engine, thread));
}

void dmd_engine_end_main(dmd_engine_t *engine, uint32_t thread) {
  if (dmd_scopes_depth(&engine->live.tags, thread) > 0)
    dmd_live_drop_left_tags(&engine->live, thread, dmd_engine_capture(engine, thread));
}

void dmd_engine_see_handler(dmd_engine_t *engine, uint32_t thread, uint64_t sp) {
  dmd_live_see_handler(&engine->live, thread, sp);
}
