/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bitset.h"
#include "base/str.h"
#include "files/profile/profilereader.h"
#include "files/profile/readerstate.h"

/* ---- Traces. ---- */

/* Reads "traceTable". As in read_blocks.c, traces of the common shape are read directly from the
 * text, all others from a tree. */

/* ---- Traces. ---- */

/* The frames of the trace being read. */
typedef struct {
  dmd_readerstate_t *l;
  uint32_t *frames;
  size_t n, room;
} trace_reader_t;

static void add_to_trace(trace_reader_t *r, dmd_span_t id) {
  if (r->n == r->room) {
    const dmd_env_t *env = r->l->profile->env;
    size_t room = r->room == 0 ? 64 : 2 * r->room;
    uint32_t *frames = dmd_env_alloc(env, "dmd.load.trace", room * sizeof *frames);
    dmd_mem_copy(frames, r->frames, r->n * sizeof *frames);
    dmd_env_free(env, r->frames);
    r->frames = frames;
    r->room = room;
  }
  r->frames[r->n++] = dmd_ids_number(&r->l->frames, id);
}

static const char *scan_trace(trace_reader_t *r, const char *p, const char *end) {
  bool more;
  p = dmd_jsonscan_char(p, end, '[');
  do {
    dmd_span_t id;
    p = dmd_jsonscan_string(p, end, &id);
    if (p != NULL)
      add_to_trace(r, id);
    p = dmd_jsonscan_more(p, end, ']', &more);
  } while (more);
  return p;
}

static bool take_trace(trace_reader_t *r, const dmd_jsonvalue_t *frames) {
  if (!dmd_jsonvalue_is(frames, DMD_JSONVALUE_ARRAY))
    return dmd_jsoncutter_reject(&r->l->cutter, "a trace is not an array of frame ids");
  DMD_JSONVALUE_EACH(frame, frames) {
    if (!dmd_jsonvalue_is(frame, DMD_JSONVALUE_STRING))
      return dmd_jsoncutter_reject(&r->l->cutter, "a trace holds something that is not a frame id");
    add_to_trace(r, dmd_span_of(frame->string));
  }
  return true;
}

static bool load_trace(trace_reader_t *r) {
  dmd_jsoncutter_t *cutter = &r->l->cutter;
  r->n = 0;
  const char *end, *p = dmd_jsoncutter_ready(cutter, &end);
  p = scan_trace(r, p, end);
  if (p != NULL) {
    dmd_jsoncutter_pass(cutter, p);
    return true;
  }
  /* Start over: frames that already have numbers get the same numbers again. */
  r->n = 0;
  const dmd_jsonvalue_t *frames = dmd_jsoncutter_value(cutter);
  bool good = frames != NULL && take_trace(r, frames);
  return good;
}

bool dmd_load_traces(void *ctx) {
  dmd_readerstate_t *l = ctx;
  trace_reader_t r = {.l = l};
  const char *id;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmd_ids_number(&l->traces, dmd_span_of(id));
    if (!load_trace(&r))
      break;
    *dmd_ids_meaning(&l->traces, number) =
        dmd_intern_bytes(&l->raw_stacks, r.frames, r.n * sizeof *r.frames);
  }
  dmd_env_free(l->profile->env, r.frames);
  return !dmd_jsoncutter_failed(&l->cutter);
}

/* ---- Frames. ---- */

/* Reads "frameTable", and the members of "dmd" that describe frames. Texts are kept as they come;
 * frames are made of them after the whole file was read. As in read_blocks.c, values of the common
 * shape are read directly from the text, all others from a tree. */

static frame_note_t *note_of(dmd_readerstate_t *l, uint32_t number) {
  dmd_pool_reach(&l->frame_notes, number);
  return DMD_POOL_AT(&l->frame_notes, frame_note_t, number);
}

/* ---- "frameTable". ---- */

/* Keeps the text of a frame without its number, which is always "#00: ", since records number
 * frames anew. */
static void keep_text(dmd_readerstate_t *l, uint32_t number, dmd_span_t text) {
  size_t skip = text.n >= 5 && text.at[0] == '#' && text.at[3] == ':' && text.at[4] == ' ' ? 5 : 0;
  uint32_t *meaning = dmd_ids_meaning(&l->frames, number);
  if (*meaning == DMD_NONE) {
    uint32_t next = dmd_pool_add(&l->frame_order);
    *DMD_POOL_AT(&l->frame_order, uint32_t, next) = number;
  }
  *meaning = dmd_frames_keep_text(&l->profile->frames, text.at + skip, text.n - skip);
}

static bool load_frame(dmd_readerstate_t *l, uint32_t number) {
  dmd_span_t text;
  const char *end, *p = dmd_jsoncutter_ready(&l->cutter, &end);
  p = dmd_jsonscan_string(p, end, &text);
  if (p != NULL) {
    dmd_jsoncutter_pass(&l->cutter, p);
    keep_text(l, number, text);
    return true;
  }
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&l->cutter);
  if (dmd_jsonvalue_is(value, DMD_JSONVALUE_STRING))
    keep_text(l, number, dmd_span_of(value->string));
  else
    dmd_jsoncutter_reject(&l->cutter, "a frame is not a string");
  return !dmd_jsoncutter_failed(&l->cutter);
}

bool dmd_load_frames(void *ctx) {
  dmd_readerstate_t *l = ctx;
  const char *id;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &id) &&
         load_frame(l, dmd_ids_number(&l->frames, dmd_span_of(id))))
    continue;
  return !dmd_jsoncutter_failed(&l->cutter);
}

/* ---- "objects" and "functions" of "dmd". ---- */

/* An offset, or null. */
static uint64_t load_offset(dmd_readerstate_t *l) {
  bool more;
  uint64_t offset;
  const char *end, *p = dmd_jsoncutter_ready(&l->cutter, &end);
  const char *stop = dmd_jsonscan_number(p, end, &offset);
  if (stop == NULL) {
    stop = dmd_jsonscan_word(p, end, "null");
    offset = DMD_OFFSET_UNKNOWN;
  }
  if (dmd_jsonscan_more(stop, end, '}', &more) != NULL) {
    dmd_jsoncutter_pass(&l->cutter, stop);
    return offset;
  }
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&l->cutter);
  offset = value == NULL || dmd_jsonvalue_is(value, DMD_JSONVALUE_NULL)
               ? DMD_OFFSET_UNKNOWN
               : dmd_load_number_in(l, value, "frames", 0);
  return offset;
}

/* The frames of an object with their offsets. If a frame is in two objects, the first counts. */
static void load_offsets(dmd_readerstate_t *l, uint32_t object) {
  const char *id;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &id)) {
    frame_note_t *note = note_of(l, dmd_ids_number(&l->frames, dmd_span_of(id)));
    uint64_t offset = load_offset(l);
    if (note->object != DMD_NONE)
      continue;
    note->object = object;
    note->offset = offset;
  }
}

/* The id of the value in frame_strings; DMD_NONE if it is null. */
static uint32_t load_string(dmd_readerstate_t *l, const char *key) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&l->cutter);
  const char *text = value != NULL ? dmd_load_string_in(l, value, key) : NULL;
  return text != NULL ? dmd_intern_str(&l->frame_strings, text) : DMD_NONE;
}

static uint32_t load_build_id(dmd_readerstate_t *l) {
  uint32_t id = load_string(l, "buildId");
  if (id != DMD_NONE && !dmd_is_build_id(dmd_intern_get_str(&l->frame_strings, id)))
    dmd_jsoncutter_reject(&l->cutter, "\"buildId\" is not the hexadecimal digits of up to %d bytes",
                          DMD_MAX_BUILD_ID_TEXT / 2);
  return id;
}

/* The path may come after the frames, so the id is reserved first. */
static void load_object(dmd_readerstate_t *l) {
  uint32_t number = dmd_pool_add(&l->objects);
  object_note_t object = {.path = DMD_NONE};
  const char *key;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &key)) {
    if (dmd_str_equal(key, "path"))
      object.path = load_string(l, "path");
    else if (dmd_str_equal(key, "buildId"))
      object.build_id = load_build_id(l);
    else if (dmd_str_equal(key, "frames"))
      load_offsets(l, number);
    else
      dmd_jsoncutter_skip(&l->cutter);
  }
  *DMD_POOL_AT(&l->objects, object_note_t, number) = object;
}

void dmd_load_objects(dmd_readerstate_t *l) {
  dmd_jsoncutter_enter(&l->cutter, '[');
  while (dmd_jsoncutter_next_element(&l->cutter))
    load_object(l);
}

void dmd_load_functions(dmd_readerstate_t *l) {
  const char *id;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmd_ids_number(&l->frames, dmd_span_of(id));
    const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&l->cutter);
    const char *function = value != NULL ? dmd_load_string_in(l, value, "functions") : NULL;
    if (function != NULL)
      note_of(l, number)->function = dmd_intern_str(&l->frame_strings, function);
  }
}

/* ---- All members. ---- */

static const char *string_of(const dmd_readerstate_t *l, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&l->frame_strings, id);
}

static dmd_frame_words_t words_of(dmd_readerstate_t *l, uint32_t number) {
  const frame_note_t *note = note_of(l, number);
  object_note_t object = {.path = DMD_NONE};
  if (note->object != DMD_NONE)
    object = *DMD_POOL_AT(&l->objects, const object_note_t, note->object);
  return (dmd_frame_words_t){.text = *dmd_ids_meaning(&l->frames, number),
                             .function = string_of(l, note->function),
                             .object = string_of(l, object.path),
                             .build_id = string_of(l, object.build_id),
                             .offset = note->offset};
}

/* ---- Names. ---- */

static naming_t naming_of(const dmd_readerstate_t *l, uint32_t number) {
  return number <= l->namings.last ? *DMD_POOL_AT(&l->namings, const naming_t, number)
                                   : (naming_t){.n = 0};
}

static named_t *named_at(const dmd_readerstate_t *l, uint32_t id) {
  return DMD_POOL_AT(&l->named, named_t, id);
}

static uint32_t keep_string(dmd_readerstate_t *l, const char *s) {
  return s == NULL ? DMD_NONE : dmd_intern_str(&l->frame_strings, s);
}

/* dmd_function_fn */
static void keep_function(void *ctx, const dmd_function_t *function) {
  dmd_readerstate_t *l = ctx;
  uint32_t id = dmd_pool_add(&l->named);
  *named_at(l, id) = (named_t){.name = keep_string(l, function->name),
                               .file = keep_string(l, function->file),
                               .line = function->line,
                               .is_inlined = function->is_inlined};
}

static dmd_location_t location_of(const dmd_frame_words_t *words) {
  return (dmd_location_t){
      .object = words->object, .build_id = words->build_id, .offset = words->offset};
}

/* Looks up the names of a nameless frame. */
static void name_frame(dmd_readerstate_t *l, uint32_t number) {
  const dmd_namer_t *namer = l->options->namer;
  const dmd_frame_words_t words = words_of(l, number);
  if (!dmd_frames_is_nameless(&l->profile->frames, &words, namer->adds_lines))
    return;
  naming_t naming = {.first = l->named.last + 1};
  const dmd_location_t at = location_of(&words);
  if (!namer->functions(namer->ctx, &at, keep_function, l, &naming.kind))
    return;
  naming.n = l->named.last + 1 - naming.first;
  dmd_pool_reach(&l->namings, number);
  *DMD_POOL_AT(&l->namings, naming_t, number) = naming;
}

/* The frames of a stack. */
typedef struct {
  const dmd_readerstate_t *l;
  const uint32_t *numbers;
} stack_t;

static dmd_code_kind_t kind_of(const void *ctx, uint32_t i) {
  const stack_t *stack = ctx;
  return naming_of(stack->l, stack->numbers[i]).kind;
}

/* The number of its frames that are shown. */
static size_t n_shown_of(const dmd_readerstate_t *l, const uint32_t *numbers, size_t n) {
  return l->namings.last == 0 || l->options->namer->shows_below_main
             ? n
             : dmd_stack_shown((uint32_t)n, kind_of, &(stack_t){l, numbers});
}

/* Marks the frames that any stack shows. */
static void mark_shown(dmd_readerstate_t *l, dmd_bitset_t *shown) {
  for (uint32_t trace = 1; trace <= dmd_ids_count(&l->traces); trace++) {
    uint32_t raw = *dmd_ids_meaning(&l->traces, trace);
    size_t szB = 0;
    const uint32_t *numbers = raw == DMD_NONE ? NULL : dmd_intern_get(&l->raw_stacks, raw, &szB);
    size_t n = n_shown_of(l, numbers, szB / sizeof *numbers);
    for (size_t i = 0; i < n; i++)
      dmd_bitset_add(shown, numbers[i]);
  }
}

/* ---- Frames. ---- */

static void add_named(dmd_readerstate_t *l, naming_t naming, const dmd_frame_words_t *words) {
  const dmd_location_t at = location_of(words);
  for (uint32_t i = 0; i < naming.n; i++) {
    named_t *named = named_at(l, naming.first + i);
    const dmd_function_t function = {.name = string_of(l, named->name),
                                     .file = string_of(l, named->file),
                                     .line = named->line,
                                     .is_inlined = named->is_inlined};
    named->frame = dmd_frames_add_function(&l->profile->frames, &function, &at);
  }
}

static void add_frame(dmd_readerstate_t *l, uint32_t number) {
  const dmd_frame_words_t words = words_of(l, number);
  naming_t naming = naming_of(l, number);
  if (naming.n > 0)
    add_named(l, naming, &words);
  else
    *dmd_ids_meaning(&l->frames, number) = dmd_frames_read(&l->profile->frames, &words);
}

static uint32_t number_at(const dmd_readerstate_t *l, uint32_t i) {
  return *DMD_POOL_AT(&l->frame_order, const uint32_t, i);
}

void dmd_load_resolve_frames(dmd_readerstate_t *l) {
  dmd_bitset_t shown;
  for (uint32_t i = 1; i <= l->frame_order.last && l->options->namer != NULL; i++)
    name_frame(l, number_at(l, i));
  bool is_all = l->namings.last == 0;
  dmd_bitset_init(&shown, l->env, "dmd.load.frames", dmd_ids_count(&l->frames) + 1ul);
  if (!is_all)
    mark_shown(l, &shown);
  for (uint32_t i = 1; i <= l->frame_order.last; i++)
    if (is_all || dmd_bitset_has(&shown, number_at(l, i)))
      add_frame(l, number_at(l, i));
  dmd_bitset_destroy(&shown);
}

uint32_t *dmd_load_stack_frames(const dmd_readerstate_t *l, const uint32_t *numbers, size_t *n) {
  size_t n_shown = n_shown_of(l, numbers, *n), n_frames = 0;
  for (size_t i = 0; i < n_shown; i++)
    n_frames += 1 + naming_of(l, numbers[i]).n;
  uint32_t *frames = dmd_env_alloc(l->env, "dmd.load.stack", (n_frames + 1) * sizeof *frames);
  *n = 0;
  for (size_t i = 0; i < n_shown; i++) {
    naming_t naming = naming_of(l, numbers[i]);
    for (uint32_t k = 0; k < naming.n; k++)
      frames[(*n)++] = named_at(l, naming.first + k)->frame;
    if (naming.n == 0)
      frames[(*n)++] = *dmd_ids_meaning(&l->frames, numbers[i]);
  }
  return frames;
}
