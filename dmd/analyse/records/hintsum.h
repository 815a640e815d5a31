/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hintsum.h: summarises a profile's hints for one record.
 *
 * Different stacks may look the same after cutting, both those of a record's blocks and those of
 * their referrers. So hints are added up by cut stacks, as the record shows them; the sum is
 * limited to the record's bytes. The referrer with the most bytes wins.
 */
#ifndef DMD_ANALYSE_RECORDS_HINTSUM_H
#define DMD_ANALYSE_RECORDS_HINTSUM_H

#include "analyse/records/allocfns.h"
#include "analyse/records/record.h"

typedef struct dmd_hintsum {
  const dmd_records_t *records;
  uint32_t *first; /* the first hint about each cut stack; DMD_NONE: no hint */
  uint32_t *next;  /* for each hint, the next one about the same cut stack */
} dmd_hintsum_t;

/* Borrows the records and their profile. Cost: 4 bytes per stack and per hint. */
void dmd_hintsum_init(dmd_hintsum_t *sum, const dmd_records_t *records);
void dmd_hintsum_destroy(dmd_hintsum_t *sum);

enum { DMD_HINT_OFFSETS = 3 }; /* maximum number of offsets in a hint */

/* The referrer with the most of a record's bytes. */
typedef struct dmd_hint_referrer {
  dmd_referrer_kind_t kind;
  uint32_t reporter; /* a name of the profile, or DMD_NONE */
  uint32_t stack;    /* a cut stack: of its report or, if unreported, of its allocation */
  uint32_t whole;    /* one of the profile's stacks that this one was cut from */
  int64_t bytes;     /* bytes of the record that it points to */
  /* The evidence: how many of the blocks that are alike contain a pointer (model/profile/hint.h);
   * referrers and referrers_alike are 0 if unknown. */
  dmd_evidence_t evidence;
  uint64_t pointed, referrers, referrers_alike;
  uint64_t before;  /* bytes that it measured last time, for kinds about that */
  uint32_t percent; /* of the record's bytes, 1 to 100 */
  /* Offsets in the referrer that cover at least nine tenths of the bytes; none if that takes more
   * offsets than fit. */
  uint32_t offset[DMD_HINT_OFFSETS];
  uint32_t n_offsets;
} dmd_hint_referrer_t;

/* Finds the referrer of this kind; false if no referrer has at least one percent. */
bool dmd_hint_find(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_referrer_kind_t kind,
                   dmd_hint_referrer_t *referrer);

/* Finds the reporter that reported most of the record's blocks last time, or before a realloc;
 * false if not found. */
bool dmd_hint_last_time(const dmd_hintsum_t *sum, const dmd_record_t *r,
                        dmd_hint_referrer_t *referrer);

/* Finds the referrer to show. A reported one has a reporter that can be fixed, so it wins unless
 * unreported blocks refer to much more. (A stale pointer to one block of a list makes its owner a
 * referrer of all blocks behind it.) Returns false if there is no referrer. */
bool dmd_hint_best(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_hint_referrer_t *referrer);

/* The frame that characterises a referrer's stack best: the one that allocated, however far out, or
 * the innermost of a report. DMD_NONE: the stack has no frames. */
uint32_t dmd_hint_place(const dmd_records_t *records, const dmd_hint_referrer_t *referrer,
                        dmd_allocfns_t *fns);

#endif
