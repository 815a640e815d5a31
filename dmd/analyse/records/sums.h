/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sums.h: a profile's blocks added up by allocation stack and report state.
 *
 * Unlike records (analyse/records/record.h), sums have complete stacks and ignore report stacks, as
 * the formats of other programs require. With labels, blocks with different labels have separate
 * sums.
 */
#ifndef DMD_ANALYSE_RECORDS_SUMS_H
#define DMD_ANALYSE_RECORDS_SUMS_H

#include "analyse/records/record.h"
#include "base/strbuf.h"
#include "model/profile/profile.h"

/* ---- Tallies. ----
 *
 * Blocks added up by report state.
 *
 * In modes without reports everything is in DMD_SECTION_ALL. Values are signed, since those of a
 * difference may be negative. */

typedef struct dmd_tally {
  int64_t usable[DMD_N_SECTIONS], total; /* bytes */
  int64_t num;                           /* blocks */
} dmd_tally_t;

/* Adds num blocks with szB bytes in total. */
static inline void dmd_tally_add(dmd_tally_t *tally, dmd_section_t section, int64_t num,
                                 int64_t szB) {
  tally->usable[section] += szB;
  tally->total += szB;
  tally->num += num;
}

/* Adds all bytes of a group. */
static inline void dmd_tally_add_group(dmd_tally_t *tally, dmd_section_t section,
                                       const dmd_profile_t *profile, const dmd_group_t *g) {
  dmd_tally_add(tally, section, dmd_group_blocks(profile, g), dmd_group_usable(profile, g));
}

/* ---- Sums of the heap. ----
 *
 * Totals of a profile's blocks, overall and by report state, without making records.
 * Cost: a walk over the groups. */

typedef struct dmd_heapsum {
  dmd_blocksum_t all, section[DMD_N_SECTIONS];
} dmd_heapsum_t;

dmd_heapsum_t dmd_heapsum_of(const dmd_profile_t *profile);

/* ---- Sums by stack. ---- */

/* Further attributes that keep sums separate. Sets of labels are bits, 1 << label. */
typedef enum { DMD_LABEL_REPORTER, DMD_LABEL_TAG, DMD_LABEL_THREAD, DMD_N_LABELS } dmd_label_t;

enum { DMD_ALL_LABELS = (1 << DMD_N_LABELS) - 1 };

typedef struct dmd_sum {
  /* The key. */
  uint32_t stack;        /* of the profile; DMD_NONE: not recorded, or empty */
  dmd_section_t section; /* DMD_SECTION_ALL in all modes except dark-matter */
  /* Ids of the profile's names and tags, and the thread number; DMD_NONE without the label. */
  uint32_t reporter[2], tag, thread;
  /* The sums. */
  uint64_t blocks, bytes; /* usable bytes */
  uint64_t slop_blocks;   /* blocks with slop */
  uint64_t slop;
} dmd_sum_t;

typedef struct dmd_sums {
  dmd_pool_t pool;
  dmd_table_t index;
  dmd_sum_t section[DMD_N_SECTIONS]; /* totals; keys are not set */
} dmd_sums_t;

/* The sums must stay in place until they are destroyed; destroying them does not need the profile.
 * Their order is that of the first occurrence of a block in the profile. */
void dmd_sums_init(dmd_sums_t *sums, const dmd_profile_t *profile, unsigned labels);
void dmd_sums_destroy(dmd_sums_t *sums);

static inline uint32_t dmd_sums_count(const dmd_sums_t *sums) {
  return sums->pool.last;
}

/* The sum with this number, from 1. */
static inline const dmd_sum_t *dmd_sums_at(const dmd_sums_t *sums, uint32_t id) {
  return DMD_POOL_AT(&sums->pool, const dmd_sum_t, id);
}

/* The sum with the key of this one, or NULL. */
const dmd_sum_t *dmd_sums_find(const dmd_sums_t *sums, const dmd_sum_t *key);

/* Appends the text of a sum's label: "explicit/a" or, for blocks reported twice, "explicit/a,
 * explicit/b"; "lib"; "thread 3"; "(no reporter)", "(no tag)", "(no thread)". */
void dmd_sum_describe(const dmd_profile_t *profile, const dmd_sum_t *sum, dmd_label_t label,
                      dmd_strbuf_t *text);

/* "unreported", "once-reported", "twice-reported"; for DMD_SECTION_ALL depending on the mode "live"
 * or "allocated". */
const char *dmd_sums_section_name(const dmd_profile_t *profile, dmd_section_t section);

#endif
