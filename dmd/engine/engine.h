/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * engine.h: what happens in a program, and what becomes of it, whoever watches.
 *
 * An engine is the state of one watched process (live/live.h and what goes with it) and the policy
 * of every event. Its host (host.h) sees the events and calls
 *
 *   engine.h     when threads begin and end, the process forks, and at its exit
 *   allocation.h in place of the program's allocator
 *   mempool.h    when the program tells of a memory pool
 *   requests.h   for what the program asks through dmd.h
 *   monitor.h    for what the user asks while it runs
 *   dump.h       for an analysis of the heap
 *
 * Order: options first (options.h), then dmd_engine_init, before the program's first event.
 *
 * Concurrency. Under Valgrind, which runs one thread at a time and enters the tool with its own
 * lock taken, there are no locks. A host whose threads run at the same time says how they wait
 * (host.h), and has one lock of its own, the engine lock. Around each call it takes it, and calls
 * dmd_engine_leave before it lets it go. It guards everything that hangs off a dmd_engine_t but the
 * blocks, whose parts have locks (live/blocks.h); the engine takes those as it needs them. What
 * most threads do most of the time does without the engine lock: live/quick.h.
 *
 * The order of locks: the engine lock; those of parts; those that the host's functions take
 * (host.h). A thread must not enter the engine with any other lock held that these functions may
 * wait for (the loader's, say, or one of the program's allocator).
 *
 * Whose what is:
 *
 *   read only from the start   env, host, options, live.config
 *   settled before any block   is_allocator_settled, new_rounds_up, the config's allocator
 *   of a range of addresses    live.blocks; slabs, which hand out the addresses
 *   of a thread                its stacks in live.reporters and live.tags, with their claims, which
 *                              others look at, too; a dmd_quick_t, which is nobody else's
 *   of the process             names, report sets, faults, memory reports, counters, the sampler,
 *                              cumulative mode's groups, verdicts of the rules, all numbers
 *
 * Per event: an allocation or a free needs the blocks of its address, a sampler, the thread's tag
 * and, with rules, the verdicts; a free of a reported block also the report sets and counters. A
 * report needs the block, the thread's reporter and claim, the report sets and the counters; a
 * scope its thread's stacks, the names and, to see who else is in a reporter, those of all threads.
 * A dump needs everything: it takes the locks of all parts, so that it sees all blocks at one
 * moment, while threads that allocate wait. That the program's memory does not change meanwhile is
 * the host's business (dump.h).
 */
#ifndef DMD_ENGINE_ENGINE_H
#define DMD_ENGINE_ENGINE_H

#include "engine/host.h"
#include "engine/options.h"
#include "engine/rules.h"
#include "engine/running.h"
#include "live/mempools.h"
#include "live/quick.h"

typedef struct dmd_engine {
  const dmd_env_t *env;
  const dmd_engine_host_t *host;
  const dmd_options_t *options;
  dmd_slabs_t slabs;    /* of a host with a heap */
  uint64_t heap_alignB; /* that all blocks there are aligned to */
  dmd_live_t live;
  dmd_mempools_t mempools;
  dmd_rules_t rules;
  dmd_running_t running;
  bool is_allocator_settled;  /* see loaded.h */
  bool new_rounds_up;         /* the program's C++ library rounds up what an aligned new asks for */
  uint64_t announced_szB;     /* bytes of all blocks that the program ever announced */
  uint32_t n_dumps;           /* of this process */
  uint32_t n_requested_dumps; /* those of them that the program itself asked for */
} dmd_engine_t;

/* The engine, its host and the options must stay where they are until it is destroyed; options must
 * not change. False, with what is wrong in why, where the options are: nothing is initialised then.
 */
bool dmd_engine_init(dmd_engine_t *engine, const dmd_env_t *env, const dmd_engine_host_t *host,
                     const dmd_options_t *options, dmd_strbuf_t *why);
void dmd_engine_destroy(dmd_engine_t *engine);

/* An event of the thread is over: the host is about to let go of the engine lock. From here on what
 * the event found of blocks may change. quick is the thread's, or NULL; see live/quick.h. Of a host
 * without locks this need not be called. */
void dmd_engine_leave(dmd_engine_t *engine, uint32_t thread, dmd_quick_t *quick);

/* The stack of a thread now. */
static inline uint32_t dmd_engine_capture(const dmd_engine_t *engine, uint32_t thread) {
  return engine->host->capture(engine->host->ctx, thread);
}

/* A thread is about to begin; it may have a number that another one had. parent: 0 for the first.
 */
void dmd_engine_start_thread(dmd_engine_t *engine, uint32_t parent, uint32_t thread);
void dmd_engine_end_thread(dmd_engine_t *engine, uint32_t thread);

/* A signal handler begins to run in the thread, which had this stack pointer, or ends. */
void dmd_engine_begin_handler(dmd_engine_t *engine, uint32_t thread, uint64_t sp);
void dmd_engine_end_handler(dmd_engine_t *engine, uint32_t thread);

/* The same for a host that is not told (dmd_live_see_handler). */
void dmd_engine_see_handler(dmd_engine_t *engine, uint32_t thread, uint64_t sp);

/* In a child that this thread forked, and alone is in: it goes on with its parent's blocks, and
 * counts its own dumps. */
void dmd_engine_forked(dmd_engine_t *engine, uint32_t thread);

/* The process is about to end: dumps where that is wanted, and says which rules did nothing. */
void dmd_engine_exit(dmd_engine_t *engine);

#endif
