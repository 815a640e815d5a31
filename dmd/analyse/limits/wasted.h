/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wasted.h: what blocks waste, by their findings, for limits. Findings may come from several heap
 * graphs; they stay when the graphs are gone.
 */
#ifndef DMD_ANALYSE_LIMITS_WASTED_H
#define DMD_ANALYSE_LIMITS_WASTED_H

#include "base/intern.h"
#include "base/pool.h"
#include "model/profile/profile.h"

/* A finding (analyse/waste/findings.h). */
typedef struct dmd_wasted_finding {
  const char *kind;   /* a static string */
  const char *what;   /* type and line of its blocks */
  const char *advice; /* sentences that say what to do */
  uint64_t blocks, bytes;
  uint64_t counted; /* of bytes: what the total of its graph counts */
} dmd_wasted_finding_t;

typedef struct dmd_wasted {
  const dmd_env_t *env;
  dmd_intern_t texts;
  dmd_pool_t findings;
  dmd_blocksum_t total; /* each block once */
  bool has_contents;    /* of all graphs: contents were compared */
} dmd_wasted_t;

void dmd_wasted_init(dmd_wasted_t *wasted, const dmd_env_t *env);
void dmd_wasted_destroy(dmd_wasted_t *wasted);

/* Copies what and advice. The caller adds to the total. */
void dmd_wasted_add(dmd_wasted_t *wasted, const dmd_wasted_finding_t *finding);

/* The total or, of a kind, all that its findings would save. kind: NULL for the total. */
dmd_blocksum_t dmd_wasted_sum(const dmd_wasted_t *wasted, const char *kind);

/* The ids of the findings that make up this sum, the largest first; *n of them. The caller frees
 * the array with dmd_env_free. */
uint32_t *dmd_wasted_sorted(const dmd_wasted_t *wasted, const char *kind, uint32_t *n);

static inline const dmd_wasted_finding_t *dmd_wasted_at(const dmd_wasted_t *wasted, uint32_t id) {
  return DMD_POOL_AT(&wasted->findings, const dmd_wasted_finding_t, id);
}

/* What a finding is in the sum. */
static inline uint64_t dmd_wasted_bytes(const dmd_wasted_finding_t *finding, const char *kind) {
  return kind == NULL ? finding->counted : finding->bytes;
}

#endif
