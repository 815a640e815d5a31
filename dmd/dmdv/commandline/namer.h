/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * namer.h: the namer of frames for all files that a command loads.
 *
 * A process has one namer, so that an object that occurs in several files is opened once, and
 * frames without names are reported once: by dmdv_naming_end, at the end of a successful command.
 * Calling it when no namer was used does no harm.
 */
#ifndef DMD_DMDV_COMMANDLINE_NAMER_H
#define DMD_DMDV_COMMANDLINE_NAMER_H

#include "model/profile/frame.h"

const dmd_namer_t *dmdv_namer(void);
void dmdv_naming_end(bool did_work);

#endif
