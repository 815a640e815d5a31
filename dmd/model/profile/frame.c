/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/frame.h"

#include "base/str.h"
#include "base/utf8.h"

/* Stands for unknown parts of a text. (Escaped to avoid a trigraph.) */
#define UNKNOWN "?\?\?"

typedef struct {
  uint32_t text, object;
} key_t;

static bool frame_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_frame_t *a = dmd_frames_at(owner, id);
  const key_t *b = key;
  return a->text == b->text && a->object == b->object;
}

void dmd_frames_init(dmd_frames_t *frames, const dmd_env_t *env) {
  dmd_intern_init(&frames->texts, env, "dmd.frames.texts");
  dmd_intern_init(&frames->strings, env, "dmd.frames.strings");
  dmd_intern_init(&frames->objects, env, "dmd.frames.objects");
  dmd_pool_init(&frames->of_object, env, "dmd.frames.objects", sizeof(dmd_frame_list_t));
  dmd_pool_init(&frames->pool, env, "dmd.frames", sizeof(dmd_frame_t));
  dmd_pool_init(&frames->first, env, "dmd.frames.first", sizeof(uint32_t));
  dmd_table_init(&frames->index, env, "dmd.frames.index", frame_equal, frames);
  frames->any_alike = false;
}

void dmd_frames_destroy(dmd_frames_t *frames) {
  dmd_table_destroy(&frames->index);
  dmd_pool_destroy(&frames->first);
  dmd_pool_destroy(&frames->pool);
  dmd_pool_destroy(&frames->of_object);
  dmd_intern_destroy(&frames->objects);
  dmd_intern_destroy(&frames->strings);
  dmd_intern_destroy(&frames->texts);
}

/* Appends a frame to its object's list. */
static void list_frame(dmd_frames_t *frames, uint32_t id, uint32_t object) {
  if (object == DMD_NONE)
    return;
  dmd_pool_reach(&frames->of_object, object);
  dmd_frame_list_t *list = DMD_POOL_AT(&frames->of_object, dmd_frame_list_t, object);
  if (list->first == DMD_NONE)
    list->first = id;
  else
    DMD_POOL_AT(&frames->pool, dmd_frame_t, list->last)->next = id;
  list->last = id;
}

/* Returns the frame's id, adding it if it is new; computes `alike` and `next`. */
static uint32_t intern(dmd_frames_t *frames, const dmd_frame_t *frame) {
  key_t key = {frame->text, frame->object};
  uint64_t hash = dmd_table_hash(&frames->index, (uint64_t)key.object << 32 | key.text);
  uint32_t id = dmd_table_find(&frames->index, hash, &key);
  if (id != DMD_NONE)
    return id;
  id = dmd_pool_add(&frames->pool);
  dmd_frame_t *fresh = DMD_POOL_AT(&frames->pool, dmd_frame_t, id);
  *fresh = *frame;
  dmd_pool_reach(&frames->first, frame->text);
  uint32_t *first = DMD_POOL_AT(&frames->first, uint32_t, frame->text);
  if (*first == DMD_NONE)
    *first = id;
  else
    frames->any_alike = true;
  fresh->alike = *first;
  fresh->next = DMD_NONE;
  list_frame(frames, id, frame->object);
  dmd_table_add(&frames->index, hash, id);
  return id;
}

static bool is_known(const char *s) {
  return s != NULL && s[0] != '\0' && !dmd_str_equal(s, UNKNOWN);
}

static uint32_t string(dmd_intern_t *in, const char *s) {
  return is_known(s) ? dmd_intern_text(in, s) : DMD_NONE;
}

/* Parses all n bytes at s as a number. */
static bool to_number(const char *s, size_t n, unsigned base, uint64_t *number) {
  char digits[32];
  if (n >= sizeof digits)
    return false;
  dmd_mem_copy(digits, s, n);
  digits[n] = '\0';
  return dmd_str_to_u64(digits, base, number);
}

/* ---- Objects. ---- */

/* The id of an object whose path is valid UTF-8. */
static uint32_t object_of(dmd_frames_t *frames, const char *path, const char *build_id) {
  if (build_id == NULL)
    return dmd_intern_str(&frames->objects, path);
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, frames->pool.env);
  dmd_strbuf_bytes(&key, path, dmd_str_length(path) + 1);
  dmd_strbuf_str(&key, build_id);
  uint32_t id = dmd_intern_bytes(&frames->objects, key.text, key.n);
  dmd_strbuf_destroy(&key);
  return id;
}

static uint32_t location_object(dmd_frames_t *frames, const dmd_location_t *location) {
  const dmd_env_t *env = frames->pool.env;
  if (!is_known(location->object))
    return DMD_NONE;
  if (location->build_id == NULL)
    return dmd_intern_text(&frames->objects, location->object);
  char *path =
      dmd_env_alloc(env, "dmd.frames.objects", dmd_utf8_repair(NULL, location->object) + 1);
  dmd_utf8_repair(path, location->object);
  uint32_t id = object_of(frames, path, location->build_id);
  dmd_env_free(env, path);
  return id;
}

bool dmd_is_build_id(const char *s) {
  size_t n = dmd_str_length(s);
  return n % 2 == 0 && n <= DMD_MAX_BUILD_ID_TEXT && dmd_str_span(s, "0123456789abcdef") == n;
}

size_t dmd_build_id_bytes(uint8_t bytes[DMD_MAX_BUILD_ID_TEXT / 2], const char *build_id) {
  size_t n = dmd_str_length(build_id) / 2;
  for (size_t i = 0; i < n; i++) {
    uint64_t byte = 0;
    to_number(build_id + 2 * i, 2, 16, &byte);
    bytes[i] = (uint8_t)byte;
  }
  return n;
}

void dmd_build_id_text(dmd_strbuf_t *to, const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint8_t byte = ((const uint8_t *)bytes)[i];
    dmd_strbuf_hex(to, byte >> 4);
    dmd_strbuf_hex(to, byte & 15);
  }
}

const char *dmd_frames_build_id(const dmd_frames_t *frames, uint32_t object) {
  size_t n;
  const char *path = dmd_intern_get(&frames->objects, object, &n);
  size_t n_path = dmd_str_length(path);
  return n_path < n ? path + n_path + 1 : NULL;
}

/* ---- Formatting texts. ---- */

static void put_string(dmd_strbuf_t *text, const dmd_frames_t *frames, uint32_t id) {
  dmd_strbuf_str(text, id == DMD_NONE ? UNKNOWN : dmd_intern_get_str(&frames->strings, id));
}

/* A function without file and object stands alone, as in Firefox's files. */
static void make_text(const dmd_frames_t *frames, const dmd_frame_t *frame, dmd_strbuf_t *text) {
  if (frame->file != DMD_NONE) {
    put_string(text, frames, frame->function);
    dmd_strbuf_str(text, " (");
    put_string(text, frames, frame->file);
    dmd_strbuf_str(text, ":");
    dmd_strbuf_u64(text, frame->line);
    dmd_strbuf_str(text, ")");
  } else if (frame->object != DMD_NONE) {
    put_string(text, frames, frame->function);
    dmd_strbuf_str(text, "[");
    dmd_strbuf_str(text, dmd_frames_object(frames, frame->object));
    dmd_strbuf_str(text, " +0x");
    dmd_strbuf_hex(text, frame->offset);
    dmd_strbuf_str(text, "]");
  } else {
    dmd_strbuf_str(text, UNKNOWN " (" UNKNOWN ":" UNKNOWN ")");
  }
}

uint32_t dmd_frames_add(dmd_frames_t *frames, const dmd_location_t *location) {
  dmd_frame_t frame = {.file = string(&frames->strings, location->file),
                       .object = location_object(frames, location),
                       .offset = DMD_OFFSET_UNKNOWN};
  if (frame.object != DMD_NONE)
    frame.offset = location->offset;
  if (frame.file != DMD_NONE)
    frame.line = location->line;
  if (frame.file != DMD_NONE || frame.object != DMD_NONE)
    frame.function = string(&frames->strings, location->function);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, frames->pool.env);
  make_text(frames, &frame, &text);
  frame.text = dmd_intern_str(&frames->texts, text.text);
  dmd_strbuf_destroy(&text);
  return intern(frames, &frame);
}

/* ---- Parsing texts. ---- */

/* The parts of a text. */
typedef struct {
  const char *text;
  size_t n, n_function;
  const char *file, *object; /* NULL: absent */
  size_t n_file, n_object;
  uint64_t line, offset;
} parts_t;

/* The last occurrence of word in the n bytes at s, or NULL. */
static const char *find_last(const char *s, size_t n, const char *word) {
  size_t length = dmd_str_length(word);
  for (size_t at = n; at-- > 0;)
    if (at + length <= n && dmd_mem_equal(s + at, word, length))
      return s + at;
  return NULL;
}

/* The length of the function's name, which may itself contain parentheses and brackets. */
static size_t function_length(const char *text, size_t n) {
  const char *end = n == 0               ? NULL
                    : text[n - 1] == ')' ? find_last(text, n, " (")
                    : text[n - 1] == ']' ? find_last(text, n, "[")
                                         : NULL;
  return end != NULL ? (size_t)(end - text) : n;
}

/* Whether the n bytes at s stand for an unknown part. */
static bool is_unknown(const char *s, size_t n) {
  return n == 0 || (n == 3 && dmd_mem_equal(s, UNKNOWN, 3));
}

/* Parses " (file:line)" after the function. */
static void split_file(parts_t *parts) {
  const char *file = parts->text + parts->n_function + 2;
  size_t n = parts->n - parts->n_function - 3;
  const char *colon = find_last(file, n, ":");
  if (colon != NULL) {
    size_t n_line = n - (size_t)(colon + 1 - file);
    if ((n_line > 0 && is_unknown(colon + 1, n_line)) ||
        to_number(colon + 1, n_line, 10, &parts->line))
      n = (size_t)(colon - file);
  }
  if (is_unknown(file, n))
    return;
  parts->file = file;
  parts->n_file = n;
}

/* Parses "[object +0xoffset]". Any other form belongs to the function, as in operator[]. */
static void split_object(parts_t *parts) {
  const char *object = parts->text + parts->n_function + 1, *end = parts->text + parts->n - 1;
  const char *offset = find_last(object, (size_t)(end - object), " +0x");
  if (offset == NULL || !to_number(offset + 4, (size_t)(end - offset) - 4, 16, &parts->offset)) {
    parts->n_function = parts->n;
    return;
  }
  if (offset == object)
    return;
  parts->object = object;
  parts->n_object = (size_t)(offset - object);
}

/* n_function is 0 if it has to be found. */
static parts_t take_apart(const char *text, size_t n, size_t n_function) {
  parts_t parts = {.text = text,
                   .n = n,
                   .n_function = n_function != 0 ? n_function : function_length(text, n),
                   .offset = DMD_OFFSET_UNKNOWN};
  size_t n_place = n - parts.n_function;
  if (n_place >= 3 && text[n - 1] == ')' && dmd_mem_equal(text + parts.n_function, " (", 2))
    split_file(&parts);
  else if (n_place >= 2 && text[n - 1] == ']' && text[parts.n_function] == '[')
    split_object(&parts);
  else
    parts.n_function = n;
  return parts;
}

static uint32_t part(dmd_intern_t *in, const char *at, size_t n) {
  return at == NULL ? DMD_NONE : dmd_intern_bytes(in, at, n);
}

uint32_t dmd_frames_keep_text(dmd_frames_t *frames, const char *text, size_t n) {
  return dmd_intern_bytes(&frames->texts, text, n);
}

uint32_t dmd_frames_read(dmd_frames_t *frames, const dmd_frame_words_t *words) {
  size_t n;
  const char *text = dmd_intern_get(&frames->texts, words->text, &n);
  bool is_counted = words->function != NULL && dmd_str_begins(text, words->function);
  parts_t parts = take_apart(text, n, is_counted ? dmd_str_length(words->function) : 0);
  dmd_frame_t frame = {.text = words->text,
                       .file = part(&frames->strings, parts.file, parts.n_file),
                       .line = parts.line,
                       .offset = parts.offset};
  if (!is_unknown(parts.text, parts.n_function))
    frame.function = part(&frames->strings, parts.text, parts.n_function);
  if (words->object == NULL) {
    frame.object = part(&frames->objects, parts.object, parts.n_object);
  } else {
    frame.object = object_of(frames, words->object, words->build_id);
    frame.offset = words->offset;
  }
  return intern(frames, &frame);
}

bool dmd_frames_is_nameless(const dmd_frames_t *frames, const dmd_frame_words_t *words,
                            bool adds_lines) {
  size_t n;
  if (words->object == NULL || words->build_id == NULL || words->offset == DMD_OFFSET_UNKNOWN)
    return false;
  const char *text = dmd_intern_get(&frames->texts, words->text, &n);
  parts_t parts = take_apart(text, n, 0);
  return parts.file == NULL && (adds_lines || is_unknown(parts.text, parts.n_function));
}

uint32_t dmd_frames_read_text(dmd_frames_t *frames, const char *text) {
  const dmd_frame_words_t words = {.text =
                                       dmd_frames_keep_text(frames, text, dmd_str_length(text))};
  return dmd_frames_read(frames, &words);
}

/* ---- All. ---- */

static uint32_t copy(dmd_intern_t *to, const dmd_intern_t *from, uint32_t id) {
  size_t n;
  if (id == DMD_NONE)
    return DMD_NONE;
  const void *bytes = dmd_intern_get(from, id, &n);
  return dmd_intern_bytes(to, bytes, n);
}

uint32_t dmd_frames_copy(dmd_frames_t *to, const dmd_frames_t *from, uint32_t id) {
  dmd_frame_t frame = *dmd_frames_at(from, id);
  frame.text = copy(&to->texts, &from->texts, frame.text);
  frame.function = copy(&to->strings, &from->strings, frame.function);
  frame.file = copy(&to->strings, &from->strings, frame.file);
  frame.object = copy(&to->objects, &from->objects, frame.object);
  return intern(to, &frame);
}

uint32_t dmd_frames_restore(dmd_frames_t *frames, const dmd_frame_t *frame) {
  return intern(frames, frame);
}

/* Whether this string equals the n bytes; DMD_NONE equals NULL. */
static bool is_string(const dmd_intern_t *in, uint32_t id, const char *at, size_t n) {
  size_t length;
  if (id == DMD_NONE)
    return at == NULL;
  const void *bytes = dmd_intern_get(in, id, &length);
  return at != NULL && length == n && dmd_mem_equal(bytes, at, n);
}

dmd_frame_rest_t dmd_frames_rest(const dmd_frames_t *frames, uint32_t id) {
  const dmd_frame_t *frame = dmd_frames_at(frames, id);
  size_t n;
  const char *text = dmd_intern_get(&frames->texts, frame->text, &n);
  parts_t parts = take_apart(text, n, 0);
  dmd_frame_rest_t rest = {
      .object = !is_string(&frames->objects, frame->object, parts.object, parts.n_object),
      .function = !(frame->function == DMD_NONE ? is_unknown(parts.text, parts.n_function)
                                                : is_string(&frames->strings, frame->function,
                                                            parts.text, parts.n_function))};
  return rest;
}

static const char *string_or_null(const dmd_intern_t *in, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(in, id);
}

dmd_location_t dmd_frames_location(const dmd_frames_t *frames, uint32_t id) {
  const dmd_frame_t *frame = dmd_frames_at(frames, id);
  return (dmd_location_t){
      .function = string_or_null(&frames->strings, frame->function),
      .file = string_or_null(&frames->strings, frame->file),
      .line = frame->line,
      .object = string_or_null(&frames->objects, frame->object),
      .offset = frame->offset,
      .build_id = frame->object == DMD_NONE ? NULL : dmd_frames_build_id(frames, frame->object)};
}

/* ---- Namers. ---- */

uint32_t dmd_frames_add_function(dmd_frames_t *frames, const dmd_function_t *function,
                                 const dmd_location_t *at) {
  dmd_location_t location = {.function = function->name,
                             .file = function->file,
                             .line = function->line,
                             .object = at->object,
                             .build_id = at->build_id,
                             .offset = DMD_OFFSET_UNKNOWN};
  if (at->object != NULL && (!function->is_inlined || function->file == NULL))
    location.offset = at->offset;
  return dmd_frames_add(frames, &location);
}

uint32_t dmd_stack_shown(uint32_t n, dmd_code_kind_t (*kind_of)(const void *ctx, uint32_t i),
                         const void *ctx) {
  uint32_t n_kept = n;
  for (uint32_t i = n; i-- > 0;) {
    dmd_code_kind_t kind = kind_of(ctx, i);
    if (kind != DMD_CODE_OTHER)
      n_kept = i + 1;
    if (kind == DMD_CODE_MAIN)
      break;
  }
  return n_kept;
}
