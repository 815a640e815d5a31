/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/interleave.h"

static dmd_begin_frame_t frame_of(const dmd_live_t *live, const dmd_scope_t *scope,
                                  uint32_t stack) {
  const dmd_live_host_t *host = &live->config.host;
  if (host->begin_frame == NULL)
    return (dmd_begin_frame_t){DMD_FRAME_UNKNOWN, 0};
  return host->begin_frame(host->ctx, scope->begin.stack, stack);
}

/* The start of the block that the scope's guard lies in; 0: in none. */
static uint64_t block_of_guard(dmd_live_t *live, dmd_scope_t *scope) {
  if (scope->frame == 0)
    (void)dmd_blocks_find_containing(live->blocks, scope->begin.guard, &scope->frame);
  return scope->frame;
}

/* Whether two scopes that one function began are those of two coroutines, as far as one can tell.
 */
static bool of_two(dmd_live_t *live, dmd_scope_t *a, dmd_scope_t *b) {
  if (!a->is_free || !b->is_free)
    return false;
  uint64_t block = block_of_guard(live, a);
  return block == 0 || block != block_of_guard(live, b);
}

/* Marks those that the one is within and the other is not; NULL: the innermost, all. */
static void mark(const dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *inner,
                 const dmd_scope_t *outer) {
  while ((inner = dmd_scopes_next_pushed(scopes, thread, inner)) != outer)
    inner->is_mixed = true;
}

/* What goes on within a scope that ends makes it uncertain, and the other way round. */
static void mark_within(const dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *ending) {
  mark(scopes, thread, NULL, ending);
  ending->is_mixed |= dmd_scopes_pushed(scopes, thread, 0) != ending;
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
  return found;
}
