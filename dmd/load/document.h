/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * document.h: a JSON document that is one object, part by part.
 *
 * The caller says which formats a document may have: the keys of each, and the functions that read
 * their values. Everything else (keys that are unknown, come twice or are missing, the version, and
 * what follows the object) is the same for all. The document is read once, front to back: if it may
 * have one of several formats, the first key that only one of them knows decides.
 */
#ifndef DMD_LOAD_DOCUMENT_H
#define DMD_LOAD_DOCUMENT_H

#include "load/cutter.h"

typedef struct dmd_part {
  const char *key; /* no other format knows it */
  /* Takes the value from the cutter, which ctx knows; false after an error. */
  bool (*load)(void *ctx);
  bool required;
} dmd_document_part_t;

/* Beside its parts every document has a "version". */
typedef struct dmd_format {
  double version;                   /* that it must be */
  const char *wrong_version;        /* what is said otherwise */
  const dmd_document_part_t *parts; /* at most 32, in any order */
  int n;
} dmd_document_format_t;

/* Reads the whole document, whose format is one of the n; `none` is the error message if it is not.
 * Returns the format; NULL after an error, which then stands in the cutter. */
const dmd_document_format_t *dmd_document_load(dmd_cutter_t *cutter,
                                               const dmd_document_format_t *const *formats, int n,
                                               const char *none, void *ctx);

#endif
