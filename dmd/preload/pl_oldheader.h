/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_oldheader.h: says which of the loaded objects make requests that the engine does not see,
 * since they were compiled with an older dmd.h (engine/oldheader.h).
 *
 * Cost: the code of each object that has no note of ours is read once.
 *
 * Concurrency: at the end of the process; asks the loader.
 */
#ifndef DMD_PRELOAD_PL_OLDHEADER_H
#define DMD_PRELOAD_PL_OLDHEADER_H

void pl_oldheader_tell(void);

#endif
