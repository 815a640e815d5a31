/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * host.h: an ordinary process as the host of the core.
 */
#ifndef DMD_READER_HOST_HOST_H
#define DMD_READER_HOST_HOST_H

#include "base/env.h"

/* Memory from malloc. When there is none left, and on a broken invariant, it prints one line and
 * exits with status 2. */
extern dmd_env_t dmdv_env;

/* To be called first: makes hashes unpredictable. */
void dmdv_host_init(void);

#endif
