/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/claims/claimrules.h"

#include "base/sort.h"

/* A rule with a constant must explain so many more shapes than one without. */
static const double CONSTANT_HANDICAP = 0.5;
static const double RARE = 0.05; /* share of a function's cases that a rare shape has at most */
enum {
  LEAST_FOR_CONSTANT = 3, /* cases that a rule with a constant must explain */
  LEAST_FOR_MORE = 3      /* cases that show that a function counts more than the block */
};

/* The cases of one function: ids, by shape, and within a shape in the order of the claims. */
typedef struct {
  const dmd_claimcases_t *cases;
  uint32_t *ids;
  uint32_t n;
  dmd_claim_rule_t rule; /* the one that is tried */
} function_t;

static const dmd_claim_case_t *case_of(const function_t *f, uint32_t id) {
  return dmd_claimcases_at(f->cases, id);
}

static bool is_right(const function_t *f, uint32_t id) {
  const dmd_claim_case_t *c = case_of(f, id);
  return c->value == dmd_claim_truth(&f->rule, c);
}

static uint64_t shape_of(const void *ctx, uint32_t id) {
  return UINT32_MAX - dmd_claimcases_at(ctx, id)->shape;
}

static void list_cases(function_t *f, const dmd_claimcases_t *cases, uint32_t name) {
  *f = (function_t){.cases = cases};
  f->ids = dmd_env_alloc(cases->env, "dmd.claimrules", (cases->cases.last + 1) * sizeof *f->ids);
  for (uint32_t id = 1; id <= cases->cases.last; id++)
    if (dmd_claimcases_at(cases, id)->function == name)
      f->ids[f->n++] = id;
  dmd_sort_by_number(cases->env, f->ids, f->n, shape_of, cases);
}

/* The end of the shape that begins at this place. */
static uint32_t end_of_shape(const function_t *f, uint32_t first) {
  uint32_t end = first + 1;
  while (end < f->n && case_of(f, f->ids[end])->shape == case_of(f, f->ids[first])->shape)
    end++;
  return end;
}

/* ---- Findings. ---- */

static bool same_defects(const dmd_defect_t *a, const dmd_defect_t *b) {
  for (uint32_t i = 0; i < DMD_MAX_DEFECTS; i++)
    if (a[i].kind != b[i].kind || a[i].part != b[i].part || a[i].bytes != b[i].bytes)
      return false;
  return true;
}

/* The finding with these defects among those from `first` on. */
static dmd_claim_finding_t *finding_with(dmd_pool_t *findings, uint32_t first,
                                         const dmd_defect_t *defects) {
  for (uint32_t id = first; id <= findings->last; id++) {
    dmd_claim_finding_t *old = DMD_POOL_AT(findings, dmd_claim_finding_t, id);
    if (same_defects(old->defects, defects))
      return old;
  }
  uint32_t id = dmd_pool_add(findings);
  dmd_claim_finding_t *new = DMD_POOL_AT(findings, dmd_claim_finding_t, id);
  *new = (dmd_claim_finding_t){.n_cases = 0};
  dmd_mem_copy(new->defects, defects, sizeof new->defects);
  return new;
}

/* Adds the case, which is the finding's latest, to its outliers if there is room or a smaller one.
 */
static void add_outlier(const function_t *f, dmd_claim_finding_t *finding, uint32_t id) {
  uint64_t off = dmd_magnitude(dmd_claim_difference(&f->rule, case_of(f, id)));
  uint32_t i = dmd_claim_n_outliers(finding) - 1;
  bool is_full = finding->n_cases > DMD_MAX_OUTLIERS;
  if (is_full &&
      off <= dmd_magnitude(dmd_claim_difference(&f->rule, case_of(f, finding->outliers[i]))))
    return;
  for (; i > 0; i--) {
    uint32_t before = finding->outliers[i - 1];
    if (dmd_magnitude(dmd_claim_difference(&f->rule, case_of(f, before))) >= off)
      break;
    finding->outliers[i] = before;
  }
  finding->outliers[i] = id;
}

static void add_to_finding(const function_t *f, dmd_claim_finding_t *finding, uint32_t id) {
  const dmd_claim_case_t *c = case_of(f, id);
  int64_t difference = dmd_claim_difference(&f->rule, c);
  bool is_first = finding->n_cases++ == 0;
  finding->count += c->count;
  uint64_t off = dmd_magnitude(difference), room = UINT64_MAX - finding->bytes;
  finding->bytes = off > room / c->count ? UINT64_MAX : finding->bytes + off * c->count;
  add_outlier(f, finding, id);
  if (is_first || difference < finding->least)
    finding->least = difference;
  if (is_first || difference > finding->most)
    finding->most = difference;
}

/* ---- Claims that are wrong by themselves. ---- */

/* Whether the result has fewer bytes than a size. */
static bool is_narrow(const dmd_claim_case_t *c) {
  return c->value_szB > 0 && c->value_szB < sizeof(uint64_t);
}

static bool is_wrapped(const function_t *f, const dmd_claim_case_t *c) {
  uint64_t truth = dmd_claim_truth(&f->rule, c);
  if (is_narrow(c)) {
    uint64_t mask = (1ull << 8 * c->value_szB) - 1;
    return truth > mask && ((truth ^ c->value) & mask) == 0;
  }
  return truth > UINT32_MAX && c->value != truth && (uint32_t)c->value == (uint32_t)truth &&
         (c->value >> 32 == 0 || c->value >> 32 == UINT32_MAX);
}

enum { MAX_BACK = 4096 }; /* claims that are searched for an earlier one about an object */

/* Whether it repeats what was right at an earlier claim about the object. */
static bool is_stale(const function_t *f, uint32_t id) {
  const dmd_claim_case_t *c = case_of(f, id);
  for (uint32_t i = id; i-- > 1 && id - i < MAX_BACK;) {
    const dmd_claim_case_t *earlier = case_of(f, i);
    if (earlier->argument != c->argument || earlier->function != c->function)
      continue;
    if (earlier->value != c->value || is_right(f, i))
      return earlier->value == c->value;
  }
  return false;
}

static dmd_defect_kind_t own_defect(const function_t *f, uint32_t id) {
  if (case_of(f, id)->value == 0)
    return DMD_DEFECT_NOTHING;
  if (is_wrapped(f, case_of(f, id)))
    return DMD_DEFECT_WRAPPED;
  return is_stale(f, id) ? DMD_DEFECT_STALE : DMD_DEFECT_NONE;
}

/* ---- Defects of the rule. ---- */

static void add_group(const function_t *f, dmd_pool_t *findings, uint32_t first_finding,
                      const dmd_claim_group_t *group, const dmd_defect_t *defects) {
  dmd_claim_finding_t *finding = finding_with(findings, first_finding, defects);
  for (uint32_t i = 0; i < group->n; i++)
    add_to_finding(f, finding, group->ids[i]);
}

static bool is_explained(const function_t *f, const dmd_claim_finding_t *finding, uint32_t id) {
  const dmd_claim_case_t *c = case_of(f, id);
  uint64_t left = c->value - dmd_claim_truth(&f->rule, c);
  for (uint32_t i = 0; i < DMD_MAX_DEFECTS && finding->defects[i].kind != DMD_DEFECT_NONE; i++) {
    if (finding->defects[i].kind > DMD_DEFECT_CONSTANT)
      return false;
    left -= (uint64_t)dmd_defect_of(f->cases, &f->rule, c, &finding->defects[i]);
  }
  return left == 0;
}

/* Whether an earlier finding explains all claims of the group, which are added to it. */
static bool add_to_known(const function_t *f, dmd_pool_t *findings, uint32_t first_finding,
                         const dmd_claim_group_t *group) {
  for (uint32_t id = first_finding; id <= findings->last; id++) {
    dmd_claim_finding_t *finding = DMD_POOL_AT(findings, dmd_claim_finding_t, id);
    uint32_t n = 0;
    while (n < group->n && is_explained(f, finding, group->ids[n]))
      n++;
    if (n < group->n)
      continue;
    for (uint32_t i = 0; i < n; i++)
      add_to_finding(f, finding, group->ids[i]);
    return true;
  }
  return false;
}

static bool has_weak_defect(const dmd_defect_t *defects) {
  for (uint32_t i = 0; i < DMD_MAX_DEFECTS; i++)
    if (defects[i].kind >= DMD_DEFECT_CONSTANT)
      return true;
  return false;
}

static bool has_zero(const dmd_claim_group_t *group) {
  for (uint32_t i = 0; i < group->n; i++)
    if (dmd_claimcases_at(group->cases, group->ids[i])->value == 0)
      return true;
  return false;
}

/* Takes the claims that are wrong by themselves out of the group, and adds them to findings.
 * Returns their number. */
static uint32_t take_own_defects(const function_t *f, dmd_pool_t *findings, uint32_t first_finding,
                                 uint32_t *wrong, dmd_claim_group_t *group) {
  uint32_t n_left = 0, n = group->n;
  for (uint32_t i = 0; i < n; i++) {
    dmd_defect_t defects[DMD_MAX_DEFECTS] = {{.kind = own_defect(f, wrong[i])}};
    const dmd_claim_case_t *c = case_of(f, wrong[i]);
    if (defects[0].kind == DMD_DEFECT_WRAPPED && is_narrow(c))
      defects[0].bytes = c->value_szB;
    if (defects[0].kind == DMD_DEFECT_NONE)
      wrong[n_left++] = wrong[i];
    else
      add_to_finding(f, finding_with(findings, first_finding, defects), wrong[i]);
  }
  group->n = n_left;
  return n - n_left;
}

/* Whether the shape that begins at this place is that of a set without parts: no graph shows them.
 */
static bool is_whole_alone(const function_t *f, uint32_t first) {
  const dmd_claim_case_t *c = case_of(f, f->ids[first]);
  return c->is_of_set && c->n_parts == 1;
}

/* Adds the wrong claims about objects of one shape to findings. Returns the cost of their
 * defects. */
static uint32_t find_in_shape(const function_t *f, dmd_pool_t *findings, uint32_t first_finding,
                              uint32_t first, uint32_t end) {
  uint32_t *wrong = dmd_env_alloc(f->cases->env, "dmd.claimrules", (end - first) * sizeof *wrong);
  dmd_claim_group_t group = {.cases = f->cases, .rule = &f->rule, .ids = wrong};
  dmd_defect_t defects[DMD_MAX_DEFECTS];
  for (uint32_t i = first; i < end; i++)
    if (!is_right(f, f->ids[i]))
      wrong[group.n++] = f->ids[i];
  bool is_known = group.n == 0 || add_to_known(f, findings, first_finding, &group);
  if (!is_known && is_whole_alone(f, first) && findings->last >= first_finding) {
    const dmd_defect_t not_seen[DMD_MAX_DEFECTS] = {{.kind = DMD_DEFECT_NOT_SEEN}};
    add_group(f, findings, first_finding, &group, not_seen);
    is_known = true;
  }
  uint32_t cost = is_known ? 0 : dmd_defects_find(&group, defects);
  bool is_zero = has_zero(&group) && (is_known || defects[0].kind != DMD_DEFECT_RATIO);
  if (!is_known && (has_weak_defect(defects) || is_zero) &&
      take_own_defects(f, findings, first_finding, wrong, &group) > 0)
    cost = group.n > 0 ? dmd_defects_find(&group, defects) : 0;
  if (!is_known && group.n > 0)
    add_group(f, findings, first_finding, &group, defects);
  dmd_env_free(f->cases->env, wrong);
  return cost;
}

static uint32_t n_wrong(const function_t *f, uint32_t first, uint32_t end) {
  uint32_t n = 0;
  for (uint32_t i = first; i < end; i++)
    n += !is_right(f, f->ids[i]);
  return n;
}

/* Adds the findings under the function's rule: first for shapes with several wrong claims, whose
 * defects are surer; last for sets whose parts are not known. Returns the cost of the defects. */
static uint32_t find_all(const function_t *f, dmd_pool_t *findings) {
  uint32_t first_finding = findings->last + 1, cost = 0;
  for (int turn = 0; turn < 3; turn++)
    for (uint32_t first = 0, end; first < f->n; first = end) {
      end = end_of_shape(f, first);
      int when = is_whole_alone(f, first) ? 2 : n_wrong(f, first, end) <= 1;
      if (when == turn)
        cost += find_in_shape(f, findings, first_finding, first, end);
    }
  return cost;
}

/* ---- The rule. ---- */

static uint64_t difference_of(const void *ctx, uint32_t id) {
  const function_t *f = ctx;
  return case_of(f, id)->value - dmd_claim_truth(&f->rule, case_of(f, id));
}

/* The commonest difference. */
static int64_t common_difference(const function_t *f) {
  uint32_t *ids = dmd_env_alloc(f->cases->env, "dmd.claimrules", f->n * sizeof *ids);
  dmd_mem_copy(ids, f->ids, f->n * sizeof *ids);
  dmd_sort_by_number(f->cases->env, ids, f->n, difference_of, f);
  uint32_t most = 0;
  uint64_t common = 0;
  for (uint32_t first = 0, end; first < f->n; first = end) {
    uint64_t difference = difference_of(f, ids[first]);
    for (end = first + 1; end < f->n && difference_of(f, ids[end]) == difference;)
      end++;
    if (end - first > most) {
      most = end - first;
      common = difference;
    }
  }
  dmd_env_free(f->cases->env, ids);
  return (int64_t)common;
}

/* Shapes that the rule explains; of a shape the share of its cases. A rare shape counts less: it
 * may come from a word that looks like a pointer and takes a block away from its owner. */
static double score_of(const function_t *f, uint32_t *n_right) {
  double score = 0;
  *n_right = 0;
  for (uint32_t first = 0, end; first < f->n; first = end) {
    uint32_t n = 0;
    end = end_of_shape(f, first);
    for (uint32_t i = first; i < end; i++)
      n += is_right(f, f->ids[i]);
    *n_right += n;
    double share = (double)(end - first) / f->n;
    score += (share < RARE ? share / RARE : 1) * n / (end - first);
  }
  return score;
}

static uint32_t cost_of(const function_t *f) {
  dmd_pool_t findings;
  dmd_pool_init(&findings, f->cases->env, "dmd.claimrules", sizeof(dmd_claim_finding_t));
  uint32_t cost = find_all(f, &findings);
  dmd_pool_destroy(&findings);
  return cost;
}

/* The best rule so far. */
typedef struct {
  dmd_claim_rule_t rule;
  double score;
  uint32_t n_right, cost;
  bool is_any;
} best_t;

/* Whether several results were, to the byte, the retained size of an object that retains other
 * blocks: then the function does not mean the block, even if it is right for most blocks. */
static bool counts_more(const function_t *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n && n < LEAST_FOR_MORE; i++) {
    const dmd_claim_case_t *c = case_of(f, f->ids[i]);
    const dmd_claim_size_t *retained = &c->size[DMD_CLAIM_RETAINED];
    n += retained->blocks > 1 && c->value == dmd_claim_size_bytes(retained, f->rule.is_usable) &&
         c->value != dmd_claim_size_bytes(&c->size[DMD_CLAIM_BLOCK], f->rule.is_usable);
  }
  return n == LEAST_FOR_MORE;
}

/* Whether all results that the rule explains are equal, but not what these objects retain: the
 * function returns a constant, whatever the object has. */
static bool is_constant(const function_t *f) {
  const dmd_claim_case_t *first = NULL;
  bool differs = false;
  for (uint32_t i = 0; i < f->n; i++) {
    const dmd_claim_case_t *c = case_of(f, f->ids[i]);
    if (!is_right(f, f->ids[i]))
      continue;
    first = first == NULL ? c : first;
    if (c->value != first->value)
      return false;
    differs |= c->size[DMD_CLAIM_RETAINED].req != first->size[DMD_CLAIM_RETAINED].req;
  }
  return differs;
}

/* Among rules that explain equally many shapes, the one that explains most claims wins; then the
 * one whose wrong claims are explained best; then the first. */
static void try_rule(function_t *f, best_t *best) {
  uint32_t n_right;
  double score = score_of(f, &n_right);
  if (f->rule.constant != 0 && (n_right < LEAST_FOR_CONSTANT || is_constant(f)))
    return;
  if (f->rule.scope == DMD_CLAIM_BLOCK && (2 * n_right < f->n || counts_more(f)))
    return;
  score -= f->rule.constant != 0 ? CONSTANT_HANDICAP : 0;
  bool is_equal = best->is_any && score == best->score && n_right == best->n_right;
  if (best->is_any && !is_equal &&
      (score < best->score || (score == best->score && n_right < best->n_right)))
    return;
  uint32_t cost = cost_of(f);
  if (!is_equal || cost < best->cost)
    *best =
        (best_t){.rule = f->rule, .score = score, .n_right = n_right, .cost = cost, .is_any = true};
}

static void choose_rule(function_t *f, best_t *best) {
  static const dmd_claim_scope_t scopes[] = {DMD_CLAIM_BLOCK, DMD_CLAIM_RETAINED, DMD_CLAIM_OWNED};
  *best = (best_t){.is_any = false};
  bool is_of_set = case_of(f, f->ids[0])->is_of_set;
  for (int i = is_of_set ? 1 : 0; i < (is_of_set ? 2 : DMD_N_CLAIM_SCOPES); i++)
    for (int is_usable = 0; is_usable < 2; is_usable++) {
      f->rule = (dmd_claim_rule_t){.scope = scopes[i], .is_usable = is_usable};
      int64_t constant = common_difference(f);
      try_rule(f, best);
      f->rule.constant = constant;
      if (constant != 0)
        try_rule(f, best);
    }
  f->rule = best->rule;
}

/* ---- Verdicts. ---- */

static int compare_findings(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_claim_finding_t *findings = ctx;
  const dmd_claim_finding_t *x = &findings[a - 1], *y = &findings[b - 1];
  return (x->n_cases < y->n_cases) - (x->n_cases > y->n_cases);
}

/* The findings from `first` on, those with most cases first. */
static void sort_findings(dmd_pool_t *findings, uint32_t first) {
  const dmd_env_t *env = findings->env;
  uint32_t n = findings->last - first + 1;
  dmd_claim_finding_t *copy = dmd_env_alloc(env, "dmd.claimrules", (n + 1) * sizeof *copy);
  for (uint32_t i = 0; i < n; i++)
    copy[i] = *DMD_POOL_AT(findings, dmd_claim_finding_t, first + i);
  uint32_t *order = dmd_sorted_ids(env, n, compare_findings, copy);
  for (uint32_t i = 0; i < n; i++)
    *DMD_POOL_AT(findings, dmd_claim_finding_t, first + i) = copy[order[i] - 1];
  dmd_env_free(env, order);
  dmd_env_free(env, copy);
}

static void judge(dmd_claimrules_t *rules, uint32_t function) {
  function_t f;
  best_t best;
  list_cases(&f, rules->cases, function);
  dmd_claim_verdict_t verdict = {
      .function = function, .n_cases = f.n, .first_finding = rules->findings.last + 1};
  if (f.n > 0) {
    choose_rule(&f, &best);
    verdict.rule = best.rule;
    verdict.n_explained = best.n_right;
    verdict.has_rule = best.n_right > 0;
    find_all(&f, &rules->findings);
    verdict.n_findings = rules->findings.last + 1 - verdict.first_finding;
    sort_findings(&rules->findings, verdict.first_finding);
  }
  for (uint32_t i = 0; i < f.n; i++) {
    uint64_t count = case_of(&f, f.ids[i])->count;
    verdict.count += count;
    verdict.n_right += is_right(&f, f.ids[i]) ? count : 0;
  }
  dmd_env_free(rules->cases->env, f.ids);
  uint32_t id = dmd_pool_add(&rules->verdicts);
  *DMD_POOL_AT(&rules->verdicts, dmd_claim_verdict_t, id) = verdict;
}

void dmd_claimrules_init(dmd_claimrules_t *rules, const dmd_claimcases_t *cases) {
  *rules = (dmd_claimrules_t){.cases = cases};
  dmd_pool_init(&rules->verdicts, cases->env, "dmd.claimrules", sizeof(dmd_claim_verdict_t));
  dmd_pool_init(&rules->findings, cases->env, "dmd.claimrules", sizeof(dmd_claim_finding_t));
  for (uint32_t id = 1; id <= cases->functions.last; id++)
    judge(rules, DMD_POOL_AT(&cases->functions, const dmd_claim_function_sums_t, id)->name);
}

void dmd_claimrules_destroy(dmd_claimrules_t *rules) {
  dmd_pool_destroy(&rules->findings);
  dmd_pool_destroy(&rules->verdicts);
}
