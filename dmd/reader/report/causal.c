/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/report/causal.h"

#include "analysis/frame.h"
#include "base/format.h"
#include "base/sort.h"
#include "reader/host/host.h"

#include <string.h>

enum { OLD, NEW };

/* Bytes and blocks, by report state; in modes without reports all are DMD_SECTION_ALL. */
typedef struct {
  int64_t usable[DMD_N_SECTIONS], total, num;
} holding_t;

typedef struct {
  uint32_t example; /* frames as they stand in one of the profiles, new rather than old */
  holding_t at[2];
} place_t;

typedef struct {
  uint32_t max_frames;
  dmd_intern_t frames; /* texts, with and without lines */
  dmd_intern_t stacks; /* sequences of them */
  dmd_intern_t keys;   /* stacks without lines: place ids */
  dmd_pool_t places;
  holding_t whole[2];
} comparison_t;

static place_t *place_at(const comparison_t *c, uint32_t id) {
  return DMD_POOL_AT(&c->places, place_t, id);
}

static uint32_t intern_without_line(comparison_t *c, const char *frame) {
  char *text = dmd_env_alloc(&dmdv_env, "dmdv.causal", strlen(frame) + 1);
  dmd_frame_without_line(text, frame);
  uint32_t id = dmd_intern_str(&c->frames, text);
  dmd_env_free(&dmdv_env, text);
  return id;
}

/* The place of a stack of the profile; its frames as they stand go to the place's example. */
static uint32_t find_place(comparison_t *c, const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  if (n > c->max_frames)
    n = c->max_frames;
  size_t szB = n * sizeof(uint32_t);
  uint32_t *key = dmd_env_alloc(&dmdv_env, "dmdv.causal", 2 * szB + sizeof(uint32_t));
  uint32_t *shown = key + n;
  for (size_t i = 0; i < n; i++) {
    const char *frame = dmd_intern_get_str(&profile->frames, frames[i]);
    key[i] = intern_without_line(c, frame);
    shown[i] = dmd_intern_str(&c->frames, frame);
  }
  uint32_t id = dmd_intern_bytes(&c->keys, key, szB);
  if (id > c->places.last) {
    dmd_pool_add(&c->places);
    memset(place_at(c, id), 0, sizeof(place_t));
  }
  place_at(c, id)->example = dmd_intern_bytes(&c->stacks, shown, szB);
  dmd_env_free(&dmdv_env, key);
  return id;
}

static void hold(holding_t *h, dmd_section_t state, const dmd_group_t *g) {
  int64_t usable = (int64_t)g->num * (int64_t)(g->req + g->slop);
  h->usable[state] += usable;
  h->total += usable;
  h->num += (int64_t)g->num;
}

static void add_profile(comparison_t *c, const dmd_profile_t *profile, int when) {
  uint32_t n_stacks = dmd_intern_count(&profile->stacks);
  uint32_t *places = dmd_env_alloc(&dmdv_env, "dmdv.causal", (n_stacks + 1) * sizeof *places);
  for (uint32_t id = 0; id <= n_stacks; id++)
    places[id] = DMD_NONE;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    if (places[g->stack] == DMD_NONE)
      places[g->stack] = find_place(c, profile, g->stack);
    dmd_section_t state = dmd_section_of_group(profile, g);
    hold(&place_at(c, places[g->stack])->at[when], state, g);
    hold(&c->whole[when], state, g);
  }
  dmd_env_free(&dmdv_env, places);
}

/* The state that most of the bytes are in. */
static dmd_section_t main_state(const holding_t *h) {
  dmd_section_t most = DMD_SECTION_TWICE;
  for (dmd_section_t state = DMD_SECTION_UNREPORTED; state < DMD_N_SECTIONS; state++)
    if (h->usable[state] > h->usable[most])
      most = state;
  return most;
}

static bool has_changed_state(const place_t *p) {
  return p->at[OLD].num > 0 && p->at[NEW].num > 0 &&
         main_state(&p->at[OLD]) != main_state(&p->at[NEW]);
}

/* How much happened at a place, in bytes; what only changed its state counts as well. */
static int64_t weight(const place_t *p) {
  int64_t most = p->at[NEW].total - p->at[OLD].total;
  most = most < 0 ? -most : most;
  for (int state = 0; state < DMD_N_SECTIONS; state++) {
    int64_t change = p->at[NEW].usable[state] - p->at[OLD].usable[state];
    change = change < 0 ? -change : change;
    most = change > most ? change : most;
  }
  return most;
}

static int compare_places(const void *ctx, uint32_t a, uint32_t b) {
  int64_t x = weight(place_at(ctx, a)), y = weight(place_at(ctx, b));
  return (x < y) - (x > y);
}

/* ---- Printing. ---- */

static void number(dmd_out_t *out, int64_t v) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_commas(buf, v);
  dmd_out_str(out, buf);
}

/* "1,000 to 1,200 bytes (+20.00%)" */
static void print_change(dmd_out_t *out, int64_t old, int64_t new) {
  char buf[DMD_FORMAT_MAX];
  number(out, old);
  dmd_out_str(out, " to ");
  number(out, new);
  dmd_out_str(out, " bytes");
  if (old != 0 && new != old) {
    dmd_format_fixed2(buf, dmd_percent(new - old, old));
    dmd_out_str(out, new > old ? " (+" : " (");
    dmd_out_str(out, buf);
    dmd_out_str(out, "%)");
  }
}

static void print_sentence(dmd_out_t *out, const comparison_t *c, dmd_mode_t mode) {
  const holding_t *old = &c->whole[OLD], *new = &c->whole[NEW];
  dmd_out_str(out, "The heap went from ");
  print_change(out, old->total, new->total);
  if (mode == DMD_MODE_DARK_MATTER) {
    dmd_out_str(out, ", unreported from ");
    print_change(out, old->usable[DMD_SECTION_UNREPORTED], new->usable[DMD_SECTION_UNREPORTED]);
    dmd_out_str(out, ", twice-reported from ");
    print_change(out, old->usable[DMD_SECTION_TWICE], new->usable[DMD_SECTION_TWICE]);
  }
  dmd_out_str(out, ".\n\n");
}

static void print_kind(dmd_out_t *out, const place_t *p) {
  const holding_t *old = &p->at[OLD], *new = &p->at[NEW];
  int64_t change = new->total - old->total;
  if (has_changed_state(p)) {
    dmd_out_str(out, "Was ");
    dmd_out_str(out, dmd_section_name(main_state(old)));
    dmd_out_str(out, ", now ");
    dmd_out_str(out, dmd_section_name(main_state(new)));
  } else if (old->num == 0 || new->num == 0) {
    const holding_t *there = old->num == 0 ? new : old;
    dmd_out_str(out, old->num == 0 ? "New, " : "Gone, ");
    dmd_out_str(out, dmd_section_name(main_state(there)));
  } else {
    dmd_out_str(out, change > 0 ? "Grown, " : change < 0 ? "Shrunk, " : "Changed, ");
    dmd_out_str(out, dmd_section_name(main_state(new)));
  }
}

static void print_place(dmd_out_t *out, const comparison_t *c, const place_t *p) {
  print_kind(out, p);
  dmd_out_str(out, " {\n  ");
  print_change(out, p->at[OLD].total, p->at[NEW].total);
  dmd_out_str(out, ", ");
  number(out, p->at[OLD].num);
  dmd_out_str(out, " to ");
  number(out, p->at[NEW].num);
  dmd_out_str(out, " blocks\n");
  for (int state = 0; state < DMD_SECTION_ALL; state++) {
    int64_t old = p->at[OLD].usable[state], new = p->at[NEW].usable[state];
    if (old == new || (old == p->at[OLD].total && new == p->at[NEW].total))
      continue;
    dmd_out_str(out, "  ");
    dmd_out_str(out, dmd_section_name(state));
    dmd_out_str(out, ": ");
    print_change(out, old, new);
    dmd_out_char(out, '\n');
  }
  dmd_out_str(out, "  Allocated at {\n");
  size_t n;
  const uint32_t *frames = dmd_intern_get(&c->stacks, p->example, &n);
  for (size_t i = 0; i < n / sizeof *frames; i++) {
    dmd_out_str(out, i + 1 < 10 ? "    #0" : "    #");
    dmd_out_u64(out, i + 1);
    dmd_out_str(out, ": ");
    dmd_out_safe(out, dmd_intern_get_str(&c->frames, frames[i]));
    dmd_out_char(out, '\n');
  }
  dmd_out_str(out, "  }\n}\n\n");
}

static void print_places(dmd_out_t *out, const comparison_t *c, uint32_t max_records) {
  uint32_t *ids = dmd_env_alloc(&dmdv_env, "dmdv.causal", (c->places.last + 1) * sizeof *ids);
  uint32_t n = 0;
  for (uint32_t id = 1; id <= c->places.last; id++) {
    const place_t *p = place_at(c, id);
    if (weight(p) > 0 || p->at[OLD].num != p->at[NEW].num)
      ids[n++] = id;
  }
  dmd_sort(&dmdv_env, ids, n, compare_places, c);
  if (n == 0)
    dmd_out_str(out, "No place changed.\n");
  for (uint32_t i = 0; i < n && (max_records == 0 || i < max_records); i++)
    print_place(out, c, place_at(c, ids[i]));
  if (max_records != 0 && max_records < n) {
    dmd_out_str(out, "# and ");
    dmd_out_u64(out, n - max_records);
    dmd_out_str(out, n - max_records == 1 ? " more place" : " more places");
    dmd_out_str(out, " that changed (--max-records=all shows them)\n");
  }
  dmd_env_free(&dmdv_env, ids);
}

void dmdv_causal_print(dmd_out_t *out, const dmd_profile_t *old, const dmd_profile_t *new,
                       const dmd_view_t *view) {
  comparison_t c = {.max_frames = view->max_frames};
  dmd_intern_init(&c.frames, &dmdv_env, "dmdv.causal.frames");
  dmd_intern_init(&c.stacks, &dmdv_env, "dmdv.causal.stacks");
  dmd_intern_init(&c.keys, &dmdv_env, "dmdv.causal.keys");
  dmd_pool_init(&c.places, &dmdv_env, "dmdv.causal.places", sizeof(place_t));
  add_profile(&c, old, OLD);
  add_profile(&c, new, NEW);
  print_sentence(out, &c, new->mode);
  print_places(out, &c, view->max_records);
  dmd_pool_destroy(&c.places);
  dmd_intern_destroy(&c.keys);
  dmd_intern_destroy(&c.stacks);
  dmd_intern_destroy(&c.frames);
}
