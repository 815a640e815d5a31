/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/hintsum.h"

#include "base/format.h"
#include "base/sort.h"
#include "base/str.h"

void dmd_hintsum_init(dmd_hintsum_t *sum, const dmd_records_t *records) {
  const dmd_hints_t *hints = &records->profile->hints;
  const dmd_env_t *env = records->profile->env;
  size_t n_stacks = (size_t)dmd_records_last_stack(records) + 1;
  sum->records = records;
  sum->first = dmd_env_alloc(env, "dmd.advicesum", n_stacks * sizeof *sum->first);
  sum->next =
      dmd_env_alloc(env, "dmd.advicesum", ((size_t)dmd_hints_count(hints) + 1) * sizeof *sum->next);
  dmd_mem_zero(sum->first, n_stacks * sizeof *sum->first);
  for (uint32_t id = dmd_hints_count(hints); id > 0; id--) {
    uint32_t *first = &sum->first[records->cut[dmd_hints_at(hints, id)->alloc]];
    sum->next[id] = *first;
    *first = id;
  }
}

void dmd_hintsum_destroy(dmd_hintsum_t *sum) {
  const dmd_env_t *env = sum->records->profile->env;
  dmd_env_free(env, sum->next);
  dmd_env_free(env, sum->first);
}

/* ---- The referrer with the most bytes. ---- */

static const dmd_hint_t *hint_at(const dmd_hintsum_t *sum, uint32_t id) {
  return dmd_hints_at(&sum->records->profile->hints, id);
}

/* A key that is equal for hints whose referrers look the same. */
static uint64_t referrer_key(const dmd_hintsum_t *sum, const dmd_hint_t *a) {
  if (a->reporter != DMD_NONE)
    return (uint64_t)a->reporter << 32;
  return sum->records->cut[a->stack];
}

static int compare_hints(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_hintsum_t *sum = ctx;
  const dmd_hint_t *a = hint_at(sum, x), *b = hint_at(sum, y);
  uint64_t k = referrer_key(sum, a), l = referrer_key(sum, b);
  if (k != l)
    return k < l ? -1 : 1;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The record's hints about referrers of one kind, sorted by referrer and offset; the caller frees
 * them. */
static uint32_t *sorted_hints(const dmd_hintsum_t *sum, const dmd_record_t *r,
                              dmd_referrer_kind_t kind, uint32_t *n) {
  const dmd_env_t *env = sum->records->profile->env;
  uint32_t max = 0;
  for (uint32_t id = sum->first[r->stack]; id != DMD_NONE; id = sum->next[id])
    max++;
  uint32_t *ids = dmd_env_alloc(env, "dmd.advicesum.ids", ((size_t)max + 1) * sizeof *ids);
  *n = 0;
  for (uint32_t id = sum->first[r->stack]; id != DMD_NONE; id = sum->next[id])
    if (hint_at(sum, id)->referrer_kind == kind)
      ids[(*n)++] = id;
  dmd_sort(env, ids, *n, compare_hints, sum);
  return ids;
}

/* The offsets with the most bytes among hints about one referrer, which are sorted by offset. */
typedef struct {
  uint32_t offset[DMD_HINT_OFFSETS];
  int64_t bytes[DMD_HINT_OFFSETS];
  uint32_t n;
} best_offsets_t;

static void keep_offset(best_offsets_t *best, uint32_t offset, int64_t bytes) {
  uint32_t i = best->n;
  for (; i > 0 && best->bytes[i - 1] < bytes; i--)
    if (i < DMD_HINT_OFFSETS) {
      best->bytes[i] = best->bytes[i - 1];
      best->offset[i] = best->offset[i - 1];
    }
  if (i == DMD_HINT_OFFSETS || offset == DMD_OFFSET_ANY)
    return;
  best->bytes[i] = bytes;
  best->offset[i] = offset;
  if (best->n < DMD_HINT_OFFSETS)
    best->n++;
}

/* Selects the fewest offsets that cover nine tenths of the referrer's bytes, in ascending order,
 * and the bytes at these; if that takes too many, selects no offset and all bytes. */
static void choose_offsets(dmd_hint_referrer_t *referrer, const best_offsets_t *best) {
  int64_t named = 0;
  for (uint32_t i = 0; i < best->n && named < referrer->bytes - referrer->bytes / 10; i++) {
    uint32_t k = referrer->n_offsets++;
    for (; k > 0 && referrer->offset[k - 1] > best->offset[i]; k--)
      referrer->offset[k] = referrer->offset[k - 1];
    referrer->offset[k] = best->offset[i];
    named += best->bytes[i];
  }
  if (named < referrer->bytes - referrer->bytes / 10)
    referrer->n_offsets = 0;
  else
    referrer->bytes = named;
}

static int compare_exact_referrers(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_hint_t *a = hint_at(ctx, x), *b = hint_at(ctx, y);
  uint32_t k = a->reporter != DMD_NONE ? 0 : a->stack, l = b->reporter != DMD_NONE ? 0 : b->stack;
  return (k > l) - (k < l);
}

/* Adds up the counts of hints about referrers that look the same. A referrer's blocks were counted
 * separately for each stack that allocated their targets, so the same blocks appear in several
 * hints. Usually each points to one block only, so the counts of pointing blocks may be added. */
static dmd_hint_t add_counts(const dmd_hintsum_t *sum, const uint32_t *ids, uint32_t n) {
  const dmd_env_t *env = sum->records->profile->env;
  uint32_t *sorted = dmd_env_alloc(env, "dmd.advicesum.ids", n * sizeof *sorted);
  dmd_mem_copy(sorted, ids, n * sizeof *sorted);
  dmd_sort(env, sorted, n, compare_exact_referrers, sum);
  dmd_hint_t counts = {.blocks = 0};
  uint64_t alike = 0, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    const dmd_hint_t *hint = hint_at(sum, sorted[i]);
    dmd_hint_count(&counts, hint);
    most = hint->referrers_alike > most ? hint->referrers_alike : most;
    if (i + 1 == n || compare_exact_referrers(sum, sorted[i], sorted[i + 1]) != 0) {
      alike += most;
      most = 0;
    }
  }
  dmd_env_free(env, sorted);
  counts.referrers_alike = alike;
  counts.referrers = counts.referrers < alike ? counts.referrers : alike;
  return counts;
}

/* Summarises hints ids[0] to ids[n - 1], all about one referrer. */
static dmd_hint_referrer_t add_up(const dmd_hintsum_t *sum, const uint32_t *ids, uint32_t n) {
  const dmd_hint_t *first = hint_at(sum, ids[0]);
  dmd_hint_t counts = add_counts(sum, ids, n);
  dmd_hint_referrer_t referrer = {.kind = (dmd_referrer_kind_t)first->referrer_kind,
                                  .reporter = first->reporter,
                                  .stack = sum->records->cut[first->stack],
                                  .whole = first->stack,
                                  .evidence = dmd_hint_evidence(&counts),
                                  .pointed = counts.pointed,
                                  .referrers = counts.referrers,
                                  .referrers_alike = counts.referrers_alike,
                                  .before = counts.before};
  best_offsets_t best = {.n = 0};
  for (uint32_t i = 0; i < n;) {
    uint32_t offset = hint_at(sum, ids[i])->offset;
    int64_t bytes = 0;
    for (; i < n && hint_at(sum, ids[i])->offset == offset; i++)
      bytes += (int64_t)hint_at(sum, ids[i])->bytes;
    referrer.bytes += bytes;
    keep_offset(&best, offset, bytes);
  }
  choose_offsets(&referrer, &best);
  return referrer;
}

static uint32_t lowest(const uint32_t *ids, uint32_t n) {
  uint32_t id = ids[0];
  for (uint32_t i = 1; i < n; i++)
    id = ids[i] < id ? ids[i] : id;
  return id;
}

/* The weight of a referrer compared with others. */
static uint64_t weight(const dmd_hint_referrer_t *referrer) {
  return dmd_hint_weight((uint64_t)referrer->bytes, referrer->evidence);
}

bool dmd_hint_find(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_referrer_kind_t kind,
                   dmd_hint_referrer_t *referrer) {
  uint32_t n, best = 0;
  uint32_t *ids = sorted_hints(sum, r, kind, &n);
  *referrer = (dmd_hint_referrer_t){.bytes = 0};
  for (uint32_t i = 0, end; i < n; i = end) {
    uint64_t key = referrer_key(sum, hint_at(sum, ids[i]));
    for (end = i; end < n && referrer_key(sum, hint_at(sum, ids[end])) == key; end++)
      ;
    dmd_hint_referrer_t other = add_up(sum, ids + i, end - i);
    /* A block with two referrers that look the same was counted twice. */
    if (other.bytes > r->usable)
      other.bytes = r->usable;
    /* Among equal ones the first wins, by id of the hint: ids of names and stacks change when a
     * profile is written and read. */
    uint32_t first = lowest(ids + i, end - i);
    if (weight(&other) > weight(referrer) || (weight(&other) == weight(referrer) && first < best)) {
      *referrer = other;
      best = first;
    }
  }
  dmd_env_free(sum->records->profile->env, ids);
  double percent = dmd_percent(referrer->bytes, r->usable);
  referrer->percent = percent < 1 ? 0 : (uint32_t)percent;
  return referrer->percent > 0;
}

uint32_t dmd_hint_place(const dmd_records_t *records, const dmd_hint_referrer_t *referrer,
                        dmd_allocfns_t *fns) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(records->profile, referrer->whole, &n);
  if (n == 0)
    return DMD_NONE;
  return frames[referrer->kind == DMD_REFERRER_UNREPORTED ? dmd_first_own_frame(fns, frames, n)
                                                          : 0];
}

/* A reported referrer has a reporter that can be fixed. It wins unless the unreported one explains
 * much more: a third more bytes, or twice as many pointers. */
static bool unreported_explains_more(const dmd_hint_referrer_t *unreported,
                                     const dmd_hint_referrer_t *reported) {
  uint64_t ours = weight(reported), theirs = weight(unreported);
  return theirs - theirs / 4 > ours ||
         (theirs >= ours && reported->pointed > 0 && unreported->pointed / 2 >= reported->pointed);
}

bool dmd_hint_last_time(const dmd_hintsum_t *sum, const dmd_record_t *r,
                        dmd_hint_referrer_t *referrer) {
  *referrer = (dmd_hint_referrer_t){.bytes = 0};
  for (dmd_referrer_kind_t kind = DMD_REFERRER_LAST_TIME; kind <= DMD_REFERRER_BEFORE_REALLOC;
       kind++) {
    dmd_hint_referrer_t other;
    /* If a file omits the reporter, there is nothing to report. */
    if (dmd_hint_find(sum, r, kind, &other) && other.reporter != DMD_NONE &&
        other.bytes > referrer->bytes)
      *referrer = other;
  }
  return referrer->bytes > 0;
}

bool dmd_hint_best(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_hint_referrer_t *referrer) {
  dmd_hint_referrer_t unreported;
  bool is_known = dmd_hint_find(sum, r, DMD_REFERRER_REPORTED, referrer);
  if (!dmd_hint_find(sum, r, DMD_REFERRER_UNREPORTED, &unreported) ||
      (is_known && !unreported_explains_more(&unreported, referrer)))
    return is_known;
  *referrer = unreported;
  return true;
}
