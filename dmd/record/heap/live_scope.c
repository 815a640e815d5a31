/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tags and reporters of the threads, and the claims of reporters.
 */
#include "record/heap/interleave.h"

/* ---- Scopes left without an end. ---- */

static void fault_of_left(dmd_live_t *live, const dmd_scopes_t *scopes, uint32_t thread,
                          const dmd_scope_t *scope, dmd_reason_t reason) {
  bool is_tag = scopes == &live->tags;
  uint32_t name = scope->name;
  if (is_tag)
    name = dmd_intern_str(&live->reporter_names, dmd_intern_get_str(&live->tag_names, name));
  dmd_fault_t fault = {.num = 1,
                       .kind = DMD_FAULT_SCOPE_LEFT_OPEN,
                       .reason = reason,
                       .scope = name,
                       .stack = scope->begin.stack};
  if (is_tag)
    fault.reporter = dmd_scopes_top(&live->reporters, thread);
  dmd_faults_add(&live->faults, &fault);
}

/* ---- Scopes shared by several threads. ---- */

/* The thread's joined scope is about to go and no longer adds to its claim. */
static void leave(dmd_live_t *live, const dmd_scope_t *scope) {
  if (scope->data != DMD_NONE)
    dmd_claims_at(&live->claims, scope->data)->n_joined--;
}

/* The claim is about to go: detaches the threads that are still in its scope. */
static void part(dmd_live_t *live, uint32_t claim) {
  for (uint32_t t = 0; t < live->reporters.n_threads; t++) {
    if (dmd_claims_at(&live->claims, claim)->n_joined == 0)
      return;
    dmd_scope_t *scope = NULL;
    while ((scope = dmd_scopes_next_pushed(&live->reporters, t, scope)) != NULL)
      if (scope->is_joined && scope->data == claim) {
        leave(live, scope);
        scope->data = DMD_NONE;
      }
  }
}

static void discard_claim(dmd_live_t *live, uint32_t thread, const dmd_scope_t *scope) {
  const dmd_scope_t *outer = dmd_scopes_next_pushed(&live->reporters, thread, scope);
  part(live, scope->data);
  dmd_claims_discard(&live->claims, scope->data, outer == NULL ? DMD_NONE : outer->data);
}

uint64_t dmd_live_reporter_handle(const dmd_live_t *live, uint32_t thread) {
  uint32_t claim = dmd_live_claim(live, thread, 0);
  return claim == DMD_NONE ? 0 : dmd_claims_at(&live->claims, claim)->serial;
}

/* The scope, in any thread, whose claim has this number, or NULL. 32-bit programs pass the lower
 * half of the number. */
static const dmd_scope_t *find_by_handle(const dmd_live_t *live, uint64_t handle) {
  uint64_t mask = live->config.word_szB == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
  for (uint32_t t = 0; t < live->reporters.n_threads; t++) {
    dmd_scope_t *scope = NULL;
    while ((scope = dmd_scopes_next_pushed(&live->reporters, t, scope)) != NULL)
      if (scope->data != DMD_NONE &&
          (dmd_claims_at(&live->claims, scope->data)->serial & mask) == handle)
        return scope;
  }
  return NULL;
}

bool dmd_live_join_reporter(dmd_live_t *live, uint32_t thread, uint64_t handle, dmd_place_t place) {
  const dmd_scope_t *found = find_by_handle(live, handle);
  uint32_t name = found == NULL ? DMD_NONE : found->name;
  uint32_t claim = found == NULL ? DMD_NONE : found->data;
  dmd_scopes_push(&live->reporters, thread, name);
  dmd_scope_t *scope = dmd_scopes_pushed(&live->reporters, thread, 0);
  scope->begin = place;
  scope->data = claim;
  scope->is_joined = true;
  if (claim != DMD_NONE)
    dmd_claims_at(&live->claims, claim)->n_joined++;
  return claim != DMD_NONE;
}

/* ---- Closing scopes. ---- */

/* Removes a scope of the thread that has no end. */
static void drop(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope) {
  if (scope->is_joined)
    leave(live, scope);
  else if (scopes == &live->reporters)
    discard_claim(live, thread, scope);
  dmd_scopes_remove(scopes, thread, scope);
}

/* Closes a scope that the thread left without an end. */
static void close_left(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                       dmd_scope_t *scope) {
  if (!scope->is_counted && !scope->is_joined)
    fault_of_left(live, scopes, thread, scope, DMD_REASON_NONE);
  drop(live, scopes, thread, scope);
}

static void close_all_left(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread) {
  dmd_scope_t *scope;
  while ((scope = dmd_scopes_pushed(scopes, thread, 0)) != NULL)
    close_left(live, scopes, thread, scope);
}

/* Drops signal handlers that the thread left by a jump, as its position shows, with the scopes they
 * had open. */
static void resume_what_goes_on(dmd_live_t *live, uint32_t thread, dmd_place_t place) {
  while (dmd_scopes_handler_is_gone(&live->reporters, thread, place.sp)) {
    close_all_left(live, &live->reporters, thread);
    dmd_scopes_resume(&live->reporters, thread);
  }
}

/* The scope that ends, or NULL if it is not open. */
static dmd_scope_t *find_ending(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                dmd_scope_end_t end) {
  const dmd_live_host_t *host = &live->config.host;
  dmd_scope_t *scope = NULL;
  if (end.place.guard != 0) {
    scope = dmd_scopes_find_guard(scopes, thread, end.place.guard);
    return scope != NULL ? scope : dmd_live_take_over(scopes, thread, end.place.guard);
  }
  if (end.depth != 0)
    return dmd_scopes_find(scopes, thread, end.depth);
  uint32_t n = host->same_function == NULL
                   ? 0
                   : dmd_scopes_n_left(scopes, thread, end.place, host->same_function, host->ctx);
  do
    scope = dmd_scopes_next_pushed(scopes, thread, scope);
  while (scope != NULL && (scope->is_free || n-- > 0));
  return scope;
}

/* True if the guard of a scope within an ending one was left by a jump: its function's part of the
 * stack is gone. Otherwise the guard may belong to a coroutine whose frame is in there. */
static bool guard_is_gone(const dmd_scope_t *scope, dmd_scope_end_t end) {
  return scope->begin.guard == 0 || end.place.guard == 0 ||
         !dmd_place_is_on_stack(&end.place, scope->begin.guard);
}

/* Finds the scope that ends, and closes scopes left open within it; NULL if it is not open. */
static dmd_scope_t *close_within(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                 dmd_scope_end_t end) {
  resume_what_goes_on(live, thread, end.place);
  dmd_scope_t *ending = find_ending(live, scopes, thread, end);
  if (ending == NULL || ending->is_free)
    return ending;
  dmd_scope_t *scope = NULL;
  while ((scope = dmd_scopes_next_pushed(scopes, thread, scope)) != ending)
    if (!scope->is_free && guard_is_gone(scope, end))
      close_left(live, scopes, thread, scope); /* the next one within it takes its place */
    else if (!scope->is_free)
      dmd_scopes_set_free(scopes, thread, scope);
  return ending;
}

/* ---- Reporters. ---- */

static bool is_ignored(const dmd_live_t *live, uint32_t claim) {
  return claim != DMD_NONE && dmd_claims_at(&live->claims, claim)->ignored;
}

uint32_t dmd_live_begin_reporter(dmd_live_t *live, uint32_t thread, const char *path,
                                 bool exclusive, dmd_place_t place) {
  uint32_t name = dmd_intern_text(&live->reporter_names, path);
  resume_what_goes_on(live, thread, place);
  if (dmd_scopes_any_free(&live->reporters, thread))
    dmd_live_look_around(live, &live->reporters, thread, place.stack, NULL);
  uint32_t depth = dmd_scopes_begin(&live->reporters, thread, name, place);
  dmd_scope_t *scope = dmd_scopes_pushed(&live->reporters, thread, 0);
  scope->data = dmd_claims_open(&live->claims, exclusive);
  dmd_claims_at(&live->claims, scope->data)->ignored =
      is_ignored(live, dmd_live_claim(live, thread, 1));
  const dmd_scope_t *other = dmd_scopes_of_others(&live->reporters, thread, name);
  if (other != NULL) {
    dmd_claims_at(&live->claims, other->data)->concurrent = true;
    dmd_claims_at(&live->claims, scope->data)->concurrent = true;
  }
  if (dmd_live_keeps_reports(live))
    dmd_live_want_stack_of_free(live);
  return depth;
}

void dmd_live_ignore_reporter(dmd_live_t *live, uint32_t thread) {
  uint32_t claim = dmd_live_claim(live, thread, 0);
  if (claim != DMD_NONE)
    dmd_claims_at(&live->claims, claim)->ignored = true;
}

bool dmd_live_is_ignored(const dmd_live_t *live, uint32_t thread) {
  return is_ignored(live, dmd_live_claim(live, thread, 0));
}

/* Adds what the reporter claimed, if that was right, to what it measured since the last clear.
 * Blocks reported on allocation come and go independently of runs and are in its counter
 * instead. */
static void note_end(dmd_live_t *live, uint32_t name, const dmd_claim_t *claim, uint64_t szB) {
  if (claim->kept > 0 && szB == claim->measured + claim->kept)
    szB = claim->measured;
  dmd_lastreports_note_run(&live->last_time, name, szB > claim->counted ? szB - claim->counted : 0);
}

/* A counting reporter claims more than there is: the excess may be blocks freed while counted. */
static void look_for_losses(const dmd_live_t *live, const dmd_counter_t *counter,
                            dmd_fault_t *fault) {
  bool all;
  if (fault->claimed <= fault->measured)
    return;
  uint32_t id = dmd_counters_explain(&live->counters, counter, fault->bytes, &all);
  if (id == DMD_NONE)
    return;
  const dmd_loss_t *loss = dmd_counters_loss(&live->counters, id);
  fault->reason = DMD_REASON_FREED_COUNTED;
  fault->allocated = loss->allocated;
  fault->freed = loss->freed;
}

/* Counts a fault if the reporter's final claim is wrong. Counts none if it is uncertain what the
 * reporter measured. */
static void judge_end(dmd_live_t *live, const dmd_scope_t *scope, uint64_t claimed,
                      uint32_t stack) {
  dmd_claim_t *claim = dmd_claims_at(&live->claims, scope->data);
  dmd_fault_t fault = {.num = 1, .stack = stack, .reporter = scope->name};
  const dmd_counter_t *counter =
      claim->counted == 0 ? dmd_counters_find(&live->counters, scope->name) : NULL;
  if (counter != NULL) {
    dmd_blocks_settle(live->blocks);
    claim->kept = counter->live;
  }
  bool wrong = !scope->is_mixed && dmd_claims_judge(&live->claims, scope->data, claimed, &fault);
  wrong = wrong && !dmd_live_may_be_anothers(live, scope);
  if (wrong && counter != NULL)
    look_for_losses(live, counter, &fault);
  if (wrong)
    dmd_faults_add(&live->faults, &fault);
  note_end(live, scope->name, claim, wrong ? claim->measured : claimed);
}

/* The claim of the reporter around the one that ends here, or DMD_NONE. */
static uint32_t claim_around(dmd_live_t *live, uint32_t thread, dmd_scope_t *scope,
                             uint32_t stack) {
  const dmd_scope_t *outer =
      dmd_scopes_any_free(&live->reporters, thread)
          ? dmd_live_look_around(live, &live->reporters, thread, stack, scope)
          : dmd_scopes_next_pushed(&live->reporters, thread, scope);
  return outer == NULL ? DMD_NONE : outer->data;
}

bool dmd_live_end_reporter(dmd_live_t *live, uint32_t thread, uint64_t claimed, uint32_t stack,
                           dmd_scope_end_t end) {
  dmd_scope_t *scope = close_within(live, &live->reporters, thread, end);
  if (scope == NULL || scope->is_joined)
    return false;
  if (is_ignored(live, scope->data)) {
    part(live, scope->data);
    dmd_claims_discard(&live->claims, scope->data, DMD_NONE);
    dmd_scopes_remove(&live->reporters, thread, scope);
    return true;
  }
  scope->is_mixed |= end.place.in_coroutine && !scope->begin.in_coroutine;
  uint32_t outer = claim_around(live, thread, scope, stack);
  /* In a sampled program most of the claimed blocks are unknown. */
  if (dmd_live_keeps_reports(live) && live->config.sample_interval == 0)
    judge_end(live, scope, claimed, stack);
  part(live, scope->data);
  dmd_claim_t *claim = dmd_claims_at(&live->claims, scope->data);
  claim->off = claimed - claim->measured;
  dmd_claims_close(&live->claims, scope->data, outer, scope->name);
  dmd_scopes_remove(&live->reporters, thread, scope);
  return true;
}

bool dmd_live_abandon_reporter(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end) {
  dmd_scope_t *scope = close_within(live, &live->reporters, thread, end);
  if (scope == NULL || scope->is_joined)
    return false;
  drop(live, &live->reporters, thread, scope);
  return true;
}

bool dmd_live_leave_reporter(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end) {
  dmd_scope_t *scope = close_within(live, &live->reporters, thread, end);
  if (scope == NULL || !scope->is_joined)
    return false;
  drop(live, &live->reporters, thread, scope);
  return true;
}

/* ---- Signal handlers. ---- */

void dmd_live_begin_handler(dmd_live_t *live, uint32_t thread, uint64_t sp) {
  if (dmd_scopes_depth(&live->reporters, thread) > 0 ||
      dmd_scopes_is_interrupted(&live->reporters, thread))
    dmd_scopes_interrupt(&live->reporters, thread, sp);
}

void dmd_live_end_handler(dmd_live_t *live, uint32_t thread) {
  if (!dmd_scopes_is_interrupted(&live->reporters, thread))
    return;
  close_all_left(live, &live->reporters, thread);
  dmd_scopes_resume(&live->reporters, thread);
}

void dmd_live_see_handler(dmd_live_t *live, uint32_t thread, uint64_t sp) {
  if (sp != 0 && !dmd_scopes_was_interrupted_at(&live->reporters, thread, sp)) {
    dmd_live_begin_handler(live, thread, sp);
    return;
  }
  while (dmd_live_is_in_handler(live, thread) &&
         !dmd_scopes_innermost_is_at(&live->reporters, thread, sp))
    dmd_live_end_handler(live, thread);
}

bool dmd_live_is_in_handler(const dmd_live_t *live, uint32_t thread) {
  return dmd_scopes_is_interrupted(&live->reporters, thread);
}

/* ---- Tags that were left open. ---- */

/* Guards have their own rules (close_within). */
static bool may_pop_itself(const dmd_scope_t *scope) {
  return scope->ended_by != DMD_ENDED_BY_OTHERS && scope->begin.guard == 0 && scope->begin.ip != 0;
}

static bool pops_itself(const dmd_live_t *live, dmd_scope_t *scope) {
  const dmd_live_host_t *host = &live->config.host;
  if (!may_pop_itself(scope) || host->pops_itself == NULL)
    return false;
  if (scope->ended_by == DMD_ENDED_BY_UNKNOWN)
    scope->ended_by =
        host->pops_itself(host->ctx, scope->begin.ip) ? DMD_ENDED_BY_ITSELF : DMD_ENDED_BY_OTHERS;
  return scope->ended_by == DMD_ENDED_BY_ITSELF;
}

uint64_t dmd_live_tag_limit(const dmd_live_t *live, uint32_t thread) {
  if (live->tags.n_open == 0)
    return UINT64_MAX;
  const dmd_scope_t *scope = dmd_scopes_pushed(&live->tags, thread, 0);
  return scope == NULL || !may_pop_itself(scope) ? UINT64_MAX : scope->begin.sp;
}

void dmd_live_drop_left_tags(dmd_live_t *live, uint32_t thread, uint32_t stack) {
  const dmd_live_host_t *host = &live->config.host;
  dmd_scope_t *scope = NULL;
  while ((scope = dmd_scopes_next_pushed(&live->tags, thread, scope)) != NULL)
    if (pops_itself(live, scope) && host->has_ended(host->ctx, scope->begin.stack, stack))
      close_left(live, &live->tags, thread, scope); /* the next one within it takes its place */
}

/* ---- Scopes open at a dump. ---- */

static dmd_begin_state_t begin_state(const dmd_live_t *live, const dmd_scope_t *scope,
                                     uint32_t stack) {
  const dmd_live_host_t *host = &live->config.host;
  return host->begin_state == NULL ? DMD_BEGIN_UNKNOWN
                                   : host->begin_state(host->ctx, scope->begin.stack, stack);
}

static void count_open_reporters(dmd_live_t *live, uint32_t thread, uint32_t stack) {
  dmd_scope_t *scope = NULL;
  while ((scope = dmd_scopes_next_pushed(&live->reporters, thread, scope)) != NULL) {
    if (scope->is_joined)
      continue; /* another thread ends it */
    if (scope->is_counted)
      return; /* so are those around it */
    bool runs = begin_state(live, scope, stack) == DMD_BEGIN_RUNNING;
    scope->is_counted = true;
    fault_of_left(live, &live->reporters, thread, scope,
                  runs ? DMD_REASON_STILL_RUNNING : DMD_REASON_NONE);
  }
}

/* A tag may be open at a dump: only one left without an end is a fault. It stays open if it is not
 * certain that no other function was to end it. */
static void count_left_tags(dmd_live_t *live, uint32_t thread, uint32_t stack) {
  dmd_scope_t *scope = NULL;
  while ((scope = dmd_scopes_next_pushed(&live->tags, thread, scope)) != NULL) {
    if (scope->is_counted || scope->is_free || begin_state(live, scope, stack) != DMD_BEGIN_LEFT)
      continue;
    scope->is_counted = true;
    fault_of_left(live, &live->tags, thread, scope, DMD_REASON_NONE);
  }
}

void dmd_live_check_open(dmd_live_t *live, uint32_t thread, uint32_t stack) {
  count_open_reporters(live, thread, stack);
  dmd_live_drop_left_tags(live, thread, stack);
  count_left_tags(live, thread, stack);
}

void dmd_live_end_all(dmd_live_t *live) {
  for (uint32_t thread = 0; thread < live->reporters.n_threads; thread++)
    close_all_left(live, &live->reporters, thread);
}

/* ---- Tags. ---- */

uint32_t dmd_live_push_tag(dmd_live_t *live, uint32_t thread, const char *name, dmd_place_t place) {
  return dmd_scopes_begin(&live->tags, thread, dmd_tag_intern(&live->tag_names, name), place);
}

bool dmd_live_pop_tag(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end) {
  dmd_scope_t *scope = close_within(live, &live->tags, thread, end);
  if (scope == NULL)
    return false;
  dmd_scopes_remove(&live->tags, thread, scope);
  return true;
}

uint32_t dmd_live_set_tag(dmd_live_t *live, uint32_t thread, const char *name) {
  return dmd_scopes_set(&live->tags, thread, dmd_tag_intern(&live->tag_names, name));
}

void dmd_live_clear_tag(dmd_live_t *live, uint32_t thread) {
  dmd_scopes_clear(&live->tags, thread);
}

dmd_tag_sum_t dmd_live_tag_sum(dmd_live_t *live, const char *name) {
  return dmd_blocks_tag_sum(live->blocks, dmd_intern_find_text(&live->tag_names, name));
}

uint64_t dmd_live_tag_bytes(dmd_live_t *live, uint32_t thread, const char *name) {
  uint64_t usable = dmd_live_tag_sum(live, name).usable;
  uint32_t claim = dmd_live_claim(live, thread, 0);
  if (claim != DMD_NONE)
    dmd_claims_at(&live->claims, claim)->optional += usable;
  return usable;
}

/* ---- Threads. ---- */

void dmd_live_start_thread(dmd_live_t *live, uint32_t parent, uint32_t thread) {
  uint32_t tag = live->config.inherit_tags ? dmd_scopes_top(&live->tags, parent) : DMD_NONE;
  dmd_scopes_start_thread(&live->tags, thread, tag);
  dmd_scopes_start_thread(&live->reporters, thread, DMD_NONE);
}

/* The thread has ended, so its open scopes cannot end any more. */
static void drop_all(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread) {
  dmd_scope_t *scope;
  while ((scope = dmd_scopes_pushed(scopes, thread, 0)) != NULL)
    drop(live, scopes, thread, scope);
  dmd_scopes_end_thread(scopes, thread);
}

/* Coroutines that the thread leaves suspended may continue in other threads. */
static void leave_to_others(dmd_scopes_t *scopes, uint32_t thread) {
  dmd_scope_t *scope = NULL;
  while (thread != DMD_NO_THREAD && dmd_scopes_any_free(scopes, thread) &&
         (scope = dmd_scopes_next_pushed(scopes, thread, scope)) != NULL)
    if (scope->is_free) {
      dmd_scopes_move(scopes, thread, scope, DMD_NO_THREAD);
      scope = NULL; /* the scope within it took its place */
    }
}

/* Open tags are no fault here: a tag may last as long as its thread, and at the program's end all
 * threads end with the tags that they carry. */
void dmd_live_end_thread(dmd_live_t *live, uint32_t thread) {
  dmd_counters_end_thread(&live->counters, thread);
  leave_to_others(&live->reporters, thread);
  leave_to_others(&live->tags, thread);
  close_all_left(live, &live->reporters, thread);
  dmd_scopes_end_thread(&live->reporters, thread);
  drop_all(live, &live->tags, thread);
  dmd_regions_end_stack(&live->regions, thread);
}

void dmd_live_forked(dmd_live_t *live, uint32_t thread) {
  dmd_regions_end_other_stacks(&live->regions, thread);
  dmd_blocks_forked(live->blocks);
  for (uint32_t t = 0; t < live->tags.n_threads; t++)
    if (t != thread)
      drop_all(live, &live->tags, t);
  for (uint32_t t = 0; t < live->reporters.n_threads; t++)
    if (t != thread)
      drop_all(live, &live->reporters, t);
}
