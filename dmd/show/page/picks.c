/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/picks.h"

#include "base/str.h"
#include "model/profile/translate.h"

static const char *const words[DMD_N_BY] = {
    [DMD_BY_RECORD] = "stack",  [DMD_BY_REPORTER] = "reporter", [DMD_BY_TAG] = "tag",
    [DMD_BY_THREAD] = "thread", [DMD_BY_FUNCTION] = "function", [DMD_BY_LIBRARY] = "library",
    [DMD_BY_FILE] = "file",     [DMD_BY_LINE] = "line",         [DMD_BY_TYPE] = "type",
};

const char *dmd_by_word(dmd_by_t by) {
  return words[by];
}

dmd_by_t dmd_by_read(dmd_query_t *query) {
  return dmd_query_word(query, "by", words, DMD_N_BY, DMD_BY_RECORD);
}

dmd_picks_t dmd_picks_read(const dmd_query_t *query) {
  dmd_picks_t picks = {{NULL}};
  for (int by = DMD_BY_RECORD + 1; by < DMD_N_BY; by++) {
    const char *name = dmd_query_str(query, words[by], "");
    picks.name[by] = name[0] != '\0' ? name : NULL;
  }
  return picks;
}

bool dmd_picks_are_any(const dmd_picks_t *picks) {
  bool any = false;
  for (int by = 0; by < DMD_N_BY; by++)
    any |= picks->name[by] != NULL;
  return any;
}

bool dmd_picks_are_equal(const dmd_picks_t *a, const dmd_picks_t *b) {
  for (int by = 0; by < DMD_N_BY; by++) {
    const char *x = a->name[by], *y = b->name[by];
    if ((x == NULL) != (y == NULL) || (x != NULL && !dmd_str_equal(x, y)))
      return false;
  }
  return true;
}

dmd_picks_t dmd_picks_keep(const dmd_picks_t *picks, dmd_intern_t *names) {
  dmd_picks_t kept = {{NULL}};
  for (int by = 0; by < DMD_N_BY; by++)
    if (picks->name[by] != NULL)
      kept.name[by] = dmd_intern_get_str(names, dmd_intern_str(names, picks->name[by]));
  return kept;
}

void dmd_picks_describe(const dmd_picks_t *picks, dmd_strbuf_t *to) {
  size_t before = to->n;
  for (int by = 0; by < DMD_N_BY; by++) {
    if (picks->name[by] == NULL)
      continue;
    dmd_strbuf_str(to, to->n > before ? ", " : "");
    /* The name "thread 3" needs no word before it. */
    dmd_strbuf_str(to, by != DMD_BY_THREAD ? words[by] : "");
    dmd_strbuf_str(to, by != DMD_BY_THREAD ? " " : "");
    dmd_strbuf_str(to, picks->name[by]);
  }
}

/* Compares names of rows with a pick: the first name is the picked one. */
typedef struct {
  dmd_rownames_t of[DMD_N_BY];
  uint32_t n;
} picked_t;

static bool is_in(dmd_rownames_t *names, uint32_t group) {
  dmd_rowwalk_t walk = dmd_rownames_walk(names, group);
  while (dmd_rowwalk_next(&walk))
    if (walk.row == 1)
      return true;
  return false;
}

static bool is_picked(picked_t *picked, uint32_t group) {
  for (uint32_t i = 0; i < picked->n; i++)
    if (!is_in(&picked->of[i], group))
      return false;
  return true;
}

static void begin(picked_t *picked, const dmd_picks_t *picks, const dmd_profile_t *profile,
                  const dmd_grouptypes_t *types) {
  picked->n = 0;
  for (int by = 0; by < DMD_N_BY; by++) {
    if (picks->name[by] == NULL)
      continue;
    dmd_rownames_t *names = &picked->of[picked->n++];
    dmd_rownames_init(names, profile, (dmd_by_t)by, types);
    dmd_intern_str(&names->names, picks->name[by]);
  }
}

/* Copies all objects, since a library's name depends on all libraries (analyse/records/rows.h).
 */
static void take_objects(dmd_profile_t *to, const dmd_profile_t *from) {
  const dmd_intern_t *paths = &from->frames.objects;
  for (uint32_t id = 1; id <= dmd_intern_count(paths); id++)
    dmd_intern_str(&to->frames.objects, dmd_intern_get_str(paths, id));
}

void dmd_picks_take(const dmd_picks_t *picks, const dmd_profile_t *from,
                    const dmd_grouptypes_t *types, dmd_profile_t *to, dmd_grouptypes_t *to_types) {
  picked_t picked;
  dmd_translation_t ids;
  begin(&picked, picks, from, types);
  dmd_translation_init_profile(&ids, to, from, NULL, NULL);
  take_objects(to, from);
  for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++) {
    if (!is_picked(&picked, id))
      continue;
    dmd_group_t group = dmd_translation_group(&ids, dmd_groups_at(&from->groups, id));
    dmd_groups_append(&to->groups, &group);
    if (types != NULL)
      dmd_grouptypes_add(to_types,
                         dmd_intern_str(&to_types->names, dmd_grouptypes_name(types, id)));
  }
  dmd_translation_destroy(&ids);
  while (picked.n > 0)
    dmd_rownames_destroy(&picked.of[--picked.n]);
}
