/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/plain.h"

#include "base/fnname.h"
#include "base/path.h"
#include "base/str.h"

/* Functions made from templates have a '<' in their names, and only those have a return type. */
bool dmd_frame_is_shortened(const dmd_frames_t *frames, uint32_t frame) {
  const char *function = dmd_frames_location(frames, frame).function;
  return function != NULL && dmd_str_find_char(function, '<') != NULL;
}

void dmd_function_shown(dmd_strbuf_t *to, const dmd_location_t *location) {
  if (location->function != NULL)
    dmd_fnname_short(to, location->function, dmd_str_length(location->function));
  else
    dmd_strbuf_str(to, "?\?\?");
}

/* The text begins with the function's name, if it has one. */
void dmd_frame_shown(dmd_strbuf_t *to, const dmd_frames_t *frames, uint32_t frame) {
  dmd_location_t location = dmd_frames_location(frames, frame);
  const char *text = dmd_frames_text(frames, frame);
  if (location.function != NULL) {
    dmd_function_shown(to, &location);
    text += dmd_str_length(location.function);
  }
  dmd_strbuf_str(to, text);
}

bool dmd_frame_is_nameless(const dmd_frames_t *frames, uint32_t frame) {
  dmd_location_t location = dmd_frames_location(frames, frame);
  return location.function == NULL && location.file == NULL && location.object != NULL &&
         location.offset != DMD_OFFSET_UNKNOWN;
}

void dmd_frame_brief(dmd_strbuf_t *to, const dmd_frames_t *frames, uint32_t frame) {
  if (!dmd_frame_is_nameless(frames, frame)) {
    dmd_frame_shown(to, frames, frame);
    return;
  }
  dmd_location_t location = dmd_frames_location(frames, frame);
  dmd_strbuf_str(to, dmd_path_base(location.object));
  dmd_strbuf_str(to, "+0x");
  dmd_strbuf_hex(to, location.offset);
}

char *dmd_frame_without_line(const dmd_frames_t *frames, uint32_t frame) {
  dmd_location_t l = dmd_frames_location(frames, frame);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, frames->pool.env);
  if (l.file == NULL && l.object == NULL) {
    dmd_strbuf_str(&text, dmd_frames_text(frames, frame));
    return dmd_strbuf_take(&text);
  }
  dmd_strbuf_str(&text, l.function != NULL ? l.function : "?\?\?");
  dmd_strbuf_str(&text, l.file != NULL ? " (" : "[");
  dmd_strbuf_str(&text, l.file != NULL ? l.file : l.object);
  dmd_strbuf_str(&text, l.file != NULL ? ")" : "]");
  return dmd_strbuf_take(&text);
}

uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const dmd_frames_t *frames,
                                       uint32_t frame) {
  char *text = dmd_frame_without_line(frames, frame);
  uint32_t id = dmd_intern_str(to, text);
  dmd_env_free(frames->pool.env, text);
  return id;
}
