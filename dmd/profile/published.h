/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * published.h: memory reports that the program published, see DMD_MEMORY_REPORT in dmd.h.
 *
 * Reports of equal process, path, kind and units are one here: their amounts are summed, and
 * `times` counts them. Ids are 1, 2, 3 ... in the order of first sight. Like groups and faults,
 * they are kept by the live state and by profiles.
 *
 * What a program may publish is limited, so that one that never clears does not fill the memory:
 * DMD_PUBLISHED_MAX reports and DMD_PUBLISHED_MAX_TEXT bytes of strings. Amounts stay within
 * DMD_PUBLISHED_MAX_AMOUNT of 0, up to which readers that use doubles count exactly; sums that
 * would go beyond stop there, and so does `times`.
 */
#ifndef DMD_PROFILE_PUBLISHED_H
#define DMD_PROFILE_PUBLISHED_H

#include "base/intern.h"

/* The numbers are those of dmd.h, and of about:memory's files. */
typedef enum {
  DMD_PUBLISHED_NONHEAP,
  DMD_PUBLISHED_HEAP,
  DMD_PUBLISHED_OTHER,
  DMD_PUBLISHED_N_KINDS
} dmd_published_kind_t;

typedef enum {
  DMD_PUBLISHED_BYTES,
  DMD_PUBLISHED_COUNT,
  DMD_PUBLISHED_CUMULATIVE, /* a count that only grows */
  DMD_PUBLISHED_PERCENTAGE, /* the amount is in hundredths of a per cent */
  DMD_PUBLISHED_N_UNITS
} dmd_published_units_t;

#define DMD_PUBLISHED_MAX_AMOUNT (INT64_C(1) << 53)
enum { DMD_PUBLISHED_MAX = 1 << 16, DMD_PUBLISHED_MAX_TEXT = 1 << 24 };

/* The name in files, e.g. "nonheap" and "count-cumulative". */
const char *dmd_published_kind_name(dmd_published_kind_t kind);
const char *dmd_published_units_name(dmd_published_units_t units);

typedef struct dmd_published_report {
  int64_t amount;
  uint64_t times;                      /* reports that were summed, 1 to the highest amount */
  uint32_t process, path, description; /* ids in strings; DMD_NONE: this process, no description */
  uint32_t stack;                      /* of the first report; DMD_NONE: not recorded */
  uint32_t kind, units;
} dmd_published_report_t;

typedef struct dmd_published {
  const dmd_env_t *env;
  dmd_intern_t strings;
  dmd_pool_t pool;
  dmd_table_t index;
  size_t text_szB; /* of the strings */
} dmd_published_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_published_init(dmd_published_t *published, const dmd_env_t *env);
void dmd_published_destroy(dmd_published_t *published);

/* Forgets everything, and gives the memory back. */
void dmd_published_clear(dmd_published_t *published);

/* One report, or several that were summed. Strings are copied; process and description may be NULL
 * or empty, which is the same. kind and units may be any numbers, until the value is added. */
typedef struct dmd_published_value {
  const char *process, *path, *description;
  int64_t amount;
  uint64_t times;
  uint32_t stack;
  uint32_t kind, units;
} dmd_published_value_t;

/* Adds to the report that equals it in process, path, kind and units, which keeps its description
 * and stack, or becomes a new one. False, and it is not kept, where it has no path, a kind or units
 * that do not exist, or too large an amount; where it would be one too many; and always once the
 * strings take up their room. */
bool dmd_published_add(dmd_published_t *published, const dmd_published_value_t *value);

static inline uint32_t dmd_published_count(const dmd_published_t *published) {
  return published->pool.last;
}

static inline const dmd_published_report_t *dmd_published_at(const dmd_published_t *published,
                                                             uint32_t id) {
  return DMD_POOL_AT(&published->pool, const dmd_published_report_t, id);
}

/* A report as the value that would make it. */
dmd_published_value_t dmd_published_value(const dmd_published_t *published, uint32_t id);

#endif
