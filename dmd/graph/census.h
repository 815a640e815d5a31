/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * census.h: the blocks of a heap graph counted into rows: by one key (nodekeys.h), within each of
 * its rows by the next, and so on.
 *
 * Every block is in one row of each level, and every byte in one block (nesting.h): the rows of a
 * level add up to the row that they are in, and the first level to the heap. A census may take in
 * several graphs, each counting once or, for a difference, negatively: rows are the same when they
 * have the same names.
 *
 * Use: init, add once or more, finish, then only read. Time: constant for each block and level.
 * Memory: 48 bytes a row, and the names.
 *
 * Concurrency: nothing locks.
 */
#ifndef DMD_GRAPH_CENSUS_H
#define DMD_GRAPH_CENSUS_H

#include "graph/nesting.h"
#include "graph/nodefilter.h"

enum { DMD_CENSUS_LEVELS = 6 };

/* The keys, the outermost first. */
typedef struct dmd_census_by {
  dmd_nodekey_t keys[DMD_CENSUS_LEVELS];
  uint32_t n;
} dmd_census_by_t;

/* Reads "type,stack". False, with the reason in why, if it is not such a list: of at least one key,
 * each at most once. */
bool dmd_census_by_parse(dmd_census_by_t *by, const char *list, dmd_strbuf_t *why);

typedef struct dmd_census_row {
  int64_t blocks, szB, slop; /* usable bytes, and those of them that are slop */
  uint32_t parent;           /* DMD_NONE: of the first level */
  uint32_t name;             /* of the level's names */
  uint32_t level;            /* from 0 */
  uint32_t evidence;         /* of types: the weakest that a block's rests on */
  uint32_t first, n;         /* of the rows in it: places in `order` */
} dmd_census_row_t;

typedef struct dmd_census {
  const dmd_env_t *env;
  dmd_census_by_t by;
  dmd_pool_t rows;
  dmd_table_t index;
  dmd_intern_t names[DMD_CENSUS_LEVELS];
  uint32_t *order;        /* once finished: rows by what they are in, the largest first */
  dmd_census_row_t total; /* `first` and `n` are of the first level */
} dmd_census_t;

/* Must stay where it is until it is destroyed. */
void dmd_census_init(dmd_census_t *census, const dmd_env_t *env, const dmd_census_by_t *by);
void dmd_census_destroy(dmd_census_t *census);

/* Counts the blocks that pass all n filters, times sign: 1 or -1. */
void dmd_census_add(dmd_census_t *census, dmd_nodekeys_t *keys, dmd_nodefilter_t *filters,
                    uint32_t n_filters, int sign);

/* Sorts; rows in which everything cancelled out are left out. */
void dmd_census_finish(dmd_census_t *census);

/* The i-th row in a row, or of the first level in census->total, from 0. */
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
