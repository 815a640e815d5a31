/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lasttime.h: which reporter reported what the last time, to tell why it is unreported now.
 *
 * Reporters run again and again, and between two runs all reports are cleared. Where the blocks of
 * one place of allocation were reported the last time, and are not now, the reporter of that time
 * is the one to look at: it has not run since, or it ran and measured nothing, or other blocks.
 *
 * A realloc ends the reports of a block too. So where reported blocks go is kept as well: a place
 * where a realloc took one is where it allocated the next. (Where blocks are only freed, none are
 * allocated, and nobody asks.)
 *
 * What was reported is kept by the stack that allocated it, from a clear that had something to
 * clear to the next such clear: one report set for each stack. What reporters measured is kept by
 * name. Memory: a pointer for each of the host's stacks, up to the highest that was reported.
 */
#ifndef DMD_LIVE_LASTTIME_H
#define DMD_LIVE_LASTTIME_H

#include "live/block.h"
#include "live/stack.h"
#include "profile/translate.h"

/* A reporter's runs, by its ends. */
typedef struct dmd_runs {
  uint64_t measured; /* bytes since the last clear, without what it reported on allocation */
  uint64_t before;   /* the same in the time before that, if it ran then */
  uint32_t n;        /* runs since the last clear */
  bool is_known;     /* it ran at some time */
} dmd_runs_t;

typedef struct dmd_lasttime {
  const dmd_env_t *env;
  dmd_stacks_t by_stack; /* a report set that a block from there had; 0: none */
  dmd_stacks_t gone;     /* a report set that a block had which went there, since the last clear; */
  dmd_stacks_t gone_kept; /* the same, of those that outlive clears */
  dmd_pool_t runs;        /* of dmd_runs_t, by reporter's name */
  bool is_clearing;       /* something was cleared that takes the place of what there was */
} dmd_lasttime_t;

void dmd_lasttime_init(dmd_lasttime_t *last, const dmd_env_t *env);
void dmd_lasttime_destroy(dmd_lasttime_t *last);

/* A reporter ended, and measured so much. */
void dmd_lasttime_note_run(dmd_lasttime_t *last, uint32_t reporter, uint64_t measured);

/* A block that had these reports was freed or reallocated at this stack, or DMD_NONE. kept: some of
 * them outlive a clear. */
void dmd_lasttime_note_gone(dmd_lasttime_t *last, uint32_t stack, uint32_t reports, bool kept);

/* Reports are cleared: first each block that had these reports and has none now, then all. */
void dmd_lasttime_clear_block(dmd_lasttime_t *last, uint32_t stack, uint32_t reports);
void dmd_lasttime_clear_runs(dmd_lasttime_t *last);

/* What a reporter measured since the last clear; all 0 where it has not run. */
dmd_runs_t dmd_lasttime_runs(const dmd_lasttime_t *last, uint32_t reporter);

/* Adds to the profile's advices what is known of an unreported block. ids: the live heap's, to the
 * profile's. */
void dmd_lasttime_advise(const dmd_lasttime_t *last, const dmd_reports_t *reports,
                         dmd_translation_t *ids, const dmd_block_t *block);

/* Adds to the profile how often each reporter that ever ran did so since the last clear. */
void dmd_lasttime_list_runs(const dmd_lasttime_t *last, dmd_translation_t *ids);

#endif
