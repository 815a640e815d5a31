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

static void go(dmd_nest_way_t *way, const dmd_recordlist_t *list, const dmd_record_t *r,
               bool upwards) {
  size_t n, own;
  const uint32_t *frames = dmd_records_frames(list->records, r->stack, &n);
  dmd_nest_way_begin(way);
  if (n == 0) {
    dmd_nest_way_step(way, 1);
    return;
  }
  dmd_record_own_frame(list->records, list->allocfns, r, &own);
  if (upwards)
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
    go(&way, list, r, flame->upwards);
    dmd_nest_add(&flame->calls, way.id, &tally);
  }
  dmd_nest_way_destroy(&way);
  dmd_bitset_destroy(&shown);
}

void dmd_flame_make(dmd_flame_t *flame, const dmd_recordlist_t *list,
                    const dmd_selection_t *selection, bool upwards) {
  if (flame->is_made && flame->upwards == upwards && flame->sections == selection->sections &&
      flame->is_regex == selection->is_regex && dmd_str_equal(flame->text.text, selection->text))
    return;
  forget(flame);
  flame->upwards = upwards;
  flame->sections = selection->sections;
  flame->is_regex = selection->is_regex;
  dmd_strbuf_cut(&flame->text, 0);
  dmd_strbuf_str(&flame->text, selection->text);
  dmd_nest_init(&flame->calls, list->records->profile->env);
  flame->is_made = true;
  add_records(flame, list);
  dmd_nest_finish(&flame->calls);
}
