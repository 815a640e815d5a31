/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_place.h: what memory an address lies in that no block has.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_PRELOAD_PL_PLACE_H
#define DMD_PRELOAD_PL_PLACE_H

#include "profile/fault.h"

/* As engine/host.h has it. */
dmd_fault_kind_t pl_classify(void *ctx, uint64_t addr, char *text, size_t szB);

#endif
