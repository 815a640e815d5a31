/*
   dmd-derived.h: what the measuring code stands on that dmd-derive writes.

   This file, like dmd.h, is under the licence below, so that any program may include it. The rest
   of dmd is under the GNU General Public License, version 2 or later; see COPYING.

   Copyright (C) 2026 the authors of dmd. All rights reserved.

   You may use this file and pass it on, as source text or in compiled form, changed or unchanged,
   provided that:

   1. where it is passed on as source text, the copyright line above, these conditions and the
      disclaimer below stay in it;
   2. where it is passed on in compiled form, the documentation or other material that comes along
      contains the copyright line, these conditions and the disclaimer; this is not asked of a
      program that merely includes this file;
   3. the names of dmd's authors are not used to advertise or recommend anything made from this
      file, unless they have agreed to it in writing beforehand.

   THE AUTHORS PROVIDE THIS FILE "AS IS". THEY GIVE NO WARRANTY OF ANY KIND, EXPRESS OR IMPLIED; IN
   PARTICULAR NONE THAT IT IS FIT TO BE SOLD OR FIT FOR A PARTICULAR PURPOSE. THEY ARE NOT LIABLE
   FOR ANY DAMAGE THAT COMES OF ITS USE, WHETHER DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY OR
   CONSEQUENTIAL (LOSS OF DATA, OF USE, OF PROFITS, OF BUSINESS AND THE COST OF A REPLACEMENT
   AMONG IT), ON WHATEVER LEGAL GROUND, BE IT CONTRACT, STRICT LIABILITY OR TORT (NEGLIGENCE
   INCLUDED), AND EVEN WHERE THEY WERE TOLD THAT SUCH DAMAGE WAS POSSIBLE.
*/

#ifndef VALGRIND_DMD_DERIVED_H
#define VALGRIND_DMD_DERIVED_H

/*
   What this is for
   ----------------
   The walk of a program's structs: the sum so far, and the objects that still have to be looked at.
   A list or a tree may have any depth, since a function that measures an object never calls itself:
   what leads on waits here. Few objects wait in the walk itself, many in memory of malloc's, which
   is freed at the end. Where there is none, functions do call themselves.

   Objects that are shared are met once in each walk.

   Names end in an underscore: only code of dmd-derive's uses them, of the same release or a later
   one. Nothing locks: walks of several threads have nothing in common but what they look at.
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

struct dmd_walk_ {
  size_t size;
  int is_shared;
  struct dmd_waiting_ next;
  struct dmd_waiting_ *waiting;
  size_t n_waiting, room;
  const void **met; /* a table; empty places are null */
  size_t n_met, room_met;
  struct dmd_waiting_ few[DMD_WALK_FEW_];
};

/* Measures a block, of a walk that may come to what is shared. A macro, so that a report is made by
   the function of the struct's name. */
#define DMD_WALK_REPORT_(walk, p) ((walk)->is_shared ? DMD_REPORT_SHARED(p) : DMD_REPORT(p))

/* A count of any integer type; a negative one is none. */
#define DMD_WALK_COUNT_(n) ((n) > 0 ? (size_t)(n) : (size_t)0)

static DMD_INLINE_ void dmd_walk_begin_(struct dmd_walk_ *walk) {
  walk->size = 0;
  walk->is_shared = 0;
  walk->waiting = walk->few;
  walk->n_waiting = 0;
  walk->room = DMD_WALK_FEW_;
  walk->met = NULL;
  walk->n_met = walk->room_met = 0;
}

/* Returns the sum. */
static DMD_INLINE_ size_t dmd_walk_end_(struct dmd_walk_ *walk) {
  if (walk->waiting != walk->few)
    free(walk->waiting);
  free((void *)walk->met);
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

/* Lets an object wait, which is shared if what leads to it is. */
static DMD_INLINE_ void dmd_walk_later_(struct dmd_walk_ *walk, const void *object, dmd_walk_fn_ fn,
                                        int flags) {
  struct dmd_waiting_ *last;
  if (walk->n_waiting == walk->room && !dmd_walk_grow_(walk)) {
    int was_shared = walk->is_shared;
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

/* The object that came last, if it waits for this function, as one that is shared or not as the
   walk is now, and with its block; else null. */
static DMD_INLINE_ const void *dmd_walk_take_(struct dmd_walk_ *walk, dmd_walk_fn_ fn) {
  const int flags = walk->is_shared ? DMD_WALK_IS_BLOCK_ | DMD_WALK_IS_SHARED_ : DMD_WALK_IS_BLOCK_;
  const struct dmd_waiting_ *last = walk->waiting + walk->n_waiting;
  if (!walk->n_waiting || last[-1].walk != fn || last[-1].flags != flags)
    return NULL;
  walk->n_waiting--;
  return last[-1].object;
}

/* Takes the object that came last as the next; 0 if none waits. */
static DMD_INLINE_ int dmd_walk_goes_on_(struct dmd_walk_ *walk) {
  if (!walk->n_waiting)
    return 0;
  walk->next = walk->waiting[--walk->n_waiting];
  walk->is_shared = (walk->next.flags & DMD_WALK_IS_SHARED_) != 0;
  return 1;
}

static DMD_INLINE_ size_t dmd_walk_place_(const struct dmd_walk_ *walk, const void *p) {
  size_t place = ((size_t)p >> 4) * (size_t)2654435769u;
  place = (place ^ place >> 15) & (walk->room_met - 1);
  while (walk->met[place] && walk->met[place] != p)
    place = (place + 1) & (walk->room_met - 1);
  return place;
}

/* A table of twice the room; 0 without memory. */
static DMD_INLINE_ int dmd_walk_remember_(struct dmd_walk_ *walk) {
  struct dmd_walk_ old = *walk;
  size_t i;
  walk->room_met = old.room_met ? 2 * old.room_met : 64;
  walk->met = (const void **)calloc(walk->room_met, sizeof *walk->met);
  if (!walk->met) {
    walk->met = old.met;
    walk->room_met = old.room_met;
    return 0;
  }
  for (i = 0; i < old.room_met; i++)
    if (old.met[i])
      walk->met[dmd_walk_place_(walk, old.met[i])] = old.met[i];
  free((void *)old.met);
  return 1;
}

/* Whether this shared object is met for the first time. Without memory nobody knows; then it is. */
static DMD_INLINE_ int dmd_walk_meets_(struct dmd_walk_ *walk, const void *p) {
  size_t place;
  if (2 * walk->n_met >= walk->room_met && !dmd_walk_remember_(walk) &&
      walk->n_met + 1 >= walk->room_met)
    return 1;
  place = dmd_walk_place_(walk, p);
  if (walk->met[place])
    return 0;
  walk->met[place] = p;
  walk->n_met++;
  return 1;
}

#endif /* VALGRIND_DMD_DERIVED_H */
