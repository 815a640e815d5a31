/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * description.h: the description of the run in a dump's files.
 */
#ifndef DMD_RECORD_ENGINE_DESCRIPTION_H
#define DMD_RECORD_ENGINE_DESCRIPTION_H

#include "record/engine/engine.h"

/* What caused a dump. */
typedef enum { DMD_TRIGGER_EXIT, DMD_TRIGGER_REQUEST, DMD_TRIGGER_MONITOR } dmd_trigger_t;

/* Fills in the parts of the profile that only the host and the user know: options, arguments and
 * run, except for what the live state provides (record/heap/snapshot.h). label is NULL or text from
 * the program or the user. */
void dmd_describe_run(const dmd_engine_t *engine, dmd_profile_t *profile, dmd_trigger_t trigger,
                      const char *label);

#endif
