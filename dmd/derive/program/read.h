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

/* ---- Flags of the compiler. ----
 *
 * Reads a compiler's flags from compile_commands.json.
 *
 * CMake and Meson write such a file; bear and others make one from a build with make. It has no
 * commands for headers, so libclang uses the command of the source file with the most similar name.
 */

typedef struct dmd_derive_flags {
  const char **flags; /* array and texts are in the model's memory */
  size_t n;
} dmd_derive_flags_t;

/* Reads the flags for a header, given by absolute name, from the compile_commands.json in the
 * folder. Flags that only concern output files are left out. Returns false, with one line on
 * standard error, if it finds no flags. */
bool dmd_derive_database_read(dmd_derive_model_t *model, const char *folder, const char *header,
                              dmd_derive_flags_t *flags);

/* ---- Reading headers. ---- */

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
