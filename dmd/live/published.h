/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * published.h: memory reports that are not what the reporter of their path measured.
 *
 * A program publishes an amount of bytes under the path of one of its reporters. That may rightly
 * be what the reporter measured when it ran, even if the blocks are gone since; what its reports
 * cover at the dump, with or without the reporters below it, shared blocks in parts or whole; and,
 * of a reporter that counts (counters.h), what its reports on allocation covered when it was
 * published, more or less what other threads were counting then. Any other amount is a fault. It is
 * compared with the nearest of these.
 *
 * A sum that is too large by just the blocks that were freed while it counted them is a fault for
 * each place where they were freed. Otherwise it is one fault.
 *
 * Concurrency: all of the live state stays as it is meanwhile.
 */
#ifndef DMD_LIVE_PUBLISHED_H
#define DMD_LIVE_PUBLISHED_H

#include "live/live.h"
#include "profile/translate.h"

/* Adds these faults to the profile, which has all blocks. ids: the live heap's, to the profile's.
 */
void dmd_published_check(const dmd_live_t *live, dmd_translation_t *ids);

#endif
