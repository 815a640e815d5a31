/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_host.h: implements the engine's host (record/host.h) inside the program's own process.
 */
#ifndef DMD_NATIVE_PL_HOST_H
#define DMD_NATIVE_PL_HOST_H

#include "record/host.h"

extern const dmd_engine_host_t pl_host;

/* Saves what the program could change later: its arguments and its working directory. */
void pl_host_start(void);

/* Saves the environment before the C library frees it along with its other internal memory. */
void pl_host_keep_environment(void);

/* The time of pl_host_start, in seconds since 1970; 0: unknown. */
uint64_t pl_host_start_time(void);

/* The engine's resident bytes; 0: unknown. Under the engine lock. */
uint64_t pl_host_own_szB(void);

#endif
