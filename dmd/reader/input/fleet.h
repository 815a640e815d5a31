/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fleet.h: the profiles of many files, read by several threads at once, handed over in order.
 *
 * begin starts the threads, next waits for the next file's profile, which is good until the next
 * call; end stops them, also before all files were read. A few profiles a thread are in memory at
 * once, however many files there are. Nothing is shown of progress.
 *
 * Concurrency: begin, next and end are for one thread, which alone makes something of the profiles.
 * Each of the others reads a file into a profile of its own; they share the list of names, the
 * options, the slots, under one lock, and the namer, under another.
 */
#ifndef DMD_READER_INPUT_FLEET_H
#define DMD_READER_INPUT_FLEET_H

#include "reader/input/load.h"

typedef struct dmdv_fleet dmdv_fleet_t;

/* names and options stay the caller's. */
dmdv_fleet_t *dmdv_fleet_begin(char *const *names, int n, const dmd_load_options_t *options);

/* NULL, with *fail filled in, where the next file cannot be read; there must be one. */
dmd_profile_t *dmdv_fleet_next(dmdv_fleet_t *fleet, dmd_fail_t *fail);

void dmdv_fleet_end(dmdv_fleet_t *fleet);

#endif
