/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "frameTable", and what "dmd" says of frames besides. The texts are kept as they come; frames are
 * made of them when all has been read. As in load_blocks.c, what has the common shape is read from
 * the text of the document, and all else out of a tree.
 */
#include "load/loader.h"

#include "base/str.h"

static frame_note_t *note_of(dmd_loader_t *l, uint32_t number) {
  dmd_pool_reach(&l->frame_notes, number);
  return DMD_POOL_AT(&l->frame_notes, frame_note_t, number);
}

/* ---- "frameTable". ---- */

/* Keeps the text of a frame without its number, which is always "#00: ": records number frames
 * anew. */
static void keep_text(dmd_loader_t *l, uint32_t number, dmd_span_t text) {
  size_t skip = text.n >= 5 && text.at[0] == '#' && text.at[3] == ':' && text.at[4] == ' ' ? 5 : 0;
  uint32_t *meaning = dmd_ids_meaning(&l->frames, number);
  if (*meaning == DMD_NONE) {
    uint32_t next = dmd_pool_add(&l->frame_order);
    *DMD_POOL_AT(&l->frame_order, uint32_t, next) = number;
  }
  *meaning = dmd_frames_keep_text(&l->profile->frames, text.at + skip, text.n - skip);
}

static bool load_frame(dmd_loader_t *l, uint32_t number) {
  dmd_span_t text;
  const char *end, *p = dmd_cutter_ready(&l->cutter, &end);
  p = dmd_scan_string(p, end, &text);
  if (p != NULL) {
    dmd_cutter_pass(&l->cutter, p);
    keep_text(l, number, text);
    return true;
  }
  const dmd_value_t *value = dmd_cutter_value(&l->cutter);
  if (dmd_value_is(value, DMD_VALUE_STRING))
    keep_text(l, number, dmd_span_of(value->string));
  else
    dmd_cutter_reject(&l->cutter, "a frame is not a string");
  return !dmd_cutter_failed(&l->cutter);
}

bool dmd_load_frames(void *ctx) {
  dmd_loader_t *l = ctx;
  const char *id;
  dmd_cutter_enter(&l->cutter, '{');
  while (dmd_cutter_next_key(&l->cutter, &id) &&
         load_frame(l, dmd_ids_number(&l->frames, dmd_span_of(id))))
    continue;
  return !dmd_cutter_failed(&l->cutter);
}

/* ---- "objects" and "functions" of "dmd". ---- */

/* An offset, or null. */
static uint64_t load_offset(dmd_loader_t *l) {
  bool more;
  uint64_t offset;
  const char *end, *p = dmd_cutter_ready(&l->cutter, &end);
  const char *stop = dmd_scan_number(p, end, &offset);
  if (stop == NULL) {
    stop = dmd_scan_word(p, end, "null");
    offset = DMD_OFFSET_UNKNOWN;
  }
  if (dmd_scan_more(stop, end, '}', &more) != NULL) {
    dmd_cutter_pass(&l->cutter, stop);
    return offset;
  }
  const dmd_value_t *value = dmd_cutter_value(&l->cutter);
  offset = value == NULL || dmd_value_is(value, DMD_VALUE_NULL)
               ? DMD_OFFSET_UNKNOWN
               : dmd_load_number_in(l, value, "frames", 0);
  return offset;
}

/* The frames of an object with their offsets. Of two objects of a frame the first counts. */
static void load_offsets(dmd_loader_t *l, uint32_t object) {
  const char *id;
  dmd_cutter_enter(&l->cutter, '{');
  while (dmd_cutter_next_key(&l->cutter, &id)) {
    frame_note_t *note = note_of(l, dmd_ids_number(&l->frames, dmd_span_of(id)));
    uint64_t offset = load_offset(l);
    if (note->object != DMD_NONE)
      continue;
    note->object = object;
    note->offset = offset;
  }
}

/* The path may come after the frames. */
static void load_object(dmd_loader_t *l) {
  uint32_t object = dmd_pool_add(&l->objects), path = DMD_NONE;
  const char *key;
  dmd_cutter_enter(&l->cutter, '{');
  while (dmd_cutter_next_key(&l->cutter, &key)) {
    if (dmd_str_equal(key, "path")) {
      const dmd_value_t *value = dmd_cutter_value(&l->cutter);
      const char *text = value != NULL ? dmd_load_string_in(l, value, "path") : NULL;
      if (text != NULL)
        path = dmd_intern_str(&l->frame_strings, text);
    } else if (dmd_str_equal(key, "frames")) {
      load_offsets(l, object);
    } else {
      dmd_cutter_skip(&l->cutter);
    }
  }
  *DMD_POOL_AT(&l->objects, uint32_t, object) = path;
}

void dmd_load_objects(dmd_loader_t *l) {
  dmd_cutter_enter(&l->cutter, '[');
  while (dmd_cutter_next_element(&l->cutter))
    load_object(l);
}

void dmd_load_functions(dmd_loader_t *l) {
  const char *id;
  dmd_cutter_enter(&l->cutter, '{');
  while (dmd_cutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmd_ids_number(&l->frames, dmd_span_of(id));
    const dmd_value_t *value = dmd_cutter_value(&l->cutter);
    const char *function = value != NULL ? dmd_load_string_in(l, value, "functions") : NULL;
    if (function != NULL)
      note_of(l, number)->function = dmd_intern_str(&l->frame_strings, function);
  }
}

/* ---- All. ---- */

static const char *string_of(const dmd_loader_t *l, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&l->frame_strings, id);
}

void dmd_load_resolve_frames(dmd_loader_t *l) {
  for (uint32_t i = 1; i <= l->frame_order.last; i++) {
    uint32_t number = *DMD_POOL_AT(&l->frame_order, uint32_t, i);
    uint32_t *meaning = dmd_ids_meaning(&l->frames, number);
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
