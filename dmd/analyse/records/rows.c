/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/rows.h"

#include "analyse/records/plain.h"
#include "base/format.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"
#include "model/profile/profile.h"

/* ---- Places. ---- */

enum { SEVERAL = 0xffffffff };

void dmd_places_init(dmd_places_t *places, const dmd_profile_t *profile) {
  *places = (dmd_places_t){.profile = profile};
  dmd_allocfns_init(&places->allocfns, profile);
  dmd_intern_init(&places->object_names, profile->env, "dmd.places.objects");
  dmd_pool_init(&places->objects, profile->env, "dmd.places.objects", sizeof(uint32_t));
}

void dmd_places_destroy(dmd_places_t *places) {
  dmd_pool_destroy(&places->objects);
  dmd_intern_destroy(&places->object_names);
  dmd_allocfns_destroy(&places->allocfns);
}

uint32_t dmd_places_own_frame(dmd_places_t *places, uint32_t stack) {
  size_t n = 0;
  const uint32_t *frames =
      stack == DMD_NONE ? NULL : dmd_profile_frames(places->profile, stack, &n);
  return n > 0 ? frames[dmd_first_own_frame(&places->allocfns, frames, n)] : DMD_NONE;
}

/* Gets the location of a frame; if there is no frame, appends a text that says so and returns
 * false. */
static bool locate(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to,
                   dmd_location_t *location) {
  if (frame == DMD_NONE)
    dmd_strbuf_str(to, "(no stack recorded)");
  else
    *location = dmd_frames_location(&places->profile->frames, frame);
  return frame != DMD_NONE;
}

void dmd_places_function(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to) {
  dmd_location_t location;
  if (!locate(places, frame, to, &location))
    return;
  if (location.function != NULL && places->profile->frame_view.full_names) {
    dmd_strbuf_str(to, location.function);
    return;
  }
  dmd_function_shown(to, &location);
  if (location.function == NULL && location.object != NULL) {
    dmd_strbuf_str(to, " (in ");
    dmd_strbuf_str(to, dmd_path_base(location.object));
    dmd_strbuf_str(to, ")");
  }
}

/* Collects the objects: a short name shared by two of them identifies neither. */
static void note_objects(dmd_places_t *places) {
  const dmd_intern_t *paths = &places->profile->frames.objects;
  for (uint32_t object = 1; object <= dmd_intern_count(paths); object++) {
    uint32_t name =
        dmd_intern_str(&places->object_names, dmd_path_base(dmd_intern_get_str(paths, object)));
    dmd_pool_reach(&places->objects, name);
    uint32_t *known = DMD_POOL_AT(&places->objects, uint32_t, name);
    if (*known == DMD_NONE)
      *known = object;
    else if (*known != SEVERAL &&
             !dmd_str_equal(dmd_intern_get_str(paths, *known), dmd_intern_get_str(paths, object)))
      *known = SEVERAL;
  }
  places->knows_objects = true;
}

void dmd_places_library(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to) {
  dmd_location_t location;
  if (!locate(places, frame, to, &location))
    return;
  if (location.object == NULL) {
    dmd_strbuf_str(to, "(library not recorded)");
    return;
  }
  if (!places->knows_objects)
    note_objects(places);
  const char *base = dmd_path_base(location.object);
  uint32_t name = dmd_intern_find_str(&places->object_names, base);
  bool is_unique = *DMD_POOL_AT(&places->objects, uint32_t, name) != SEVERAL;
  dmd_strbuf_str(to, is_unique ? base : location.object);
}

void dmd_places_file(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to) {
  dmd_location_t location;
  if (locate(places, frame, to, &location))
    dmd_strbuf_str(to, location.file != NULL ? location.file : "(file not recorded)");
}

/* Appends ` from image_open`: the first of the callers that is in the same file and has a name. */
static void append_caller(dmd_places_t *places, uint32_t stack, const char *object,
                          dmd_strbuf_t *to) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(places->profile, stack, &n);
  for (size_t i = dmd_first_own_frame(&places->allocfns, frames, n) + 1; i < n; i++) {
    dmd_location_t location = dmd_frames_location(&places->profile->frames, frames[i]);
    if (location.function == NULL || location.object == NULL ||
        !dmd_str_equal(location.object, object))
      continue;
    dmd_strbuf_str(to, " from ");
    dmd_places_function(places, frames[i], to);
    return;
  }
}

bool dmd_places_has_name(dmd_places_t *places, uint32_t stack, const char **object) {
  uint32_t frame = dmd_places_own_frame(places, stack);
  *object = NULL;
  if (frame == DMD_NONE)
    return true;
  dmd_location_t location = dmd_frames_location(&places->profile->frames, frame);
  *object = location.object;
  return location.function != NULL;
}

void dmd_places_line(dmd_places_t *places, uint32_t stack, dmd_strbuf_t *to) {
  dmd_location_t location;
  uint32_t frame = dmd_places_own_frame(places, stack);
  if (!locate(places, frame, to, &location))
    return;
  if (location.function == NULL && location.object != NULL &&
      location.offset != DMD_OFFSET_UNKNOWN) {
    dmd_strbuf_str(to, dmd_path_base(location.object));
    dmd_strbuf_str(to, "+0x");
    dmd_strbuf_hex(to, location.offset);
    append_caller(places, stack, location.object, to);
    return;
  }
  dmd_places_function(places, frame, to);
  if (location.file == NULL)
    return;
  dmd_strbuf_str(to, " (");
  dmd_strbuf_str(to, dmd_path_base(location.file));
  if (location.line > 0) {
    dmd_strbuf_str(to, ":");
    dmd_strbuf_u64(to, location.line);
  }
  dmd_strbuf_str(to, ")");
}

/* ---- Names of rows. ---- */

void dmd_rownames_init(dmd_rownames_t *names, const dmd_profile_t *profile, dmd_by_t by,
                       const dmd_grouptypes_t *types) {
  const dmd_env_t *env = profile->env;
  *names = (dmd_rownames_t){.profile = profile, .by = by, .types = types};
  dmd_intern_init(&names->names, env, "dmd.rows.names");
  dmd_pool_init(&names->known, env, "dmd.rows.known", sizeof(uint32_t));
  dmd_pool_init(&names->of_frames, env, "dmd.rows.known", sizeof(uint32_t));
  dmd_places_init(&names->places, profile);
}

void dmd_rownames_destroy(dmd_rownames_t *names) {
  dmd_places_destroy(&names->places);
  dmd_pool_destroy(&names->of_frames);
  dmd_pool_destroy(&names->known);
  dmd_intern_destroy(&names->names);
}

/* The row for an id; calls `name` once per id to get its name. */
static uint32_t row_of(dmd_rownames_t *names, uint32_t id,
                       uint32_t (*name)(dmd_rownames_t *names, uint32_t id)) {
  dmd_pool_reach(&names->known, id + 1);
  uint32_t row = *DMD_POOL_AT(&names->known, uint32_t, id + 1);
  if (row == DMD_NONE) {
    row = name(names, id);
    *DMD_POOL_AT(&names->known, uint32_t, id + 1) = row;
  }
  return row;
}

static uint32_t row_of_str(dmd_rownames_t *names, const char *name) {
  return dmd_intern_bytes(&names->names, name, dmd_str_length(name));
}

/* ---- Names. ---- */

static uint32_t name_reporter(dmd_rownames_t *names, uint32_t reporter) {
  return row_of_str(names, reporter == DMD_NONE
                               ? "(no reporter named)"
                               : dmd_intern_get_str(&names->profile->names, reporter));
}

static uint32_t name_tag(dmd_rownames_t *names, uint32_t tag) {
  return row_of_str(names,
                    tag == DMD_NONE ? "(no tag)" : dmd_intern_get_str(&names->profile->tags, tag));
}

static uint32_t name_thread(dmd_rownames_t *names, uint32_t thread) {
  static const char word[] = "thread ";
  char name[sizeof word + DMD_FORMAT_MAX];
  dmd_mem_copy(name, word, sizeof word - 1);
  dmd_format_u64(name + sizeof word - 1, thread);
  return row_of_str(names, name);
}

static uint32_t name_type(dmd_rownames_t *names, uint32_t type) {
  return row_of_str(names, dmd_intern_get_str(&names->types->names, type));
}

static uint32_t name_frame(dmd_rownames_t *names, uint32_t frame) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, names->names.env);
  static void (*const append[])(dmd_places_t *, uint32_t, dmd_strbuf_t *) = {
      [DMD_BY_FUNCTION] = dmd_places_function,
      [DMD_BY_LIBRARY] = dmd_places_library,
      [DMD_BY_FILE] = dmd_places_file,
  };
  append[names->by](&names->places, frame, &name);
  uint32_t row = row_of_str(names, name.text);
  dmd_strbuf_destroy(&name);
  return row;
}

static uint32_t name_line(dmd_rownames_t *names, uint32_t stack) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, names->names.env);
  dmd_places_line(&names->places, stack, &name);
  uint32_t row = row_of_str(names, name.text);
  dmd_strbuf_destroy(&name);
  return row;
}

/* By the frame that allocated. */
static uint32_t name_stack(dmd_rownames_t *names, uint32_t stack) {
  uint32_t frame = dmd_places_own_frame(&names->places, stack);
  dmd_pool_reach(&names->of_frames, frame + 1);
  uint32_t *row = DMD_POOL_AT(&names->of_frames, uint32_t, frame + 1);
  if (*row == DMD_NONE)
    *row = name_frame(names, frame);
  return *row;
}

/* ---- The rows of a group. ---- */

dmd_rowwalk_t dmd_rownames_walk(dmd_rownames_t *names, uint32_t group) {
  const dmd_reports_t *reports = &names->profile->reports;
  dmd_rowwalk_t walk = {
      .names = names, .group = dmd_groups_at(&names->profile->groups, group), .id = group};
  walk.is_reported = names->by == DMD_BY_REPORTER && walk.group->reports != DMD_NONE;
  if (walk.is_reported) {
    walk.is_shared = dmd_reports_are_shared(reports, walk.group->reports);
    walk.reports = dmd_reports_walk(reports, walk.group->reports);
  }
  return walk;
}

static uint32_t only_row(const dmd_rowwalk_t *walk) {
  dmd_rownames_t *names = walk->names;
  switch (names->by) {
  case DMD_BY_REPORTER:
    if (names->unreported == DMD_NONE)
      names->unreported = row_of_str(names, "(unreported)");
    return names->unreported;
  case DMD_BY_TAG:
    return row_of(names, walk->group->tag, name_tag);
  case DMD_BY_THREAD:
    return row_of(names, walk->group->thread, name_thread);
  case DMD_BY_TYPE:
    return row_of(names, *DMD_POOL_AT(&names->types->of, const uint32_t, walk->id), name_type);
  case DMD_BY_LINE:
    return row_of(names, walk->group->stack, name_line);
  default:
    return row_of(names, walk->group->stack, name_stack);
  }
}

static bool next_reporter(dmd_rowwalk_t *walk) {
  const dmd_group_t *g = walk->group;
  const dmd_reports_t *reports = &walk->names->profile->reports;
  while (dmd_reports_next(&walk->reports)) {
    /* A block that one reporter reported twice counts once. */
    if (walk->reports.is_again && !walk->is_shared)
      continue;
    uint64_t part = dmd_reports_part(reports, g->reports, walk->reports.is_first, g->req + g->slop);
    walk->row = row_of(walk->names, walk->reports.report->reporter, name_reporter);
    walk->num = walk->reports.is_again ? 0 : dmd_group_blocks(walk->names->profile, g);
    walk->szB = dmd_group_bytes(walk->names->profile, g, part);
    return true;
  }
  return false;
}

bool dmd_rowwalk_next(dmd_rowwalk_t *walk) {
  if (walk->is_reported)
    return next_reporter(walk);
  if (walk->is_over)
    return false;
  walk->is_over = true;
  walk->row = only_row(walk);
  walk->num = dmd_group_blocks(walk->names->profile, walk->group);
  walk->szB = dmd_group_usable(walk->names->profile, walk->group);
  return true;
}

/* ---- Rows. ---- */

void dmd_rows_add(dmd_rows_t *rows, const dmd_record_t *r) {
  for (uint32_t i = 0; i < r->n_groups; i++)
    dmd_bitset_add(&rows->groups, rows->records->groups[r->first_group + i]);
}

static void add_group(dmd_rows_t *rows, uint32_t id) {
  const dmd_profile_t *profile = rows->records->profile;
  dmd_section_t section = dmd_section_of_group(profile, dmd_groups_at(&profile->groups, id));
  dmd_rowwalk_t walk = dmd_rownames_walk(&rows->names, id);
  while (dmd_rowwalk_next(&walk)) {
    dmd_pool_reach(&rows->tallies, walk.row);
    dmd_tally_add(DMD_POOL_AT(&rows->tallies, dmd_tally_t, walk.row), section, walk.num, walk.szB);
  }
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_rows_t *rows = ctx;
  int order = dmd_compare_magnitudes(DMD_POOL_AT(&rows->tallies, const dmd_tally_t, a)->total,
                                     DMD_POOL_AT(&rows->tallies, const dmd_tally_t, b)->total);
  return order != 0 ? order
                    : dmd_str_compare(dmd_intern_get_str(&rows->names.names, a),
                                      dmd_intern_get_str(&rows->names.names, b));
}

void dmd_rows_begin(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by) {
  *rows = (dmd_rows_t){.records = records};
  dmd_rownames_init(&rows->names, records->profile, by, records->types);
  dmd_pool_init(&rows->tallies, records->profile->env, "dmd.rows", sizeof(dmd_tally_t));
  dmd_bitset_init(&rows->groups, records->profile->env, "dmd.rows.groups",
                  (uint64_t)dmd_groups_count(&records->profile->groups) + 1);
}

void dmd_rows_finish(dmd_rows_t *rows) {
  uint32_t n_groups = dmd_groups_count(&rows->records->profile->groups);
  for (uint32_t id = 1; id <= n_groups; id++)
    if (dmd_bitset_has(&rows->groups, id))
      add_group(rows, id);
  dmd_bitset_destroy(&rows->groups);
  rows->n = rows->tallies.last;
  rows->order = dmd_sorted_ids(rows->records->profile->env, rows->n, compare_rows, rows);
}

void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections) {
  dmd_rows_begin(rows, records, by);
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    const dmd_section_records_t *s = &records->section[section];
    if (sections != 0 && !(sections & 1u << section))
      continue;
    for (uint32_t i = 0; i < s->n; i++)
      dmd_rows_add(rows, dmd_records_at(records, s->ids[i]));
  }
  dmd_rows_finish(rows);
}

void dmd_rows_destroy(dmd_rows_t *rows) {
  dmd_env_free(rows->records->profile->env, rows->order);
  dmd_pool_destroy(&rows->tallies);
  dmd_rownames_destroy(&rows->names);
}
