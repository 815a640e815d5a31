/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of both profiles are copied twice: with plain frames into a separate profile, in which
 * stacks of one place coincide, and unchanged into the profile that is shown.
 */
#include "analyse/records/changes.h"

#include "analyse/records/plain.h"
#include "base/mem.h"
#include "base/sort.h"
#include "model/profile/translate.h"

/* One of the two profiles while its places are determined. */
typedef struct {
  const dmd_profile_t *profile;
  dmd_profile_t *plain; /* its stacks are the places, with the same ids */
  dmd_translation_t to_plain, to_shown;
} source_t;

static dmd_place_t *place_at(const dmd_changes_t *changes, uint32_t id) {
  return DMD_POOL_AT(&changes->places, dmd_place_t, id);
}

/* ---- Adding up. ---- */

static uint32_t add_plain_frame(void *ctx, uint32_t id) {
  const source_t *s = ctx;
  char *text = dmd_frame_without_line(&s->profile->frames, id);
  uint32_t plain = dmd_frames_read_text(&s->plain->frames, text);
  dmd_env_free(s->profile->env, text);
  return plain;
}

/* The place of a stack; this stack becomes the one shown for the place. */
static uint32_t find_place(dmd_changes_t *changes, source_t *s, uint32_t stack) {
  uint32_t id = stack != DMD_NONE ? dmd_translation_stack(&s->to_plain, stack)
                                  : dmd_profile_stack(s->plain, NULL, 0);
  dmd_pool_reach(&changes->places, id);
  place_at(changes, id)->stack = dmd_translation_stack(&s->to_shown, stack);
  return id;
}

static void add_groups(dmd_changes_t *changes, source_t *s, bool is_now) {
  const dmd_profile_t *profile = s->profile;
  size_t n_stacks = (size_t)dmd_intern_count(&profile->stacks) + 1;
  uint32_t *places = dmd_env_alloc(profile->env, "dmd.changes", n_stacks * sizeof *places);
  dmd_mem_zero(places, n_stacks * sizeof *places);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    if (places[g->stack] == DMD_NONE)
      places[g->stack] = find_place(changes, s, g->stack);
    dmd_place_t *place = place_at(changes, places[g->stack]);
    dmd_section_t state = dmd_section_of_group(profile, g);
    dmd_tally_add_group(is_now ? &place->now : &place->before, state, profile, g);
    dmd_tally_add_group(is_now ? &changes->now : &changes->before, state, profile, g);
  }
  dmd_env_free(profile->env, places);
}

static void add_profile(dmd_changes_t *changes, dmd_profile_t *plain, const dmd_profile_t *profile,
                        uint32_t max_frames, bool is_now) {
  source_t s = {.profile = profile, .plain = plain};
  dmd_translation_init_profile(&s.to_plain, plain, profile, add_plain_frame, &s);
  dmd_translation_init_profile(&s.to_shown, &changes->shown, profile, NULL, NULL);
  s.to_plain.max_frames = s.to_shown.max_frames = max_frames;
  add_groups(changes, &s, is_now);
  dmd_translation_destroy(&s.to_shown);
  dmd_translation_destroy(&s.to_plain);
}

/* ---- Judging. ---- */

dmd_section_t dmd_tally_main_state(const dmd_tally_t *tally) {
  dmd_section_t most = DMD_SECTION_TWICE;
  for (dmd_section_t state = DMD_SECTION_UNREPORTED; state < DMD_N_SECTIONS; state++)
    if (tally->usable[state] > tally->usable[most])
      most = state;
  return most;
}

dmd_change_t dmd_place_change(const dmd_place_t *p) {
  if (p->before.num > 0 && p->now.num > 0 &&
      dmd_tally_main_state(&p->before) != dmd_tally_main_state(&p->now))
    return DMD_CHANGE_STATUS;
  if (p->before.num == 0)
    return DMD_CHANGE_NEW;
  if (p->now.num == 0)
    return DMD_CHANGE_GONE;
  return p->now.total > p->before.total   ? DMD_CHANGE_GROWN
         : p->now.total < p->before.total ? DMD_CHANGE_SHRUNK
                                          : DMD_CHANGE_OTHER;
}

/* The size of the change at a place, in bytes; includes bytes that only changed state. */
static uint64_t weight(const dmd_place_t *p) {
  uint64_t most = dmd_magnitude(p->now.total - p->before.total);
  for (int state = 0; state < DMD_N_SECTIONS; state++) {
    uint64_t change = dmd_magnitude(p->now.usable[state] - p->before.usable[state]);
    most = change > most ? change : most;
  }
  return most;
}

static int compare_places(const void *ctx, uint32_t a, uint32_t b) {
  uint64_t x = weight(place_at(ctx, a)), y = weight(place_at(ctx, b));
  return (x < y) - (x > y);
}

void dmd_changes_init(dmd_changes_t *changes, const dmd_profile_t *before, const dmd_profile_t *now,
                      uint32_t max_frames) {
  const dmd_env_t *env = now->env;
  *changes = (dmd_changes_t){.mode = now->mode, .is_of_peak = now->shows_peak};
  dmd_profile_init(&changes->shown, env);
  dmd_pool_init(&changes->places, env, "dmd.changes", sizeof(dmd_place_t));
  dmd_profile_t plain;
  dmd_profile_init(&plain, env);
  add_profile(changes, &plain, before, max_frames, false);
  add_profile(changes, &plain, now, max_frames, true);
  dmd_profile_destroy(&plain);
  changes->order =
      dmd_env_alloc(env, "dmd.changes", ((size_t)changes->places.last + 1) * sizeof(uint32_t));
  for (uint32_t id = 1; id <= changes->places.last; id++) {
    const dmd_place_t *p = place_at(changes, id);
    if (weight(p) > 0 || p->before.num != p->now.num)
      changes->order[changes->n++] = id;
  }
  dmd_sort(env, changes->order, changes->n, compare_places, changes);
}

void dmd_changes_destroy(dmd_changes_t *changes) {
  dmd_env_free(changes->shown.env, changes->order);
  dmd_pool_destroy(&changes->places);
  dmd_profile_destroy(&changes->shown);
}
