/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_resident.h: what the program takes up in physical memory, without what is the engine's; and
 * that.
 *
 * The kernel says it of each mapping in /proc/self/smaps. Concurrency: under the engine lock.
 */
#ifndef DMD_PRELOAD_PL_RESIDENT_H
#define DMD_PRELOAD_PL_RESIDENT_H

#include "profile/profile.h"

/* As engine/host.h has it: fills in resident and resident_unique. */
void pl_resident_measure(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks_szB);

/* Bytes that are the engine's; 0: unknown. */
uint64_t pl_resident_own(void);

#endif
