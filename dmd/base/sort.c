/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

#include "base/mem.h"

/* Merges the sorted runs [0, middle) and [middle, n) of from into to; equal elements of the first
 * run come first. */
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

/* ---- Radix sort. ---- */

typedef struct {
  uint64_t number;
  uint32_t id;
} numbered_t;

/* The bucket of a byte, the largest byte first. */
static unsigned place_of(const numbered_t *one, unsigned shift) {
  return 255 - (unsigned)(one->number >> shift & 255);
}

static void sort_by_byte(const numbered_t *from, numbered_t *to, size_t n, unsigned shift) {
  size_t next[256] = {0}, start = 0;
  for (size_t i = 0; i < n; i++)
    next[place_of(&from[i], shift)]++;
  for (int place = 0; place < 256; place++) {
    size_t count = next[place];
    next[place] = start;
    start += count;
  }
  for (size_t i = 0; i < n; i++)
    to[next[place_of(&from[i], shift)]++] = from[i];
}

void dmd_sort_by_number(const dmd_env_t *env, uint32_t *ids, size_t n, dmd_number_of_fn number,
                        const void *ctx) {
  if (n < 2)
    return;
  numbered_t *first = dmd_env_alloc(env, "dmd.sort", n * sizeof *first), *from = first;
  numbered_t *second = dmd_env_alloc(env, "dmd.sort", n * sizeof *second), *to = second;
  uint64_t differ = 0; /* bits that differ between the numbers */
  for (size_t i = 0; i < n; i++) {
    from[i] = (numbered_t){.number = number(ctx, ids[i]), .id = ids[i]};
    differ |= from[i].number ^ from[0].number;
  }
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if (!(differ >> shift & 255))
      continue;
    sort_by_byte(from, to, n, shift);
    numbered_t *swap = from;
    from = to;
    to = swap;
  }
  for (size_t i = 0; i < n; i++)
    ids[i] = from[i].id;
  dmd_env_free(env, second);
  dmd_env_free(env, first);
}
