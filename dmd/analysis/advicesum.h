/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * advicesum.h: what the advices of a profile say of one record.
 *
 * A record has blocks of many stacks that look alike when they are cut, and so have the holders of
 * its blocks: advices are added up as the record shows them, to no more than the record has. The
 * holder of most bytes wins.
 */
#ifndef DMD_ANALYSIS_ADVICESUM_H
#define DMD_ANALYSIS_ADVICESUM_H

#include "analysis/record.h"

typedef struct dmd_advicesum {
  const dmd_records_t *records;
  uint32_t *first; /* advice about each cut stack, DMD_NONE: there is none */
  uint32_t *next;  /* after each advice, about the same cut stack */
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
  int64_t bytes;     /* of the record that it points to */
  uint32_t percent;  /* of the record's bytes, 1 to 100 */
  /* Where in the holder the pointers to at least nine tenths of the bytes are; none where that is
   * in more places. */
  uint32_t offset[DMD_ADVICE_OFFSETS];
  uint32_t n_offsets;
} dmd_holder_t;

/* The holder of this kind; false where there is none, or where it holds less than one percent. */
bool dmd_advice_find(const dmd_advicesum_t *sum, const dmd_record_t *r, dmd_holder_kind_t kind,
                     dmd_holder_t *holder);

/* The holder to name: one that is reported has a reporter that can be mended, and wins unless
 * unreported blocks hold much more. (A stale pointer to one block of a list makes a holder of all
 * the rest.) False where there is none. */
bool dmd_advice_best(const dmd_advicesum_t *sum, const dmd_record_t *r, dmd_holder_t *holder);

/* The frame that names a stack best: the innermost that is no function of Valgrind's allocator.
 * NULL: the stack has no frames. */
const char *dmd_advice_place(const dmd_records_t *records, uint32_t cut_stack);

#endif
