/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * records.h: makes records, types and functions of a model from clang's cursors.
 */
#ifndef DMD_DERIVE_PROGRAM_RECORDS_H
#define DMD_DERIVE_PROGRAM_RECORDS_H

#include "derive/model.h"

#include <clang-c/Index.h>

typedef struct dmd_derive_reader {
  dmd_derive_model_t *model;
  struct dmd_derive_known *known; /* records met so far, the latest first */
  dmd_derive_record_t *last;      /* of the model's list */
  dmd_derive_function_t *last_function;
  const CXFile *wanted; /* the headers on the command line */
  size_t n_wanted;
  bool with_unmarked; /* also structs without words */
} dmd_derive_reader_t;

/* Copies clang's string to the model's memory and disposes of it. */
const char *dmd_derive_string(dmd_derive_model_t *model, CXString string);

/* A file's name in the model's memory, without a leading "./", which some releases of clang add for
 * a header in the folder of the including file. */
const char *dmd_derive_file_name(dmd_derive_model_t *model, CXFile file);

/* The record that a cursor defines or declares; reads it if it is new. */
const dmd_derive_record_t *dmd_derive_read_record(dmd_derive_reader_t *reader, CXCursor cursor);

/* True if the cursor has one of dmd's annotations. */
bool dmd_derive_has_words(CXCursor cursor);

/* A constant of an enum, or a variable. */
void dmd_derive_read_global(dmd_derive_reader_t *reader, CXCursor cursor);

void dmd_derive_read_function(dmd_derive_reader_t *reader, CXCursor cursor);

#endif
