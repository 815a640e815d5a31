/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_host.h: implements the engine's host on Valgrind.
 */
#ifndef DMD_VALGRIND_DM_HOST_H
#define DMD_VALGRIND_DM_HOST_H

#include "record/host.h"

extern const dmd_engine_host_t g_host;

#endif
