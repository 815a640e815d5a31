/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stackset.h: the contents of each stack as stored in a history: bytes and blocks by stack and
 * section.
 *
 * Stack numbers are assigned by the owner of the set. Sets are sorted by stack, then section, so
 * two of them are added or subtracted in one walk. A set is encoded in varints (base/wire.h): the
 * number of records, then for each the distance from the previous stack combined with the section,
 * the bytes and the blocks. The bytes may be untrusted.
 */
#ifndef DMD_ANALYSE_HISTORY_STACKSET_H
#define DMD_ANALYSE_HISTORY_STACKSET_H

#include "base/strbuf.h"

#include <stdbool.h>

enum { DMD_RECORDSET_SECTIONS = 4 /* number of sections that the encoding allows */ };

typedef struct dmd_stack_record {
  int64_t stack;
  uint32_t section; /* dmd_section_t */
  int64_t bytes, blocks;
  uint32_t of_profile; /* the stack in the profile that the set was made from; 0: none */
} dmd_stack_record_t;

/* A zeroed set is valid for destroy. */
typedef struct dmd_stackset {
  const dmd_env_t *env;
  dmd_stack_record_t *records;
  size_t n;
} dmd_stackset_t;

/* Makes an empty set with capacity for this many records. */
void dmd_stackset_init(dmd_stackset_t *set, const dmd_env_t *env, size_t room);
void dmd_stackset_destroy(dmd_stackset_t *set);

/* The sort order of two records in a set. */
int dmd_stack_record_compare(const dmd_stack_record_t *a, const dmd_stack_record_t *b);

/* The record with the stack and section of `which`; NULL if not found. */
const dmd_stack_record_t *dmd_stackset_find(const dmd_stackset_t *set,
                                            const dmd_stack_record_t *which);

/* Initialise a set as the difference a - b, with signed values, or the sum of both. Records that
 * cancel out are dropped. */
void dmd_stackset_subtract(dmd_stackset_t *difference, const dmd_stackset_t *a,
                           const dmd_stackset_t *b);
void dmd_stackset_add(dmd_stackset_t *sum, const dmd_stackset_t *a, const dmd_stackset_t *b);

/* Appends the encoded set. */
void dmd_stackset_encode(dmd_strbuf_t *to, const dmd_stackset_t *set);

/* Initialises a set from n bytes. Returns false if they are invalid; destroy it in either case. */
bool dmd_stackset_decode(dmd_stackset_t *set, const dmd_env_t *env, const void *bytes, size_t n);

#endif
