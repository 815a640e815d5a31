/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * read.h: reads headers with libclang into a model.
 *
 * The headers are compiled together, as one source that includes them in order, with the flags of
 * the program's own compiler. This uses only clang's stable C interface, so any libclang from 14 on
 * works.
 *
 * DMD_DERIVING is defined, so that the macros of dmd-annotations.h expand to attributes that clang
 * keeps.
 */
#ifndef DMD_DERIVE_PROGRAM_READ_H
#define DMD_DERIVE_PROGRAM_READ_H

#include "derive/model.h"

typedef struct dmd_derive_sources {
  const char *const *headers; /* functions are written for the structs in these */
  size_t n_headers;
  const char *const *flags; /* compiler flags */
  size_t n_flags;
  bool with_unmarked; /* also read structs without words */
} dmd_derive_sources_t;

/* Called for each file that was read except the source itself, with clang's name for it. */
typedef void (*dmd_derive_hear_file_fn)(void *ctx, const char *name);

/* Adds the contents of the headers to the model. Prints clang's warnings and errors on standard
 * error; false if there are errors. */
bool dmd_derive_read(dmd_derive_model_t *model, const dmd_derive_sources_t *sources,
                     dmd_derive_hear_file_fn hear_file, void *ctx);

#endif
