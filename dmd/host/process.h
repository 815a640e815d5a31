/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * process.h: an ordinary process as the host of the core.
 */
#ifndef DMD_HOST_PROCESS_H
#define DMD_HOST_PROCESS_H

#include "base/env.h"

/* Allocates with malloc. If memory runs out, or an invariant is broken, prints one line and exits
 * with status 2. */
extern dmd_env_t dmdv_env;

/* Call it first: it seeds the hash functions with random numbers. */
void dmdv_host_init(void);

#endif
