/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/flame.h"

#include "base/bitset.h"
#include "base/str.h"

void dmd_flame_init(dmd_flame_t *flame, const dmd_env_t *env) {
  *flame = (dmd_flame_t){.is_made = false};
  dmd_strbuf_init(&flame->text, env);
}

static void forget(dmd_flame_t *flame) {
  if (flame->is_made)
    dmd_nest_destroy(&flame->calls);
  flame->is_made = false;
}

void dmd_flame_destroy(dmd_flame_t *flame) {
  forget(flame);
  dmd_strbuf_destroy(&flame->text);
}

/* own: the place of the frame that allocated. */
static void go(dmd_nest_way_t *way, const uint32_t *frames, size_t n, size_t own, bool upwards) {
  dmd_nest_way_begin(way);
  if (n == 0)
    dmd_nest_way_step(way, 1);
  else if (upwards)
    for (size_t i = own; i < n; i++)
      dmd_nest_way_step(way, frames[i] + 1);
  else
    for (size_t i = n; i > own; i--)
      dmd_nest_way_step(way, frames[i - 1] + 1);
}

/* In the profile's order, in which a stack has most in common with the one before it. */
static void add_records(dmd_flame_t *flame, const dmd_recordlist_t *list) {
  dmd_bitset_t shown;
  dmd_nest_way_t way;
  uint32_t last = list->records->records.last;
  dmd_bitset_init(&shown, list->records->profile->env, "dmd.page.flame", last + 1);
  for (uint32_t i = 0; i < list->shown.n; i++)
    dmd_bitset_add(&shown, list->ids[i]);
  dmd_nest_way_init(&way, &flame->calls);
  for (uint32_t id = 1; id <= last; id++) {
    if (!dmd_bitset_has(&shown, id))
      continue;
    const dmd_record_t *r = dmd_records_at(list->records, id);
    dmd_tally_t tally = {.total = 0};
    dmd_tally_add(&tally, dmd_record_section(list->records, r), r->num, r->usable);
    size_t n, own = 0;
    const uint32_t *frames = dmd_records_frames(list->records, r->stack, &n);
    if (n > 0)
      dmd_record_own_frame(list->records, list->allocfns, r, &own);
    go(&way, frames, n, own, flame->upwards);
    dmd_nest_add(&flame->calls, way.id, &tally);
  }
  dmd_nest_way_destroy(&way);
  dmd_bitset_destroy(&shown);
}

static void add_lifetimes(dmd_flame_t *flame, const dmd_recordlist_t *list) {
  const dmd_profile_t *profile = list->records->profile;
  dmd_nest_way_t way;
  dmd_nest_way_init(&way, &flame->calls);
  for (uint32_t id = 1; id <= dmd_lifetimes_count(&profile->lifetimes); id++) {
    const dmd_lifetime_t *lifetime = dmd_lifetimes_at(&profile->lifetimes, id);
    bool counts_blocks = flame->weight == DMD_FLAME_TEMPORARY;
    uint64_t n_blocks = counts_blocks ? lifetime->n_temporary : lifetime->n_allocs;
    if (n_blocks == 0)
      continue;
    size_t n;
    const uint32_t *frames = dmd_profile_frames(profile, lifetime->stack, &n);
    dmd_tally_t tally = {.total = 0};
    dmd_tally_add(&tally, DMD_SECTION_ALL, (int64_t)n_blocks,
                  (int64_t)(counts_blocks ? n_blocks : lifetime->alloc_szB));
    go(&way, frames, n, n == 0 ? 0 : dmd_first_own_frame(list->allocfns, frames, n),
       flame->upwards);
    dmd_nest_add(&flame->calls, way.id, &tally);
  }
  dmd_nest_way_destroy(&way);
}

void dmd_flame_make(dmd_flame_t *flame, const dmd_recordlist_t *list,
                    const dmd_selection_t *selection, dmd_flame_weight_t weight, bool upwards) {
  if (flame->is_made && flame->weight == weight && flame->upwards == upwards &&
      flame->sections == selection->sections && flame->is_regex == selection->is_regex &&
      dmd_str_equal(flame->text.text, selection->text))
    return;
  forget(flame);
  flame->weight = weight;
  flame->upwards = upwards;
  flame->sections = selection->sections;
  flame->is_regex = selection->is_regex;
  dmd_strbuf_cut(&flame->text, 0);
  dmd_strbuf_str(&flame->text, selection->text);
  dmd_nest_init(&flame->calls, list->records->profile->env);
  flame->is_made = true;
  if (weight == DMD_FLAME_LIVE)
    add_records(flame, list);
  else
    add_lifetimes(flame, list);
  dmd_nest_finish(&flame->calls);
}
