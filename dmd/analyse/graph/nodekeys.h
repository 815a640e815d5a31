/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nodekeys.h: the keys by which blocks of a heap graph are grouped and filtered.
 *
 * For each key every block has a value: a small number and a name; equal names mean equal values. A
 * name is built once for all blocks that agree in everything it depends on.
 *
 *   type      dmd_typing_name: "dictEntry", "posting[]", "from lpNew"
 *   stack     of the allocation: frames, one per line, up to a limit
 *   function, file, library    the place of the allocation (analyse/records/rows.h)
 *   reporter  all reporters of the block, so that each block has one value
 *   state     unreported, once, twice; in modes other than dark-matter the mode
 *   tag, thread
 *   size      usable bytes, rounded up to a power of two: "33 to 64 bytes"
 *   root      the nearest root (nesting.h)
 *   holder    the dominating referrer: a member of a type, or a variable (heldby.h)
 *
 * Queries cache their results.
 */
#ifndef DMD_ANALYSE_GRAPH_NODEKEYS_H
#define DMD_ANALYSE_GRAPH_NODEKEYS_H

#include "analyse/graph/heldby.h"
#include "analyse/records/rows.h"

/* The words of all keys, in order, in the form of option tables. */
#define DMD_NODEKEY_WORDS                                                                          \
  "type|stack|function|file|library|reporter|state|tag|thread|size|root|holder"

typedef enum {
  DMD_KEY_TYPE,
  DMD_KEY_STACK,
  DMD_KEY_FUNCTION,
  DMD_KEY_FILE,
  DMD_KEY_LIBRARY,
  DMD_KEY_REPORTER,
  DMD_KEY_STATE,
  DMD_KEY_TAG,
  DMD_KEY_THREAD,
  DMD_KEY_SIZE,
  DMD_KEY_ROOT,
  DMD_KEY_HOLDER,
  DMD_N_KEYS
} dmd_nodekey_t;

/* The word on the command line and in JSON. */
const char *dmd_nodekey_name(dmd_nodekey_t key);

/* The key for the first n bytes of a word; DMD_N_KEYS if unknown. */
dmd_nodekey_t dmd_nodekey_of(const char *word, size_t n);

typedef struct dmd_nodekeys {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  uint32_t max_frames; /* of stacks */
  dmd_places_t places;
  uint32_t *nearest; /* computed on demand, as is heldby */
  dmd_heldby_t *heldby;
  struct {
    dmd_intern_t names; /* by value */
    dmd_pool_t values;  /* uint32_t, by source of the name + 1; DMD_NONE: not built yet */
  } of[DMD_N_KEYS];
} dmd_nodekeys_t;

/* The kinds, and their graph, must outlive the keys. */
void dmd_nodekeys_init(dmd_nodekeys_t *keys, dmd_kinds_t *kinds, uint32_t max_frames);
void dmd_nodekeys_destroy(dmd_nodekeys_t *keys);

/* The value of a block, from 1. */
uint32_t dmd_nodekeys_value(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t node);

static inline const char *dmd_nodekeys_name(const dmd_nodekeys_t *keys, dmd_nodekey_t key,
                                            uint32_t value) {
  return dmd_intern_get_str(&keys->of[key].names, value);
}

#endif
