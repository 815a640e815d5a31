/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jsondocument.h: reads a JSON document that is one object, member by member.
 *
 * The caller lists the formats that a document may have: the keys of each, and the functions that
 * read their values. Unknown, duplicate and missing keys, the version, and text behind the object
 * are handled here, alike for all formats. The document is read once, front to back: if there are
 * several formats, the first key that only one of them has decides.
 */
#ifndef DMD_FILES_PROFILE_JSONDOCUMENT_H
#define DMD_FILES_PROFILE_JSONDOCUMENT_H

#include "base/limits.h"
#include "files/profile/jsonvalue.h"
#include "files/profile/source.h"

/* ---- Cutting a document. ----
 *
 * Walks through a JSON document of any size and cuts out the values worth parsing.
 *
 * Why not a library? A profile may have gigabytes and comes from strangers: only one element may be
 * in memory at a time, and every error must have its line and byte. The maintained C parsers
 * (cJSON, jansson, json-c) build a tree of the whole document and need a libc; the streaming one
 * (yajl) has had no release since 2014. A browser's JSON.parse reports no places, drops duplicate
 * keys and reorders some. The tests compare the cutter and jsonvalue.h with cJSON.
 *
 * The caller enters large objects and arrays (blockList, traceTable) and takes each element as a
 * tree. Where it knows what an element usually looks like, it first tries to read it directly from
 * the text in the buffer (jsonvalue.h). The cutter checks that the text is JSON, that strings are
 * UTF-8, and that nothing nests deeper than DMD_MAX_JSON_DEPTH. In a value that is skipped it
 * checks structure and strings only.
 *
 * Every function returns false after an error; cutter->fail then holds the error with its place.
 *
 *   dmd_jsoncutter_enter(c, '{');
 *   while (dmd_jsoncutter_next_key(c, &key))       until it returns false: at the end, or on an
 * error
 *     ... exactly one of enter, value, skip or ready and pass ...
 *   if (dmd_jsoncutter_failed(c)) ... */

typedef struct dmd_jsoncutter {
  const dmd_env_t *env;
  const dmd_source_t *source;
  const char *start, *at, *end; /* the input in the buffer; `at`: the next byte */
  uint64_t start_byte;          /* offset of `start` in the input */
  const char *counted;          /* line ends before this are counted in `line` */
  uint64_t line;
  bool failed;
  dmd_fail_t fail;
  char *text; /* the value or key being cut out */
  size_t n, room;
  dmd_jsonvalues_t values;
  struct {
    char close;
    bool any; /* it has had at least one element */
  } level[DMD_MAX_JSON_DEPTH];
  int depth;
} dmd_jsoncutter_t;

/* The source still belongs to the caller. */
void dmd_jsoncutter_init(dmd_jsoncutter_t *cutter, const dmd_env_t *env,
                         const dmd_source_t *source);
void dmd_jsoncutter_destroy(dmd_jsoncutter_t *cutter);

static inline bool dmd_jsoncutter_failed(const dmd_jsoncutter_t *cutter) {
  return cutter->failed;
}

/* Enters the next value, which must be an object ('{') or an array ('['). */
bool dmd_jsoncutter_enter(dmd_jsoncutter_t *cutter, char open);

/* Whether the next value begins with this character. */
bool dmd_jsoncutter_begins(dmd_jsoncutter_t *cutter, char open);

/* In an object: the next key, decoded, valid until the next call. False on an error or at the end
 * of the object, which is then left. */
bool dmd_jsoncutter_next_key(dmd_jsoncutter_t *cutter, const char **key);

/* In an array: true if there is another element. False on an error or at the end of the array,
 * which is then left. */
bool dmd_jsoncutter_next_element(dmd_jsoncutter_t *cutter);

/* The next value as a tree, valid until the next call of any function. NULL on an error. */
const dmd_jsonvalue_t *dmd_jsoncutter_value(dmd_jsoncutter_t *cutter);
bool dmd_jsoncutter_skip(dmd_jsoncutter_t *cutter);

/* The text in the buffer from the next value up to *end. It may hold only part of the value, or
 * more. */
static inline const char *dmd_jsoncutter_ready(const dmd_jsoncutter_t *cutter, const char **end) {
  *end = cutter->end;
  return cutter->at;
}

/* Continues at `to`, which is in that text and behind the value. */
static inline void dmd_jsoncutter_pass(dmd_jsoncutter_t *cutter, const char *to) {
  cutter->at = to;
}

/* Reports an error that the caller found in the value just read. Returns false. */
bool dmd_jsoncutter_reject(dmd_jsoncutter_t *cutter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Documents. ---- */

typedef struct dmd_jsondocument_part {
  const char *key; /* which no other format has */
  /* Takes the value from the cutter, which it knows through ctx; false after an error. */
  bool (*load)(void *ctx);
  bool required;
} dmd_jsondocument_part_t;

/* Every document has a "version" beside its parts. */
typedef struct dmd_jsondocument_format {
  double version;                       /* the only one accepted */
  const char *wrong_version;            /* error message for any other */
  const dmd_jsondocument_part_t *parts; /* at most 32, in any order */
  int n;
} dmd_jsondocument_format_t;

/* Reads the whole document, whose format is one of the n; `none` is the error message if it is of
 * another. Returns the format; NULL after an error, which is then in the cutter. */
const dmd_jsondocument_format_t *
dmd_jsondocument_load(dmd_jsoncutter_t *cutter, const dmd_jsondocument_format_t *const *formats,
                      int n, const char *none, void *ctx);

#endif
