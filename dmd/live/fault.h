/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fault.h: what the program did wrong with its heap or its reports, counted by kind and place.
 */
#ifndef DMD_LIVE_FAULT_H
#define DMD_LIVE_FAULT_H

#include "profile/profile.h"

typedef struct dmd_faults {
  dmd_pool_t pool; /* of dmd_fault_t, whose ids are the live heap's */
  dmd_table_t index;
} dmd_faults_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_faults_init(dmd_faults_t *faults, const dmd_env_t *env);
void dmd_faults_destroy(dmd_faults_t *faults);

/* Counts one more fault. stack: where; reporter: the reporter scope that was open, or DMD_NONE.
 * True when it is the first with all of these. */
bool dmd_faults_add(dmd_faults_t *faults, dmd_fault_kind_t kind, uint32_t stack, uint32_t reporter);

static inline uint32_t dmd_faults_count(const dmd_faults_t *faults) {
  return faults->pool.last;
}

static inline const dmd_fault_t *dmd_faults_at(const dmd_faults_t *faults, uint32_t id) {
  return DMD_POOL_AT(&faults->pool, const dmd_fault_t, id);
}

#endif
