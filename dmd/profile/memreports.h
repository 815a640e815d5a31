/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memreports.h: the memory reports that a program published, see DMD_MEMORY_REPORT in dmd.h.
 *
 * A memory report is one amount with a name: process, path, kind, units, amount, description. The
 * path is a place in a tree, its parts separated by '/' (a '/' that belongs to a name is written
 * '\'); a path without '/' stands alone.
 *
 * Reports of equal process, path, kind and units are one here: their amounts are summed, and
 * `times` counts them. Ids are 1, 2, 3 ... in the order of first sight. Like groups and faults,
 * they are kept by the live state and by profiles.
 *
 * What a program may publish is limited, so that one that never clears does not fill the memory:
 * DMD_MAX_MEMORY_REPORTS of them and DMD_MAX_MEMORY_REPORT_TEXT bytes of strings. Amounts stay
 * within DMD_MEMREPORT_MAX_AMOUNT of 0, up to which readers that use doubles count exactly; sums
 * that would go beyond stop there, and so does `times`.
 *
 * Concurrency: nothing locks; one thread at a time for each collection. Of the live state there is
 * one for the whole process.
 */
#ifndef DMD_PROFILE_MEMREPORTS_H
#define DMD_PROFILE_MEMREPORTS_H

#include "base/intern.h"
#include "base/limits.h"

/* The numbers are those of dmd.h, and of about:memory's files. */
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
  uint64_t times;                      /* reports that were summed, 1 to the highest amount */
  uint32_t process, path, description; /* ids in strings; DMD_NONE: this process, no description */
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

/* The collection must stay where it is until it is destroyed. */
void dmd_memreports_init(dmd_memreports_t *reports, const dmd_env_t *env);
void dmd_memreports_destroy(dmd_memreports_t *reports);

/* Forgets everything, and gives the memory back. */
void dmd_memreports_clear(dmd_memreports_t *reports);

/* One report, or several that were summed. Strings are copied; process and description may be NULL
 * or empty, which is the same. kind and units may be any numbers: dmd_memreports_add checks. */
typedef struct dmd_memreport {
  const char *process, *path, *description;
  int64_t amount;
  uint64_t times;
  uint32_t stack;
  uint32_t kind, units;
} dmd_memreport_t;

/* Adds the amount to the report that equals it in process, path, kind and units, which keeps its
 * description and stack; otherwise it becomes a new one. False, and nothing is kept, if it has no
 * path, an unknown kind or units, or too large an amount; if there are too many reports; and always
 * once the strings have used up their room. */
bool dmd_memreports_add(dmd_memreports_t *reports, const dmd_memreport_t *report);

static inline uint32_t dmd_memreports_count(const dmd_memreports_t *reports) {
  return reports->pool.last;
}

static inline const dmd_memreport_entry_t *dmd_memreports_at(const dmd_memreports_t *reports,
                                                             uint32_t id) {
  return DMD_POOL_AT(&reports->pool, const dmd_memreport_entry_t, id);
}

/* A report in the form in which it could be added. */
dmd_memreport_t dmd_memreports_get(const dmd_memreports_t *reports, uint32_t id);

#endif
