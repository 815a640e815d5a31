/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * description.h: what a dump's files say about the run.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_DESCRIPTION_H
#define DMD_ENGINE_DESCRIPTION_H

#include "engine/engine.h"

/* Why something is written now. */
typedef enum { DMD_TRIGGER_EXIT, DMD_TRIGGER_REQUEST, DMD_TRIGGER_MONITOR } dmd_trigger_t;

/* Fills in what of the profile only the host and the user know: its options, arguments and run, but
 * for what the live state has (live/snapshot.h). label is NULL or text of the program's or the
 * user's. */
void dmd_describe_run(const dmd_engine_t *engine, dmd_profile_t *profile, dmd_trigger_t trigger,
                      const char *label);

#endif
