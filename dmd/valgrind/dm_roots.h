/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_roots.h: the roots from which the program reaches its blocks, for dmd_engine_host_t.
 */
#ifndef DMD_VALGRIND_DM_ROOTS_H
#define DMD_VALGRIND_DM_ROOTS_H

#include "pub_tool_basics.h"

#include "record/host.h"

void dm_mappings(void *ctx, dmd_mapping_fn visit, void *visitor);
void dm_threads(void *ctx, dmd_thread_fn visit, void *visitor);

/* Call when a thread is about to end, and perhaps the process with it. */
void dm_roots_end_thread(ThreadId tid);

#endif
