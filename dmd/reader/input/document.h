/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * document.h: a JSON document that is one object, part by part.
 *
 * Who reads a document says which keys it knows and what reads their values; the rest (keys that
 * are not known, come twice or are missing, and what follows the object) is the same for all.
 */
#ifndef DMD_READER_INPUT_DOCUMENT_H
#define DMD_READER_INPUT_DOCUMENT_H

#include "reader/input/cutter.h"

typedef struct dmdv_part {
  const char *key;
  /* Takes the value from the cutter, which the reader that ctx is knows; false after an error. */
  bool (*load)(void *ctx);
  bool required;
} dmdv_part_t;

/* Reads the whole document: at most 32 parts, in any order. False after an error, which then stands
 * in the cutter. */
bool dmdv_load_document(dmdv_cutter_t *cutter, const dmdv_part_t *parts, int n, void *ctx);

#endif
