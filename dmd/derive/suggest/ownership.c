/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/suggest/ownership.h"

#include "base/str.h"

/* Scores for how likely a slot owns blocks with several referrers. */
enum { IS_ALONE = 8, IS_CONST = -4, IS_AGAIN = -4, IS_NAMED_BACK = -2, IS_NAMED_ON = 1 };

enum { FEW = 10 }; /* one in this many */

static bool is_named(const char *name, const char *const *names) {
  while (*names != NULL && !dmd_str_equal_ignoring_case(name, *names))
    names++;
  return *names != NULL;
}

static int by_name(const char *name) {
  static const char *const back[] = {"prev",    "previous",  "parent", "tail", "last",
                                     "owner",   "container", "back",   "up",   "end",
                                     "current", "cursor",    "iter",   NULL};
  static const char *const on[] = {"next", "head",  "first", "child", "children",
                                   "left", "right", "root",  NULL};
  return is_named(name, back) ? IS_NAMED_BACK : is_named(name, on) ? IS_NAMED_ON : 0;
}

/* True if n is too few to be typical, such as one key of many that two tables refer to. */
static bool are_few(uint64_t n, const dmd_derive_seen_t *seen) {
  return n <= seen->n_pointers / FEW;
}

static int likelihood(const dmd_derive_slots_t *slots, const dmd_derive_evidence_t *evidence,
                      uint32_t id) {
  const dmd_derive_slot_t *slot = dmd_derive_slot(slots, id);
  const dmd_derive_seen_t *seen = dmd_derive_seen(evidence, id);
  return (seen->n_alone > 0 ? IS_ALONE : 0) + (slot->pointer->of->is_const ? IS_CONST : 0) +
         by_name(slot->member->name) + (are_few(seen->n_again, seen) ? 0 : IS_AGAIN);
}

/* The likeliest owner among the other slots that lead to the same blocks; or DMD_NONE. */
static uint32_t best_rival(const dmd_derive_slots_t *slots, const dmd_derive_evidence_t *evidence,
                           uint32_t slot) {
  uint32_t best = DMD_NONE;
  for (uint32_t id = 1; id <= evidence->n_slots; id++)
    if (id != slot && dmd_derive_rivals(evidence, slot, id) > 0 &&
        (best == DMD_NONE || likelihood(slots, evidence, id) > likelihood(slots, evidence, best)))
      best = id;
  return best;
}

/* The other slot that leads to most of the same blocks; or DMD_NONE. */
static uint32_t greatest_rival(const dmd_derive_evidence_t *evidence, uint32_t slot) {
  uint32_t greatest = DMD_NONE, n = 0;
  for (uint32_t id = 1; id <= evidence->n_slots; id++)
    if (id != slot && dmd_derive_rivals(evidence, slot, id) > n) {
      n = dmd_derive_rivals(evidence, slot, id);
      greatest = id;
    }
  return greatest;
}

dmd_derive_verdict_t dmd_derive_judge(const dmd_derive_slots_t *slots,
                                      const dmd_derive_evidence_t *evidence, uint32_t slot,
                                      uint32_t *other) {
  const dmd_derive_seen_t *seen = dmd_derive_seen(evidence, slot);
  *other = best_rival(slots, evidence, slot);
  if (seen->n_places == 0)
    return DMD_DERIVE_NOT_SEEN;
  if (seen->n_pointers == 0)
    return DMD_DERIVE_NOWHERE;
  if (are_few(seen->n_pointers - seen->n_back, seen))
    return DMD_DERIVE_BACK;
  int own = likelihood(slots, evidence, slot);
  int rival = *other != DMD_NONE ? likelihood(slots, evidence, *other) : 0;
  if (seen->n_alone > 0 && are_few(seen->n_again, seen)) {
    *other = greatest_rival(evidence, slot);
    return DMD_DERIVE_ALONE;
  }
  if (*other != DMD_NONE && (rival > own || (rival == own && *other < slot)))
    return DMD_DERIVE_OTHERS;
  if (own < 0 && *other == DMD_NONE && seen->n_elsewhere > 0 && seen->n_again == 0)
    return DMD_DERIVE_OTHERS;
  return seen->n_again > 0 ? DMD_DERIVE_SHARED : DMD_DERIVE_LIKELIEST;
}
