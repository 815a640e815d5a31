/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "frameTable", and what "dmd" says of frames besides. The texts are kept as they come; frames are
 * made of them when all has been read. As in load_blocks.c, what has the common shape is read from
 * the text of the document, and all else out of a tree.
 */
#include "reader/input/loader.h"

#include "reader/host/host.h"

#include <string.h>

static frame_note_t *note_of(dmdv_loader_t *l, uint32_t number) {
  dmd_pool_reach(&l->frame_notes, number);
  return DMD_POOL_AT(&l->frame_notes, frame_note_t, number);
}

/* ---- "frameTable". ---- */

/* Keeps the text of a frame without its number, which is always "#00: ": records number frames
 * anew. */
static void keep_text(dmdv_loader_t *l, uint32_t number, dmdv_span_t text) {
  size_t skip = text.n >= 5 && text.at[0] == '#' && memcmp(text.at + 3, ": ", 2) == 0 ? 5 : 0;
  uint32_t *meaning = dmdv_ids_meaning(&l->frames, number);
  if (*meaning == DMD_NONE) {
    uint32_t next = dmd_pool_add(&l->frame_order);
    *DMD_POOL_AT(&l->frame_order, uint32_t, next) = number;
  }
  *meaning = dmd_frames_keep_text(&l->profile->frames, text.at + skip, text.n - skip);
}

static bool load_frame(dmdv_loader_t *l, uint32_t number) {
  dmdv_span_t text;
  const char *end, *p = dmdv_cutter_ready(&l->cutter, &end);
  p = dmdv_scan_string(p, end, &text);
  if (p != NULL) {
    dmdv_cutter_pass(&l->cutter, p);
    keep_text(l, number, text);
    return true;
  }
  cJSON *value = dmdv_cutter_value(&l->cutter);
  if (cJSON_IsString(value))
    keep_text(l, number, dmdv_span_of(value->valuestring));
  else
    dmdv_cutter_reject(&l->cutter, "a frame is not a string");
  cJSON_Delete(value);
  return !dmdv_cutter_failed(&l->cutter);
}

bool dmdv_load_frames(void *ctx) {
  dmdv_loader_t *l = ctx;
  const char *id;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &id) &&
         load_frame(l, dmdv_ids_number(&l->frames, dmdv_span_of(id))))
    continue;
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- "objects" and "functions" of "dmd". ---- */

/* An offset, or null. */
static uint64_t load_offset(dmdv_loader_t *l) {
  bool more;
  uint64_t offset;
  const char *end, *p = dmdv_cutter_ready(&l->cutter, &end);
  const char *stop = dmdv_scan_number(p, end, &offset);
  if (stop == NULL) {
    stop = dmdv_scan_word(p, end, "null");
    offset = DMD_OFFSET_UNKNOWN;
  }
  if (dmdv_scan_more(stop, end, '}', &more) != NULL) {
    dmdv_cutter_pass(&l->cutter, stop);
    return offset;
  }
  cJSON *value = dmdv_cutter_value(&l->cutter);
  offset = value == NULL || cJSON_IsNull(value) ? DMD_OFFSET_UNKNOWN
                                                : dmdv_load_number_in(l, value, "frames", 0);
  cJSON_Delete(value);
  return offset;
}

/* The frames of an object with their offsets. Of two objects of a frame the first counts. */
static void load_offsets(dmdv_loader_t *l, uint32_t object) {
  const char *id;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &id)) {
    frame_note_t *note = note_of(l, dmdv_ids_number(&l->frames, dmdv_span_of(id)));
    uint64_t offset = load_offset(l);
    if (note->object != DMD_NONE)
      continue;
    note->object = object;
    note->offset = offset;
  }
}

/* The path may come after the frames. */
static void load_object(dmdv_loader_t *l) {
  uint32_t object = dmd_pool_add(&l->objects), path = DMD_NONE;
  const char *key;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &key)) {
    if (strcmp(key, "path") == 0) {
      cJSON *value = dmdv_cutter_value(&l->cutter);
      const char *text = value != NULL ? dmdv_load_string_in(l, value, "path") : NULL;
      if (text != NULL)
        path = dmd_intern_str(&l->frame_strings, text);
      cJSON_Delete(value);
    } else if (strcmp(key, "frames") == 0) {
      load_offsets(l, object);
    } else {
      dmdv_cutter_skip(&l->cutter);
    }
  }
  *DMD_POOL_AT(&l->objects, uint32_t, object) = path;
}

void dmdv_load_objects(dmdv_loader_t *l) {
  dmdv_cutter_enter(&l->cutter, '[');
  while (dmdv_cutter_next_element(&l->cutter))
    load_object(l);
}

void dmdv_load_functions(dmdv_loader_t *l) {
  const char *id;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmdv_ids_number(&l->frames, dmdv_span_of(id));
    cJSON *value = dmdv_cutter_value(&l->cutter);
    const char *function = value != NULL ? dmdv_load_string_in(l, value, "functions") : NULL;
    if (function != NULL)
      note_of(l, number)->function = dmd_intern_str(&l->frame_strings, function);
    cJSON_Delete(value);
  }
}

/* ---- All. ---- */

static const char *string_of(const dmdv_loader_t *l, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&l->frame_strings, id);
}

void dmdv_load_resolve_frames(dmdv_loader_t *l) {
  for (uint32_t i = 1; i <= l->frame_order.last; i++) {
    uint32_t number = *DMD_POOL_AT(&l->frame_order, uint32_t, i);
    uint32_t *meaning = dmdv_ids_meaning(&l->frames, number);
    const frame_note_t *note = note_of(l, number);
    uint32_t path =
        note->object == DMD_NONE ? DMD_NONE : *DMD_POOL_AT(&l->objects, uint32_t, note->object);
    const dmd_frame_words_t words = {.text = *meaning,
                                     .function = string_of(l, note->function),
                                     .object = string_of(l, path),
                                     .offset = note->offset};
    *meaning = dmd_frames_read(&l->profile->frames, &words);
  }
}
