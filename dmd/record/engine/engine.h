/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * engine.h: the state of one watched process (record/heap/live.h and more) and the policy for every
 * event.
 *
 * The host (host.h) observes the events and calls
 *
 *   engine.h     when threads begin and end, and when the process forks
 *   allocation.h in place of the program's allocator
 *   mempool.h    when the program describes a memory pool
 *   requests.h   for requests of the program through dmd.h
 *   monitor.h    for commands of the user while the program runs
 *   dump.h       for an analysis of the heap, and at exit
 *
 * Call order: options first (options.h), then dmd_engine_init, before the program's first event.
 *
 * Concurrency, for the whole folder; headers mention only exceptions. Valgrind runs one thread at a
 * time and enters the tool with its own lock held, so no locks are needed. A host whose threads run
 * in parallel says how they wait (host.h) and has one lock of its own, the engine lock. It takes
 * the lock around each call, and calls dmd_engine_leave before it releases it. The lock guards
 * everything in a dmd_engine_t except the blocks, whose shards have locks of their own
 * (record/heap/blocks.h); the engine takes those as needed. The most frequent operations avoid the
 * engine lock: record/heap/fastpath.h.
 *
 * Lock order: the engine lock; shard locks; the locks that the host's functions take (host.h). A
 * thread must not enter the engine while it holds any other lock that these functions may wait for
 * (such as the loader's, or one of the program's allocator).
 *
 * Ownership of state:
 *
 *   constant                   env, host, options, live.config
 *   fixed before any block     is_allocator_settled, new_rounds_up, the config's allocator
 *   per range of addresses     live.blocks; slabs, which supply the addresses
 *   per thread                 its stacks in live.reporters and live.tags, with their claims, which
 *                              other threads read, too; a dmd_fastpath_t, which is private
 *   per process                names, report sets, faults, memory reports, counters, the sampler,
 *                              groups of cumulative mode, verdicts of the rules, all ids
 *
 * engine.c lists the state that each kind of event uses. A dump takes all shard locks; the host
 * makes sure that the program's memory does not change meanwhile (dump.h).
 */
#ifndef DMD_RECORD_ENGINE_ENGINE_H
#define DMD_RECORD_ENGINE_ENGINE_H

#include "record/engine/cgroup.h"
#include "record/engine/claimfns.h"
#include "record/engine/options.h"
#include "record/engine/popsites.h"
#include "record/engine/rules.h"
#include "record/engine/running.h"
#include "record/heap/fastpath.h"
#include "record/heap/mempools.h"
#include "record/host.h"

#define DMD_DUE_AT_FAILURE "dump-at-failure"

/* An allocation that failed. */
typedef struct dmd_failure {
  uint64_t szB;
  uint32_t thread, stack;
} dmd_failure_t;

/* A process that was already running when recording began. */
typedef struct dmd_attached {
  bool is_attached;
  uint64_t time;                    /* in seconds since 1970, UTC */
  uint64_t older_blocks, older_szB; /* from before, freed or reallocated since; usable bytes */
} dmd_attached_t;

typedef struct dmd_engine {
  const dmd_env_t *env;
  const dmd_engine_host_t *host;
  const dmd_options_t *options;
  dmd_slabs_t slabs;    /* if the host has a heap */
  uint64_t heap_alignB; /* minimum alignment of all blocks in it */
  dmd_live_t live;
  dmd_mempools_t mempools;
  dmd_rules_t rules;
  dmd_claimfns_t claimfns;
  dmd_running_t running;
  dmd_popsites_t popsites;
  bool is_allocator_settled;  /* see loaded.h */
  bool new_rounds_up;         /* the program's C++ library rounds up the size of an aligned new */
  uint64_t announced_szB;     /* total bytes of all blocks that the program ever announced */
  uint32_t n_dumps;           /* in this process */
  bool sends;                 /* the current dump is for the receiver alone (host.h) */
  uint32_t n_requested_dumps; /* those that the program itself requested */
  uint32_t n_automatic_dumps; /* those of --dump-every and others, see --max-dumps */
  uint64_t most_resident_szB; /* of the program, as known at the last dump */
  uint64_t most_after_szB;    /* host.most_resident after the last dump, which needed memory, too */
  const char *due;            /* why the host is to call dmd_engine_dump_due, or NULL */
  dmd_failure_t failure;      /* if that is due at a failure */
  dmd_cgroup_t cgroup;        /* with --dump-above=N% */
  dmd_attached_t attached;
} dmd_engine_t;

/* Engine, host and options must stay in place until the engine is destroyed, and the options must
 * not change. Returns false, with the reason in why, if the options are invalid; nothing is
 * initialised then. */
bool dmd_engine_init(dmd_engine_t *engine, const dmd_env_t *env, const dmd_engine_host_t *host,
                     const dmd_options_t *options, dmd_strbuf_t *why);
void dmd_engine_destroy(dmd_engine_t *engine);

/* The process ran already: blocks from before exist. Call right after dmd_engine_init. */
void dmd_engine_attach(dmd_engine_t *engine);

/* Ends an event of the thread: the host is about to release the engine lock. Blocks found by the
 * event may change from here on. fastpath: the thread's copy, or NULL; see record/heap/fastpath.h.
 * Optional for a host without locks. */
void dmd_engine_leave(dmd_engine_t *engine, uint32_t thread, dmd_fastpath_t *fastpath);

/* The current stack of a thread. */
static inline uint32_t dmd_engine_capture(const dmd_engine_t *engine, uint32_t thread) {
  return engine->host->capture(engine->host->ctx, thread);
}

/* A thread is about to begin; its number may have been another thread's. parent: 0 for the
 * first. */
void dmd_engine_start_thread(dmd_engine_t *engine, uint32_t parent, uint32_t thread);
void dmd_engine_end_thread(dmd_engine_t *engine, uint32_t thread);

/* Looks for a tag that was left open before the thread allocates a block, or changes its tags. */
void dmd_engine_look_for_left_tag(dmd_engine_t *engine, uint32_t thread, bool is_allocation);

/* The same, for all its tags, when the program's first thread is about to end, or ends the
 * program. */
void dmd_engine_end_main(dmd_engine_t *engine, uint32_t thread);

/* A signal handler begins in the thread, which had this stack pointer, or ends. */
void dmd_engine_begin_handler(dmd_engine_t *engine, uint32_t thread, uint64_t sp);
void dmd_engine_end_handler(dmd_engine_t *engine, uint32_t thread);

/* For a host that does not observe signals (dmd_live_see_handler). */
void dmd_engine_see_handler(dmd_engine_t *engine, uint32_t thread, uint64_t sp);

/* Called in a forked child, whose only thread is this one: it continues with its parent's blocks,
 * and counts its own dumps. */
void dmd_engine_forked(dmd_engine_t *engine, uint32_t thread);

#endif
