/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lastreports.h: remembers who reported which blocks last time, to explain why they are unreported
 * now.
 *
 * Reporters run repeatedly, and all reports are cleared between two runs. If blocks from an
 * allocation stack were reported last time and are not now, the reporter of that time is the one to
 * look at: it has not run since, or it ran and measured nothing, or it measured other blocks.
 *
 * A realloc ends a block's reports, too, so the stacks at which reported blocks went away are
 * remembered: a stack whose realloc took a reported block is also where the next block was
 * allocated. (Stacks that only free allocate nothing, so they are never looked up.)
 *
 * Reports are remembered by allocation stack, one report set each, from one clear that cleared
 * anything to the next such clear; measured bytes are remembered by reporter name. Memory: a
 * pointer for each stack id up to the highest that was reported.
 */
#ifndef DMD_RECORD_HEAP_LASTREPORTS_H
#define DMD_RECORD_HEAP_LASTREPORTS_H

#include "model/profile/translate.h"
#include "record/heap/block.h"
#include "record/heap/stack.h"

/* A reporter's runs, counted when it ends. */
typedef struct dmd_runs {
  uint64_t measured; /* bytes since the last clear, without those reported on allocation */
  uint64_t before;   /* in the period before that, if it ran then */
  uint32_t n;        /* runs since the last clear */
  bool is_known;     /* it has run at some time */
} dmd_runs_t;

typedef struct dmd_lastreports {
  const dmd_env_t *env;
  dmd_stacks_t by_stack; /* by allocation stack: the report set of one of its blocks; 0: none */
  dmd_stacks_t gone;     /* by stack of a free or realloc: the report set of a block that went there
                            since the last clear */
  dmd_stacks_t gone_kept; /* like gone, for reports that outlive clears */
  dmd_pool_t runs;        /* of dmd_runs_t, by reporter's name */
  bool is_clearing;       /* the clear in progress found a reported block and emptied by_stack */
} dmd_lastreports_t;

void dmd_lastreports_init(dmd_lastreports_t *last, const dmd_env_t *env);
void dmd_lastreports_destroy(dmd_lastreports_t *last);

/* A reporter ended and had measured this many bytes. */
void dmd_lastreports_note_run(dmd_lastreports_t *last, uint32_t reporter, uint64_t measured);

/* A block with these reports was freed or reallocated at this stack (may be DMD_NONE). kept: some
 * of the reports outlive a clear. */
void dmd_lastreports_note_gone(dmd_lastreports_t *last, uint32_t stack, uint32_t reports,
                               bool kept);

/* Reports are being cleared: call the first for each block that loses these reports, then the
 * second once. */
void dmd_lastreports_clear_block(dmd_lastreports_t *last, uint32_t stack, uint32_t reports);
void dmd_lastreports_clear_runs(dmd_lastreports_t *last);

/* The reporter's runs since the last clear; all 0 if it has not run. */
dmd_runs_t dmd_lastreports_runs(const dmd_lastreports_t *last, uint32_t reporter);

/* Adds a hint about an unreported block to the profile, if there is any. ids: translates the live
 * heap's ids to the profile's. */
void dmd_lastreports_advise(const dmd_lastreports_t *last, const dmd_reports_t *reports,
                            dmd_translation_t *ids, const dmd_block_t *block);

/* Adds to the profile how often each reporter that ever ran did so since the last clear. */
void dmd_lastreports_list_runs(const dmd_lastreports_t *last, dmd_translation_t *ids);

#endif
