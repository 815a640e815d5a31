/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * spell.h: the content of a profile as text without ids, for comparing profiles that number the
 * same things differently.
 */
#ifndef TESTS_PROFILES_SPELL_H
#define TESTS_PROFILES_SPELL_H

#include "base/out.h"
#include "model/profile/profile.h"

/* "<a><b>": the first frames of a stack, at most max of them; "(none)" for DMD_NONE. */
void spell_stack(dmd_out_t *out, const dmd_profile_t *profile, uint32_t stack, size_t max);

/* All fields of a group, on one line. */
void spell_group(dmd_out_t *out, const dmd_profile_t *profile, const dmd_group_t *group);

/* The place of each frame, one line each. */
void spell_frames(dmd_out_t *out, const dmd_profile_t *profile);

/* The points and marks of the timeline, one line each. */
void spell_timeline(dmd_out_t *out, const dmd_profile_t *profile);

/* All groups, in their order. */
void spell_groups(dmd_out_t *out, const dmd_profile_t *profile);

#endif
