/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page/flame.h"

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

static uint32_t reach_call(dmd_nest_t *calls, const dmd_recordlist_t *list, const dmd_record_t *r,
                           bool upwards) {
  size_t n, own;
  const uint32_t *frames = dmd_records_frames(list->records, r->stack, &n);
  uint32_t id = DMD_NEST_ROOT;
  if (n == 0)
    return dmd_nest_reach(calls, id, 1);
  dmd_record_own_frame(list->records, list->allocfns, r, &own);
  if (upwards)
    for (size_t i = own; i < n; i++)
      id = dmd_nest_reach(calls, id, frames[i] + 1);
  else
    for (size_t i = n; i > 0; i--)
      id = dmd_nest_reach(calls, id, frames[i - 1] + 1);
  return id;
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
  for (uint32_t i = 0; i < list->shown.n; i++) {
    const dmd_record_t *r = dmd_records_at(list->records, list->ids[i]);
    dmd_tally_t tally = {.total = 0};
    dmd_tally_add(&tally, dmd_record_section(list->records, r), r->num, r->usable);
    dmd_nest_add(&flame->calls, reach_call(&flame->calls, list, r, upwards), &tally);
  }
  dmd_nest_finish(&flame->calls);
}
