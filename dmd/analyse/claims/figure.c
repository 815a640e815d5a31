/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/claims/figure.h"

#include "base/fnname.h"
#include "base/sort.h"
#include "base/str.h"

static const double NEARLY = 0.01; /* of the number */

static const char tag_word[] = "tag:", alloc_word[] = "alloc-fn:";

typedef struct {
  const dmd_profile_t *profile;
  dmd_figure_t *figure;
  const char *glob; /* of alloc-fn; else NULL */
  bool is_tag;
  uint32_t tag;
  dmd_pool_t verdicts;  /* by stack: uint8_t, MATCHES, DIFFERS; 0: not compared yet */
  dmd_pool_t functions; /* by string of the frames: function_t */
} search_t;

enum { MATCHES = 1, DIFFERS };

typedef struct {
  dmd_claim_size_t size;
  uint32_t group; /* that was added last */
} function_t;

bool dmd_figure_is_set(const char *set) {
  return dmd_str_compare(set, "heap") == 0 || dmd_str_compare(set, "resident") == 0 ||
         (dmd_str_begins(set, tag_word) && set[sizeof tag_word - 1] != '\0') ||
         (dmd_str_begins(set, alloc_word) && set[sizeof alloc_word - 1] != '\0');
}

static const char *name_of(const search_t *s, uint32_t frame) {
  return dmd_frames_location(&s->profile->frames, frame).function;
}

/* ---- The set. ---- */

static bool is_of_stack(search_t *s, uint32_t stack) {
  if (stack == DMD_NONE)
    return false;
  dmd_pool_reach(&s->verdicts, stack);
  uint8_t *verdict = DMD_POOL_AT(&s->verdicts, uint8_t, stack);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(s->profile, stack, &n);
  for (size_t i = 0; i < n && *verdict == 0; i++) {
    const char *name = name_of(s, frames[i]);
    if (name != NULL && dmd_fnname_matches(s->glob, name))
      *verdict = MATCHES;
  }
  if (*verdict == 0)
    *verdict = DIFFERS;
  return *verdict == MATCHES;
}

static bool is_of_set(search_t *s, const dmd_group_t *group) {
  if (s->is_tag)
    return s->tag != DMD_NONE && group->tag == s->tag;
  return s->glob == NULL || is_of_stack(s, group->stack);
}

static uint64_t at_least_0(int64_t n) {
  return n < 0 ? 0 : (uint64_t)n;
}

static dmd_claim_size_t size_of(const search_t *s, const dmd_group_t *group) {
  uint64_t usable = group->req + group->slop;
  return (dmd_claim_size_t){.blocks = at_least_0(dmd_group_blocks(s->profile, group)),
                            .req = at_least_0(dmd_group_bytes(s->profile, group, group->req)),
                            .usable = at_least_0(dmd_group_bytes(s->profile, group, usable))};
}

/* ---- Functions. ---- */

static void add_to_functions(search_t *s, uint32_t id, const dmd_claim_size_t *size) {
  size_t n;
  const uint32_t *frames =
      dmd_profile_frames(s->profile, dmd_groups_at(&s->profile->groups, id)->stack, &n);
  for (size_t i = 0; i < n; i++) {
    uint32_t name = dmd_frames_at(&s->profile->frames, frames[i])->function;
    if (name == DMD_NONE)
      continue;
    dmd_pool_reach(&s->functions, name);
    function_t *function = DMD_POOL_AT(&s->functions, function_t, name);
    if (function->group == id)
      continue;
    function->group = id;
    dmd_claim_size_add(&function->size, size);
  }
}

static uint64_t distance(uint64_t a, uint64_t b) {
  return a < b ? b - a : a - b;
}

/* Several functions may explain the number equally well. The one with most blocks is least likely
 * to do so by chance. */
static void try_function(search_t *s, uint32_t name, dmd_figure_reason_t reason, uint64_t wanted,
                         uint64_t *best) {
  dmd_figure_t *figure = s->figure;
  const function_t *function = DMD_POOL_AT(&s->functions, const function_t, name);
  uint64_t far = distance(dmd_claim_size_bytes(&function->size, figure->is_usable), wanted);
  if (wanted == 0 || far > *best || (far == *best && function->size.blocks <= figure->of.blocks))
    return;
  *best = far;
  figure->reason = reason;
  figure->function = name;
  figure->of = function->size;
  figure->is_exact = far == 0;
}

/* A number that is right within a percent needs a function that explains it better. */
static void find_function(search_t *s) {
  dmd_figure_t *figure = s->figure;
  uint64_t truth = dmd_figure_truth(figure);
  if (figure->value >= truth)
    return;
  uint64_t nearly = (uint64_t)(NEARLY * (double)figure->value), left = truth - figure->value;
  uint64_t best = nearly < left / 2 ? nearly : left / 2;
  for (uint32_t name = 1; name <= s->functions.last; name++) {
    try_function(s, name, DMD_FIGURE_COUNTS, figure->value, &best);
    try_function(s, name, DMD_FIGURE_LEAVES_OUT, left, &best);
  }
}

/* ---- Rows. ---- */

static bool is_below(const search_t *s, uint32_t stack, uint32_t function) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(s->profile, stack, &n);
  for (size_t i = 0; i < n; i++)
    if (dmd_frames_at(&s->profile->frames, frames[i])->function == function)
      return true;
  return false;
}

static bool is_wanted(const search_t *s, uint32_t stack) {
  const dmd_figure_t *figure = s->figure;
  return figure->reason == DMD_FIGURE_NONE ||
         is_below(s, stack, figure->function) == (figure->reason == DMD_FIGURE_LEAVES_OUT);
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_figure_row_t *x = DMD_POOL_AT((const dmd_pool_t *)ctx, const dmd_figure_row_t, a);
  const dmd_figure_row_t *y = DMD_POOL_AT((const dmd_pool_t *)ctx, const dmd_figure_row_t, b);
  return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static void sort_rows(dmd_pool_t *rows) {
  const dmd_env_t *env = rows->env;
  dmd_pool_t sorted;
  uint32_t n = rows->last, *order = dmd_sorted_ids(env, n, compare_rows, rows);
  dmd_pool_init(&sorted, env, "dmd.figure", sizeof(dmd_figure_row_t));
  dmd_pool_reach(&sorted, n);
  for (uint32_t i = 0; i < n; i++)
    *DMD_POOL_AT(&sorted, dmd_figure_row_t, i + 1) =
        *DMD_POOL_AT(rows, const dmd_figure_row_t, order[i]);
  dmd_env_free(env, order);
  dmd_pool_destroy(rows);
  *rows = sorted;
}

static void add_rows(search_t *s) {
  dmd_figure_t *figure = s->figure;
  const dmd_groups_t *groups = &s->profile->groups;
  dmd_pool_t row_of; /* by stack + 1: uint32_t */
  dmd_pool_init(&row_of, s->profile->env, "dmd.figure", sizeof(uint32_t));
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *group = dmd_groups_at(groups, id);
    if (!is_of_set(s, group) || !is_wanted(s, group->stack))
      continue;
    dmd_claim_size_t size = size_of(s, group);
    dmd_pool_reach(&row_of, group->stack + 1);
    uint32_t *row = DMD_POOL_AT(&row_of, uint32_t, group->stack + 1);
    if (*row == 0) {
      *row = dmd_pool_add(&figure->rows);
      *DMD_POOL_AT(&figure->rows, dmd_figure_row_t, *row) =
          (dmd_figure_row_t){.stack = group->stack};
    }
    DMD_POOL_AT(&figure->rows, dmd_figure_row_t, *row)->blocks += size.blocks;
    DMD_POOL_AT(&figure->rows, dmd_figure_row_t, *row)->bytes +=
        dmd_claim_size_bytes(&size, figure->is_usable);
  }
  dmd_pool_destroy(&row_of);
  sort_rows(&figure->rows);
}

/* ---- The whole. ---- */

static void search(search_t *s) {
  dmd_figure_t *figure = s->figure;
  const dmd_groups_t *groups = &s->profile->groups;
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *group = dmd_groups_at(groups, id);
    if (!is_of_set(s, group))
      continue;
    dmd_claim_size_t size = size_of(s, group);
    dmd_claim_size_add(&figure->size, &size);
    add_to_functions(s, id, &size);
  }
  figure->is_usable =
      distance(figure->value, figure->size.usable) < distance(figure->value, figure->size.req);
  if (figure->value == dmd_figure_truth(figure))
    return;
  find_function(s);
  add_rows(s);
}

void dmd_figure_init(dmd_figure_t *figure, const dmd_profile_t *profile, const char *set,
                     uint64_t value) {
  *figure = (dmd_figure_t){.value = value};
  dmd_pool_init(&figure->rows, profile->env, "dmd.figure", sizeof(dmd_figure_row_t));
  if (dmd_str_compare(set, "resident") == 0) {
    uint64_t resident = profile->memory.resident;
    figure->is_known = resident != DMD_MEMORY_UNKNOWN;
    figure->size = (dmd_claim_size_t){.req = resident, .usable = resident};
    return;
  }
  search_t s = {.profile = profile, .figure = figure, .is_tag = dmd_str_begins(set, tag_word)};
  if (s.is_tag)
    s.tag = dmd_intern_find_text(&profile->tags, set + sizeof tag_word - 1);
  else if (dmd_str_begins(set, alloc_word))
    s.glob = set + sizeof alloc_word - 1;
  figure->is_known = figure->has_rows = true;
  dmd_pool_init(&s.verdicts, profile->env, "dmd.figure", sizeof(uint8_t));
  dmd_pool_init(&s.functions, profile->env, "dmd.figure", sizeof(function_t));
  search(&s);
  dmd_pool_destroy(&s.functions);
  dmd_pool_destroy(&s.verdicts);
}

void dmd_figure_destroy(dmd_figure_t *figure) {
  dmd_pool_destroy(&figure->rows);
}
