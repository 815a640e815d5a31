/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * published.h: finds memory reports that differ from what their reporter measured.
 *
 * A program publishes a number of bytes under the path of one of its reporters. Valid amounts are:
 * what the reporter measured when it ran, even if the blocks are gone since; what its reports cover
 * at the dump, with or without the reporters below it, with shared blocks counted in part or whole;
 * and, for a counting reporter (counters.h), what its reports on allocation covered at publication,
 * give or take what other threads were counting then. Any other amount is a fault, and is compared
 * with the closest valid one.
 *
 * A sum that is too large by exactly the blocks that were freed while counted yields a fault for
 * each place where they were freed; any other error yields one fault.
 */
#ifndef DMD_RECORD_HEAP_PUBLISHED_H
#define DMD_RECORD_HEAP_PUBLISHED_H

#include "model/profile/translate.h"
#include "record/heap/live.h"

/* Adds these faults to the profile, which must already contain all blocks. ids: translates the live
 * heap's ids to the profile's. */
void dmd_published_check(const dmd_live_t *live, dmd_translation_t *ids);

#endif
