/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/advicetext.h"

#include "base/format.h"
#include "base/mem.h"
#include "base/sort.h"

void dmd_advicetext_init(dmd_advicetext_t *text, const dmd_records_t *records) {
  const dmd_advices_t *advices = &records->profile->advices;
  const dmd_env_t *env = records->profile->env;
  size_t n_stacks = (size_t)dmd_intern_count(&records->stacks) + 1;
  text->records = records;
  text->first = dmd_env_alloc(env, "dmd.advicetext", n_stacks * sizeof *text->first);
  text->next = dmd_env_alloc(env, "dmd.advicetext",
                             ((size_t)dmd_advices_count(advices) + 1) * sizeof *text->next);
  dmd_mem_zero(text->first, n_stacks * sizeof *text->first);
  for (uint32_t id = dmd_advices_count(advices); id > 0; id--) {
    uint32_t *first = &text->first[records->cut[dmd_advices_at(advices, id)->alloc]];
    text->next[id] = *first;
    *first = id;
  }
}

void dmd_advicetext_destroy(dmd_advicetext_t *text) {
  const dmd_env_t *env = text->records->profile->env;
  dmd_env_free(env, text->next);
  dmd_env_free(env, text->first);
}

/* ---- The holder of most bytes. ---- */

static const dmd_advice_t *advice_at(const dmd_advicetext_t *text, uint32_t id) {
  return dmd_advices_at(&text->records->profile->advices, id);
}

/* Advices about holders that look the same have the same number here. */
static uint64_t holder_key(const dmd_advicetext_t *text, const dmd_advice_t *a) {
  if (a->reporter != DMD_NONE)
    return (uint64_t)a->reporter << 32;
  return text->records->cut[a->at];
}

static int compare_advices(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_advicetext_t *text = ctx;
  const dmd_advice_t *a = advice_at(text, x), *b = advice_at(text, y);
  uint64_t k = holder_key(text, a), l = holder_key(text, b);
  if (k != l)
    return k < l ? -1 : 1;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The record's advices about holders of one kind, by holder and offset; the caller frees them. */
static uint32_t *sorted_advices(const dmd_advicetext_t *text, const dmd_record_t *r,
                                dmd_held_t held, uint32_t *n) {
  const dmd_env_t *env = text->records->profile->env;
  uint32_t max = 0;
  for (uint32_t id = text->first[r->stack]; id != DMD_NONE; id = text->next[id])
    max++;
  uint32_t *ids = dmd_env_alloc(env, "dmd.advicetext.ids", ((size_t)max + 1) * sizeof *ids);
  *n = 0;
  for (uint32_t id = text->first[r->stack]; id != DMD_NONE; id = text->next[id])
    if (advice_at(text, id)->held == held)
      ids[(*n)++] = id;
  dmd_sort(env, ids, *n, compare_advices, text);
  return ids;
}

/* The offsets of most bytes among advices about one holder, which are sorted by offset. */
typedef struct {
  uint32_t offset[DMD_ADVICE_OFFSETS];
  int64_t bytes[DMD_ADVICE_OFFSETS];
  uint32_t n;
} best_offsets_t;

static void keep_offset(best_offsets_t *best, uint32_t offset, int64_t bytes) {
  uint32_t i = best->n;
  for (; i > 0 && best->bytes[i - 1] < bytes; i--)
    if (i < DMD_ADVICE_OFFSETS) {
      best->bytes[i] = best->bytes[i - 1];
      best->offset[i] = best->offset[i - 1];
    }
  if (i == DMD_ADVICE_OFFSETS || offset == DMD_OFFSET_ANY)
    return;
  best->bytes[i] = bytes;
  best->offset[i] = offset;
  if (best->n < DMD_ADVICE_OFFSETS)
    best->n++;
}

/* Takes the fewest offsets that hold nine tenths of the holder's bytes, in ascending order, and
 * what is held there; or none, and all bytes. */
static void choose_offsets(dmd_holder_t *holder, const best_offsets_t *best) {
  int64_t told = 0;
  for (uint32_t i = 0; i < best->n && told < holder->bytes - holder->bytes / 10; i++) {
    uint32_t k = holder->n_offsets++;
    for (; k > 0 && holder->offset[k - 1] > best->offset[i]; k--)
      holder->offset[k] = holder->offset[k - 1];
    holder->offset[k] = best->offset[i];
    told += best->bytes[i];
  }
  if (told < holder->bytes - holder->bytes / 10)
    holder->n_offsets = 0;
  else
    holder->bytes = told;
}

/* What advices ids[0] to ids[n - 1], all about one holder, say of it. */
static dmd_holder_t add_up(const dmd_advicetext_t *text, const uint32_t *ids, uint32_t n) {
  const dmd_advice_t *first = advice_at(text, ids[0]);
  dmd_holder_t holder = {.held = (dmd_held_t)first->held,
                         .reporter = first->reporter,
                         .at = text->records->cut[first->at]};
  best_offsets_t best = {.n = 0};
  for (uint32_t i = 0; i < n;) {
    uint32_t offset = advice_at(text, ids[i])->offset;
    int64_t bytes = 0;
    for (; i < n && advice_at(text, ids[i])->offset == offset; i++)
      bytes += (int64_t)advice_at(text, ids[i])->bytes;
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

bool dmd_advice_find(const dmd_advicetext_t *text, const dmd_record_t *r, dmd_held_t held,
                     dmd_holder_t *holder) {
  uint32_t n, best = 0;
  uint32_t *ids = sorted_advices(text, r, held, &n);
  holder->bytes = 0;
  for (uint32_t i = 0, end; i < n; i = end) {
    uint64_t key = holder_key(text, advice_at(text, ids[i]));
    for (end = i; end < n && holder_key(text, advice_at(text, ids[end])) == key; end++)
      ;
    dmd_holder_t other = add_up(text, ids + i, end - i);
    /* A block that two of those hold which look alike was counted twice. */
    if (other.bytes > r->usable)
      other.bytes = r->usable;
    /* Of those that hold as much the one that was met first: ids of names and stacks are others
     * once a profile was written and read. */
    uint32_t first = lowest(ids + i, end - i);
    if (other.bytes > holder->bytes || (other.bytes == holder->bytes && first < best)) {
      *holder = other;
      best = first;
    }
  }
  dmd_env_free(text->records->profile->env, ids);
  double percent = dmd_percent(holder->bytes, r->usable);
  holder->percent = percent < 1 ? 0 : (uint32_t)percent;
  return holder->percent > 0;
}

/* ---- Text. ---- */

static bool contains(const char *text, const char *what) {
  size_t n = dmd_str_length(what), n_text = dmd_str_length(text);
  for (size_t i = 0; i + n <= n_text; i++)
    if (dmd_mem_equal(text + i, what, n))
      return true;
  return false;
}

const char *dmd_advice_place(const dmd_records_t *records, uint32_t cut_stack) {
  size_t n, i = 0;
  const uint32_t *frames = dmd_records_frames(records, cut_stack, &n);
  const dmd_intern_t *texts = &records->profile->frames;
  while (i + 1 < n && contains(dmd_intern_get_str(texts, frames[i]), "(vg_replace_malloc.c:"))
    i++;
  return i < n ? dmd_intern_get_str(texts, frames[i]) : NULL;
}

static void print_offsets(dmd_out_t *out, const dmd_holder_t *holder) {
  char hex[DMD_FORMAT_MAX];
  dmd_out_str(out, "% held");
  for (uint32_t i = 0; i < holder->n_offsets; i++) {
    dmd_out_str(out, i == 0 ? " at +0x" : i + 1 == holder->n_offsets ? " and +0x" : ", +0x");
    dmd_format_hex(hex, holder->offset[i]);
    dmd_out_str(out, hex);
  }
  dmd_out_str(out, holder->n_offsets > 0 ? " of " : " in ");
}

static void print_holder(dmd_out_t *out, const dmd_advicetext_t *text, const dmd_holder_t *holder) {
  const char *place = dmd_advice_place(text->records, holder->at);
  dmd_out_str(out, "  ");
  dmd_out_u64(out, holder->percent);
  print_offsets(out, holder);
  dmd_out_str(out, holder->held == DMD_HELD_REPORTED ? "blocks reported by "
                                                     : "unreported blocks allocated at ");
  if (holder->reporter != DMD_NONE)
    place = dmd_intern_get_str(&text->records->profile->names, holder->reporter);
  dmd_out_safe(out, place == NULL ? "(no stack)" : place);
  dmd_out_char(out, '\n');
}

void dmd_advice_print(dmd_out_t *out, const dmd_advicetext_t *text, const dmd_record_t *r) {
  dmd_holder_t reported, unreported;
  bool is_known = dmd_advice_find(text, r, DMD_HELD_REPORTED, &reported);
  if (dmd_advice_find(text, r, DMD_HELD_UNREPORTED, &unreported) &&
      (!is_known || reported.bytes < unreported.bytes - unreported.bytes / 4))
    print_holder(out, text, &unreported);
  else if (is_known)
    print_holder(out, text, &reported);
}
