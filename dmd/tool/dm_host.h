/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_host.h: what the engine asks of Valgrind.
 */
#ifndef DMD_TOOL_DM_HOST_H
#define DMD_TOOL_DM_HOST_H

#include "engine/host.h"

extern const dmd_engine_host_t g_host;

#endif
