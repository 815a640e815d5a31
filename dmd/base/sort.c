/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

#include "base/mem.h"

/* Merges the sorted runs [0, middle) and [middle, n) of from into to; of equals the first run's
 * come first. */
static void merge(const uint32_t *from, uint32_t *to, size_t middle, size_t n,
                  dmd_compare_fn compare, const void *ctx) {
  size_t a = 0, b = middle;
  for (size_t i = 0; i < n; i++) {
    bool take_a = b == n || (a < middle && compare(ctx, from[a], from[b]) <= 0);
    to[i] = take_a ? from[a++] : from[b++];
  }
}

void dmd_sort(const dmd_env_t *env, uint32_t *ids, size_t n, dmd_compare_fn compare,
              const void *ctx) {
  if (n < 2)
    return;
  uint32_t *scratch = dmd_env_alloc(env, "dmd.sort", n * sizeof *scratch);
  uint32_t *from = ids, *to = scratch;
  for (size_t run = 1; run < n; run *= 2) {
    for (size_t start = 0; start < n; start += 2 * run) {
      size_t left = n - start;
      merge(from + start, to + start, left < run ? left : run, left < 2 * run ? left : 2 * run,
            compare, ctx);
    }
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != ids)
    dmd_mem_copy(ids, from, n * sizeof *ids);
  dmd_env_free(env, scratch);
}

uint32_t *dmd_sorted_ids(const dmd_env_t *env, uint32_t n, dmd_compare_fn compare,
                         const void *ctx) {
  uint32_t *ids = dmd_env_alloc(env, "dmd.sort.ids", ((size_t)n + 1) * sizeof *ids);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = i + 1;
  dmd_sort(env, ids, n, compare, ctx);
  return ids;
}
