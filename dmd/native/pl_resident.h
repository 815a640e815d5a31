/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_resident.h: the physical memory of the program, without the engine's, and that of the engine.
 *
 * The kernel lists it for each mapping in /proc/self/smaps.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_NATIVE_PL_RESIDENT_H
#define DMD_NATIVE_PL_RESIDENT_H

#include "model/profile/profile.h"

/* As described in record/host.h: fills in resident and resident_unique. */
void pl_resident_measure(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks_szB);

/* The engine's resident bytes; 0: unknown. */
uint64_t pl_resident_own(void);

#endif
