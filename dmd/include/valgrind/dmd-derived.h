/*
   SPDX-License-Identifier: BSD-3-Clause

   dmd-derived.h: support for the measuring code that dmd-derive writes.

   Copyright (C) 2026 the authors of dmd. All rights reserved.
   The terms are in LICENSES/BSD-3-Clause.txt, and at the top of dmd.h.
*/

#ifndef VALGRIND_DMD_DERIVED_H
#define VALGRIND_DMD_DERIVED_H

/*
   What this is for
   ----------------
   A walk through a program's structs: the sum so far, and a work list of objects still to visit.
   Lists and trees may have any depth: a function that measures an object does not recurse, but adds
   the objects it points to to the work list. The list starts inside the walk and moves to memory
   from malloc when it grows; the end of the walk frees it. If malloc fails, functions recurse.

   A walk visits each shared object once.

   Pointers that own, but lead in a circle, are a mistake in the header. Such a walk ends all the
   same: it compares each object with one that it visited before, at growing distances (Brent's
   algorithm). Once it meets that object again, it keeps a table, and visits each object once more
   at most. dmd then reports the blocks as reported twice.

   All names are private to the code that dmd-derive writes, of the same release or a later one.
   It takes no locks: walks in different threads share only the objects that they read.
*/

#include "dmd.h"

#include <stdlib.h>
#include <string.h>

struct dmd_walk_;
typedef void (*dmd_walk_fn_)(const void *object, struct dmd_walk_ *walk);

enum { DMD_WALK_IS_BLOCK_ = 1, DMD_WALK_IS_SHARED_ = 2, DMD_WALK_FEW_ = 32 };

struct dmd_waiting_ {
  const void *object;
  dmd_walk_fn_ walk;
  int flags;
};

/* A set of objects: an open-addressing hash table; empty places are null. */
struct dmd_set_ {
  const void **objects;
  size_t n, room;
};

/* An object that the walk visited, and the visits until a later one takes its place. */
struct dmd_mark_ {
  const void *object;
  dmd_walk_fn_ walk;
  size_t left, distance;
};

struct dmd_walk_ {
  size_t size;
  int is_shared;
  int is_circle; /* an object was met again: only objects that `again` lacks are visited */
  struct dmd_waiting_ next;
  struct dmd_waiting_ *waiting;
  size_t n_waiting, room;
  struct dmd_set_ shared, again;
  struct dmd_mark_ mark;
  struct dmd_waiting_ few[DMD_WALK_FEW_];
};

/* Measures a block, as shared if the path that led there is. A macro, so that the report is made by
   the function with the struct's name. */
#define DMD_WALK_REPORT_(walk, p) ((walk)->is_shared ? DMD_REPORT_SHARED(p) : DMD_REPORT(p))

/* A count of any integer type; a negative count is 0. */
#define DMD_WALK_COUNT_(n) ((n) > 0 ? (size_t)(n) : (size_t)0)

static DMD_INLINE_ struct dmd_mark_ dmd_mark_none_(void) {
  struct dmd_mark_ mark;
  mark.object = NULL;
  mark.walk = 0;
  mark.left = mark.distance = 1;
  return mark;
}

static DMD_INLINE_ void dmd_walk_begin_(struct dmd_walk_ *walk) {
  walk->size = 0;
  walk->is_shared = walk->is_circle = 0;
  walk->waiting = walk->few;
  walk->n_waiting = 0;
  walk->room = DMD_WALK_FEW_;
  memset(&walk->shared, 0, sizeof walk->shared);
  memset(&walk->again, 0, sizeof walk->again);
  walk->mark = dmd_mark_none_();
}

/* Returns the sum. */
static DMD_INLINE_ size_t dmd_walk_end_(struct dmd_walk_ *walk) {
  if (walk->waiting != walk->few)
    free(walk->waiting);
  free((void *)walk->shared.objects);
  free((void *)walk->again.objects);
  return walk->size;
}

static DMD_INLINE_ int dmd_walk_grow_(struct dmd_walk_ *walk) {
  size_t room = 2 * walk->room;
  struct dmd_waiting_ *more = (struct dmd_waiting_ *)malloc(room * sizeof *more);
  if (!more)
    return 0;
  memcpy(more, walk->waiting, walk->n_waiting * sizeof *more);
  if (walk->waiting != walk->few)
    free(walk->waiting);
  walk->waiting = more;
  walk->room = room;
  return 1;
}

static DMD_INLINE_ size_t dmd_set_place_(const struct dmd_set_ *set, const void *p) {
  size_t place = ((size_t)p >> 4) * (size_t)2654435769u;
  place = (place ^ place >> 15) & (set->room - 1);
  while (set->objects[place] && set->objects[place] != p)
    place = (place + 1) & (set->room - 1);
  return place;
}

/* Doubles the table; returns 0 if out of memory. */
static DMD_INLINE_ int dmd_set_grow_(struct dmd_set_ *set) {
  struct dmd_set_ old = *set;
  size_t i;
  set->room = old.room ? 2 * old.room : 64;
  set->objects = (const void **)calloc(set->room, sizeof *set->objects);
  if (!set->objects) {
    *set = old;
    return 0;
  }
  for (i = 0; i < old.room; i++)
    if (old.objects[i])
      set->objects[dmd_set_place_(set, old.objects[i])] = old.objects[i];
  free((void *)old.objects);
  return 1;
}

/* Adds an object. Returns 1 if it is new, 0 if not; `otherwise` if memory ran out and the table is
   full. */
static DMD_INLINE_ int dmd_set_add_(struct dmd_set_ *set, const void *p, int otherwise) {
  size_t place;
  if (2 * set->n >= set->room && !dmd_set_grow_(set) && set->n + 1 >= set->room)
    return otherwise;
  place = dmd_set_place_(set, p);
  if (set->objects[place])
    return 0;
  set->objects[place] = p;
  set->n++;
  return 1;
}

/* Returns whether this shared object is visited for the first time. If memory ran out and the table
   is full, it returns 1. */
static DMD_INLINE_ int dmd_walk_meets_(struct dmd_walk_ *walk, const void *p) {
  return dmd_set_add_(&walk->shared, p, 1);
}

/* Returns whether the walk must leave out this object, since it is in a circle. */
static DMD_INLINE_ int dmd_walk_is_again_(struct dmd_walk_ *walk, struct dmd_mark_ *mark,
                                          const void *object, dmd_walk_fn_ fn) {
  if (object == mark->object && fn == mark->walk)
    walk->is_circle = 1;
  if (walk->is_circle)
    return !dmd_set_add_(&walk->again, object, 0);
  if (!--mark->left) {
    mark->object = object;
    mark->walk = fn;
    mark->left = mark->distance *= 2;
  }
  return 0;
}

/* Adds an object to the work list, as shared if the current path is. */
static DMD_INLINE_ void dmd_walk_later_(struct dmd_walk_ *walk, const void *object, dmd_walk_fn_ fn,
                                        int flags) {
  struct dmd_waiting_ *last;
  if (walk->n_waiting == walk->room && !dmd_walk_grow_(walk)) {
    int was_shared = walk->is_shared;
    if (dmd_walk_is_again_(walk, &walk->mark, object, fn))
      return;
    if (flags & DMD_WALK_IS_SHARED_)
      walk->is_shared = 1;
    if (flags & DMD_WALK_IS_BLOCK_)
      walk->size += DMD_WALK_REPORT_(walk, object);
    fn(object, walk);
    walk->is_shared = was_shared;
    return;
  }
  last = &walk->waiting[walk->n_waiting++];
  last->object = object;
  last->walk = fn;
  last->flags = walk->is_shared ? flags | DMD_WALK_IS_SHARED_ : flags;
}

/* Takes the newest waiting object if it waits for this function with its block, and is shared or
   not as the walk is now; else returns null. */
static DMD_INLINE_ const void *dmd_walk_take_(struct dmd_walk_ *walk, dmd_walk_fn_ fn) {
  const int flags = walk->is_shared ? DMD_WALK_IS_BLOCK_ | DMD_WALK_IS_SHARED_ : DMD_WALK_IS_BLOCK_;
  const struct dmd_waiting_ *last = walk->waiting + walk->n_waiting;
  if (!walk->n_waiting || last[-1].walk != fn || last[-1].flags != flags)
    return NULL;
  walk->n_waiting--;
  return last[-1].object;
}

/* The next object of a function's loop: the one that it found, or one that waits; or null. */
static DMD_INLINE_ const void *dmd_walk_next_(struct dmd_walk_ *walk, struct dmd_mark_ *mark,
                                              const void *found, dmd_walk_fn_ fn) {
  const void *next = found ? found : dmd_walk_take_(walk, fn);
  while (next && dmd_walk_is_again_(walk, mark, next, fn))
    next = dmd_walk_take_(walk, fn);
  return next;
}

/* Makes the newest waiting object the next one; returns 0 if none waits. */
static DMD_INLINE_ int dmd_walk_goes_on_(struct dmd_walk_ *walk) {
  do {
    if (!walk->n_waiting)
      return 0;
    walk->next = walk->waiting[--walk->n_waiting];
  } while (dmd_walk_is_again_(walk, &walk->mark, walk->next.object, walk->next.walk));
  walk->is_shared = (walk->next.flags & DMD_WALK_IS_SHARED_) != 0;
  return 1;
}

#endif /* VALGRIND_DMD_DERIVED_H */
