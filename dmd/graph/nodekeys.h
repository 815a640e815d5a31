/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nodekeys.h: by what people add blocks of a heap graph up, and pick them.
 *
 * For each key every block has a value: a number, of which there are few, and a name. Blocks have
 * the same value when they have the same name. A name is made once for all blocks that differ in
 * nothing that it is made of.
 *
 *   type      dmd_typing_name: "dictEntry", "posting[]", "from lpNew"
 *   stack     of the allocation: frames, a line each, up to a limit
 *   function, file, library    of who allocated (analysis/places.h)
 *   reporter  by whom it was reported: all of their names, so that each block has one value
 *   state     unreported, once, twice; in other modes than dark-matter the mode
 *   tag, thread
 *   size      usable bytes, up to the next power of two: "33 to 64 bytes"
 *   root      the nearest one by which it is reached (nearest.h)
 *   holder    what it is held by: a member of a type, or a variable (heldby.h)
 *
 * Concurrency: nothing locks. Questions remember what they found out.
 */
#ifndef DMD_GRAPH_NODEKEYS_H
#define DMD_GRAPH_NODEKEYS_H

#include "analysis/places.h"
#include "graph/heldby.h"

/* The words of all keys, in their order, as tables of options have words. */
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

/* The key of the first n bytes of a word; DMD_N_KEYS: it is none. */
dmd_nodekey_t dmd_nodekey_of(const char *word, size_t n);

typedef struct dmd_nodekeys {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  uint32_t max_frames; /* of stacks */
  dmd_places_t places;
  uint32_t *nearest; /* NULL: not asked for so far, as is this: */
  dmd_heldby_t *heldby;
  struct {
    dmd_intern_t names; /* by value */
    dmd_pool_t values;  /* uint32_t, by what the name is made of + 1; DMD_NONE: not made so far */
  } of[DMD_N_KEYS];
} dmd_nodekeys_t;

/* The kinds, and the graph that they are of, must outlive the keys. */
void dmd_nodekeys_init(dmd_nodekeys_t *keys, dmd_kinds_t *kinds, uint32_t max_frames);
void dmd_nodekeys_destroy(dmd_nodekeys_t *keys);

/* The value of a block: from 1 on. */
uint32_t dmd_nodekeys_value(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t node);

static inline const char *dmd_nodekeys_name(const dmd_nodekeys_t *keys, dmd_nodekey_t key,
                                            uint32_t value) {
  return dmd_intern_get_str(&keys->of[key].names, value);
}

#endif
