/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * compilecommands.h: reads a compiler's flags from compile_commands.json.
 *
 * CMake and Meson write such a file; bear and others make one from a build with make. It has no
 * commands for headers, so libclang uses the command of the source file with the most similar name.
 */
#ifndef DMD_DERIVE_PROGRAM_COMPILECOMMANDS_H
#define DMD_DERIVE_PROGRAM_COMPILECOMMANDS_H

#include "derive/model.h"

typedef struct dmd_derive_flags {
  const char **flags; /* array and texts are in the model's memory */
  size_t n;
} dmd_derive_flags_t;

/* Reads the flags for a header, given by absolute name, from the compile_commands.json in the
 * folder. Flags that only concern output files are left out. Returns false, with one line on
 * standard error, if it finds no flags. */
bool dmd_derive_database_read(dmd_derive_model_t *model, const char *folder, const char *header,
                              dmd_derive_flags_t *flags);

#endif
