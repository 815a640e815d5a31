/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reach.h: which records own memory, and which lead back to themselves.
 *
 * For a model without faults (check.h). Code that follows a pointer to a record which leads back to
 * its origin, as in lists and trees, must not recurse.
 */
#ifndef DMD_DERIVE_REACH_H
#define DMD_DERIVE_REACH_H

#include "derive/model.h"

typedef struct dmd_derive_reach {
  const dmd_env_t *env;
  const dmd_derive_record_t **records; /* the measured records that functions are written for */
  uint32_t n;
  bool *leads; /* n * n matrix: whether measuring one record measures the other */
} dmd_derive_reach_t;

void dmd_derive_reach_init(dmd_derive_reach_t *reach, const dmd_derive_model_t *model);
void dmd_derive_reach_destroy(dmd_derive_reach_t *reach);

/* True if measuring `from` measures `to`, directly or through other records. */
bool dmd_derive_leads(const dmd_derive_reach_t *reach, const dmd_derive_record_t *from,
                      const dmd_derive_record_t *to);

/* True if a value of this type owns anything; `level` words of the member belong to the pointers
 * before it. The second function: true if any member of the record does. */
bool dmd_derive_value_owns(const dmd_derive_member_t *member, const dmd_derive_type_t *type,
                           unsigned level);
bool dmd_derive_record_owns(const dmd_derive_record_t *record);

#endif
