/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignore.h: stacks that a gate is to leave alone, and why.
 *
 * One pattern a line, then a blank, a '#' and the reason:
 *
 *   cJSON_*              # third-party code that cannot measure itself, see issue 12
 *   * (legacy/?*.c:*)    # goes away in 3.0
 *
 * Blank lines, and lines that begin with '#', are comments. Patterns are those of base/glob.h. A
 * pattern is matched against each frame of an allocation stack, however long that is, and must
 * match all of the frame's text, whole or as it is shown, or all of its function's name, with or
 * without return type and parameters.
 *
 * The text is UTF-8 in lines of at most DMD_MAX_IGNORE_LINE bytes. A pattern without a reason is
 * an error: a year later nobody dares to remove it.
 */
#ifndef DMD_ANALYSIS_IGNORE_H
#define DMD_ANALYSIS_IGNORE_H

#include "profile/sampled.h"

typedef struct dmd_pattern {
  const char *text;
  const char *reason;
  uint64_t line;
  bool used;           /* see dmd_ignore_apply */
  int64_t usable, num; /* bytes and blocks ignored for this pattern, the first to match them */
} dmd_pattern_t;

typedef struct dmd_ignore {
  const dmd_env_t *env; /* NULL: nothing was parsed */
  char *text;           /* what the patterns point into */
  dmd_pattern_t *patterns;
  size_t n;
} dmd_ignore_t;

/* Parses n bytes. NULL, or what is wrong with the line of this number; there are then no patterns.
 * Destroy it either way; one that is all zero need not be destroyed. */
const char *dmd_ignore_parse(dmd_ignore_t *ignore, const dmd_env_t *env, const char *text, size_t n,
                             uint64_t *line);
void dmd_ignore_destroy(dmd_ignore_t *ignore);

/* For each stack id of the profile the number, from 1, of the first pattern that matches, or 0. The
 * caller gives the array back with dmd_env_free(profile->env, ...).
 * With count, the patterns' used, usable and num are set from the blocks that are unreported or
 * reported twice; a pattern is used when it matches one of their stacks, the first or not. */
uint32_t *dmd_ignore_apply(dmd_ignore_t *ignore, const dmd_profile_t *profile, bool count);

/* The same of all stacks, whatever blocks the profile has. Of the patterns `used` is set. */
uint32_t *dmd_ignore_stacks(dmd_ignore_t *ignore, const dmd_profile_t *profile);

#endif
