/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * amounts.h: memory reports added up by process and path, as in about:memory.
 *
 * Reports (model/profile/memreports.h) with equal process and path are summed into one amount, and
 * `times` counts them.
 *
 * Call order: init, any number of adds, complete, subtract (for a difference), settle; then only
 * read, in the order of `order`.
 *
 * Amounts are 64-bit integers and may be negative. Together they stay below 2^60 (see
 * dmd_amounts_add), so sums, including differences, do not overflow.
 *
 * Concurrency, for the whole folder: no shared state and no locks. An object, and the profile that
 * it borrows, belong to one thread.
 */
#ifndef DMD_ANALYSE_TREE_AMOUNTS_H
#define DMD_ANALYSE_TREE_AMOUNTS_H

#include "base/env.h"
#include "model/profile/memreports.h"

/* ---- Plain names. ----
 *
 * Removes from names what varies between runs.
 *
 * Programs put process ids, thread ids and addresses into names, and two runs can only be compared
 * without them. These become NNN: numbers after "pid " and "pid=", those in "(tid=7)", and
 * hexadecimal numbers before a closing parenthesis ("zone(0x7f01)", "worker(name, 0x7f01)").
 * Firefox's reporters use these forms, and about:memory's own comparison handles them. */

/* Returns a normalised copy of the name; the caller frees it. */
char *dmd_normalize(const dmd_env_t *env, const char *name);

/* ---- Amounts. ---- */

typedef enum { DMD_IN_BOTH, DMD_IN_NEW, DMD_IN_OLD } dmd_presence_t;

typedef struct dmd_amount {
  int64_t amount;
  int64_t heap;   /* the portion that was reported as heap */
  int64_t shared; /* how much larger it would be if shared blocks counted in full */
  uint32_t process, path, description; /* string ids */
  uint32_t times;                      /* number of reports summed */
  uint8_t kind, units; /* dmd_memreport_kind_t of the first report, dmd_memreport_units_t of all */
  uint8_t presence;    /* in a difference: dmd_presence_t */
  bool dropped;        /* merged into another */
} dmd_amount_t;

typedef struct dmd_amounts {
  const dmd_env_t *env;
  bool is_diff;
  dmd_intern_t strings;
  dmd_pool_t pool;   /* of dmd_amount_t */
  dmd_table_t index; /* by process and path */
  dmd_pool_t notes;  /* about processes, see dmd_amounts_add_note */
  uint64_t total;    /* sum of absolute amounts */
  uint32_t *order;   /* after settle: ids sorted by process, then path */
  uint32_t n_order;
} dmd_amounts_t;

/* for_diff: normalises parts of processes and paths that vary between runs as they are added: "pid
 * 123", "pid=123" and "(tid=123)" get the number NNN, and addresses in parentheses, such as
 * "zone(0x12ab)", become 0xNNN. The collection must stay in place until it is destroyed. */
void dmd_amounts_init(dmd_amounts_t *m, const dmd_env_t *env, bool for_diff);
void dmd_amounts_destroy(dmd_amounts_t *m);

/* Adds a report, or several already summed. `shared` (>= 0): how much larger its amount would be if
 * shared blocks counted in full. Returns NULL, or why it cannot be added, phrased to follow the
 * report's path. */
const char *dmd_amounts_add(dmd_amounts_t *m, const dmd_memreport_t *report, int64_t shared);

/* Adds a note about a process for readers: lines that end in line ends. At most one per process. */
void dmd_amounts_add_note(dmd_amounts_t *m, const char *process, const char *lines);

/* The note about this amount's process; "" if it has no note. */
const char *dmd_amounts_note(const dmd_amounts_t *m, uint32_t id);

/* Adds all amounts of another collection. Its processes count as different ones whatever their
 * names: on a conflict the file name is appended, "app (pid 7), b.json". Neither collection may be
 * settled; both must be complete if m is not empty. Returns NULL, or why not, as for
 * dmd_amounts_add; *path is then the path that could not be added. */
const char *dmd_amounts_join(dmd_amounts_t *m, const dmd_amounts_t *from, const char *file,
                             const char **path);

/* Adds the amount that about:memory derives: for each process with heap-allocated,
 * explicit/heap-unclassified is that amount minus the heap reports under explicit/. An existing one
 * is kept. */
void dmd_amounts_complete(dmd_amounts_t *m);

/* Subtracts old, which must be complete but not settled, from m, and marks amounts that only one of
 * them has. Returns NULL, or why that is impossible; *path is then the offending path. */
const char *dmd_amounts_subtract(dmd_amounts_t *m, const dmd_amounts_t *old, const char **path);

/* Sorts; in a difference, drops unchanged amounts; and makes trees possible: an amount whose path
 * is also a parent moves to a child, "(own)". Returns NULL, or why that is impossible (a tree in
 * mixed units); *path is then the offending path. */
const char *dmd_amounts_settle(dmd_amounts_t *m, const char **path);

/* The amount of a process with this path; DMD_NONE if not found. Not after settle. */
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
