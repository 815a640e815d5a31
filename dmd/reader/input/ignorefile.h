/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignorefile.h: stacks that a gate is to leave alone, and why.
 *
 * One pattern a line, with its reason behind a blank and a '#':
 *
 *   cJSON_*              # third-party code that cannot measure itself, see issue 12
 *   * (legacy/?*.c:*)    # goes away in 3.0
 *
 * Blank lines, and lines that begin with '#', are comments. Patterns are those of base/glob.h. A
 * pattern is matched against each frame of an allocation stack, however long that is, and must
 * match all of the frame's text or all of its function's name.
 *
 * The text is UTF-8 in lines of at most DMDV_IGNORE_MAX_LINE bytes. A pattern without a reason is
 * an error: a year later nobody dares to remove it.
 */
#ifndef DMD_READER_INPUT_IGNOREFILE_H
#define DMD_READER_INPUT_IGNOREFILE_H

#include "profile/profile.h"
#include "reader/host/fail.h"

enum { DMDV_IGNORE_MAX_LINE = 64 * 1024, DMDV_IGNORE_MAX_FILE = 16 * 1024 * 1024 };

typedef struct dmdv_pattern {
  const char *text;
  const char *reason;
  uint64_t line;
  bool used;           /* see dmdv_ignorefile_apply */
  int64_t usable, num; /* bytes and blocks that are ignored since of all patterns it came first */
} dmdv_pattern_t;

typedef struct dmdv_ignorefile {
  char *text; /* what the patterns point into */
  dmdv_pattern_t *patterns;
  size_t n;
} dmdv_ignorefile_t;

/* Parses n bytes. False, with *fail filled in, when there is something wrong; the file is then
 * empty. Destroy it either way. */
bool dmdv_ignorefile_parse(dmdv_ignorefile_t *file, const char *text, size_t n, dmdv_fail_t *fail);

/* The same with the contents of the file of this name. */
bool dmdv_ignorefile_read(dmdv_ignorefile_t *file, const char *name, dmdv_fail_t *fail);
void dmdv_ignorefile_destroy(dmdv_ignorefile_t *file);

/* For each stack id of the profile the number, from 1, of the first pattern that matches, or 0. The
 * caller gives the array back with dmd_env_free(profile->env, ...).
 * With count, the patterns' used, usable and num are set from the blocks that are unreported or
 * reported twice; a pattern is used when it matches one of their stacks, the first or not. */
uint32_t *dmdv_ignorefile_apply(dmdv_ignorefile_t *file, const dmd_profile_t *profile, bool count);

#endif
