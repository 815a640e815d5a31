/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_address.h: what Valgrind knows of an address of the program.
 *
 * Asked only once something is wrong: a report of what is no block, a scope that was left open.
 */
#ifndef DMD_TOOL_DM_ADDRESS_H
#define DMD_TOOL_DM_ADDRESS_H

#include "pub_tool_basics.h"

#include "live/live.h"

/* The answers, for dmd_live_config_t. */
extern const dmd_live_host_t dm_address_host;

#endif
