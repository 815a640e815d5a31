/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports the format of Callgrind, for KCachegrind and callgrind_annotate: the cost of each source
 * line, and of the calls that it makes. Costs are bytes and blocks, also of each report state and
 * of the peak. Names are written once, with a number: `fn=(3) main`, then `fn=(3)`.
 *
 * Readers add a function's own cost and that of its calls. So a function that a stack contains
 * several times, in a recursion, gets the cost once, where it is innermost.
 */
#include "show/export/export.h"

#include "base/bitset.h"
#include "base/sort.h"
#include "base/str.h"
#include "model/profile/profile.h"

typedef enum {
  COST_BYTES,
  COST_BLOCKS,
  COST_UNREPORTED,
  COST_TWICE,
  COST_PEAK_BYTES,
  COST_PEAK_BLOCKS,
  N_COSTS
} cost_t;

static const char *const cost_names[N_COSTS] = {"Bytes",         "Blocks",    "Unreported",
                                                "TwiceReported", "PeakBytes", "PeakBlocks"};

/* What a cost belongs to. Compared as bytes, so it has no padding. */
typedef struct {
  uint64_t line;
  uint32_t function;
  uint32_t callee; /* another function; DMD_NONE: the line's own cost */
} place_t;

_Static_assert(sizeof(place_t) == 16, "no padding");

typedef struct {
  uint64_t costs[N_COSTS];
} entry_t;

typedef struct {
  const dmd_profile_t *profile;
  dmd_out_t *out;
  dmd_intern_t functions; /* name, file and object, each with its NUL */
  dmd_intern_t places;    /* place_t */
  dmd_pool_t entries;     /* entry_t, by place */
  dmd_pool_t last_stacks; /* uint32_t, by function: the number of the last stack that has it */
  uint64_t totals[N_COSTS];
  bool has[N_COSTS];
  uint32_t n_stacks;
  dmd_bitset_t written; /* ids of functions, whose names were written */
} writer_t;

/* ---- Adding up. ---- */

static void add_part(dmd_strbuf_t *to, const char *text) {
  dmd_strbuf_str(to, text == NULL ? "" : text);
  dmd_strbuf_bytes(to, "", 1);
}

static uint32_t function_of(writer_t *w, const char *name, const char *file, const char *object) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, w->profile->env);
  add_part(&key, name);
  add_part(&key, file);
  add_part(&key, object);
  uint32_t id = dmd_intern_bytes(&w->functions, key.text, key.n);
  dmd_strbuf_destroy(&key);
  return id;
}

static place_t place_of(writer_t *w, uint32_t frame) {
  dmd_location_t l = dmd_frames_location(&w->profile->frames, frame);
  const char *name = l.function != NULL ? l.function : dmd_frames_text(&w->profile->frames, frame);
  return (place_t){.line = l.line, .function = function_of(w, name, l.file, l.object)};
}

static void add(writer_t *w, const place_t *place, const uint64_t costs[N_COSTS]) {
  dmd_pool_reach(&w->last_stacks, place->function);
  uint32_t *last_stack = DMD_POOL_AT(&w->last_stacks, uint32_t, place->function);
  if (*last_stack == w->n_stacks)
    return;
  *last_stack = w->n_stacks;
  uint32_t id = dmd_intern_bytes(&w->places, place, sizeof *place);
  dmd_pool_reach(&w->entries, id);
  entry_t *entry = DMD_POOL_AT(&w->entries, entry_t, id);
  for (int i = 0; i < N_COSTS; i++)
    entry->costs[i] += costs[i];
}

static void add_stack(writer_t *w, uint32_t stack, const uint64_t costs[N_COSTS]) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(w->profile, stack, &n);
  place_t place = {.function = DMD_NONE};
  w->n_stacks++;
  for (int i = 0; i < N_COSTS; i++)
    w->totals[i] += costs[i];
  if (n == 0)
    place.function = function_of(w, DMD_NO_STACK, NULL, NULL);
  else
    place = place_of(w, frames[0]);
  add(w, &place, costs);
  for (size_t i = 1; i < n; i++) {
    uint32_t callee = place.function;
    place = place_of(w, frames[i]);
    place.callee = callee;
    add(w, &place, costs);
  }
}

/* Adds the stacks of the dump, or of the peak. */
static void add_moment(writer_t *w, const dmd_profile_t *shown, bool is_peak) {
  dmd_sums_t sums;
  dmd_sums_init(&sums, shown, 0);
  for (uint32_t id = 1; id <= dmd_sums_count(&sums); id++) {
    const dmd_sum_t *sum = dmd_sums_at(&sums, id);
    uint64_t costs[N_COSTS] = {0};
    costs[is_peak ? COST_PEAK_BYTES : COST_BYTES] = sum->bytes;
    costs[is_peak ? COST_PEAK_BLOCKS : COST_BLOCKS] = sum->blocks;
    if (!is_peak && sum->section == DMD_SECTION_UNREPORTED)
      costs[COST_UNREPORTED] = sum->bytes;
    if (!is_peak && sum->section == DMD_SECTION_TWICE)
      costs[COST_TWICE] = sum->bytes;
    add_stack(w, sum->stack, costs);
  }
  dmd_sums_destroy(&sums);
}

static void add_all(writer_t *w) {
  add_moment(w, w->profile, false);
  if (!w->profile->has_peak)
    return;
  dmd_peak_view_t view;
  dmd_peak_view_init(&view, w->profile, false);
  add_moment(w, &view.profile, true);
  dmd_peak_view_destroy(&view);
}

/* ---- Writing. ---- */

/* A function's parts, in the order of the key. */
typedef struct {
  const char *name, *file, *object;
} parts_t;

static parts_t parts_of(const writer_t *w, uint32_t function) {
  size_t n;
  parts_t parts = {.name = dmd_intern_get(&w->functions, function, &n)};
  parts.file = parts.name + dmd_str_length(parts.name) + 1;
  parts.object = parts.file + dmd_str_length(parts.file) + 1;
  return parts;
}

static void write_name(const writer_t *w, const char *key, const char *name) {
  dmd_out_str(w->out, key);
  dmd_out_safe(w->out, name[0] != '\0' ? name : "?\?\?");
  dmd_out_char(w->out, '\n');
}

/* prefix: "c" for the function that is called, "" for the one whose lines follow. */
static void write_function(writer_t *w, const char *prefix, uint32_t function) {
  parts_t parts = parts_of(w, function);
  dmd_out_str(w->out, prefix);
  write_name(w, "ob=", parts.object);
  dmd_out_str(w->out, prefix);
  write_name(w, *prefix == '\0' ? "fl=" : "fi=", parts.file);
  dmd_out_str(w->out, prefix);
  dmd_out_str(w->out, "fn=(");
  dmd_out_u64(w->out, function);
  dmd_out_char(w->out, ')');
  if (dmd_bitset_has(&w->written, function)) {
    dmd_out_char(w->out, '\n');
    return;
  }
  dmd_bitset_add(&w->written, function);
  write_name(w, " ", parts.name);
}

static void write_costs(const writer_t *w, const uint64_t costs[N_COSTS]) {
  for (int i = 0; i < N_COSTS; i++)
    if (w->has[i]) {
      dmd_out_char(w->out, ' ');
      dmd_out_u64(w->out, costs[i]);
    }
  dmd_out_char(w->out, '\n');
}

static const place_t *place_at(const writer_t *w, uint32_t id) {
  size_t n;
  return dmd_intern_get(&w->places, id, &n);
}

static int by_function(const void *ctx, uint32_t a, uint32_t b) {
  const place_t *x = place_at(ctx, a), *y = place_at(ctx, b);
  if (x->function != y->function)
    return x->function < y->function ? -1 : 1;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return (x->callee > y->callee) - (x->callee < y->callee);
}

static void write_entries(writer_t *w) {
  uint32_t n = dmd_intern_count(&w->places), function = DMD_NONE;
  uint32_t *order = dmd_sorted_ids(w->profile->env, n, by_function, w);
  for (uint32_t i = 0; i < n; i++) {
    const place_t *place = place_at(w, order[i]);
    const entry_t *entry = DMD_POOL_AT(&w->entries, const entry_t, order[i]);
    if (place->function != function) {
      function = place->function;
      dmd_out_char(w->out, '\n');
      write_function(w, "", function);
    }
    if (place->callee != DMD_NONE) {
      write_function(w, "c", place->callee);
      dmd_out_str(w->out, "calls=");
      dmd_out_u64(w->out, entry->costs[COST_BLOCKS] > 0 ? entry->costs[COST_BLOCKS]
                                                        : entry->costs[COST_PEAK_BLOCKS]);
      dmd_out_str(w->out, " 0\n");
    }
    dmd_out_u64(w->out, place->line);
    write_costs(w, entry->costs);
  }
  dmd_env_free(w->profile->env, order);
}

static void write_header(writer_t *w, const dmd_export_options_t *options) {
  dmd_out_str(w->out, "# callgrind format\nversion: 1\n");
  write_name(w, "creator: ", options->exporter);
  if (w->profile->run.is_known && w->profile->run.command != NULL)
    write_name(w, "cmd: ", w->profile->run.command);
  dmd_out_str(w->out, "positions: line\nevents:");
  for (int i = 0; i < N_COSTS; i++)
    if (w->has[i]) {
      dmd_out_char(w->out, ' ');
      dmd_out_str(w->out, cost_names[i]);
    }
  dmd_out_str(w->out, "\nsummary:");
  write_costs(w, w->totals);
}

const char *dmd_export_callgrind(const dmd_profile_t *profile, dmd_out_t *out,
                                 const dmd_export_options_t *options) {
  const dmd_env_t *env = profile->env;
  writer_t w = {.profile = profile, .out = out};
  bool is_dark = profile->mode == DMD_MODE_DARK_MATTER;
  w.has[COST_BYTES] = w.has[COST_BLOCKS] = true;
  w.has[COST_UNREPORTED] = w.has[COST_TWICE] = is_dark;
  w.has[COST_PEAK_BYTES] = w.has[COST_PEAK_BLOCKS] = profile->has_peak;
  dmd_intern_init(&w.functions, env, "dmd.callgrind");
  dmd_intern_init(&w.places, env, "dmd.callgrind");
  dmd_pool_init(&w.entries, env, "dmd.callgrind", sizeof(entry_t));
  dmd_pool_init(&w.last_stacks, env, "dmd.callgrind", sizeof(uint32_t));
  add_all(&w);
  dmd_bitset_init(&w.written, env, "dmd.callgrind", dmd_intern_count(&w.functions) + 1);
  write_header(&w, options);
  write_entries(&w);
  dmd_bitset_destroy(&w.written);
  dmd_pool_destroy(&w.last_stacks);
  dmd_pool_destroy(&w.entries);
  dmd_intern_destroy(&w.places);
  dmd_intern_destroy(&w.functions);
  return NULL;
}
