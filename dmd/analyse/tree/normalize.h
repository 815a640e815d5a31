/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * normalize.h: removes from names what varies between runs.
 *
 * Programs put process ids, thread ids and addresses into names, and two runs can only be compared
 * without them. These become NNN: numbers after "pid " and "pid=", those in "(tid=7)", and
 * hexadecimal numbers before a closing parenthesis ("zone(0x7f01)", "worker(name, 0x7f01)").
 * Firefox's reporters use these forms, and about:memory's own comparison handles them.
 */
#ifndef DMD_ANALYSE_TREE_NORMALIZE_H
#define DMD_ANALYSE_TREE_NORMALIZE_H

#include "base/env.h"

/* Returns a normalised copy of the name; the caller frees it. */
char *dmd_normalize(const dmd_env_t *env, const char *name);

#endif
