/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/measured.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "model/profile/profile.h"

/* Computes unsigned, since sums over an untrusted file may overflow. */
static void add(int64_t *sum, int64_t szB) {
  *sum = (int64_t)((uint64_t)*sum + (uint64_t)szB);
}

/* Adds the blocks of a group to each of their reporters, whole or in shares. */
static void add_blocks(dmd_measured_t *m, const dmd_group_t *g) {
  bool is_shared = dmd_reports_are_shared(&m->profile->reports, g->reports);
  uint64_t usable = g->req + g->slop;
  dmd_report_walk_t walk = dmd_reports_walk(&m->profile->reports, g->reports);
  while (dmd_reports_next(&walk)) {
    uint32_t reporter = walk.report->reporter;
    uint64_t part = dmd_reports_part(&m->profile->reports, g->reports, walk.is_first, usable);
    add(&m->by_reporter[reporter], dmd_group_bytes(m->profile, g, dmd_szB_times(part, walk.times)));
    /* Count the remainder of the block once. */
    if (is_shared)
      m->shared[reporter] -= dmd_group_bytes(m->profile, g, part);
    if (is_shared && !walk.is_again)
      m->shared[reporter] += dmd_group_usable(m->profile, g);
  }
}

static void sum_up(dmd_measured_t *m) {
  const dmd_profile_t *profile = m->profile;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    if (g->reports != DMD_NONE)
      add_blocks(m, g);
  }
}

static const char *path_of(const dmd_measured_t *m, uint32_t name) {
  return dmd_intern_get_str(&m->profile->names, name);
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b) {
  return dmd_path_compare(path_of(ctx, a), path_of(ctx, b));
}

void dmd_measured_init(dmd_measured_t *m, const dmd_profile_t *profile) {
  const dmd_env_t *env = profile->env;
  size_t n_names = dmd_intern_count(&profile->names);
  *m = (dmd_measured_t){.profile = profile};
  m->by_reporter = dmd_env_alloc(env, "dmd.measured", (n_names + 1) * sizeof *m->by_reporter);
  m->shared = dmd_env_alloc(env, "dmd.measured", (n_names + 1) * sizeof *m->shared);
  m->order = dmd_env_alloc(env, "dmd.measured", (n_names + 1) * sizeof *m->order);
  m->before = dmd_env_alloc(env, "dmd.measured", (n_names + 1) * sizeof *m->before);
  dmd_mem_zero(m->by_reporter, (n_names + 1) * sizeof *m->by_reporter);
  dmd_mem_zero(m->shared, (n_names + 1) * sizeof *m->shared);
  sum_up(m);
  for (uint32_t name = 1; name <= n_names; name++)
    if (m->by_reporter[name] != 0)
      m->order[m->n++] = name;
  dmd_sort(env, m->order, m->n, compare_names, m);
  m->before[0] = 0;
  for (uint32_t i = 0; i < m->n; i++)
    m->before[i + 1] = m->before[i] + m->by_reporter[m->order[i]];
}

void dmd_measured_destroy(dmd_measured_t *m) {
  const dmd_env_t *env = m->profile->env;
  dmd_env_free(env, m->before);
  dmd_env_free(env, m->order);
  dmd_env_free(env, m->shared);
  dmd_env_free(env, m->by_reporter);
}

/* The first place in the order after path, or after everything below it. */
static uint32_t place_after(const dmd_measured_t *m, const char *path, bool below_too) {
  uint32_t place;
  DMD_SEARCH(place, 0, m->n,
             dmd_path_compare(path_of(m, m->order[place]), path) <= 0 ||
                 (below_too && dmd_path_is_at_or_below(path_of(m, m->order[place]), path)));
  return place;
}

/* The name of the reporter with this path; DMD_NONE if no such reporter measured anything. */
static uint32_t find(const dmd_measured_t *m, const char *path) {
  uint32_t end = place_after(m, path, false);
  bool there = end > 0 && dmd_str_equal(path_of(m, m->order[end - 1]), path);
  return there ? m->order[end - 1] : DMD_NONE;
}

int64_t dmd_measured_at(const dmd_measured_t *m, const char *path) {
  uint32_t name = find(m, path);
  return name == DMD_NONE ? 0 : m->by_reporter[name];
}

int64_t dmd_measured_whole(const dmd_measured_t *m, const char *path) {
  uint32_t name = find(m, path);
  return name == DMD_NONE ? 0 : m->by_reporter[name] + m->shared[name];
}

int64_t dmd_measured_at_or_below(const dmd_measured_t *m, const char *path) {
  uint32_t start = place_after(m, path, false);
  return m->before[place_after(m, path, true)] - m->before[start] + dmd_measured_at(m, path);
}
