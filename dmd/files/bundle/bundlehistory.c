/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlehistory.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/wire.h"
#include "files/bundle/bundlecursor.h"

/* ---- Numbers. ---- */

static void put_signed(dmd_bundlewriter_t *w, int64_t v) {
  dmd_bundlewriter_number(w, dmd_wire_fold((uint64_t)v));
}

/* Writes a value as its difference to the one before, which wraps around. */
static void put_value(dmd_bundlewriter_t *w, int64_t v, int64_t before) {
  put_signed(w, (int64_t)((uint64_t)v - (uint64_t)before));
}

static int64_t take_signed(dmd_bundlecursor_t *c) {
  return (int64_t)dmd_wire_unfold(dmd_bundlecursor_number(c));
}

static void put_level(dmd_bundlewriter_t *w, double v) {
  uint64_t bits;
  dmd_mem_copy(&bits, &v, sizeof bits);
  dmd_bundlewriter_number(w, bits);
}

/* Accepts only numbers (no NaN) that can be converted to int64_t. */
static double take_level(dmd_bundlecursor_t *c) {
  const double most = (double)DMD_MAX_SIZE;
  uint64_t bits = dmd_bundlecursor_number(c);
  double v;
  dmd_mem_copy(&v, &bits, sizeof v);
  if (v >= -most && v <= most)
    return v;
  dmd_bundlecursor_fail(c);
  return 0;
}

/* A valid id other than DMD_NONE. */
static uint32_t take_one(dmd_bundlecursor_t *c, uint32_t last) {
  uint32_t id = dmd_bundlecursor_id(c, last);
  if (id == DMD_NONE)
    dmd_bundlecursor_fail(c);
  return id;
}

static uint32_t take_text(dmd_bundlecursor_t *c, const dmd_history_t *h) {
  return take_one(c, dmd_intern_count(&h->texts));
}

/* ---- Writing. ---- */

static void write_builds(dmd_bundlewriter_t *w, const dmd_history_t *h) {
  dmd_bundlewriter_number(w, h->builds.last);
  for (uint32_t id = 1; id <= h->builds.last; id++) {
    const dmd_history_build_t *build = dmd_history_build(h, id);
    dmd_bundlewriter_number(w, build->name);
    dmd_bundlewriter_number(w, build->branch);
    put_signed(w, build->time);
  }
}

static void write_curve(dmd_bundlewriter_t *w, const dmd_history_t *h,
                        const dmd_history_curve_t *curve) {
  uint32_t build = DMD_NONE;
  int64_t value = 0;
  dmd_bundlewriter_number(w, curve->kind);
  dmd_bundlewriter_number(w, curve->name);
  dmd_bundlewriter_number(w, curve->moment);
  dmd_bundlewriter_number(w, curve->environment);
  dmd_bundlewriter_number(w, curve->branch);
  dmd_bundlewriter_number(w, curve->n);
  for (uint32_t i = 0; i < curve->n; i++) {
    const dmd_history_point_t *point = dmd_history_point(h, curve, i);
    dmd_bundlewriter_number(w, point->build - build);
    dmd_bundlewriter_number(w, point->n);
    build = point->build;
    for (uint32_t j = 0; j < point->n; j++) {
      put_value(w, dmd_history_value(h, point, j), value);
      value = dmd_history_value(h, point, j);
    }
  }
}

static void write_alarm(dmd_bundlewriter_t *w, const dmd_history_t *h,
                        const dmd_history_alarm_t *alarm) {
  const dmd_changepoint_t *step = &alarm->step;
  dmd_bundlewriter_number(w, alarm->curve);
  dmd_bundlewriter_number(w, step->first);
  dmd_bundlewriter_number(w, step->earliest);
  dmd_bundlewriter_number(w, step->latest);
  dmd_bundlewriter_number(w, step->since);
  dmd_bundlewriter_number(w, step->found);
  dmd_bundlewriter_number(w, step->is_slow);
  put_level(w, step->before);
  put_level(w, step->after);
  put_level(w, step->deviation);
  dmd_bundlewriter_number(w, alarm->state);
  dmd_bundlewriter_number(w, alarm->reason);
  dmd_bundlewriter_number(w, alarm->fixed_build);
  dmd_bundlewriter_number(w, alarm->next);
  dmd_bundlewriter_number(w, alarm->n_commits);
  dmd_bundlewriter_number(w, alarm->n);
  for (uint32_t i = 0; i < alarm->n; i++) {
    const dmd_history_changed_t *changed =
        DMD_POOL_AT(&h->changed, const dmd_history_changed_t, alarm->first + i);
    dmd_bundlewriter_number(w, changed->frames);
    put_signed(w, changed->delta);
  }
}

static void write_stacks(dmd_bundlewriter_t *w, const dmd_history_t *h) {
  int64_t number = 0;
  dmd_bundlewriter_number(w, h->stacks.last);
  for (uint32_t id = 1; id <= h->stacks.last; id++) {
    const dmd_history_stack_t *stack = DMD_POOL_AT(&h->stacks, const dmd_history_stack_t, id);
    dmd_bundlewriter_number(w, (uint64_t)(stack->number - number));
    dmd_bundlewriter_number(w, stack->n);
    number = stack->number;
    for (uint32_t i = 0; i < stack->n; i++)
      dmd_bundlewriter_number(w, *DMD_POOL_AT(&h->stack_frames, const uint32_t, stack->first + i));
  }
}

static void write_sets(dmd_bundlewriter_t *w, const dmd_history_t *h) {
  dmd_bundlewriter_number(w, h->sets.last);
  for (uint32_t id = 1; id <= h->sets.last; id++) {
    const dmd_history_set_t *set = DMD_POOL_AT(&h->sets, const dmd_history_set_t, id);
    dmd_bundlewriter_number(w, set->base);
    dmd_bundlewriter_bytes(w, set->bytes, set->n);
  }
  dmd_bundlewriter_number(w, h->kept.last);
  for (uint32_t id = 1; id <= h->kept.last; id++) {
    const dmd_kept_t *kept = dmd_history_kept(h, id);
    dmd_bundlewriter_number(w, kept->build);
    dmd_bundlewriter_number(w, kept->moment);
    dmd_bundlewriter_number(w, kept->environment);
    dmd_bundlewriter_number(w, kept->set);
  }
}

void dmd_imagehistory_write(dmd_bundlewriter_t *w, const dmd_history_t *h) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_HISTORY, 0);
  dmd_bundlewriter_interned(w, &h->texts);
  dmd_bundlewriter_number(w, h->name);
  write_builds(w, h);
  dmd_bundlewriter_number(w, h->curves.last);
  for (uint32_t id = 1; id <= h->curves.last; id++)
    write_curve(w, h, dmd_history_curve(h, id));
  dmd_bundlewriter_number(w, h->alarms.last);
  for (uint32_t id = 1; id <= h->alarms.last; id++)
    write_alarm(w, h, dmd_history_alarm(h, id));
  dmd_bundlewriter_end_section(w);
  dmd_bundlewriter_begin(w, DMD_BUNDLE_HISTORY_RECORDS, 0);
  dmd_bundlewriter_interned(w, &h->frames);
  write_stacks(w, h);
  write_sets(w, h);
  dmd_bundlewriter_end_section(w);
}

/* ---- Reading. ---- */

static void read_builds(dmd_history_t *h, dmd_bundlecursor_t *c) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    dmd_history_build_t build = {.name = take_text(c, h)};
    build.branch = take_text(c, h);
    build.time = take_signed(c);
    dmd_history_add_build(h, build);
  }
}

static void read_values(dmd_history_t *h, dmd_bundlecursor_t *c, int64_t *value) {
  uint32_t n = dmd_bundlecursor_count(c);
  if (n == 0)
    dmd_bundlecursor_fail(c);
  for (; n > 0 && !c->failed; n--) {
    *value = (int64_t)((uint64_t)*value + (uint64_t)take_signed(c));
    if (dmd_wire_fold((uint64_t)*value) > 2 * DMD_MAX_SIZE)
      dmd_bundlecursor_fail(c);
    dmd_history_add_value(h, *value);
  }
}

static void read_curve(dmd_history_t *h, dmd_bundlecursor_t *c) {
  dmd_history_curve_t curve = {.kind =
                                   (dmd_metric_kind_t)dmd_bundlecursor_up_to(c, DMD_N_FIGURES - 1)};
  curve.name = take_text(c, h);
  curve.moment = take_text(c, h);
  curve.environment = take_text(c, h);
  curve.branch = take_text(c, h);
  uint32_t n = dmd_bundlecursor_count(c), build = DMD_NONE;
  int64_t value = 0;
  if (n == 0)
    dmd_bundlecursor_fail(c);
  dmd_history_add_curve(h, curve);
  for (; n > 0 && !c->failed; n--) {
    build += take_one(c, h->builds.last - build);
    dmd_history_add_point(h, build);
    read_values(h, c, &value);
  }
}

static void read_changed(dmd_history_t *h, dmd_bundlecursor_t *c) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    dmd_history_changed_t changed = {.frames = take_text(c, h)};
    changed.delta = take_signed(c);
    dmd_history_add_changed(h, changed);
  }
}

static void read_alarm(dmd_history_t *h, dmd_bundlecursor_t *c) {
  dmd_history_alarm_t alarm = {.curve = take_one(c, h->curves.last)};
  if (c->failed)
    return;
  uint32_t last = dmd_history_curve(h, alarm.curve)->n - 1;
  dmd_changepoint_t *step = &alarm.step;
  step->first = take_one(c, last);
  step->earliest = dmd_bundlecursor_id(c, last);
  step->latest = dmd_bundlecursor_id(c, last);
  step->since = dmd_bundlecursor_id(c, last);
  step->found = dmd_bundlecursor_id(c, last);
  step->is_slow = dmd_bundlecursor_up_to(c, 1) != 0;
  step->before = take_level(c);
  step->after = take_level(c);
  step->deviation = take_level(c);
  alarm.state = (dmd_alarm_state_t)dmd_bundlecursor_up_to(c, DMD_N_ALARM_STATES - 1);
  alarm.reason = take_text(c, h);
  alarm.fixed_build = take_text(c, h);
  alarm.next = dmd_bundlecursor_id(c, dmd_intern_count(&h->texts));
  alarm.n_commits = dmd_bundlecursor_up_to(c, DMD_MAX_COUNT);
  dmd_history_add_alarm(h, alarm);
  read_changed(h, c);
}

static void read_stacks(dmd_history_t *h, dmd_bundlecursor_t *c) {
  uint64_t number = 0;
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint64_t distance = dmd_bundlecursor_up_to(c, INT64_MAX - number);
    number += distance;
    if (distance == 0)
      dmd_bundlecursor_fail(c);
    dmd_history_add_stack(h, (int64_t)number);
    for (uint32_t left = dmd_bundlecursor_count(c); left > 0 && !c->failed; left--)
      dmd_history_add_frame(h, take_one(c, dmd_intern_count(&h->frames)));
  }
}

static void read_set(dmd_history_t *h, dmd_bundlecursor_t *c) {
  size_t n;
  uint32_t base = dmd_bundlecursor_id(c, h->sets.last);
  const char *bytes = dmd_bundlecursor_bytes(c, &n);
  if (c->failed)
    return;
  uint32_t id = dmd_history_add_set(h, base, bytes, n);
  if (DMD_POOL_AT(&h->sets, const dmd_history_set_t, id)->depth > DMD_HISTORY_CHAIN)
    dmd_bundlecursor_fail(c);
}

static void read_kept(dmd_history_t *h, dmd_bundlecursor_t *c) {
  dmd_kept_t kept = {.build = take_one(c, h->builds.last)};
  kept.moment = take_text(c, h);
  kept.environment = take_text(c, h);
  kept.set = take_one(c, h->sets.last);
  if (!c->failed)
    dmd_history_add_kept(h, kept);
}

static bool read_figures(dmd_history_t *h, const dmd_bundle_section_t *section) {
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  dmd_bundlecursor_interned(&c, &h->texts, true);
  h->name = take_text(&c, h);
  read_builds(h, &c);
  for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--)
    read_curve(h, &c);
  for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--)
    read_alarm(h, &c);
  return dmd_bundlecursor_is_done(&c);
}

static bool read_records(dmd_history_t *h, const dmd_bundle_section_t *section) {
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  dmd_bundlecursor_interned(&c, &h->frames, true);
  read_stacks(h, &c);
  for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--)
    read_set(h, &c);
  for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--)
    read_kept(h, &c);
  return dmd_bundlecursor_is_done(&c);
}

bool dmd_imagehistory_is_there(const dmd_bundle_t *image) {
  return dmd_bundle_find(image, DMD_BUNDLE_HISTORY, 0) != NULL &&
         dmd_bundle_find(image, DMD_BUNDLE_HISTORY_RECORDS, 0) != NULL;
}

bool dmd_imagehistory_read(dmd_history_t *h, const dmd_bundle_t *image, dmd_strbuf_t *why) {
  dmd_history_init(h, image->env);
  if (read_figures(h, dmd_bundle_find(image, DMD_BUNDLE_HISTORY, 0)) &&
      read_records(h, dmd_bundle_find(image, DMD_BUNDLE_HISTORY_RECORDS, 0)))
    return true;
  dmd_strbuf_str(why, "the bundle's history is damaged");
  return false;
}
