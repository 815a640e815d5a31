/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_lifetimes.h"

#include "base/format.h"
#include "base/sort.h"
#include "show/text/print.h"
#include "show/text/text_tree.h"

typedef struct {
  dmd_out_t *out;
  const dmd_profile_t *profile;
  dmd_lifetimes_by_t by;
  dmd_intern_t cut;          /* stacks: sequences of frame ids */
  dmd_lifetimes_t lifetimes; /* their stacks are ids of `cut` */
  dmd_lifetime_t all;
} printer_t;

/* ---- Adding up. ---- */

static void add_all(printer_t *p, uint32_t max_frames) {
  for (uint32_t id = 1; id <= dmd_lifetimes_count(&p->profile->lifetimes); id++) {
    dmd_lifetime_t lifetime = *dmd_lifetimes_at(&p->profile->lifetimes, id);
    size_t n;
    const uint32_t *frames = dmd_profile_frames(p->profile, lifetime.stack, &n);
    if (n > max_frames)
      n = max_frames;
    lifetime.stack = n == 0 ? DMD_NONE : dmd_intern_bytes(&p->cut, frames, n * sizeof *frames);
    dmd_lifetimes_add(&p->lifetimes, &lifetime);
    dmd_lifetime_join(&p->all, &lifetime);
  }
}

static uint64_t key_of(const printer_t *p, uint32_t id) {
  const dmd_lifetime_t *lifetime = dmd_lifetimes_at(&p->lifetimes, id);
  return p->by == DMD_LIFETIMES_BY_PEAK        ? lifetime->most_szB
         : p->by == DMD_LIFETIMES_BY_ALLOCATED ? lifetime->alloc_szB
         : p->by == DMD_LIFETIMES_BY_TEMPORARY ? lifetime->n_temporary
                                               : dmd_lifetime_mean(lifetime);
}

/* dmd_compare_fn */
static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const printer_t *p = ctx;
  uint64_t x = key_of(p, a), y = key_of(p, b);
  if (x == y) {
    x = dmd_lifetimes_at(&p->lifetimes, a)->alloc_szB;
    y = dmd_lifetimes_at(&p->lifetimes, b)->alloc_szB;
  }
  return (x < y) - (x > y);
}

/* ---- Printing. ---- */

/* `12 (3.00%) what` */
static void print_part(dmd_out_t *out, uint64_t n, uint64_t whole, const char *what) {
  dmd_print_number(out, (int64_t)n, false);
  dmd_out_str(out, " (");
  dmd_print_percent(out, (int64_t)n, (int64_t)whole);
  dmd_out_str(out, ") ");
  dmd_out_str(out, what);
}

/* `below 2 KiB: 12.00%`, of instructions `below 2 Ki: 12.00%` */
static void print_class(dmd_out_t *out, const dmd_lifetime_t *lifetime, int i, bool in_bytes) {
  static const char *const units[] = {" Ki", " Mi", " Gi", " Ti"};
  bool is_last = i == DMD_LIFETIME_CLASSES - 1;
  int end = is_last ? i - 1 : i;
  dmd_out_str(out, is_last ? "from " : "below ");
  dmd_out_u64(out, UINT64_C(1) << end % 10);
  dmd_out_str(out, units[end / 10]);
  dmd_out_str(out, in_bytes ? "B: " : ": ");
  dmd_print_percent(out, (int64_t)lifetime->classes[i], (int64_t)lifetime->n_freed);
}

static void print_classes(dmd_out_t *out, const dmd_lifetime_t *lifetime, bool in_bytes) {
  bool any = false;
  dmd_out_str(out, "  Lifetimes: ");
  for (int i = 0; i < DMD_LIFETIME_CLASSES; i++) {
    if (lifetime->classes[i] == 0)
      continue;
    dmd_out_str(out, any ? ", " : "");
    print_class(out, lifetime, i, in_bytes);
    any = true;
  }
  dmd_out_char(out, '\n');
}

static void print_mean(dmd_out_t *out, const dmd_lifetime_t *lifetime, bool in_bytes) {
  int64_t mean = (int64_t)dmd_lifetime_mean(lifetime);
  char amount[DMD_AMOUNT_MAX];
  dmd_out_str(out, "  Mean lifetime: ");
  if (in_bytes) {
    dmd_format_amount(amount, mean, DMD_MEMREPORT_BYTES, false);
    dmd_out_str(out, amount);
    dmd_out_str(out, " allocated meanwhile");
  } else {
    dmd_print_count(out, mean, false, "instruction", "instructions");
  }
  dmd_out_char(out, '\n');
}

static void print_figures(const printer_t *p, const dmd_lifetime_t *lifetime) {
  dmd_out_t *out = p->out;
  bool in_bytes = !p->profile->run.counts_instructions;
  dmd_out_str(out, "  ");
  dmd_print_count(out, (int64_t)lifetime->alloc_szB, false, "byte", "bytes");
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)lifetime->n_allocs, false, "allocation", "allocations");
  if (lifetime != &p->all) {
    dmd_out_str(out, " (");
    dmd_print_percent(out, (int64_t)lifetime->alloc_szB, (int64_t)p->all.alloc_szB);
    dmd_out_str(out, " of all bytes)");
  }
  dmd_out_str(out, "\n  ");
  print_part(out, lifetime->n_temporary, lifetime->n_allocs, "temporary, ");
  print_part(out, dmd_lifetime_n_short(lifetime), lifetime->n_allocs, "short-lived, ");
  print_part(out, lifetime->n_allocs - lifetime->n_freed, lifetime->n_allocs, "still there\n");
  if (lifetime != &p->all && lifetime->most_szB > 0) {
    dmd_out_str(out, "  At most ");
    dmd_print_count(out, (int64_t)lifetime->most_szB, false, "byte", "bytes");
    dmd_out_str(out, " live at once\n");
  }
  if (lifetime->n_freed == 0)
    return;
  print_mean(out, lifetime, in_bytes);
  print_classes(out, lifetime, in_bytes);
}

static void print_lifetime(const printer_t *p, const dmd_lifetime_t *lifetime, uint32_t number) {
  size_t n = 0;
  const uint32_t *frames =
      lifetime->stack == DMD_NONE ? NULL : dmd_intern_get(&p->cut, lifetime->stack, &n);
  dmd_out_str(p->out, "Allocations {\n  Record ");
  dmd_print_number(p->out, number, false);
  dmd_out_str(p->out, " of ");
  dmd_print_number(p->out, dmd_lifetimes_count(&p->lifetimes), false);
  dmd_out_char(p->out, '\n');
  print_figures(p, lifetime);
  dmd_print_stack_opening(p->out, "Allocated");
  if (frames == NULL)
    dmd_out_str(p->out, "    #01: (no stack trace recorded due to --stacks=partial)\n");
  else
    dmd_print_frames(p->out, "    ", p->profile, frames, 0, n / sizeof *frames);
  dmd_out_str(p->out, "  }\n}\n\n");
}

static void print(const printer_t *p, uint32_t max_records) {
  uint32_t n = dmd_lifetimes_count(&p->lifetimes);
  uint32_t shown = max_records == 0 || max_records > n ? n : max_records;
  uint32_t *order = dmd_sorted_ids(p->profile->env, n, compare, p);
  dmd_print_run(p->out, "", p->profile);
  for (uint32_t i = 0; i < shown; i++)
    print_lifetime(p, dmd_lifetimes_at(&p->lifetimes, order[i]), i + 1);
  if (shown < n)
    dmd_print_left_out(p->out, n, shown, " more record", " more records");
  dmd_out_str(p->out, "All allocations {\n");
  print_figures(p, &p->all);
  dmd_out_str(p->out, "}\n");
  dmd_env_free(p->profile->env, order);
}

void dmd_lifetimes_print(dmd_out_t *out, const dmd_profile_t *profile, dmd_lifetimes_by_t by,
                         uint32_t max_records, uint32_t max_frames) {
  printer_t p = {.out = out, .profile = profile, .by = by};
  dmd_intern_init(&p.cut, profile->env, "dmd.text.lifetimes");
  dmd_lifetimes_init(&p.lifetimes, profile->env);
  add_all(&p, max_frames);
  print(&p, max_records);
  dmd_lifetimes_destroy(&p.lifetimes);
  dmd_intern_destroy(&p.cut);
}
