/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_host.h: what the engine asks of its host (engine/host.h), in the program's own process.
 */
#ifndef DMD_PRELOAD_PL_HOST_H
#define DMD_PRELOAD_PL_HOST_H

#include "engine/host.h"

extern const dmd_engine_host_t pl_host;

/* Notes what the program could change later: its arguments, and where it was started. */
void pl_host_start(void);

/* When that was, in seconds since 1970; 0: unknown. */
uint64_t pl_host_start_time(void);

#endif
