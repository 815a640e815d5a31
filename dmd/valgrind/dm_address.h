/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_address.h: describes the memory that an address of the program lies in, for dmd_engine_host_t.
 *
 * Used only to report an error: an address that is not in a block.
 */
#ifndef DMD_VALGRIND_DM_ADDRESS_H
#define DMD_VALGRIND_DM_ADDRESS_H

#include "pub_tool_basics.h"

#include "model/profile/fault.h"

dmd_fault_kind_t dm_classify(void *ctx, uint64_t addr, char *text, size_t szB);

#endif
