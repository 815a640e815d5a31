/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=lifetimes&of=&sort=&first=&count=: {"inInstructions": true if lifetimes are, "all": FIGURES,
 * "n", "first", "stacks": [{FIGURES, "name", "frames"}]}: what each stack allocated in the whole
 * run, as dmdv print
 * --sort-by=allocated says, a window of the stacks. FIGURES are "allocations", "bytes",
 * "temporary", "short", "left": how many are still there, and "lifetime": the mean, in bytes that
 * were allocated meanwhile, 0 if nothing was freed. sort is the name of a figure; the largest is
 * first. `name` is the function that allocated, and `frames` begin with it; both are "" and [] if
 * the stack was not recorded.
 */
#include "analyse/records/allocfns.h"
#include "base/sort.h"
#include "show/page/answer.h"
#include "show/page/asks.h"

enum { STACKS = 50 };

static const char *const figures[] = {"bytes", "allocations", "temporary", "short",
                                      "left",  "most",        "lifetime"};
enum { N_FIGURES = sizeof figures / sizeof *figures };

static uint64_t figure_of(const dmd_lifetime_t *lifetime, int figure) {
  switch (figure) {
  case 0:
    return lifetime->alloc_szB;
  case 1:
    return lifetime->n_allocs;
  case 2:
    return lifetime->n_temporary;
  case 3:
    return dmd_lifetime_n_short(lifetime);
  case 4:
    return lifetime->n_allocs - lifetime->n_freed;
  case 5:
    return lifetime->most_szB;
  default:
    return dmd_lifetime_mean(lifetime);
  }
}

typedef struct {
  const dmd_lifetimes_t *lifetimes;
  int figure;
} order_t;

/* dmd_compare_fn */
static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const order_t *order = ctx;
  uint64_t x = figure_of(dmd_lifetimes_at(order->lifetimes, a), order->figure),
           y = figure_of(dmd_lifetimes_at(order->lifetimes, b), order->figure);
  return (x < y) - (x > y);
}

static void write_figures(dmd_jsonout_t *j, const dmd_lifetime_t *lifetime) {
  for (int i = 0; i < N_FIGURES; i++)
    dmd_jsonout_key_u64(j, figures[i], figure_of(lifetime, i));
}

static void write_all(dmd_jsonout_t *j, const dmd_lifetimes_t *lifetimes) {
  dmd_lifetime_t all = {.n_allocs = 0};
  for (uint32_t id = 1; id <= dmd_lifetimes_count(lifetimes); id++)
    dmd_lifetime_join(&all, dmd_lifetimes_at(lifetimes, id));
  dmd_jsonout_key(j, "all");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  write_figures(j, &all);
  dmd_jsonout_end(j);
}

static void write_stack(dmd_jsonout_t *j, const dmd_profile_t *profile, dmd_allocfns_t *fns,
                        const dmd_lifetime_t *lifetime) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, lifetime->stack, &n);
  size_t own = n == 0 ? 0 : dmd_first_own_frame(fns, frames, n);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  write_figures(j, lifetime);
  dmd_jsonout_key(j, "name");
  if (n == 0)
    dmd_jsonout_str(j, "");
  else
    dmd_answer_frame_brief(j, profile, frames[own]);
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (size_t i = own; i < n; i++)
    dmd_answer_frame(j, profile, frames[i]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write(dmd_jsonout_t *j, const dmd_profile_t *profile, int figure, dmd_window_t window) {
  const dmd_lifetimes_t *lifetimes = &profile->lifetimes;
  const order_t order = {lifetimes, figure};
  uint32_t n = dmd_lifetimes_count(lifetimes), *ids;
  dmd_allocfns_t fns;
  window = dmd_window_of(window, n);
  dmd_allocfns_init(&fns, profile);
  ids = dmd_sorted_ids(profile->env, n, compare, &order);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  if (profile->run.counts_instructions)
    dmd_jsonout_key_bool(j, "inInstructions", true);
  write_all(j, lifetimes);
  dmd_jsonout_key_u64(j, "n", n);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "stacks");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_stack(j, profile, &fns, dmd_lifetimes_at(lifetimes, ids[i]));
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_env_free(profile->env, ids);
  dmd_allocfns_destroy(&fns);
}

bool dmd_ask_lifetimes(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  const dmd_session_file_t *file = dmd_session_file_of(page, query, "of");
  int figure = (int)dmd_query_word(query, "sort", figures, N_FIGURES, 0);
  dmd_window_t window = dmd_window_read(query, STACKS);
  if (query->failed || file == NULL)
    return false;
  if (!file->profile.lifetimes.is_known)
    return dmd_query_reject(query, "the file has no lifetimes: run with --lifetimes=yes", NULL);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  write(&j, &file->profile, figure, window);
  return true;
}
