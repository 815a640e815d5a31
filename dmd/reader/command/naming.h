/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * naming.h: the namer of frames that all files of a command are loaded with.
 *
 * A process has one, so that an object that is in many files is opened once, and what has no name
 * is told once: by dmdv_naming_end, at the end of a command that did its work. It may be called
 * without need.
 */
#ifndef DMD_READER_COMMAND_NAMING_H
#define DMD_READER_COMMAND_NAMING_H

#include "profile/naming.h"

const dmd_namer_t *dmdv_namer(void);
void dmdv_naming_end(bool did_work);

#endif
