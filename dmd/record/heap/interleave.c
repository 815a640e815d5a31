/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A scope is marked as mixed if
 * - while it was suspended, others reported, or began or ended reporters: it may have waited for
 *   them and claim what they measured;
 * - a scope within it was still open when it ended;
 * - a scope begun before it reported or ended while it was open;
 * - the current scope is unknown, because a stack was cut or two instances of a coroutine are open.
 *   The scope begun last then counts;
 * - it moves to another thread, on whose stack its coroutine is found, or which ends it. All scopes
 *   that this thread has open become mixed, too;
 * - it seems to be a plain function's but is ended by a coroutine: the code that runs before a
 *   coroutine's first suspension may be inlined into its caller.
 */
#include "record/heap/interleave.h"

static dmd_begin_frame_t frame_of(const dmd_live_t *live, const dmd_scope_t *scope,
                                  uint32_t stack) {
  const dmd_live_host_t *host = &live->config.host;
  if (host->begin_frame == NULL)
    return (dmd_begin_frame_t){DMD_FRAME_UNKNOWN, 0, false};
  return host->begin_frame(host->ctx, scope->begin.stack, stack);
}

/* Start of the block that contains the scope's guard; 0 if no block does. */
static uint64_t block_of_guard(dmd_live_t *live, dmd_scope_t *scope) {
  if (scope->frame == 0)
    (void)dmd_blocks_find_containing(live->blocks, scope->begin.guard, &scope->frame);
  return scope->frame;
}

/* True if two scopes begun by the same function seem to belong to two coroutines. */
static bool of_two(dmd_live_t *live, dmd_scope_t *a, dmd_scope_t *b) {
  if (!a->is_free || !b->is_free)
    return false;
  uint64_t block = block_of_guard(live, a);
  return block == 0 || block != block_of_guard(live, b);
}

/* Marks the scopes strictly between inner and outer. inner NULL: starts with the innermost; outer
 * NULL: goes on to the outermost. */
static void mark(const dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *inner,
                 const dmd_scope_t *outer) {
  while ((inner = dmd_scopes_next_pushed(scopes, thread, inner)) != outer)
    inner->is_mixed = true;
}

/* An ending scope and those still open within it make each other uncertain. */
static void mark_within(const dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *ending) {
  mark(scopes, thread, NULL, ending);
  ending->is_mixed |= dmd_scopes_pushed(scopes, thread, 0) != ending;
}

/* Moves a scope that continues in another thread. */
static dmd_scope_t *arrive(dmd_scopes_t *scopes, uint32_t from, dmd_scope_t *scope, uint32_t to) {
  scope = dmd_scopes_move(scopes, from, scope, to);
  mark(scopes, to, NULL, NULL);
  return scope;
}

/* Finds a scope that another thread has, whose coroutine is on this stack further in than frame
 * `innermost`; moves it here. NULL if none. */
static dmd_scope_t *find_arrived(const dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                 uint32_t stack, uint32_t innermost) {
  dmd_scope_t *found = NULL;
  uint32_t owner = DMD_NO_THREAD;
  for (uint32_t t = 0; t < scopes->n_threads; t++) {
    dmd_scope_t *scope = NULL;
    while (t != thread && (scope = dmd_scopes_next_pushed(scopes, t, scope)) != NULL) {
      if (!scope->begin.in_coroutine)
        continue;
      dmd_begin_frame_t at = frame_of(live, scope, stack);
      if (!at.is_coroutine || at.frame >= innermost)
        continue;
      found = scope;
      owner = t;
      innermost = at.frame;
    }
  }
  return found == NULL ? NULL : arrive(scopes, owner, found, thread);
}

dmd_scope_t *dmd_live_look_around(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                  uint32_t stack, dmd_scope_t *ending) {
  dmd_scope_t *found = NULL, *scope = ending;
  uint32_t innermost = UINT32_MAX;
  bool doubt = false;
  if (ending != NULL)
    mark_within(scopes, thread, ending);
  while ((scope = dmd_scopes_next_pushed(scopes, thread, scope)) != NULL) {
    dmd_begin_frame_t at = frame_of(live, scope, stack);
    if (at.where == DMD_FRAME_SUSPENDED) {
      scope->is_mixed = true;
      continue;
    }
    doubt |= at.where == DMD_FRAME_UNKNOWN;
    uint32_t frame = at.where == DMD_FRAME_UNKNOWN ? UINT32_MAX : at.frame;
    if (found != NULL && frame == innermost)
      doubt |= of_two(live, found, scope);
    if (found == NULL || frame < innermost) {
      found = scope;
      innermost = frame;
    }
  }
  mark(scopes, thread, doubt ? NULL : ending, doubt ? NULL : found);
  dmd_scope_t *arrived = ending != NULL || scopes->n_in_coroutines == 0
                             ? NULL
                             : find_arrived(live, scopes, thread, stack, innermost);
  return arrived != NULL ? arrived : found;
}

dmd_scope_t *dmd_live_take_over(dmd_scopes_t *scopes, uint32_t thread, uint64_t guard) {
  uint32_t owner;
  dmd_scope_t *scope = dmd_scopes_find_guard_of_others(scopes, thread, guard, &owner);
  return scope == NULL ? NULL : arrive(scopes, owner, scope, thread);
}

/* ---- Scopes that look like those of plain functions. ---- */

static bool is_plain_guard(const dmd_scope_t *scope) {
  return scope->begin.guard != 0 && !scope->begin.in_coroutine;
}

static bool any_other_plain_guard(const dmd_scopes_t *scopes, const dmd_scope_t *than) {
  for (uint32_t t = 0; t < scopes->n_threads; t++) {
    const dmd_scope_t *scope = NULL;
    while ((scope = dmd_scopes_next_pushed(scopes, t, scope)) != NULL)
      if (scope != than && is_plain_guard(scope))
        return true;
  }
  return false;
}

bool dmd_live_may_be_anothers(const dmd_live_t *live, const dmd_scope_t *scope) {
  const dmd_live_host_t *host = &live->config.host;
  if (host->has_other_coroutine == NULL || scope->begin.guard == 0 ||
      !any_other_plain_guard(&live->reporters, scope))
    return false;
  uint32_t place = DMD_NONE;
  while ((place = dmd_claims_next_place(&live->claims, scope->data, place)) != DMD_NONE)
    if (host->has_other_coroutine(host->ctx, scope->begin.stack,
                                  dmd_claims_place_stack(&live->claims, place)))
      return true;
  return false;
}
