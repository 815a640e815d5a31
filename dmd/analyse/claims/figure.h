/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * figure.h: compares a number that a program printed with the blocks of a profile that it means to
 * count.
 *
 * A set is "heap", all blocks; "tag:NAME"; "alloc-fn:PATTERN", the blocks with a matching function
 * on their stack; or "resident", the physical memory, which has no stacks. If the number is not the
 * set's, functions are tried: one that allocated as much, so that the number counts only its
 * blocks; or one that allocated the difference, so that the number leaves them out. "Allocated"
 * includes what the functions that it calls allocated.
 *
 * Cost: time for each frame of each stack.
 */
#ifndef DMD_ANALYSE_CLAIMS_FIGURE_H
#define DMD_ANALYSE_CLAIMS_FIGURE_H

#include "analyse/claims/claimcases.h"
#include "model/profile/profile.h"

typedef enum {
  DMD_FIGURE_NONE,      /* no function explains the number */
  DMD_FIGURE_COUNTS,    /* the number is what the function allocated */
  DMD_FIGURE_LEAVES_OUT /* what the function allocated is missing */
} dmd_figure_reason_t;

typedef struct dmd_figure_row {
  uint32_t stack; /* of the profile; DMD_NONE: not recorded */
  uint64_t blocks, bytes;
} dmd_figure_row_t;

typedef struct dmd_figure {
  bool is_known;  /* false: the profile does not have it */
  bool has_rows;  /* false for resident memory */
  uint64_t value; /* as printed */
  dmd_claim_size_t size;
  bool is_usable; /* the unit that is nearer to the number */
  dmd_figure_reason_t reason;
  bool is_exact;       /* the function explains the number to the byte; else nearly */
  uint32_t function;   /* a string of the profile's frames */
  dmd_claim_size_t of; /* what it allocated */
  dmd_pool_t rows;     /* dmd_figure_row_t: what the number leaves out, or if that is not known the
                          set, most bytes first; by stack */
} dmd_figure_t;

static inline uint64_t dmd_figure_truth(const dmd_figure_t *figure) {
  return dmd_claim_size_bytes(&figure->size, figure->is_usable);
}

/* Whether the text is a set. */
bool dmd_figure_is_set(const char *set);

void dmd_figure_init(dmd_figure_t *figure, const dmd_profile_t *profile, const char *set,
                     uint64_t value);
void dmd_figure_destroy(dmd_figure_t *figure);

#endif
