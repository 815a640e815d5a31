/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reach.h: what hangs off a record, and which records lead back to themselves.
 *
 * Of a model without faults (check.h). Code that follows a pointer to a record which leads back to
 * where it comes from, as in lists and trees, must not call itself for each.
 */
#ifndef DMD_DERIVE_REACH_H
#define DMD_DERIVE_REACH_H

#include "derive/model.h"

typedef struct dmd_derive_reach {
  const dmd_env_t *env;
  const dmd_derive_record_t **records; /* the measured ones that functions are written for */
  uint32_t n;
  bool *leads; /* n * n: whether the one is measured where the other is */
} dmd_derive_reach_t;

void dmd_derive_reach_init(dmd_derive_reach_t *reach, const dmd_derive_model_t *model);
void dmd_derive_reach_destroy(dmd_derive_reach_t *reach);

/* Whether to measure `from` means to measure `to`, at once or by way of others. */
bool dmd_derive_leads(const dmd_derive_reach_t *reach, const dmd_derive_record_t *from,
                      const dmd_derive_record_t *to);

/* Whether anything hangs off a value of this type, where so many words of the member were for what
 * leads to it; off any member of the record. */
bool dmd_derive_value_owns(const dmd_derive_member_t *member, const dmd_derive_type_t *type,
                           unsigned level);
bool dmd_derive_record_owns(const dmd_derive_record_t *record);

#endif
