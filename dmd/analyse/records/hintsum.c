/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/hintsum.h"

#include "base/format.h"
#include "base/sort.h"
#include "base/str.h"

void dmd_hintsum_init(dmd_hintsum_t *sum, const dmd_records_t *records) {
  const dmd_hints_t *advices = &records->profile->advices;
  const dmd_env_t *env = records->profile->env;
  size_t n_stacks = (size_t)dmd_records_last_stack(records) + 1;
  sum->records = records;
  sum->first = dmd_env_alloc(env, "dmd.advicesum", n_stacks * sizeof *sum->first);
  sum->next = dmd_env_alloc(env, "dmd.advicesum",
                            ((size_t)dmd_hints_count(advices) + 1) * sizeof *sum->next);
  dmd_mem_zero(sum->first, n_stacks * sizeof *sum->first);
  for (uint32_t id = dmd_hints_count(advices); id > 0; id--) {
    uint32_t *first = &sum->first[records->cut[dmd_hints_at(advices, id)->alloc]];
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

static const dmd_hint_t *advice_at(const dmd_hintsum_t *sum, uint32_t id) {
  return dmd_hints_at(&sum->records->profile->advices, id);
}

/* A key that is equal for hints whose referrers look the same. */
static uint64_t holder_key(const dmd_hintsum_t *sum, const dmd_hint_t *a) {
  if (a->reporter != DMD_NONE)
    return (uint64_t)a->reporter << 32;
  return sum->records->cut[a->stack];
}

static int compare_advices(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_hintsum_t *sum = ctx;
  const dmd_hint_t *a = advice_at(sum, x), *b = advice_at(sum, y);
  uint64_t k = holder_key(sum, a), l = holder_key(sum, b);
  if (k != l)
    return k < l ? -1 : 1;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The record's hints about referrers of one kind, sorted by referrer and offset; the caller frees
 * them. */
static uint32_t *sorted_advices(const dmd_hintsum_t *sum, const dmd_record_t *r,
                                dmd_holder_kind_t kind, uint32_t *n) {
  const dmd_env_t *env = sum->records->profile->env;
  uint32_t max = 0;
  for (uint32_t id = sum->first[r->stack]; id != DMD_NONE; id = sum->next[id])
    max++;
  uint32_t *ids = dmd_env_alloc(env, "dmd.advicesum.ids", ((size_t)max + 1) * sizeof *ids);
  *n = 0;
  for (uint32_t id = sum->first[r->stack]; id != DMD_NONE; id = sum->next[id])
    if (advice_at(sum, id)->holder_kind == kind)
      ids[(*n)++] = id;
  dmd_sort(env, ids, *n, compare_advices, sum);
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
static void choose_offsets(dmd_holder_t *holder, const best_offsets_t *best) {
  int64_t named = 0;
  for (uint32_t i = 0; i < best->n && named < holder->bytes - holder->bytes / 10; i++) {
    uint32_t k = holder->n_offsets++;
    for (; k > 0 && holder->offset[k - 1] > best->offset[i]; k--)
      holder->offset[k] = holder->offset[k - 1];
    holder->offset[k] = best->offset[i];
    named += best->bytes[i];
  }
  if (named < holder->bytes - holder->bytes / 10)
    holder->n_offsets = 0;
  else
    holder->bytes = named;
}

static int compare_exact_holders(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_hint_t *a = advice_at(ctx, x), *b = advice_at(ctx, y);
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
  dmd_sort(env, sorted, n, compare_exact_holders, sum);
  dmd_hint_t counts = {.blocks = 0};
  uint64_t alike = 0, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    const dmd_hint_t *advice = advice_at(sum, sorted[i]);
    dmd_hint_count(&counts, advice);
    most = advice->holders_alike > most ? advice->holders_alike : most;
    if (i + 1 == n || compare_exact_holders(sum, sorted[i], sorted[i + 1]) != 0) {
      alike += most;
      most = 0;
    }
  }
  dmd_env_free(env, sorted);
  counts.holders_alike = alike;
  counts.holders = counts.holders < alike ? counts.holders : alike;
  return counts;
}

/* Summarises hints ids[0] to ids[n - 1], all about one referrer. */
static dmd_holder_t add_up(const dmd_hintsum_t *sum, const uint32_t *ids, uint32_t n) {
  const dmd_hint_t *first = advice_at(sum, ids[0]);
  dmd_hint_t counts = add_counts(sum, ids, n);
  dmd_holder_t holder = {.kind = (dmd_holder_kind_t)first->holder_kind,
                         .reporter = first->reporter,
                         .stack = sum->records->cut[first->stack],
                         .whole = first->stack,
                         .evidence = dmd_hint_evidence(&counts),
                         .pointed = counts.pointed,
                         .holders = counts.holders,
                         .holders_alike = counts.holders_alike,
                         .before = counts.before};
  best_offsets_t best = {.n = 0};
  for (uint32_t i = 0; i < n;) {
    uint32_t offset = advice_at(sum, ids[i])->offset;
    int64_t bytes = 0;
    for (; i < n && advice_at(sum, ids[i])->offset == offset; i++)
      bytes += (int64_t)advice_at(sum, ids[i])->bytes;
    holder.bytes += bytes;
    keep_offset(&best, offset, bytes);
  }
  choose_offsets(&holder, &best);
  return holder;
}

static uint32_t lowest(const uint32_t *ids, uint32_t n) {
  uint32_t id = ids[0];
  for (uint32_t i = 1; i < n; i++)
    id = ids[i] < id ? ids[i] : id;
  return id;
}

/* The weight of a referrer compared with others. */
static uint64_t weight(const dmd_holder_t *holder) {
  return dmd_hint_weight((uint64_t)holder->bytes, holder->evidence);
}

bool dmd_hint_find(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_holder_kind_t kind,
                   dmd_holder_t *holder) {
  uint32_t n, best = 0;
  uint32_t *ids = sorted_advices(sum, r, kind, &n);
  *holder = (dmd_holder_t){.bytes = 0};
  for (uint32_t i = 0, end; i < n; i = end) {
    uint64_t key = holder_key(sum, advice_at(sum, ids[i]));
    for (end = i; end < n && holder_key(sum, advice_at(sum, ids[end])) == key; end++)
      ;
    dmd_holder_t other = add_up(sum, ids + i, end - i);
    /* A block with two referrers that look the same was counted twice. */
    if (other.bytes > r->usable)
      other.bytes = r->usable;
    /* Among equal ones the first wins, by id of the hint: ids of names and stacks change when a
     * profile is written and read. */
    uint32_t first = lowest(ids + i, end - i);
    if (weight(&other) > weight(holder) || (weight(&other) == weight(holder) && first < best)) {
      *holder = other;
      best = first;
    }
  }
  dmd_env_free(sum->records->profile->env, ids);
  double percent = dmd_percent(holder->bytes, r->usable);
  holder->percent = percent < 1 ? 0 : (uint32_t)percent;
  return holder->percent > 0;
}

uint32_t dmd_hint_place(const dmd_records_t *records, const dmd_holder_t *holder,
                        dmd_allocfns_t *fns) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(records->profile, holder->whole, &n);
  if (n == 0)
    return DMD_NONE;
  return frames[holder->kind == DMD_HOLDER_UNREPORTED ? dmd_first_own_frame(fns, frames, n) : 0];
}

/* A reported referrer has a reporter that can be fixed. It wins unless the unreported one explains
 * much more: a third more bytes, or twice as many pointers. */
static bool unreported_explains_more(const dmd_holder_t *unreported, const dmd_holder_t *reported) {
  uint64_t ours = weight(reported), theirs = weight(unreported);
  return theirs - theirs / 4 > ours ||
         (theirs >= ours && reported->pointed > 0 && unreported->pointed / 2 >= reported->pointed);
}

bool dmd_hint_last_time(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_holder_t *holder) {
  *holder = (dmd_holder_t){.bytes = 0};
  for (dmd_holder_kind_t kind = DMD_HOLDER_LAST_TIME; kind <= DMD_HOLDER_BEFORE_REALLOC; kind++) {
    dmd_holder_t other;
    /* If a file omits the reporter, there is nothing to report. */
    if (dmd_hint_find(sum, r, kind, &other) && other.reporter != DMD_NONE &&
        other.bytes > holder->bytes)
      *holder = other;
  }
  return holder->bytes > 0;
}

bool dmd_hint_best(const dmd_hintsum_t *sum, const dmd_record_t *r, dmd_holder_t *holder) {
  dmd_holder_t unreported;
  bool is_known = dmd_hint_find(sum, r, DMD_HOLDER_REPORTED, holder);
  if (!dmd_hint_find(sum, r, DMD_HOLDER_UNREPORTED, &unreported) ||
      (is_known && !unreported_explains_more(&unreported, holder)))
    return is_known;
  *holder = unreported;
  return true;
}
