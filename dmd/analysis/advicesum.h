/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * advicesum.h: what the advices of a profile say of one record.
 *
 * Many stacks may look alike once they are cut, both those of a record's blocks and those of the
 * blocks' holders. So advices are added up by cut stacks, as the record shows them; the sum is
 * never more than the record has. The holder of most bytes wins.
 */
#ifndef DMD_ANALYSIS_ADVICESUM_H
#define DMD_ANALYSIS_ADVICESUM_H

#include "analysis/allocfns.h"
#include "analysis/record.h"

typedef struct dmd_advicesum {
  const dmd_records_t *records;
  uint32_t *first; /* the first advice about each cut stack; DMD_NONE: there is none */
  uint32_t *next;  /* after each advice, the next one about the same cut stack */
} dmd_advicesum_t;

/* Borrows the records and their profile. Cost: 4 bytes a stack and an advice. */
void dmd_advicesum_init(dmd_advicesum_t *sum, const dmd_records_t *records);
void dmd_advicesum_destroy(dmd_advicesum_t *sum);

enum { DMD_ADVICE_OFFSETS = 3 }; /* that an advice names at most */

/* The holder of most of a record's bytes. */
typedef struct dmd_holder {
  dmd_holder_kind_t kind;
  uint32_t reporter; /* a name of the profile, or DMD_NONE */
  uint32_t stack;    /* a cut stack: of its report or, where it is unreported, allocation */
  uint32_t whole;    /* one of the profile's stacks that are so when they are cut */
  int64_t bytes;     /* of the record that it points to */
  /* What that rests on: in so many of the blocks that are alike is a pointer (profile/advice.h);
   * both are 0 where that is not known. */
  dmd_evidence_t evidence;
  uint64_t pointed, holders, holders_alike;
  uint64_t before;  /* bytes that it measured the last time, of kinds of that time */
  uint32_t percent; /* of the record's bytes, 1 to 100 */
  /* The offsets in the holder of the pointers to at least nine tenths of the bytes; no offset where
   * that takes more than these. */
  uint32_t offset[DMD_ADVICE_OFFSETS];
  uint32_t n_offsets;
} dmd_holder_t;

/* The holder of this kind; false where there is none, or where it holds less than one percent. */
bool dmd_advice_find(const dmd_advicesum_t *sum, const dmd_record_t *r, dmd_holder_kind_t kind,
                     dmd_holder_t *holder);

/* The reporter that reported most of the record's blocks the last time, or before a realloc; false
 * where there is none. */
bool dmd_advice_last_time(const dmd_advicesum_t *sum, const dmd_record_t *r, dmd_holder_t *holder);

/* The holder to name. One that is reported has a reporter that can be mended, so it wins unless
 * unreported blocks hold much more. (A stale pointer to one block of a list makes its owner a
 * holder of all the blocks behind it.) False where there is no holder. */
bool dmd_advice_best(const dmd_advicesum_t *sum, const dmd_record_t *r, dmd_holder_t *holder);

/* The frame that names a holder's stack best: the one that allocated, however far out, or the
 * innermost of a report. DMD_NONE: the stack has no frames. */
uint32_t dmd_advice_place(const dmd_records_t *records, const dmd_holder_t *holder,
                          dmd_allocfns_t *fns);

#endif
