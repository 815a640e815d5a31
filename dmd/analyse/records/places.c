/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/places.h"

#include "analyse/records/plain.h"
#include "base/path.h"
#include "base/str.h"

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

void dmd_places_line(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to) {
  dmd_location_t location;
  if (!locate(places, frame, to, &location))
    return;
  if (location.function == NULL && location.object != NULL &&
      location.offset != DMD_OFFSET_UNKNOWN) {
    dmd_strbuf_str(to, dmd_path_base(location.object));
    dmd_strbuf_str(to, "+0x");
    dmd_strbuf_hex(to, location.offset);
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
