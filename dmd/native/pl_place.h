/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_place.h: classifies an address that is in no block by the memory that it lies in.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_NATIVE_PL_PLACE_H
#define DMD_NATIVE_PL_PLACE_H

#include "model/profile/fault.h"

/* As described in record/host.h. */
dmd_fault_kind_t pl_classify(void *ctx, uint64_t addr, char *text, size_t szB);

#endif
