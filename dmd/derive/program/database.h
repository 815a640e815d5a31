/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * database.h: a compiler's flags from compile_commands.json.
 *
 * CMake and Meson write such a file, and bear and others make one of a build with make. It has no
 * commands for headers: libclang takes that of the source file whose name is most like the
 * header's.
 */
#ifndef DMD_DERIVE_PROGRAM_DATABASE_H
#define DMD_DERIVE_PROGRAM_DATABASE_H

#include "derive/model.h"

typedef struct dmd_derive_flags {
  const char **flags; /* in the model's memory, as are the texts */
  size_t n;
} dmd_derive_flags_t;

/* The flags for a header, with its absolute name, of the compile_commands.json in the folder; those
 * that only make files are left out. False, with one line on standard error, if there are none. */
bool dmd_derive_database_read(dmd_derive_model_t *model, const char *folder, const char *header,
                              dmd_derive_flags_t *flags);

#endif
