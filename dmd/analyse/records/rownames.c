/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/rownames.h"

#include "base/format.h"
#include "base/str.h"
#include "model/profile/profile.h"

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
      [DMD_BY_LINE] = dmd_places_line,
  };
  append[names->by](&names->places, frame, &name);
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
