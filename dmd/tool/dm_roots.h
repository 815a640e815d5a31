/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_roots.h: what the program reaches its blocks from, for dmd_engine_host_t: see there.
 */
#ifndef DMD_TOOL_DM_ROOTS_H
#define DMD_TOOL_DM_ROOTS_H

#include "pub_tool_basics.h"

#include "engine/host.h"

void dm_mappings(void *ctx, dmd_mapping_fn visit, void *visitor);
void dm_threads(void *ctx, dmd_thread_fn visit, void *visitor);

/* A thread is about to end, and perhaps the process with it. */
void dm_roots_end_thread(ThreadId tid);

#endif
