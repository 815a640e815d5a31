/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cutter.h: walks through a JSON document of any size and cuts out the values worth parsing.
 *
 * Why not a parser that others keep? A profile may have gigabytes and comes from strangers, so that
 * no more than one element may be in memory, and every error must have its line and byte. The
 * parsers for C that are kept (cJSON, jansson, json-c) make a tree of the whole document; the one
 * that streams (yajl) has had no release since 2014. So the cutter does what they cannot, and
 * leaves the grammar to cJSON.
 *
 * The caller goes down into objects and arrays whose elements are many (blockList, traceTable) and
 * takes each element as a cJSON tree. Where it knows what an element usually looks like, it first
 * tries to read it from the text in the buffer (scan.h). Everything is checked on the way: that the
 * text is JSON, that strings are UTF-8, and that nothing nests deeper than DMD_MAX_JSON_DEPTH. A
 * value that is skipped is checked for structure and strings.
 *
 * Every function returns false after an error, which then stands in cutter->fail with its place.
 *
 *   dmdv_cutter_enter(c, '{');
 *   while (dmdv_cutter_next_key(c, &key))       until it returns false: at the end, or on an error
 *     ... exactly one of enter, value, skip or ready and pass ...
 *   if (dmdv_cutter_failed(c)) ...
 */
#ifndef DMD_READER_INPUT_CUTTER_H
#define DMD_READER_INPUT_CUTTER_H

#include "base/limits.h"
#include "reader/host/fail.h"
#include "reader/host/progress.h"
#include "reader/input/input.h"

#include <cjson/cJSON.h>

typedef struct dmdv_cutter {
  dmdv_input_t *input;
  const char *start, *at, *end; /* the part of the input in the buffer; `at` is what comes next */
  uint64_t start_byte;          /* of `start` */
  const char *counted;          /* the text before it is in `line` */
  uint64_t line;
  bool failed;
  dmdv_fail_t fail;
  dmdv_progress_t progress;
  char *text; /* of the value or key being cut out */
  size_t n, room;
  bool keep; /* whether text is wanted */
  struct {
    char close;
    bool any; /* it has had an element */
  } level[DMD_MAX_JSON_DEPTH];
  int depth;
} dmdv_cutter_t;

/* The input stays the caller's. */
void dmdv_cutter_init(dmdv_cutter_t *cutter, dmdv_input_t *input);
void dmdv_cutter_destroy(dmdv_cutter_t *cutter);

static inline bool dmdv_cutter_failed(const dmdv_cutter_t *cutter) {
  return cutter->failed;
}

/* The next value must be an object ('{') or an array ('['): goes into it. */
bool dmdv_cutter_enter(dmdv_cutter_t *cutter, char open);

/* Whether the next value begins with this character. */
bool dmdv_cutter_begins(dmdv_cutter_t *cutter, char open);

/* In an object: the next key, decoded, good until the next call. False at the object's end, which
 * is left behind, or on an error. */
bool dmdv_cutter_next_key(dmdv_cutter_t *cutter, const char **key);

/* In an array: whether there is another element. False at the end or on an error. */
bool dmdv_cutter_next_element(dmdv_cutter_t *cutter);

/* The next value, whole; the caller deletes it. NULL on an error. */
cJSON *dmdv_cutter_value(dmdv_cutter_t *cutter);
bool dmdv_cutter_skip(dmdv_cutter_t *cutter);

/* The text in the buffer from the next value on, up to *end: perhaps only a part of the value,
 * perhaps more. */
static inline const char *dmdv_cutter_ready(const dmdv_cutter_t *cutter, const char **end) {
  *end = cutter->end;
  return cutter->at;
}

/* Goes on at this place of that text, after the value. */
static inline void dmdv_cutter_pass(dmdv_cutter_t *cutter, const char *to) {
  cutter->at = to;
}

/* Nothing but white space may be left. */
bool dmdv_cutter_finish(dmdv_cutter_t *cutter);

/* Where the document was read up to. */
void dmdv_cutter_place(dmdv_cutter_t *cutter, uint64_t *line, uint64_t *byte);

/* Reports an error found by the caller in the value just read. Returns false. */
bool dmdv_cutter_reject(dmdv_cutter_t *cutter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
