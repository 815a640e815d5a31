/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * frame.h: the frames that the stacks of a profile are made of.
 *
 * A frame says where a call is: in which function, in which file and line of the source, at which
 * offset of which object. Its text, by which people know it and by which records are told apart, is
 * made of these, in one of three forms:
 *
 *   cookies_new (cookies.c:12)                the line is known
 *   sqlite3Malloc[/usr/lib/libsqlite3.so +0xa6]   it is not, but the object is
 *   ??? (???:???)                             nothing is known
 *
 * Frames that have the same text in the same object are one frame: the calls in one line are. Its
 * offset is that of the first of them that was seen. Two frames of different objects may have the
 * same text, as a function of a header has in each object that includes it; such frames are
 * *alike*.
 *
 * A file of another program, or of an earlier dmd, has the texts only. They are taken apart when
 * they are read, here and nowhere else. That goes wrong where a name looks like the form, as one
 * with " (" in the name of its file does; dmd's own files say so of such a frame.
 *
 * Objects are told apart by their paths and their build ids: the same path may hold another build
 * in another process, or later on.
 *
 * Ids count from 1 in the order of first sight. What is handed out stays where it is until the
 * whole is destroyed. Cost: 48 bytes a frame, and its strings, each once.
 */
#ifndef DMD_PROFILE_FRAME_H
#define DMD_PROFILE_FRAME_H

#include "base/intern.h"
#include "base/strbuf.h"

/* Of an offset that is not known, as that of an inlined call. */
#define DMD_OFFSET_UNKNOWN UINT64_MAX

/* Digits of a build id: linkers make 16 to 40. */
enum { DMD_MAX_BUILD_ID_TEXT = 128 };

/* Whether this is one, lower-case hexadecimal digits of whole bytes; "" is. */
bool dmd_is_build_id(const char *s);

/* Its bytes, of which it returns the number; and the n bytes as digits, appended to a buffer. */
size_t dmd_build_id_bytes(uint8_t bytes[DMD_MAX_BUILD_ID_TEXT / 2], const char *build_id);
void dmd_build_id_text(dmd_strbuf_t *to, const void *bytes, size_t n);

typedef struct dmd_location {
  const char *function; /* as it was printed by whoever found it; NULL: unknown */
  const char *file;     /* of the source; NULL: unknown */
  uint64_t line;        /* 0: unknown */
  const char *object;   /* path of the file with the code; NULL: unknown */
  uint64_t offset;      /* in the object, as addr2line wants it; DMD_OFFSET_UNKNOWN */
  const char *build_id; /* of the object, in hexadecimal; "": it has none; NULL: unknown */
} dmd_location_t;

typedef struct dmd_frame {
  uint32_t text;           /* of `texts` */
  uint32_t function, file; /* of `strings`; DMD_NONE: unknown */
  uint32_t object;         /* of `objects`, likewise */
  uint64_t line, offset;
  uint32_t alike; /* the first frame with this text, which may be this one */
  uint32_t next;  /* of the same object; DMD_NONE: there is none */
} dmd_frame_t;

/* An object's frames, in the order of their ids. */
typedef struct dmd_frame_list {
  uint32_t first, last;
} dmd_frame_list_t;

typedef struct dmd_frames {
  dmd_intern_t texts, strings;
  dmd_intern_t objects; /* their paths and, behind a NUL, their build ids where these are known */
  dmd_pool_t of_object; /* by object: dmd_frame_list_t */
  dmd_pool_t pool;
  dmd_pool_t first; /* by text: the first frame that has it */
  dmd_table_t index;
  bool any_alike; /* any two frames are alike */
} dmd_frames_t;

/* Must stay where it is until it is destroyed. */
void dmd_frames_init(dmd_frames_t *frames, const dmd_env_t *env);
void dmd_frames_destroy(dmd_frames_t *frames);

/* The id of the frame at this location, new or not. Bytes that are not UTF-8 become U+FFFD. */
uint32_t dmd_frames_add(dmd_frames_t *frames, const dmd_location_t *location);

/* A frame of a file: its text, by the id that it was kept under, and what the file says of it
 * besides. */
typedef struct dmd_frame_words {
  uint32_t text;
  const char *function; /* with which the text begins; NULL: to be found out */
  const char *object;   /* UTF-8; NULL: to be found out */
  const char *build_id; /* of this object, */
  uint64_t offset;      /* and in it; as in dmd_location_t */
} dmd_frame_words_t;

/* Keeps a text of n bytes, UTF-8, for dmd_frames_read: the rest may be known later. */
uint32_t dmd_frames_keep_text(dmd_frames_t *frames, const char *text, size_t n);
uint32_t dmd_frames_read(dmd_frames_t *frames, const dmd_frame_words_t *words);

/* Whether nothing but a place in an object is known of a frame: somebody may find a name for it. */
bool dmd_frames_is_nameless(const dmd_frames_t *frames, const dmd_frame_words_t *words);

/* Both at once, where there is a text only. */
uint32_t dmd_frames_read_text(dmd_frames_t *frames, const char *text);

/* The id of the frame that another collection has under this id. */
uint32_t dmd_frames_copy(dmd_frames_t *to, const dmd_frames_t *from, uint32_t id);

/* The id of the frame with these parts, whose ids are those of this collection; `alike` and `next`
 * are found out. */
uint32_t dmd_frames_restore(dmd_frames_t *frames, const dmd_frame_t *frame);

/* What a file has to say of a frame beside its text, so that it is read as it is. */
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

/* An object's path; and its build id, as in dmd_location_t. */
static inline const char *dmd_frames_object(const dmd_frames_t *frames, uint32_t object) {
  return dmd_intern_get_str(&frames->objects, object);
}
const char *dmd_frames_build_id(const dmd_frames_t *frames, uint32_t object);

/* The first frame of an object, whose `next` is the second. */
static inline uint32_t dmd_frames_of_object(const dmd_frames_t *frames, uint32_t object) {
  return DMD_POOL_AT(&frames->of_object, const dmd_frame_list_t, object)->first;
}

dmd_location_t dmd_frames_location(const dmd_frames_t *frames, uint32_t id);

#endif
