/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fixture.h: a fixture for tests of profiles: a host, a profile on it, and records of the profile.
 *
 *   fixture_t f;
 *   fixture_begin(&f, DMD_MODE_LIVE);
 *   build_blocks(&f.profile, 1, 8, 0, "a|b", DMD_NONE);
 *   fixture_records(&f, 24, DMD_SORT_USABLE);
 *   ...
 *   fixture_end(&f);             fails the test when anything is outstanding
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include "host.h"

#include "analyse/records/record.h"
#include "model/profile/profile.h"
#include "show/text/text.h"

#include "profiles/build.h"
#include "profiles/random.h"
#include "profiles/spell.h"

typedef struct fixture {
  host_t host;
  dmd_profile_t profile;
  dmd_profile_t other; /* for tests of two profiles; empty at first */
  dmd_records_t records;
  bool has_records;
  sink_t sink;
  bool has_text;
} fixture_t;

void fixture_begin(fixture_t *f, dmd_mode_t mode);

/* Destroys all that was made, in an order that works. */
void fixture_end(fixture_t *f);

/* Computes f->records from the profile, replacing the previous ones. */
void fixture_records(fixture_t *f, uint32_t max_frames, dmd_sort_by_t sort_by);

/* Texts of the profile; each is valid until the next one is requested. The printed text, with only
 * a title where options is NULL; and the JSON document. */
const char *fixture_text(fixture_t *f, uint32_t max_frames, dmd_sort_by_t sort_by,
                         const dmd_text_options_t *options);
const char *fixture_json(fixture_t *f);

/* Fail unless the text has this part, or if it has. */
void assert_has(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

/* As above, for the printed text of the profile with 24 frames. */
void assert_prints(fixture_t *f, const char *part);
void assert_prints_no(fixture_t *f, const char *part);

/* "a|b" of these frames; in a static buffer. */
const char *frames_text(const dmd_profile_t *profile, const uint32_t *frames, size_t n);
const char *stack_text(const dmd_profile_t *profile, uint32_t stack);

/* Fills an empty profile at random. */
void fill_at_random(dmd_profile_t *profile, dice_t *dice);

/* Then adds the records of a peak, or none, and a timeline, or none. */
void add_times_at_random(dmd_profile_t *profile, dice_t *dice);

#endif
