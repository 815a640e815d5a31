/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * intern.h: stores each byte sequence once and names it by a 32-bit id.
 *
 * Equal sequences have the same id, so that strings, stacks (sequences of frame ids) and keys of
 * any kind are compared by their ids. Ids count from 1 in the order of first use; 0 (DMD_NONE)
 * names no sequence. Contents are copied, aligned for 32-bit values, followed by a NUL that does
 * not count, and do not move or change until the collection is destroyed: any thread may read them
 * through a pointer.
 */
#ifndef DMD_BASE_INTERN_H
#define DMD_BASE_INTERN_H

#include "base/pool.h"
#include "base/table.h"

typedef struct dmd_intern {
  const dmd_env_t *env;
  const char *cost_centre;
  dmd_pool_t entries;
  dmd_table_t index;
  struct dmd_intern_chunk *chunks; /* newest first */
  size_t room;                     /* bytes left in the newest chunk */
} dmd_intern_t;

void dmd_intern_init(dmd_intern_t *in, const dmd_env_t *env, const char *cost_centre);
void dmd_intern_destroy(dmd_intern_t *in);

/* Returns the id of these bytes, adding them if they are new. */
uint32_t dmd_intern_bytes(dmd_intern_t *in, const void *bytes, size_t n);
uint32_t dmd_intern_str(dmd_intern_t *in, const char *s);

/* Returns the id of these bytes, or DMD_NONE if they were never added. */
uint32_t dmd_intern_find_bytes(const dmd_intern_t *in, const void *bytes, size_t n);
uint32_t dmd_intern_find_str(const dmd_intern_t *in, const char *s);

/* Like those for strings, for one from outside: U+FFFD replaces each byte that is not valid UTF-8.
 * Files are written in the same way, so that strings that look the same in a file have one id. */
uint32_t dmd_intern_text(dmd_intern_t *in, const char *s);
uint32_t dmd_intern_find_text(const dmd_intern_t *in, const char *s);

/* The contents of an id, and their length in bytes. */
const void *dmd_intern_get(const dmd_intern_t *in, uint32_t id, size_t *n);
const char *dmd_intern_get_str(const dmd_intern_t *in, uint32_t id);

/* The number of sequences; their ids are 1 to this. */
static inline uint32_t dmd_intern_count(const dmd_intern_t *in) {
  return in->entries.last;
}

/* Takes an id, not DMD_NONE, in one collection, and returns the id of the same thing in another. */
typedef uint32_t (*dmd_translate_fn)(void *ctx, uint32_t id);

/* Replaces an id by the one in another collection; DMD_NONE stays. */
static inline void dmd_translate(uint32_t *id, dmd_translate_fn translate, void *ctx) {
  if (*id != DMD_NONE)
    *id = translate(ctx, *id);
}

#endif
