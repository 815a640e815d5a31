/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cutter.h: walks through a JSON document of any size and cuts out the values worth parsing.
 *
 * Why not a parser that others keep? A profile may have gigabytes and comes from strangers, so that
 * no more than one element may be in memory, and every error must have its line and byte. The
 * parsers for C that are kept (cJSON, jansson, json-c) make a tree of the whole document, and need
 * a libc; the one that streams (yajl) has had no release since 2014. A browser's JSON.parse has no
 * places, loses keys that come twice, and makes another order of some. So the cutter and value.h
 * read JSON themselves, everywhere alike; the tests compare them with cJSON.
 *
 * The caller goes down into objects and arrays whose elements are many (blockList, traceTable) and
 * takes each element as a tree. Where it knows what an element usually looks like, it first
 * tries to read it from the text in the buffer (scan.h). Everything is checked on the way: that the
 * text is JSON, that strings are UTF-8, and that nothing nests deeper than DMD_MAX_JSON_DEPTH. A
 * value that is skipped is checked for structure and strings.
 *
 * Every function returns false after an error, which then stands in cutter->fail with its place.
 *
 *   dmd_cutter_enter(c, '{');
 *   while (dmd_cutter_next_key(c, &key))       until it returns false: at the end, or on an error
 *     ... exactly one of enter, value, skip or ready and pass ...
 *   if (dmd_cutter_failed(c)) ...
 */
#ifndef DMD_LOAD_CUTTER_H
#define DMD_LOAD_CUTTER_H

#include "base/limits.h"
#include "load/source.h"
#include "load/value.h"

typedef struct dmd_cutter {
  const dmd_env_t *env;
  const dmd_source_t *source;
  const char *start, *at, *end; /* the part of the input in the buffer; `at` is what comes next */
  uint64_t start_byte;          /* of `start` */
  const char *counted;          /* the text before it is in `line` */
  uint64_t line;
  bool failed;
  dmd_fail_t fail;
  char *text; /* of the value or key being cut out */
  size_t n, room;
  dmd_values_t values;
  struct {
    char close;
    bool any; /* it has had an element */
  } level[DMD_MAX_JSON_DEPTH];
  int depth;
} dmd_cutter_t;

/* The source stays the caller's. */
void dmd_cutter_init(dmd_cutter_t *cutter, const dmd_env_t *env, const dmd_source_t *source);
void dmd_cutter_destroy(dmd_cutter_t *cutter);

static inline bool dmd_cutter_failed(const dmd_cutter_t *cutter) {
  return cutter->failed;
}

/* The next value must be an object ('{') or an array ('['): goes into it. */
bool dmd_cutter_enter(dmd_cutter_t *cutter, char open);

/* Whether the next value begins with this character. */
bool dmd_cutter_begins(dmd_cutter_t *cutter, char open);

/* In an object: the next key, decoded, good until the next call. False at the object's end, which
 * is left behind, or on an error. */
bool dmd_cutter_next_key(dmd_cutter_t *cutter, const char **key);

/* In an array: whether there is another element. False at the end or on an error. */
bool dmd_cutter_next_element(dmd_cutter_t *cutter);

/* The next value, whole, good until the next call of any function. NULL on an error. */
const dmd_value_t *dmd_cutter_value(dmd_cutter_t *cutter);
bool dmd_cutter_skip(dmd_cutter_t *cutter);

/* The text in the buffer from the next value on, up to *end: perhaps only a part of the value,
 * perhaps more. */
static inline const char *dmd_cutter_ready(const dmd_cutter_t *cutter, const char **end) {
  *end = cutter->end;
  return cutter->at;
}

/* Goes on at this place of that text, after the value. */
static inline void dmd_cutter_pass(dmd_cutter_t *cutter, const char *to) {
  cutter->at = to;
}

/* Nothing but white space may be left. */
bool dmd_cutter_finish(dmd_cutter_t *cutter);

/* Where the document was read up to. */
void dmd_cutter_place(dmd_cutter_t *cutter, uint64_t *line, uint64_t *byte);

/* Reports an error found by the caller in the value just read. Returns false. */
bool dmd_cutter_reject(dmd_cutter_t *cutter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
