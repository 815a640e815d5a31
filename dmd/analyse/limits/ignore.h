/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignore.h: stacks that a gate ignores, and why.
 *
 * Each line has a pattern, a blank, a '#' and the reason:
 *
 *   cJSON_*              # third-party code that cannot measure itself, see issue 12
 *   * (legacy/?*.c:*)    # goes away in 3.0
 *
 * Blank lines, and lines that begin with '#', are comments. Patterns are those of base/str.h. A
 * pattern is matched against each frame of the complete allocation stack; it must match all of the
 * frame's text, in full or as shown, or all of its function's name, with or without return type and
 * parameters.
 *
 * The text is UTF-8, in lines of at most DMD_MAX_IGNORE_LINE bytes. A pattern without a reason is
 * an error: a year later no one would dare to remove it.
 */
#ifndef DMD_ANALYSE_LIMITS_IGNORE_H
#define DMD_ANALYSE_LIMITS_IGNORE_H

#include "model/profile/profile.h"

typedef struct dmd_pattern {
  const char *text;
  const char *reason;
  uint64_t line;
  bool used;          /* see dmd_ignore_apply */
  dmd_blocksum_t sum; /* ignored because of this pattern, as the first that matches */
} dmd_pattern_t;

typedef struct dmd_ignore {
  const dmd_env_t *env; /* NULL: nothing was parsed */
  char *text;           /* the patterns point into it */
  dmd_pattern_t *patterns;
  size_t n;
} dmd_ignore_t;

/* Parses n bytes. Returns NULL, or what is wrong with line *line; there are then no patterns.
 * Destroy it in either case; a zeroed one need not be destroyed. */
const char *dmd_ignore_parse(dmd_ignore_t *ignore, const dmd_env_t *env, const char *text, size_t n,
                             uint64_t *line);
void dmd_ignore_destroy(dmd_ignore_t *ignore);

/* For each stack id of the profile: the number, from 1, of the first pattern that matches, or 0.
 * The caller frees the array with dmd_env_free(profile->env, ...). With count, sets the patterns'
 * used and sum from the blocks that are unreported or reported twice. A pattern is used if
 * it matches one of their stacks, whether or not it is the first. */
uint32_t *dmd_ignore_apply(dmd_ignore_t *ignore, const dmd_profile_t *profile, bool count);

/* Considers all stacks, whatever blocks the profile has. Sets only `used`. */
uint32_t *dmd_ignore_stacks(dmd_ignore_t *ignore, const dmd_profile_t *profile);

#endif
