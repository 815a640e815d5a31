/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * records.h: records, types and functions of a model, from clang's cursors.
 */
#ifndef DMD_DERIVE_PROGRAM_RECORDS_H
#define DMD_DERIVE_PROGRAM_RECORDS_H

#include "derive/model.h"

#include <clang-c/Index.h>

typedef struct dmd_derive_reader {
  dmd_derive_model_t *model;
  struct dmd_derive_known *known; /* the records that were met, the last first */
  dmd_derive_record_t *last;      /* of the model's */
  dmd_derive_function_t *last_function;
  const CXFile *wanted; /* the headers that were named */
  size_t n_wanted;
  bool with_unmarked; /* structs without words, too */
} dmd_derive_reader_t;

/* What clang's string says, in the model's memory; the string is disposed of. */
const char *dmd_derive_string(dmd_derive_model_t *model, CXString string);

/* A file's name as one would write it: releases of clang differ in whether they put "./" in front
 * of a header that is beside what includes it. In the model's memory. */
const char *dmd_derive_file_name(dmd_derive_model_t *model, CXFile file);

/* The record that a cursor defines or declares, read if it is new. */
const dmd_derive_record_t *dmd_derive_read_record(dmd_derive_reader_t *reader, CXCursor cursor);

/* Whether the cursor has one of dmd's annotations. */
bool dmd_derive_has_words(CXCursor cursor);

/* A constant of an enum, or a variable. */
void dmd_derive_read_global(dmd_derive_reader_t *reader, CXCursor cursor);

void dmd_derive_read_function(dmd_derive_reader_t *reader, CXCursor cursor);

#endif
