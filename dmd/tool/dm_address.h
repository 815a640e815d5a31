/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_address.h: what memory an address of the program lies in, for dmd_engine_host_t: see there.
 *
 * Asked only once something is wrong: a report of something that is not a block.
 */
#ifndef DMD_TOOL_DM_ADDRESS_H
#define DMD_TOOL_DM_ADDRESS_H

#include "pub_tool_basics.h"

#include "profile/fault.h"

dmd_fault_kind_t dm_classify(void *ctx, uint64_t addr, char *text, size_t szB);

#endif
