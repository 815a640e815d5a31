/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * amounts.h: what memory reports add up to, by process and path, as about:memory shows them.
 *
 * Reports (profile/memreports.h) of equal process and path are one amount here: they are summed,
 * and `times` counts them.
 *
 * In order: init, any number of adds, complete, for a difference subtract, settle. After settle the
 * reports are only read, in the order of `order`.
 *
 * Amounts are whole numbers of 64 bits. They may be negative, and together they stay below 2^60
 * (see dmd_amounts_add), so that no sum of them overflows, differences included.
 */
#ifndef DMD_ANALYSIS_AMOUNTS_H
#define DMD_ANALYSIS_AMOUNTS_H

#include "profile/memreports.h"

typedef enum { DMD_IN_BOTH, DMD_IN_NEW, DMD_IN_OLD } dmd_presence_t;

typedef struct dmd_amount {
  int64_t amount;
  int64_t heap;                        /* the part of it that was reported as heap */
  int64_t shared;                      /* what it would be more if shared blocks counted whole */
  uint32_t process, path, description; /* ids in strings */
  uint32_t times;                      /* reports that were summed */
  uint8_t kind, units; /* dmd_memreport_kind_t of the first of them, dmd_memreport_units_t of all */
  uint8_t presence;    /* dmd_presence_t, in a difference */
  bool dropped;        /* merged into another */
} dmd_amount_t;

typedef struct dmd_amounts {
  const dmd_env_t *env;
  bool is_diff;
  dmd_intern_t strings;
  dmd_pool_t pool;   /* of dmd_amount_t */
  dmd_table_t index; /* by process and path */
  dmd_pool_t notes;  /* on processes, see dmd_amounts_add_note */
  uint64_t total;    /* of the absolute amounts added */
  uint32_t *order;   /* after settle: ids by process, then path */
  uint32_t n_order;
} dmd_amounts_t;

/* for_diff: what differs from run to run in processes and paths is made equal as they are added:
 * "pid 123", "pid=123" and "(tid=123)" get the number NNN, addresses in parentheses, such as
 * "zone(0x12ab)", become 0xNNN. The collection must stay where it is until it is destroyed. */
void dmd_amounts_init(dmd_amounts_t *m, const dmd_env_t *env, bool for_diff);
void dmd_amounts_destroy(dmd_amounts_t *m);

/* Adds a report, or several that were summed before. `shared`, at least 0, is how much more its
 * amount would be if shared blocks counted whole. NULL, or why it cannot be added, as the end of a
 * sentence that begins with the report. */
const char *dmd_amounts_add(dmd_amounts_t *m, const dmd_memreport_t *report, int64_t shared);

/* Keeps what readers of a process's amounts should know, lines that end in line ends. A process has
 * one such text at most. */
void dmd_amounts_add_note(dmd_amounts_t *m, const char *process, const char *lines);

/* The lines on the process that this amount is of; "" where there are none. */
const char *dmd_amounts_note(const dmd_amounts_t *m, uint32_t id);

/* Adds all that another collection has, which is of other processes, whatever they are called: one
 * of a name that there is already gets the name of the file behind it, "app (pid 7), b.json".
 * Neither is settled; where m is not empty, both are complete. NULL, or why not, as for
 * dmd_amounts_add; *path is then what could not be added. */
const char *dmd_amounts_join(dmd_amounts_t *m, const dmd_amounts_t *from, const char *file,
                             const char **path);

/* Adds what about:memory derives: explicit/heap-unclassified is, for each process that says
 * heap-allocated, that amount less the heap reports under explicit/. A process that already has
 * such a report keeps it. */
void dmd_amounts_complete(dmd_amounts_t *m);

/* Subtracts old, which is complete and not settled, from m; what only one of them has is marked.
 * NULL, or why that cannot be done; *path is then the path that is wrong. */
const char *dmd_amounts_subtract(dmd_amounts_t *m, const dmd_amounts_t *old, const char **path);

/* Sorts; in a difference, leaves out what did not change; and makes trees possible: an amount whose
 * path is also a parent of others moves to a child of its own, "(own)". NULL, or why that cannot be
 * done (a tree in mixed units); *path is then the path that is wrong. */
const char *dmd_amounts_settle(dmd_amounts_t *m, const char **path);

/* The report of a process with this path, DMD_NONE where there is none. Not after settle. */
uint32_t dmd_amounts_find(dmd_amounts_t *m, const char *process, const char *path);

static inline dmd_amount_t *dmd_amounts_at(const dmd_amounts_t *m, uint32_t id) {
  return DMD_POOL_AT(&m->pool, dmd_amount_t, id);
}

static inline const char *dmd_amounts_process(const dmd_amounts_t *m, uint32_t id) {
  return dmd_intern_get_str(&m->strings, dmd_amounts_at(m, id)->process);
}

static inline const char *dmd_amounts_path(const dmd_amounts_t *m, uint32_t id) {
  return dmd_intern_get_str(&m->strings, dmd_amounts_at(m, id)->path);
}

#endif
