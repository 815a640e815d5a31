/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * flame.h: the tree of calls that led to the blocks of a list of records, in either direction.
 * Keeps the tree of the last list.
 *
 * Downwards, a path begins at the outermost frame and ends at the function that allocated for its
 * own use (analyse/records/allocfns.h); upwards, it goes from there to the callers. malloc and the
 * like are in neither: they would be the innermost call of every path, and tell nothing. Keys
 * of the nest are frames plus 1; 1 stands for stacks that were not recorded.
 */
#ifndef DMD_SHOW_PAGE_FLAME_H
#define DMD_SHOW_PAGE_FLAME_H

#include "show/page/nest.h"
#include "show/page/recordlist.h"

/* What a call counts. */
typedef enum {
  DMD_FLAME_LIVE,      /* bytes of the blocks of the list */
  DMD_FLAME_ALLOCATED, /* bytes that were allocated in the whole run, */
  DMD_FLAME_TEMPORARY  /* or temporary blocks, both as blocks without reports (lifetimes.h) */
} dmd_flame_weight_t;

typedef struct dmd_flame {
  bool is_made; /* whether the rest is valid: */
  dmd_flame_weight_t weight;
  dmd_nest_t calls;
  bool upwards;
  unsigned sections;
  bool is_regex;
  dmd_strbuf_t text;
} dmd_flame_t;

void dmd_flame_init(dmd_flame_t *flame, const dmd_env_t *env);
void dmd_flame_destroy(dmd_flame_t *flame);

/* Makes the tree of the records that a list shows; selection: what the list was made by. With
 * another weight than DMD_FLAME_LIVE, it is that of all stacks with lifetimes instead, which the
 * profile of the records must have. */
void dmd_flame_make(dmd_flame_t *flame, const dmd_recordlist_t *list,
                    const dmd_selection_t *selection, dmd_flame_weight_t weight, bool upwards);

#endif
