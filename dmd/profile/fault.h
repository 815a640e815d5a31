/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fault.h: what the program did wrong with its heap or its reports, counted by kind and place.
 *
 * Like groups and report sets, faults are kept by the live heap and by profiles, each with ids of
 * its own.
 */
#ifndef DMD_PROFILE_FAULT_H
#define DMD_PROFILE_FAULT_H

#include "base/pool.h"
#include "base/table.h"

/* What a program did wrong. Names and order are part of the file format: append only. */
typedef enum {
  DMD_FAULT_INVALID_FREE,          /* free or delete of an address that is no live block */
  DMD_FAULT_INVALID_REALLOC,       /* the same of realloc */
  DMD_FAULT_REPORT_INTERIOR,       /* report of an address inside a block, not at its start */
  DMD_FAULT_REPORT_NO_BLOCK,       /* report of any other address (NULL is allowed and ignored) */
  DMD_FAULT_SCOPE_UNDERFLOW,       /* a tag popped or a reporter ended that had not begun */
  DMD_FAULT_ABSURD_SIZE,           /* an allocation of a negative size, which got nothing */
  DMD_FAULT_MEMORY_REPORT_REFUSED, /* a memory report that is none, or one too many */
  DMD_N_FAULTS
} dmd_fault_kind_t;

/* The name in files, e.g. "invalid-free", and in text, e.g. "invalid free". */
const char *dmd_fault_name(dmd_fault_kind_t kind);
const char *dmd_fault_text(dmd_fault_kind_t kind);

typedef struct dmd_fault {
  uint64_t num; /* times */
  uint32_t kind;
  uint32_t stack;    /* of the call; DMD_NONE: not recorded */
  uint32_t reporter; /* name of the reporter scope that was open, or DMD_NONE */
} dmd_fault_t;

typedef struct dmd_faults {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of first sight */
  dmd_table_t index;
} dmd_faults_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_faults_init(dmd_faults_t *faults, const dmd_env_t *env);
void dmd_faults_destroy(dmd_faults_t *faults);

/* Counts fault->num more of this kind, stack and reporter. True when they are the first. */
bool dmd_faults_add(dmd_faults_t *faults, const dmd_fault_t *fault);

static inline uint32_t dmd_faults_count(const dmd_faults_t *faults) {
  return faults->pool.last;
}

static inline const dmd_fault_t *dmd_faults_at(const dmd_faults_t *faults, uint32_t id) {
  return DMD_POOL_AT(&faults->pool, const dmd_fault_t, id);
}

#endif
