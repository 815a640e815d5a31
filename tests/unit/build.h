/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * build.h: profiles in a few lines, for tests of what is done with them.
 */
#ifndef TESTS_UNIT_BUILD_H
#define TESTS_UNIT_BUILD_H

#include "host.h"

#include "analysis/record.h"
#include "profile/profile.h"
#include "text/text.h"

/* The id of a stack given as "innermost|next|outermost"; NULL: DMD_NONE. */
uint32_t build_stack(dmd_profile_t *profile, const char *frames);

/* The id of a report set of count reports, whose first two were made at these stacks within these
 * reporters (NULL: none). */
uint32_t build_reports(dmd_profile_t *profile, uint32_t count, const char *first,
                       const char *first_reporter, const char *second, const char *second_reporter);

/* Adds num blocks, each of req requested and slop further bytes. */
void build_blocks(dmd_profile_t *profile, int64_t num, int64_t req, int64_t slop,
                  const char *frames, uint32_t reports);

/* The same under a tag. */
void build_tagged(dmd_profile_t *profile, int64_t num, int64_t req, int64_t slop,
                  const char *frames, uint32_t reports, const char *tag);

/* What is printed of the profile, in a sink that the caller frees. */
const char *build_text(sink_t *sink, dmd_profile_t *profile, uint32_t max_frames,
                       dmd_sort_by_t sort_by, const dmd_text_options_t *options);

#endif
