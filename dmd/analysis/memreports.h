/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memreports.h: memory reports, as programs publish them and as about:memory shows them.
 *
 * A memory report is one amount with a name: process, path, kind, units, amount, description. The
 * path is a place in a tree, its parts separated by '/' (a '/' that belongs to a name is written
 * '\'); a path without '/' stands alone. Reports of equal process and path are one here: their
 * amounts are summed and `times` counts them.
 *
 * In order: init, any number of adds, complete, for a difference subtract, settle. After settle the
 * reports are only read, in the order of `order`.
 *
 * Amounts are whole numbers of 64 bits. They may be negative, and together they stay below 2^60
 * (see dmd_memreports_add), so that no sum of them overflows, differences included.
 */
#ifndef DMD_ANALYSIS_MEMREPORTS_H
#define DMD_ANALYSIS_MEMREPORTS_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

#include <stdbool.h>

/* The numbers are those of about:memory's files. */
typedef enum { DMD_NONHEAP, DMD_HEAP, DMD_OTHER, DMD_N_KINDS } dmd_kind_t;
typedef enum {
  DMD_BYTES,
  DMD_COUNT,
  DMD_CUMULATIVE, /* a count that only grows */
  DMD_PERCENTAGE, /* the amount is in hundredths of a per cent */
  DMD_N_UNITS
} dmd_units_t;

typedef enum { DMD_IN_BOTH, DMD_IN_NEW, DMD_IN_OLD } dmd_presence_t;

typedef struct dmd_memreport {
  int64_t amount;
  int64_t heap;                        /* the part of it that was reported as heap */
  int64_t shared;                      /* what it would be more if shared blocks counted whole */
  uint32_t process, path, description; /* ids in strings */
  uint32_t times;                      /* reports that were summed */
  uint8_t kind, units;                 /* dmd_kind_t of the first of them, dmd_units_t of all */
  uint8_t presence;                    /* dmd_presence_t, in a difference */
  bool dropped;                        /* merged into another */
} dmd_memreport_t;

typedef struct dmd_memreports {
  const dmd_env_t *env;
  bool is_diff;
  dmd_intern_t strings;
  dmd_pool_t pool;   /* of dmd_memreport_t */
  dmd_table_t index; /* by process and path */
  uint64_t total;    /* of the absolute amounts added */
  uint32_t *order;   /* after settle: ids by process, then path */
  uint32_t n_order;
} dmd_memreports_t;

/* for_diff: what differs from run to run in processes and paths is made equal as they are added:
 * "pid 123", "pid=123" and "(tid=123)" get the number NNN, addresses in parentheses, such as
 * "zone(0x12ab)", become 0xNNN. The collection must stay where it is until it is destroyed. */
void dmd_memreports_init(dmd_memreports_t *m, const dmd_env_t *env, bool for_diff);
void dmd_memreports_destroy(dmd_memreports_t *m);

/* Adds a report. NULL, or why it cannot be added, as the end of a sentence that begins with the
 * report. */
const char *dmd_memreports_add(dmd_memreports_t *m, const char *process, const char *path,
                               dmd_kind_t kind, dmd_units_t units, int64_t amount,
                               const char *description);

/* The same of several reports that were summed before, and that would be `shared` more if shared
 * blocks counted whole; that is not negative. */
const char *dmd_memreports_add_sum(dmd_memreports_t *m, const char *process, const char *path,
                                   dmd_kind_t kind, dmd_units_t units, int64_t amount,
                                   int64_t shared, uint64_t times, const char *description);

/* Adds what about:memory derives: explicit/heap-unclassified is, for each process that says
 * heap-allocated, that amount less the heap reports under explicit/. A process that already has
 * one keeps it. */
void dmd_memreports_complete(dmd_memreports_t *m);

/* Takes old, which is complete and not settled, from m; what is in only one of them is marked.
 * NULL, or why not; *path is then what is wrong. */
const char *dmd_memreports_subtract(dmd_memreports_t *m, const dmd_memreports_t *old,
                                    const char **path);

/* Sorts; in a difference, leaves out what did not change; and makes trees possible: an amount whose
 * path is also a parent of others moves to a child of its own, "(own)". NULL, or why that cannot be
 * done (a tree in mixed units); *path is then what is wrong. */
const char *dmd_memreports_settle(dmd_memreports_t *m, const char **path);

/* The report of a process with this path, DMD_NONE where there is none. Not after settle. */
uint32_t dmd_memreports_find(dmd_memreports_t *m, const char *process, const char *path);

static inline dmd_memreport_t *dmd_memreports_at(const dmd_memreports_t *m, uint32_t id) {
  return DMD_POOL_AT(&m->pool, dmd_memreport_t, id);
}

static inline const char *dmd_memreports_process(const dmd_memreports_t *m, uint32_t id) {
  return dmd_intern_get_str(&m->strings, dmd_memreports_at(m, id)->process);
}

static inline const char *dmd_memreports_path(const dmd_memreports_t *m, uint32_t id) {
  return dmd_intern_get_str(&m->strings, dmd_memreports_at(m, id)->path);
}

#endif
