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

#include "files/profile/jsoncutter.h"

typedef struct dmd_shard {
  const char *key; /* which no other format has */
  /* Takes the value from the cutter, which it knows through ctx; false after an error. */
  bool (*load)(void *ctx);
  bool required;
} dmd_jsondocument_part_t;

/* Every document has a "version" beside its parts. */
typedef struct dmd_format {
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
