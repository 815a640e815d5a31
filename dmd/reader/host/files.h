/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * files.h: standard output as what base/outfile.h asks for.
 */
#ifndef DMD_READER_HOST_FILES_H
#define DMD_READER_HOST_FILES_H

#include "base/outfile.h"

/* Those of posix/files.h, but what is opened, under any name, is standard output. */
extern const dmd_files_t dmdv_standard_output;

#endif
