/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * files.h: the system's files as what base/outfile.h asks for.
 */
#ifndef DMD_READER_HOST_FILES_H
#define DMD_READER_HOST_FILES_H

#include "base/outfile.h"

extern const dmd_files_t dmdv_files;

/* The same, but what is opened, under any name, is standard output. */
extern const dmd_files_t dmdv_standard_output;

#endif
