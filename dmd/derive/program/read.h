/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * read.h: headers, read with libclang into a model.
 *
 * The headers are compiled together, as one source that includes them one after the other, with the
 * flags that the program's own compiler gets. Only what clang's stable C interface tells is used,
 * so any libclang from 14 on will do.
 *
 * DMD_DERIVING is defined meanwhile: then the macros of dmd-annotations.h leave something that
 * clang keeps.
 */
#ifndef DMD_DERIVE_PROGRAM_READ_H
#define DMD_DERIVE_PROGRAM_READ_H

#include "derive/model.h"

typedef struct dmd_derive_sources {
  const char *const *headers; /* functions are written for the structs in these */
  size_t n_headers;
  const char *const *flags; /* the compiler's */
  size_t n_flags;
  bool with_unmarked; /* read structs that have no words, too */
} dmd_derive_sources_t;

/* Hears of each file that was read but the source itself, by the name that clang has of it. */
typedef void (*dmd_derive_hear_file_fn)(void *ctx, const char *name);

/* Adds what the headers say to the model. False if clang finds errors in them, which are then on
 * standard error as clang says them, its warnings too. */
bool dmd_derive_read(dmd_derive_model_t *model, const dmd_derive_sources_t *sources,
                     dmd_derive_hear_file_fn hear_file, void *ctx);

#endif
