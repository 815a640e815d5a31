/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * normalize.h: names without what differs from run to run.
 *
 * Programs put process ids, thread ids and addresses into the names of what they measure. To be
 * compared, two runs need names without them. Numbers after "pid " and "pid=", those in "(tid=7)",
 * and hexadecimal numbers that close a parenthesis ("zone(0x7f01)", "worker(name, 0x7f01)") become
 * NNN. These are the forms that Firefox's reporters use, and about:memory's own comparison knows.
 */
#ifndef DMD_ANALYSIS_NORMALIZE_H
#define DMD_ANALYSIS_NORMALIZE_H

#include "base/env.h"

/* A copy of the name, normalized; the caller frees it. */
char *dmd_normalize(const dmd_env_t *env, const char *name);

#endif
