/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load_history.h: a history as one JSON document, item by item, as dmdv history export wrote it.
 *
 * docs/format.md says what the keys mean. The document is read once, front to back, and nothing of
 * it is kept but counts: whoever takes the items keeps what he needs. Items are numbered from 0 in
 * the order in which they come; what an item refers to has come before, and numbers are checked
 * here, as are the lengths of names. A document may come from strangers.
 */
#ifndef DMD_LOAD_LOAD_HISTORY_H
#define DMD_LOAD_LOAD_HISTORY_H

#include "analysis/recordset.h"
#include "load/source.h"

/* Bytes that names of builds, branches, moments, processes, runs and series may have, since they
 * are looked up in indices, and an environment's lines; frames of a stack. */
enum {
  DMD_HISTORY_MAX_NAME = 500,
  DMD_HISTORY_MAX_ENVIRONMENT = 2000,
  DMD_HISTORY_MAX_FRAMES = 64,
  DMD_HISTORY_DIGEST_SZB = 16
};

typedef struct dmd_history_item_build {
  const char *name, *branch;
  int64_t time;
} dmd_history_item_build_t;

typedef struct dmd_history_item_run {
  uint32_t build, environment;
  const char *moment, *process, *launch;
  unsigned char digest[DMD_HISTORY_DIGEST_SZB];
} dmd_history_item_run_t;

typedef struct dmd_history_item_alarm {
  uint32_t series, build, environment;
  const char *process, *moment, *state, *reason;
} dmd_history_item_alarm_t;

/* Each function takes an item, which is good until it returns. It returns NULL, or why the item
 * cannot be taken, as an error of the document; "" where that was said already. */
typedef struct dmd_history_taker {
  const char *(*environment)(void *ctx, const char *lines);
  const char *(*build)(void *ctx, const dmd_history_item_build_t *build);
  const char *(*stack)(void *ctx, const char *frames); /* one a line */
  const char *(*run)(void *ctx, const dmd_history_item_run_t *run);
  /* Of each run, in their order: what it holds more than the run before of its moment, environment
   * and process. Stacks are numbers; records are in no order, and may come twice. */
  const char *(*records)(void *ctx, uint32_t run, const dmd_stack_record_t *records, size_t n);
  const char *(*series)(void *ctx, const char *kind, const char *name);
  /* Of the series that came last; runs ascend. */
  const char *(*value)(void *ctx, uint32_t run, int64_t value);
  const char *(*alarm)(void *ctx, const dmd_history_item_alarm_t *alarm);
} dmd_history_taker_t;

/* False, with *fail filled in, unless that was said already. */
bool dmd_load_history(const dmd_history_taker_t *taker, void *ctx, const dmd_env_t *env,
                      const dmd_source_t *source, dmd_fail_t *fail);

#endif
