/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memreports.h: the memory reports that a program published, see DMD_MEMORY_REPORT in dmd.h.
 *
 * A memory report is an amount with a name: process, path, kind, units, amount, description. The
 * path is a place in a tree, with '/' between its parts (a '/' within a name is written '\'); a
 * path without '/' stands alone.
 *
 * Reports with equal process, path, kind and units are one entry: their amounts are summed, and
 * `times` counts them. Ids are 1, 2, 3 ... in the order of addition. Like groups and faults, both
 * the live state and profiles keep them.
 *
 * Limits keep a program that never clears from filling memory: DMD_MAX_MEMORY_REPORTS entries and
 * DMD_MAX_MEMORY_REPORT_TEXT bytes of strings. Amounts are at most DMD_MEMREPORT_MAX_AMOUNT in
 * magnitude, which doubles represent exactly; sums saturate there, and so does `times`.
 */
#ifndef DMD_MODEL_PROFILE_MEMREPORTS_H
#define DMD_MODEL_PROFILE_MEMREPORTS_H

#include "base/intern.h"
#include "base/limits.h"

/* The numbers equal those in dmd.h and in about:memory's files. */
typedef enum {
  DMD_MEMREPORT_NONHEAP,
  DMD_MEMREPORT_HEAP,
  DMD_MEMREPORT_OTHER,
  DMD_MEMREPORT_N_KINDS
} dmd_memreport_kind_t;

typedef enum {
  DMD_MEMREPORT_BYTES,
  DMD_MEMREPORT_COUNT,
  DMD_MEMREPORT_CUMULATIVE, /* a count that only grows */
  DMD_MEMREPORT_PERCENTAGE, /* the amount is in hundredths of a per cent */
  DMD_MEMREPORT_N_UNITS
} dmd_memreport_units_t;

#define DMD_MEMREPORT_MAX_AMOUNT ((int64_t)DMD_MAX_COUNT)

/* The name in files, e.g. "nonheap" and "count-cumulative". */
const char *dmd_memreport_kind_name(dmd_memreport_kind_t kind);
const char *dmd_memreport_units_name(dmd_memreport_units_t units);

typedef struct dmd_memreport_entry {
  int64_t amount;
  uint64_t times;                      /* number of reports summed, 1 to the highest amount */
  uint32_t process, path, description; /* ids in strings; DMD_NONE: this process; no description */
  uint32_t stack;                      /* of the first report; DMD_NONE: not recorded */
  uint32_t kind, units;
} dmd_memreport_entry_t;

typedef struct dmd_memreports {
  const dmd_env_t *env;
  dmd_intern_t strings;
  dmd_pool_t pool;
  dmd_table_t index;
  size_t text_szB; /* of the strings */
} dmd_memreports_t;

/* The collection must not move until it is destroyed. */
void dmd_memreports_init(dmd_memreports_t *reports, const dmd_env_t *env);
void dmd_memreports_destroy(dmd_memreports_t *reports);

/* Removes everything and frees the memory. */
void dmd_memreports_clear(dmd_memreports_t *reports);

/* One report, or several that were summed. Strings are copied; process and description may be NULL
 * or empty, with the same meaning. kind and units may have any value: dmd_memreports_add checks
 * them. */
typedef struct dmd_memreport {
  const char *process, *path, *description;
  int64_t amount;
  uint64_t times;
  uint32_t stack;
  uint32_t kind, units;
} dmd_memreport_t;

/* Adds the amount to the entry with the same process, path, kind and units, which keeps its
 * description and stack, or adds a new entry. Returns false, and keeps nothing, if the report has
 * no path, an unknown kind or units, or too large an amount; if there are too many entries; and
 * always after the strings have used up their space. */
bool dmd_memreports_add(dmd_memreports_t *reports, const dmd_memreport_t *report);

static inline uint32_t dmd_memreports_count(const dmd_memreports_t *reports) {
  return reports->pool.last;
}

static inline const dmd_memreport_entry_t *dmd_memreports_at(const dmd_memreports_t *reports,
                                                             uint32_t id) {
  return DMD_POOL_AT(&reports->pool, const dmd_memreport_entry_t, id);
}

/* An entry in the form of an argument of dmd_memreports_add. */
dmd_memreport_t dmd_memreports_get(const dmd_memreports_t *reports, uint32_t id);

#endif
