/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * frame.h: the frames that the stacks of a profile consist of.
 *
 * A frame is the place of a call: the function, the file and line of the source, the object and the
 * offset in it. Its text, which people see and which distinguishes records, has one of three forms:
 *
 *   cookies_new (cookies.c:12)                the line is known
 *   sqlite3Malloc[/usr/lib/libsqlite3.so +0xa6]   only the object is known
 *   ??? (???:???)                             nothing is known
 *
 * Frames with the same text in the same object are one frame, such as all calls in one line; its
 * offset is that of the first of them that was seen. Frames of different objects with the same text
 * are *alike*, such as a function of a header in each object that includes it.
 *
 * A file of another program has only texts, which are parsed when they are read. That fails for a
 * name that looks like the syntax, such as a file name that contains " ("; dmd's own files mark
 * such frames.
 *
 * Objects are identified by path and build id: the same path may hold another build in another
 * process, or later.
 *
 * Ids count from 1 in the order of addition. Results stay valid until the collection is destroyed.
 * Memory: 48 bytes per frame, and each string once.
 */
#ifndef DMD_MODEL_PROFILE_FRAME_H
#define DMD_MODEL_PROFILE_FRAME_H

#include "base/intern.h"
#include "base/strbuf.h"

/* An unknown offset, such as that of an inlined call. */
#define DMD_OFFSET_UNKNOWN UINT64_MAX

/* The most digits of a build id; linkers make 16 to 40. */
enum { DMD_MAX_BUILD_ID_TEXT = 128 };

/* Whether s is a build id, lower-case hexadecimal digits of whole bytes; "" is. */
bool dmd_is_build_id(const char *s);

/* Converts a build id to bytes, and returns their number; appends n bytes as digits to a buffer. */
size_t dmd_build_id_bytes(uint8_t bytes[DMD_MAX_BUILD_ID_TEXT / 2], const char *build_id);
void dmd_build_id_text(dmd_strbuf_t *to, const void *bytes, size_t n);

typedef struct dmd_location {
  const char *function; /* as its source printed it; NULL: unknown */
  const char *file;     /* source file; NULL: unknown */
  uint64_t line;        /* 0: unknown */
  const char *object;   /* path of the file with the code; NULL: unknown */
  uint64_t offset;      /* in the object, as for addr2line; DMD_OFFSET_UNKNOWN */
  const char *build_id; /* of the object, in hexadecimal; "": without one; NULL: unknown */
} dmd_location_t;

typedef struct dmd_frame {
  uint32_t text;           /* of `texts` */
  uint32_t function, file; /* of `strings`; DMD_NONE: unknown */
  uint32_t object;         /* of `objects`; DMD_NONE: unknown */
  uint64_t line, offset;
  uint32_t alike; /* the first frame with this text, which may be this one */
  uint32_t next;  /* next frame of the same object, or DMD_NONE */
} dmd_frame_t;

/* An object's frames, in the order of their ids. */
typedef struct dmd_frame_list {
  uint32_t first, last;
} dmd_frame_list_t;

typedef struct dmd_frames {
  dmd_intern_t texts, strings;
  dmd_intern_t objects; /* paths and, after a NUL, build ids if known */
  dmd_pool_t of_object; /* by object: dmd_frame_list_t */
  dmd_pool_t pool;
  dmd_pool_t first; /* by text: the first frame with it */
  dmd_table_t index;
  bool any_alike; /* any two frames are alike */
} dmd_frames_t;

/* Must not move until it is destroyed. */
void dmd_frames_init(dmd_frames_t *frames, const dmd_env_t *env);
void dmd_frames_destroy(dmd_frames_t *frames);

/* Returns the id of the frame at this location, and adds it if it is new. Bytes that are not UTF-8
 * become U+FFFD. */
uint32_t dmd_frames_add(dmd_frames_t *frames, const dmd_location_t *location);

/* A frame of a file: the id of its text, and what else the file says about it. */
typedef struct dmd_frame_words {
  uint32_t text;
  const char *function; /* the start of the text; NULL: to be parsed */
  const char *object;   /* UTF-8; NULL: to be parsed */
  const char *build_id; /* of this object */
  uint64_t offset;      /* in this object; both as in dmd_location_t */
} dmd_frame_words_t;

/* Stores a text of n bytes of UTF-8 for dmd_frames_read, since the rest may be known only later. */
uint32_t dmd_frames_keep_text(dmd_frames_t *frames, const char *text, size_t n);
uint32_t dmd_frames_read(dmd_frames_t *frames, const dmd_frame_words_t *words);

/* Whether only the place in an object is known, or with adds_lines also the function, so that a
 * namer may find a name. */
bool dmd_frames_is_nameless(const dmd_frames_t *frames, const dmd_frame_words_t *words,
                            bool adds_lines);

/* dmd_frames_keep_text and dmd_frames_read for a frame that has only a text. */
uint32_t dmd_frames_read_text(dmd_frames_t *frames, const char *text);

/* Copies a frame from another collection; returns its id here. */
uint32_t dmd_frames_copy(dmd_frames_t *to, const dmd_frames_t *from, uint32_t id);

/* Adds a frame with these parts, whose ids are those of this collection; computes `alike` and
 * `next`. */
uint32_t dmd_frames_restore(dmd_frames_t *frames, const dmd_frame_t *frame);

/* What a file has to store besides a frame's text, so that reading restores the frame. */
typedef struct dmd_frame_rest {
  bool object;   /* its object, with the offset */
  bool function; /* its function's name */
} dmd_frame_rest_t;

dmd_frame_rest_t dmd_frames_rest(const dmd_frames_t *frames, uint32_t id);

static inline uint32_t dmd_frames_count(const dmd_frames_t *frames) {
  return frames->pool.last;
}

static inline const dmd_frame_t *dmd_frames_at(const dmd_frames_t *frames, uint32_t id) {
  return DMD_POOL_AT(&frames->pool, const dmd_frame_t, id);
}

static inline const char *dmd_frames_text(const dmd_frames_t *frames, uint32_t id) {
  return dmd_intern_get_str(&frames->texts, dmd_frames_at(frames, id)->text);
}

/* An object's path, and its build id as in dmd_location_t. */
static inline const char *dmd_frames_object(const dmd_frames_t *frames, uint32_t object) {
  return dmd_intern_get_str(&frames->objects, object);
}
const char *dmd_frames_build_id(const dmd_frames_t *frames, uint32_t object);

/* The first frame of an object, whose `next` is the second. */
static inline uint32_t dmd_frames_of_object(const dmd_frames_t *frames, uint32_t object) {
  return DMD_POOL_AT(&frames->of_object, const dmd_frame_list_t, object)->first;
}

dmd_location_t dmd_frames_location(const dmd_frames_t *frames, uint32_t id);

/* ---- Namers. ----
 *
 * Turns code addresses into frames, and names frames that lack a name.
 *
 * An address lies in one function and possibly in functions inlined there; each is a frame. Callers
 * of main are left out unless the user wants them. Names come from an engine, when it writes a
 * file, or from a *namer*, when a file that has only objects and offsets is read. Frames that still
 * have no name are *nameless*. */

/* A function at an address: an inlined one, or the one around them. */
typedef struct dmd_function {
  const char *name; /* demangled, as printed; "": without one */
  const char *file; /* NULL: the place in the source is unknown */
  uint32_t line;
  bool is_inlined;
} dmd_function_t;

typedef void (*dmd_function_fn)(void *visitor, const dmd_function_t *function);

typedef enum { DMD_CODE_OTHER, DMD_CODE_MAIN, DMD_CODE_BELOW_MAIN } dmd_code_kind_t;

/* Returns the frame of one function at an address, of which `at` gives the object, its build id and
 * the offset. An inlined call has its own offset only if nothing else is known about it. */
uint32_t dmd_frames_add_function(dmd_frames_t *frames, const dmd_function_t *function,
                                 const dmd_location_t *at);

/* The number of a stack's n addresses, innermost first, to show: up to main or, without it, up to
 * the first below it. kind_of returns the kind of the i-th address. */
uint32_t dmd_stack_shown(uint32_t n, dmd_code_kind_t (*kind_of)(const void *ctx, uint32_t i),
                         const void *ctx);

typedef struct dmd_namer {
  void *ctx;
  bool shows_below_main;
  bool adds_lines; /* names frames that have a function but no line, too */
  /* Visits all functions at a place for dmd_frames_add_function, inlined ones first. Returns false
   * without a visit if nothing is known about it. *kind is that of the outermost function. */
  bool (*functions)(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                    dmd_code_kind_t *kind);
} dmd_namer_t;

#endif
