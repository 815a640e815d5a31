/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordset.h: what each stack held, as a history keeps it: bytes and blocks by stack and section.
 *
 * A stack is a number of whoever owns the set. Sets are in the order of stacks, then of sections,
 * so that two of them are added or subtracted in one walk. As bytes a set has numbers of 7 bits
 * each (base/wire.h): how many records, and of each the distance from the stack before with its
 * section, the bytes and the blocks. Bytes may come from strangers.
 */
#ifndef DMD_ANALYSIS_RECORDSET_H
#define DMD_ANALYSIS_RECORDSET_H

#include "base/strbuf.h"

#include <stdbool.h>

enum { DMD_RECORDSET_SECTIONS = 4 /* that bytes may have */ };

typedef struct dmd_stack_record {
  int64_t stack;
  uint32_t section; /* dmd_section_t */
  int64_t bytes, blocks;
  uint32_t of_profile; /* of the profile that the set was made of: its stack there; 0: of none */
} dmd_stack_record_t;

/* All 0: one that was not made, which may be destroyed. */
typedef struct dmd_recordset {
  const dmd_env_t *env;
  dmd_stack_record_t *records;
  size_t n;
} dmd_recordset_t;

/* An empty set, with room for so many records. */
void dmd_recordset_init(dmd_recordset_t *set, const dmd_env_t *env, size_t room);
void dmd_recordset_destroy(dmd_recordset_t *set);

/* The order of two records in a set. */
int dmd_stack_record_compare(const dmd_stack_record_t *a, const dmd_stack_record_t *b);

/* The record of the stack and section of another one; NULL: it has none. */
const dmd_stack_record_t *dmd_recordset_find(const dmd_recordset_t *set,
                                             const dmd_stack_record_t *which);

/* Initialise a set: what a has more than b, with signed figures, or both together. Records of which
 * nothing is left are not in it. */
void dmd_recordset_subtract(dmd_recordset_t *difference, const dmd_recordset_t *a,
                            const dmd_recordset_t *b);
void dmd_recordset_add(dmd_recordset_t *sum, const dmd_recordset_t *a, const dmd_recordset_t *b);

/* Appends the set as bytes. */
void dmd_recordset_encode(dmd_strbuf_t *to, const dmd_recordset_t *set);

/* Initialises a set from n bytes. False where they are none; destroy it either way. */
bool dmd_recordset_decode(dmd_recordset_t *set, const dmd_env_t *env, const void *bytes, size_t n);

#endif
