/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * description.h: the description of the run in a dump's files.
 */
#ifndef DMD_RECORD_ENGINE_DESCRIPTION_H
#define DMD_RECORD_ENGINE_DESCRIPTION_H

#include "record/engine/engine.h"

/* What caused a dump. */
typedef enum {
  DMD_TRIGGER_EXIT,
  DMD_TRIGGER_REQUEST,
  DMD_TRIGGER_MONITOR,
  DMD_TRIGGER_AUTOMATIC,
  DMD_TRIGGER_DETACH /* recording ends, and the program goes on */
} dmd_trigger_t;

/* Whether it is the last dump, whose file has the name that the user gave. */
static inline bool dmd_trigger_is_last(dmd_trigger_t trigger) {
  return trigger == DMD_TRIGGER_EXIT || trigger == DMD_TRIGGER_DETACH;
}

/* Fills in the parts of the profile that only the host and the user know: options, arguments and
 * run, except for what the live state provides (record/heap/snapshot.h). label is NULL or text from
 * the program or the user. */
void dmd_describe_run(const dmd_engine_t *engine, dmd_profile_t *profile, dmd_trigger_t trigger,
                      const char *label);

/* Detects a C++ program's own operator new that never runs.
 *
 * A host that replaces the allocator also replaces operator new, even if the program or one of its
 * libraries defines its own, for example one that counts. The program then behaves differently, so
 * dmd warns the user. Definitions that are replaced as a matter of course are ignored:
 * - that of the C++ library, which may also be linked into the program statically. The library is
 *   recognised by the functions that throw exceptions, in the same object. If a program contains
 *   both the library and an operator new of its own, the source file tells them apart; without
 *   debug information this is unknown;
 * - that of an allocator, which also defines realloc.
 *
 * An operator new[] counts even on its own: the library's version calls the plain operator new.
 *
 * Cost: two symbol searches per object, and two more in objects that have such an operator.
 *
 * Returns the path of the object, kept in the profile; the program comes before libraries. NULL if
 * not found, or if the host cannot tell. */
const char *dmd_engine_find_replaced_new(const dmd_engine_host_t *host, dmd_profile_t *profile);

#endif
