/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/pathsums.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"

static bool counts(const dmd_amounts_t *m, uint32_t id, const char *path) {
  const dmd_amount_t *a = dmd_amounts_at(m, id);
  return !a->dropped && a->units == DMD_MEMREPORT_BYTES &&
         dmd_path_is_within(dmd_amounts_path(m, id), path);
}

bool dmd_pathsum(const dmd_amounts_t *m, const char *path, int64_t *sum) {
  bool any = false;
  *sum = 0;
  for (uint32_t id = 1; id <= m->pool.last; id++)
    if (counts(m, id, path)) {
      *sum += dmd_amounts_at(m, id)->amount;
      any = true;
    }
  return any;
}

/* ---- Parts. ---- */

/* By path. An id is the index of a part, plus one. */
static void add_parts(dmd_intern_t *paths, dmd_pathpart_t *parts, const dmd_amounts_t *m,
                      const char *path, bool is_before) {
  for (uint32_t id = 1; m != NULL && id <= m->pool.last; id++) {
    if (!counts(m, id, path))
      continue;
    uint32_t part = dmd_intern_find_str(paths, dmd_amounts_path(m, id));
    if (part == DMD_NONE) {
      part = dmd_intern_str(paths, dmd_amounts_path(m, id));
      parts[part] = (dmd_pathpart_t){.path = dmd_amounts_path(m, id)};
    }
    *(is_before ? &parts[part].before : &parts[part].now) += dmd_amounts_at(m, id)->amount;
  }
}

static int compare_growth(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_pathpart_t *parts = ctx, *x = &parts[a], *y = &parts[b];
  int64_t by_x = x->now - x->before, by_y = y->now - y->before;
  if (by_x != by_y)
    return by_x > by_y ? -1 : 1;
  return dmd_str_compare(x->path, y->path);
}

dmd_pathpart_t *dmd_pathparts(const dmd_amounts_t *now, const dmd_amounts_t *before,
                              const char *path, size_t *n) {
  dmd_intern_t paths;
  size_t most = now->pool.last + (before != NULL ? before->pool.last : 0);
  dmd_pathpart_t *parts = dmd_env_alloc(now->env, "dmd.pathparts", (most + 1) * sizeof *parts);
  dmd_intern_init(&paths, now->env, "dmd.pathparts");
  add_parts(&paths, parts, now, path, false);
  add_parts(&paths, parts, before, path, true);
  *n = dmd_intern_count(&paths);
  dmd_pathpart_t *sorted = dmd_env_alloc(now->env, "dmd.pathparts", (*n + 1) * sizeof *sorted);
  uint32_t *order = dmd_sorted_ids(now->env, (uint32_t)*n, compare_growth, parts);
  for (size_t i = 0; i < *n; i++)
    sorted[i] = parts[order[i]];
  dmd_env_free(now->env, order);
  dmd_env_free(now->env, parts);
  dmd_intern_destroy(&paths);
  return sorted;
}

/* ---- Metrics. ---- */

static bool is_of_the_system(const char *path) {
  static const char *const trees[] = {"size/", "rss/", "pss/", "swap/"};
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
    if (dmd_str_begins(path, trees[i]))
      return true;
  return false;
}

/* The length of the part of a path that is a metric. */
static size_t metric_length(const char *path) {
  enum { NAMES = 2 };
  size_t n = 0;
  if (!is_of_the_system(path))
    return dmd_str_length(path);
  for (int names = 0; path[n] != '\0'; n++)
    if (path[n] == '/' && ++names == NAMES)
      break;
  return n;
}

/* Adds an amount to the sums of its path and of the paths above it. */
static void add_to_paths(dmd_intern_t *paths, dmd_pool_t *sums, const char *path, int64_t amount) {
  size_t length = metric_length(path);
  for (size_t n = length; n > 0; n--)
    if (n == length || path[n] == '/') {
      uint32_t id = dmd_intern_bytes(paths, path, n);
      dmd_pool_reach(sums, id);
      *DMD_POOL_AT(sums, int64_t, id) += amount;
    }
}

static void visit_singles(const dmd_amounts_t *m, uint32_t id, dmd_metric_fn visit, void *visitor) {
  static const struct {
    const char *path;
    dmd_metric_kind_t kind;
  } singles[] = {{"heap-allocated", DMD_METRIC_HEAP},
                 {"explicit/heap-unclassified", DMD_METRIC_UNREPORTED},
                 {"resident", DMD_METRIC_RESIDENT}};
  for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
    if (dmd_str_equal(dmd_amounts_path(m, id), singles[i].path))
      visit(visitor, singles[i].kind, "", dmd_amounts_at(m, id)->amount);
}

void dmd_pathsums_metrics(const dmd_amounts_t *m, uint32_t process, dmd_metric_fn visit,
                          void *visitor) {
  dmd_intern_t paths;
  dmd_pool_t sums;
  dmd_intern_init(&paths, m->env, "dmd.pathsums");
  dmd_pool_init(&sums, m->env, "dmd.pathsums", sizeof(int64_t));
  for (uint32_t id = 1; id <= m->pool.last; id++) {
    const dmd_amount_t *a = dmd_amounts_at(m, id);
    if (a->dropped || a->process != process || a->units != DMD_MEMREPORT_BYTES)
      continue;
    visit_singles(m, id, visit, visitor);
    add_to_paths(&paths, &sums, dmd_amounts_path(m, id), a->amount);
  }
  for (uint32_t id = 1; id <= dmd_intern_count(&paths); id++)
    visit(visitor, DMD_METRIC_REPORTER, dmd_intern_get_str(&paths, id),
          *DMD_POOL_AT(&sums, int64_t, id));
  dmd_pool_destroy(&sums);
  dmd_intern_destroy(&paths);
}
