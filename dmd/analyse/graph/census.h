/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * census.h: counts the blocks of a heap graph in rows: by one key (nodekeys.h), within each row by
 * the next key, and so on.
 *
 * Every block is in one row of each level, and every byte belongs to one block (nesting.h). So the
 * rows within a row add up to it, and the first level to the heap. A census may count several
 * graphs, each positively or, for a difference, negatively; rows with equal names are merged.
 *
 * Call order: init, add once or more, finish, then only read. Time: constant per block and level.
 * Memory: 48 bytes a row, and the names.
 */
#ifndef DMD_ANALYSE_GRAPH_CENSUS_H
#define DMD_ANALYSE_GRAPH_CENSUS_H

#include "analyse/graph/nodekeys.h"
#include "model/graph/nesting.h"

enum { DMD_CENSUS_LEVELS = 6 };

/* The keys, outermost first. */
typedef struct dmd_census_by {
  dmd_nodekey_t keys[DMD_CENSUS_LEVELS];
  uint32_t n;
} dmd_census_by_t;

/* Parses a list such as "type,stack". Returns false, with the reason in why, unless it has at least
 * one key and no duplicates. */
bool dmd_census_by_parse(dmd_census_by_t *by, const char *list, dmd_strbuf_t *why);

typedef struct dmd_census_row {
  int64_t blocks, szB, slop; /* usable bytes; the portion of them that is slop */
  uint32_t parent;           /* DMD_NONE: first level */
  uint32_t name;             /* in the level's names */
  uint32_t level;            /* from 0 */
  uint32_t evidence;         /* for types: the weakest evidence among its blocks */
  uint32_t first, n;         /* range of its child rows in `order` */
} dmd_census_row_t;

typedef struct dmd_census {
  const dmd_env_t *env;
  dmd_census_by_t by;
  dmd_pool_t rows;
  dmd_table_t index;
  dmd_intern_t names[DMD_CENSUS_LEVELS];
  uint32_t *order;        /* after finish: rows by parent, largest first */
  dmd_census_row_t total; /* `first` and `n` refer to the first level */
} dmd_census_t;

/* Must not move until it is destroyed. */
void dmd_census_init(dmd_census_t *census, const dmd_env_t *env, const dmd_census_by_t *by);
void dmd_census_destroy(dmd_census_t *census);

/* Counts the blocks that pass all n filters, multiplied by sign: 1 or -1. */
void dmd_census_add(dmd_census_t *census, dmd_nodekeys_t *keys, dmd_nodefilter_t *filters,
                    uint32_t n_filters, int sign);

/* Sorts, and drops rows in which everything cancelled out. */
void dmd_census_finish(dmd_census_t *census);

/* The i-th child row, from 0; of the first level for census->total. */
static inline const dmd_census_row_t *dmd_census_at(const dmd_census_t *census,
                                                    const dmd_census_row_t *row, uint32_t i) {
  return DMD_POOL_AT(&census->rows, const dmd_census_row_t, census->order[row->first + i]);
}

static inline const char *dmd_census_name(const dmd_census_t *census, const dmd_census_row_t *row) {
  return dmd_intern_get_str(&census->names[row->level], row->name);
}

static inline dmd_nodekey_t dmd_census_key(const dmd_census_t *census,
                                           const dmd_census_row_t *row) {
  return census->by.keys[row->level];
}

#endif
