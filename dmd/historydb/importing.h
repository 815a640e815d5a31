/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * importing.h: adds a history that another database exported (exporting.h).
 *
 * Call begin, let dmd_load_history (files/profile/historyreader.h) pass the document's items to the
 * taker, which keeps them in memory, packed; then write them; call end in any case. So an invalid
 * document is rejected before anything is written, and no lock is held while the import waits for
 * its input.
 *
 * Runs are written in parts, each in a transaction with everything that its runs refer to; other
 * writers get their turn between parts. A kill loses at most the part being written. Other writers
 * may add and remove anything meanwhile: each part looks up its references again. Runs of one
 * launch are in one part, so that no other writer's runs come between them.
 *
 * Existing items are left alone: builds keep their times, stacks their lines and alarms their
 * reasons, and a run with a known digest is not added again. So an interrupted import can be
 * repeated. If a launch is named by a number, as unnamed launches are, and the build already has
 * that number for the same process, it gets the next free one: it is another repetition.
 *
 * Cost: memory for the distinct parts of runs, for each value, and for distinct frames.
 */
#ifndef DMD_HISTORYDB_IMPORTING_H
#define DMD_HISTORYDB_IMPORTING_H

#include "files/profile/historyreader.h"
#include "historydb/stacks.h"

/* An item's number is its place in the document plus 1. A row is the item's row in the database, as
 * the current part found it. */
typedef struct dmdv_imported_row {
  int64_t id;
  uint32_t part; /* the last part that looked it up */
} dmdv_imported_row_t;

typedef struct dmdv_imported_environment {
  dmdv_imported_row_t row;
  const char *lines;
} dmdv_imported_environment_t;

typedef struct dmdv_imported_build {
  dmdv_imported_row_t row;
  bool is_new; /* the current part added it: it has no runs */
  const char *name, *branch;
  int64_t time;
} dmdv_imported_build_t;

typedef struct dmdv_imported_series {
  dmdv_imported_row_t row;
  const char *kind, *name;
} dmdv_imported_series_t;

typedef struct dmdv_imported_stack {
  int64_t id;        /* 0: not known so far */
  uint32_t first, n; /* of the stacks' frames */
  unsigned char digest[DMDV_DIGEST_SZB];
} dmdv_imported_stack_t;

typedef struct dmdv_imported_run {
  uint32_t build, environment, launch;
  int64_t id;                    /* 0: it was not added */
  const char *moment, *process;  /* equal texts are one: pointers may be compared */
  size_t records, n_records_szB; /* place in the document's records */
  uint32_t last_stack;           /* the highest number of a stack there; 0: none */
  uint32_t value;                /* its first value; 0: none */
  uint32_t n_items;              /* values and records, a measure of the time to write it */
  unsigned char digest[DMDV_DIGEST_SZB];
  bool is_there;
  bool may_end; /* a part may end after it without splitting a launch */
} dmdv_imported_run_t;

typedef struct dmdv_imported_value {
  uint32_t next, series; /* of the same run */
  int64_t value;
} dmdv_imported_value_t;

typedef struct dmdv_imported_alarm {
  uint32_t series, build, environment;
  const char *process, *moment, *state, *reason;
} dmdv_imported_alarm_t;

/* The runs of a build, moment and environment. */
typedef struct dmdv_imported_group {
  uint32_t part; /* the last part that looked it up */
  int64_t most;  /* the highest number that names a launch */
} dmdv_imported_group_t;

typedef struct dmdv_imported_launch {
  uint32_t group, last; /* last: the last of its runs */
  const char *name;     /* in the document */
  const char *there;    /* in the history; NULL: not known so far */
  bool is_taken;
} dmdv_imported_launch_t;

typedef struct dmdv_importing {
  dmd_intern_t texts, frames;
  dmd_intern_t environment_keys, build_keys, series_keys, group_keys, launch_keys;
  dmd_pool_t environments, builds, series, stacks, runs, values, alarms; /* of the structs above */
  dmd_pool_t groups, launches;
  dmd_pool_t stack_frames; /* uint32_t */
  dmd_strbuf_t records;    /* each run's records, encoded as a set */
  uint64_t n_added;
} dmdv_importing_t;

/* ctx is a dmdv_importing_t. */
extern const dmd_history_taker_t dmdv_importing_taker;

void dmdv_importing_begin(dmdv_importing_t *importing);
void dmdv_importing_end(dmdv_importing_t *importing);

/* False, with the reason on stderr. */
bool dmdv_importing_write(dmdv_importing_t *importing, dmdv_database_t *db);

static inline dmdv_imported_run_t *dmdv_imported_run(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->runs, dmdv_imported_run_t, number);
}

static inline dmdv_imported_stack_t *dmdv_imported_stack(const dmdv_importing_t *m,
                                                         uint32_t number) {
  return DMD_POOL_AT(&m->stacks, dmdv_imported_stack_t, number);
}

static inline dmdv_imported_launch_t *dmdv_imported_launch(const dmdv_importing_t *m,
                                                           uint32_t number) {
  return DMD_POOL_AT(&m->launches, dmdv_imported_launch_t, number);
}

/* The environment's id in the database, once the part has looked it up. */
static inline int64_t dmdv_imported_environment_id(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->environments, dmdv_imported_environment_t, number)->row.id;
}

static inline int64_t dmdv_imported_build_id(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->builds, dmdv_imported_build_t, number)->row.id;
}

static inline int64_t dmdv_imported_series_id(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->series, dmdv_imported_series_t, number)->row.id;
}

/* ---- Runs and launches. ----
 *
 * Assigns an import's runs to launches, both in the document and in the history that it is added
 * to. */

/* After all runs were read: marks the runs with which a part may end. */
void dmdv_import_find_ends(dmdv_importing_t *importing);

/* For the runs of a part, whose builds and environments have ids: marks those that the history has,
 * and finds the names of their launches in the history. False, with the reason on stderr. */
bool dmdv_import_launches(dmdv_importing_t *importing, dmdv_database_t *db, uint32_t part,
                          uint32_t first, uint32_t last);

#endif
