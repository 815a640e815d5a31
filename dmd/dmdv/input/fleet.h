/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fleet.h: reads the profiles of many files with several threads, and returns them in order.
 *
 * begin starts the threads; next waits for the next file's profile, which is valid until the next
 * call; end stops the threads, even before all files were read. However many files there are, only
 * a few profiles per thread are in memory at once. No progress is shown.
 *
 * Concurrency: one thread calls begin, next and end, and only this thread uses the profiles. Each
 * of the others reads a file into a profile of its own. They share the list of names, the options
 * and the slots, under one lock, and the namer, under another.
 */
#ifndef DMD_DMDV_INPUT_FLEET_H
#define DMD_DMDV_INPUT_FLEET_H

#include "dmdv/input/profilefile.h"

typedef struct dmdv_fleet dmdv_fleet_t;

/* names and options must outlive the fleet. */
dmdv_fleet_t *dmdv_fleet_begin(char *const *names, int n, const dmd_load_options_t *options);

/* NULL, with *fail filled in, if the next file cannot be read. Call it at most once for each
 * file. */
dmd_profile_t *dmdv_fleet_next(dmdv_fleet_t *fleet, dmd_fail_t *fail);

void dmdv_fleet_end(dmdv_fleet_t *fleet);

#endif
