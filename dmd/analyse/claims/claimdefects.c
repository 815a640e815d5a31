/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A difference is what a claim has too much, as a 64-bit number that may wrap around. Simple causes
 * are tried first: one defect; several parts in the other unit; a number of bytes that is always
 * the same; two defects; one besides some parts in the other unit. Kinds are tried in the order of
 * their numbers: a part that was forgotten explains more than a number of bytes for each of its
 * blocks.
 */
#include "analyse/claims/claimdefects.h"

enum {
  MAX_TRIED = 48,   /* parts of an object that pairs of defects are made of */
  MAX_UNITS = 12,   /* parts that sets of parts in the other unit are made of */
  MAX_EACH = 4096,  /* bytes for each block */
  MAX_RATIO = 4096, /* bytes for one that is counted, other than the usual units */
  FEW_BLOCKS = 4    /* a number of bytes for each of fewer blocks is as good as a constant */
};

/* Costs, so that two forgotten parts are likelier than nothing but a constant. */
enum { COST_UNIT = 1, COST_PART = 2, COST_EACH = 3, COST_CONSTANT = 6, COST_UNEXPLAINED = 100 };

/* A part by its place among those of the group's first case, a kind, and its number of bytes. */
typedef struct {
  dmd_defect_kind_t kind;
  uint32_t place;
  int64_t bytes;
} trial_t;

/* Defects that are tried together. */
typedef struct {
  trial_t trials[DMD_MAX_DEFECTS];
  uint32_t n;
} set_t;

static uint64_t difference(const dmd_claim_group_t *g, uint32_t i) {
  const dmd_claim_case_t *c = dmd_claimcases_at(g->cases, g->ids[i]);
  return c->value - dmd_claim_truth(g->rule, c);
}

/* ---- The value of a defect. ---- */

/* The bytes of a part that the rule counts, without and with the parts below it. */
static dmd_claim_size_t own_of(const dmd_claim_part_t *part, const dmd_claim_rule_t *rule) {
  bool is_less = rule->scope == DMD_CLAIM_OWNED;
  return is_less ? dmd_claim_size_less(&part->own, &part->own_others) : part->own;
}

static dmd_claim_size_t whole_of(const dmd_claim_part_t *part, const dmd_claim_rule_t *rule) {
  bool is_less = rule->scope == DMD_CLAIM_OWNED;
  return is_less ? dmd_claim_size_less(&part->whole, &part->whole_others) : part->whole;
}

static uint64_t value_for(const dmd_claim_part_t *part, const dmd_claim_rule_t *rule,
                          dmd_defect_kind_t kind, int64_t bytes) {
  const dmd_claim_size_t own_size = own_of(part, rule), whole_size = whole_of(part, rule);
  uint64_t own = dmd_claim_size_bytes(&own_size, rule->is_usable);
  uint64_t whole = dmd_claim_size_bytes(&whole_size, rule->is_usable);
  switch (kind) {
  case DMD_DEFECT_UNIT:
    return dmd_claim_size_bytes(&own_size, !rule->is_usable) - own;
  case DMD_DEFECT_MISSING:
    return 0 - whole;
  case DMD_DEFECT_MISSING_OWN:
    return 0 - own;
  case DMD_DEFECT_MISSING_BELOW:
    return own - whole;
  case DMD_DEFECT_TWICE:
    return whole;
  case DMD_DEFECT_SHARED:
    return dmd_claim_size_bytes(part->is_shared ? &part->whole : &part->whole_others,
                                rule->is_usable);
  case DMD_DEFECT_TWICE_OWN:
    return own;
  case DMD_DEFECT_EACH:
    return (uint64_t)bytes * own_size.blocks;
  case DMD_DEFECT_AS:
    return (uint64_t)bytes * own_size.blocks - own;
  case DMD_DEFECT_RATIO:
    return bytes > 0 ? own_size.req / (uint64_t)bytes - own : 0;
  default:
    return (uint64_t)bytes;
  }
}

int64_t dmd_defect_of(const dmd_claimcases_t *cases, const dmd_claim_rule_t *rule,
                      const dmd_claim_case_t *c, const dmd_defect_t *defect) {
  if (defect->kind == DMD_DEFECT_CONSTANT)
    return defect->bytes;
  const dmd_claim_part_t *part = dmd_claimcases_find(cases, c, defect->part);
  return part == NULL ? 0 : (int64_t)value_for(part, rule, defect->kind, defect->bytes);
}

/* ---- Trying defects. ---- */

/* The i-th case's part at this place; NULL if it has no such part. Retained parts have the same
 * places in all cases of a shape. */
static const dmd_claim_part_t *part_at(const dmd_claim_group_t *g, uint32_t i, uint32_t place) {
  const dmd_claim_case_t *first = dmd_claimcases_at(g->cases, g->ids[0]);
  const dmd_claim_case_t *c = dmd_claimcases_at(g->cases, g->ids[i]);
  if (place < first->n_retained)
    return dmd_claimcases_part(g->cases, c, place);
  return dmd_claimcases_find(g->cases, c, dmd_claimcases_part(g->cases, first, place)->key);
}

static uint64_t value_of(const dmd_claim_group_t *g, uint32_t i, const trial_t *t) {
  if (t->kind == DMD_DEFECT_CONSTANT)
    return (uint64_t)t->bytes;
  const dmd_claim_part_t *part = part_at(g, i, t->place);
  return part == NULL ? 0 : value_for(part, g->rule, t->kind, t->bytes);
}

/* What the set leaves of a difference. */
static uint64_t left_by(const dmd_claim_group_t *g, uint32_t i, const set_t *set) {
  uint64_t left = difference(g, i);
  for (uint32_t k = 0; k < set->n; k++)
    left -= value_of(g, i, &set->trials[k]);
  return left;
}

/* Whether the set explains the differences of all cases. */
static bool explains(const dmd_claim_group_t *g, const set_t *set) {
  for (uint32_t i = 0; i < g->n; i++)
    if (left_by(g, i, set) != 0)
      return false;
  return true;
}

/* The case with most blocks of a part; *varies: others have fewer. */
static uint32_t most_blocks(const dmd_claim_group_t *g, uint32_t place, bool *varies) {
  uint32_t most = 0;
  *varies = false;
  for (uint32_t i = 1; i < g->n; i++) {
    uint64_t n = own_of(part_at(g, i, place), g->rule).blocks;
    uint64_t n_most = own_of(part_at(g, most, place), g->rule).blocks;
    *varies = *varies || n != n_most;
    most = n > n_most ? i : most;
  }
  return most;
}

/* Whether a number of bytes was rounded down to a usual unit, which the defect then gets. */
static bool is_in_unit(trial_t *t, uint64_t req, uint64_t counted) {
  static const uint64_t units[] = {1024, 1000, 1 << 20, 1000000};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    t->bytes = (int64_t)units[i];
    if (counted > 0 && req / units[i] == counted)
      return true;
  }
  return false;
}

/* Finds the number of bytes that a defect of a retained part must have to explain what the set
 * leaves of the case in which that shows best. False if there is none. */
static bool find_bytes(const dmd_claim_group_t *g, trial_t *t, const set_t *set) {
  bool varies;
  uint32_t i = most_blocks(g, t->place, &varies);
  const dmd_claim_size_t size = own_of(part_at(g, i, t->place), g->rule);
  uint64_t left = left_by(g, i, set), n = size.blocks;
  uint64_t own = dmd_claim_size_bytes(&size, g->rule->is_usable);
  if (n == 0)
    return false;
  if (t->kind == DMD_DEFECT_RATIO) {
    uint64_t counted = left + own;
    if (is_in_unit(t, size.req, counted))
      return true;
    t->bytes = counted == 0 || counted >= size.req ? 0 : (int64_t)(size.req / counted);
    return t->bytes >= 2 && t->bytes <= MAX_RATIO;
  }
  if (!varies && (g->n > 1 || n < FEW_BLOCKS))
    return false;
  int64_t total = (int64_t)(t->kind == DMD_DEFECT_AS ? left + own : left);
  t->bytes = total / (int64_t)n;
  return total % (int64_t)n == 0 && t->bytes != 0 && t->bytes <= MAX_EACH &&
         t->bytes >= -MAX_EACH && (t->kind == DMD_DEFECT_EACH || t->bytes > 0);
}

/* Whether a kind of defect is possible for a part, and says more than an earlier kind. */
static bool is_possible(const dmd_claim_group_t *g, dmd_defect_kind_t kind, uint32_t place) {
  const dmd_claim_part_t *part = part_at(g, 0, place);
  if (part->is_shared)
    return kind == DMD_DEFECT_SHARED;
  switch (kind) {
  case DMD_DEFECT_SHARED:
    return g->rule->scope == DMD_CLAIM_OWNED && part->whole_others.blocks > 0;
  case DMD_DEFECT_MISSING_OWN:
  case DMD_DEFECT_MISSING_BELOW:
  case DMD_DEFECT_TWICE_OWN:
    return part->whole.blocks > part->own.blocks;
  default:
    return true;
  }
}

static uint32_t n_places(const dmd_claim_group_t *g) {
  uint32_t n = dmd_claimcases_at(g->cases, g->ids[0])->n_parts;
  return n < MAX_TRIED ? n : MAX_TRIED;
}

/* Adds the first defect, in the order of kinds and parts, that explains what the set leaves. */
static bool add_one(const dmd_claim_group_t *g, set_t *set) {
  trial_t t;
  /* Two numbers would explain any single claim. */
  int end = g->n == 1 && set->n > 0 ? DMD_DEFECT_EACH : DMD_DEFECT_CONSTANT;
  for (int kind = DMD_DEFECT_UNIT; kind < end; kind++)
    for (t.place = 0; t.place < n_places(g); t.place++) {
      t.kind = (dmd_defect_kind_t)kind;
      t.bytes = 0;
      if (!is_possible(g, t.kind, t.place) || (kind >= DMD_DEFECT_EACH && !find_bytes(g, &t, set)))
        continue;
      set->trials[set->n++] = t;
      if (explains(g, set))
        return true;
      set->n--;
    }
  return false;
}

/* Two defects, of which the first needs no number of bytes. */
static bool find_two(const dmd_claim_group_t *g, set_t *set) {
  for (int kind = DMD_DEFECT_MISSING; kind < DMD_DEFECT_EACH; kind++)
    for (uint32_t place = 0; place < n_places(g); place++) {
      set->trials[0] = (trial_t){.kind = (dmd_defect_kind_t)kind, .place = place};
      set->n = 1;
      if (is_possible(g, (dmd_defect_kind_t)kind, place) && add_one(g, set))
        return true;
    }
  return false;
}

static bool add_constant(const dmd_claim_group_t *g, set_t *set) {
  int64_t left = (int64_t)left_by(g, 0, set);
  set->trials[set->n++] = (trial_t){.kind = DMD_DEFECT_CONSTANT, .bytes = left};
  if (explains(g, set))
    return true;
  set->n--;
  return false;
}

/* ---- Parts in the other unit. ---- */

/* The places of retained parts whose units differ. */
static uint32_t list_units(const dmd_claim_group_t *g, uint32_t places[MAX_UNITS]) {
  uint32_t n = 0, n_retained = dmd_claimcases_at(g->cases, g->ids[0])->n_retained;
  for (uint32_t place = 0; place < n_retained && n < MAX_UNITS; place++) {
    bool differs = false;
    for (uint32_t i = 0; i < g->n && !differs; i++) {
      const dmd_claim_size_t *own = &part_at(g, i, place)->own;
      differs = own->req != own->usable;
    }
    if (differs && is_possible(g, DMD_DEFECT_UNIT, place))
      places[n++] = place;
  }
  return n;
}

/* Sets of parts in the other unit, small ones first; with_more: besides them another defect. */
static bool find_units(const dmd_claim_group_t *g, set_t *set, bool with_more) {
  uint32_t places[MAX_UNITS], n = list_units(g, places), most = with_more ? 3 : DMD_MAX_DEFECTS - 1;
  for (uint32_t size = 1; size <= most; size++)
    for (uint32_t mask = 1; mask < 1u << n; mask++) {
      if ((uint32_t)__builtin_popcount(mask) != size)
        continue;
      set->n = 0;
      for (uint32_t i = 0; i < n; i++)
        if (mask >> i & 1)
          set->trials[set->n++] = (trial_t){.kind = DMD_DEFECT_UNIT, .place = places[i]};
      if (with_more ? add_one(g, set) || (g->n > 1 && add_constant(g, set)) : explains(g, set))
        return true;
    }
  return false;
}

/* ---- The whole. ---- */

static uint32_t cost_of(dmd_defect_kind_t kind) {
  if (kind == DMD_DEFECT_UNIT)
    return COST_UNIT;
  if (kind < DMD_DEFECT_EACH)
    return COST_PART;
  return kind < DMD_DEFECT_CONSTANT ? COST_EACH : COST_CONSTANT;
}

static bool find(const dmd_claim_group_t *g, set_t *set) {
  *set = (set_t){.n = 0};
  if (add_one(g, set) || find_units(g, set, false))
    return true;
  set->n = 0;
  if ((g->n > 1 && add_constant(g, set)) || find_two(g, set) || find_units(g, set, true))
    return true;
  set->n = 0;
  return add_constant(g, set);
}

/* A few bytes for each block, where all blocks have one size: one for an entry, or a pointer. */
static void count_entries(const dmd_claim_group_t *g, trial_t *t) {
  const dmd_claim_part_t *part = t->kind == DMD_DEFECT_EACH ? part_at(g, 0, t->place) : NULL;
  if (part == NULL || part->own.blocks == 0)
    return;
  uint64_t own = dmd_claim_size_bytes(&part->own, g->rule->is_usable);
  int64_t counted = (int64_t)(own / part->own.blocks) + t->bytes;
  if (own % part->own.blocks == 0 && (counted == 1 || counted == 4 || counted == 8))
    *t = (trial_t){.kind = DMD_DEFECT_AS, .place = t->place, .bytes = counted};
}

uint32_t dmd_defects_find(const dmd_claim_group_t *g, dmd_defect_t defects[DMD_MAX_DEFECTS]) {
  set_t set;
  uint32_t cost = 0;
  for (uint32_t i = 0; i < DMD_MAX_DEFECTS; i++)
    defects[i] = (dmd_defect_t){.kind = DMD_DEFECT_NONE};
  if (!find(g, &set)) {
    defects[0].kind = DMD_DEFECT_UNEXPLAINED;
    return COST_UNEXPLAINED;
  }
  for (uint32_t i = 0; i < set.n; i++) {
    trial_t *t = &set.trials[i];
    count_entries(g, t);
    defects[i] = (dmd_defect_t){.kind = t->kind, .bytes = t->bytes};
    if (t->kind != DMD_DEFECT_CONSTANT)
      defects[i].part = part_at(g, 0, t->place)->key;
    cost += cost_of(t->kind);
  }
  return cost;
}
