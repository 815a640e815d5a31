/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * grouptypes.h: the type names of a profile's groups.
 *
 * Profiles do not contain types. From a heap graph of the same moment, analyse/graph/typedgroups.h
 * makes a profile whose groups are separate by type, and these names.
 */
#ifndef DMD_ANALYSE_RECORDS_GROUPTYPES_H
#define DMD_ANALYSE_RECORDS_GROUPTYPES_H

#include "base/intern.h"
#include "base/pool.h"

typedef struct dmd_grouptypes {
  dmd_intern_t names;
  dmd_pool_t of; /* by group: uint32_t, a name id */
} dmd_grouptypes_t;

static inline void dmd_grouptypes_init(dmd_grouptypes_t *types, const dmd_env_t *env) {
  dmd_intern_init(&types->names, env, "dmd.grouptypes");
  dmd_pool_init(&types->of, env, "dmd.grouptypes", sizeof(uint32_t));
}

static inline void dmd_grouptypes_destroy(dmd_grouptypes_t *types) {
  dmd_pool_destroy(&types->of);
  dmd_intern_destroy(&types->names);
}

/* Adds the type of the next group. */
static inline void dmd_grouptypes_add(dmd_grouptypes_t *types, uint32_t name) {
  uint32_t group = dmd_pool_add(&types->of);
  *DMD_POOL_AT(&types->of, uint32_t, group) = name;
}

static inline const char *dmd_grouptypes_name(const dmd_grouptypes_t *types, uint32_t group) {
  return dmd_intern_get_str(&types->names, *DMD_POOL_AT(&types->of, const uint32_t, group));
}

#endif
