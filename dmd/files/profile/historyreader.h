/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historyreader.h: reads a history from the JSON document that dmdv history export wrote, item by
 * item.
 *
 * docs/format.md documents the keys. The document is read once, front to back; only counts are
 * kept, and the caller's taker keeps what it needs. Items are numbered from 0 in document order,
 * and refer only to earlier items. References and lengths of names are checked here: a document
 * need not be trusted.
 */
#ifndef DMD_FILES_PROFILE_HISTORYREADER_H
#define DMD_FILES_PROFILE_HISTORYREADER_H

#include "analyse/history/stackset.h"
#include "files/profile/source.h"

/* Limits. In bytes: names of builds, branches, moments, processes, runs and series, which are
 * database keys, and the lines of an environment. Frames of a stack. */
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

/* Each function takes an item, which is valid until it returns. It returns NULL, or why the item
 * was refused, as an error in the document; "" if it has reported the error already. */
typedef struct dmd_history_taker {
  const char *(*environment)(void *ctx, const char *lines);
  const char *(*build)(void *ctx, const dmd_history_item_build_t *build);
  const char *(*stack)(void *ctx, const char *frames); /* one per line */
  const char *(*run)(void *ctx, const dmd_history_item_run_t *run);
  /* Called once for each run, in order: its difference to the previous run of its moment,
   * environment and process. Stacks are item numbers; records are unordered and may repeat. */
  const char *(*records)(void *ctx, uint32_t run, const dmd_stack_record_t *records, size_t n);
  const char *(*series)(void *ctx, const char *kind, const char *name);
  /* A value of the latest series; runs ascend. */
  const char *(*value)(void *ctx, uint32_t run, int64_t value);
  const char *(*alarm)(void *ctx, const dmd_history_item_alarm_t *alarm);
} dmd_history_taker_t;

/* On failure returns false, with *fail filled in unless the taker reported the error already. */
bool dmd_load_history(const dmd_history_taker_t *taker, void *ctx, const dmd_env_t *env,
                      const dmd_source_t *source, dmd_fail_t *fail);

#endif
