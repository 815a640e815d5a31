/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/history/history.h"

#include "analyse/limits/ttest.h"
#include "analyse/records/record.h"
#include "base/limits.h"
#include "base/mem.h"

#define COST_CENTRE "dmd.history"

void dmd_history_init(dmd_history_t *h, const dmd_env_t *env) {
  h->env = env;
  h->name = DMD_NONE;
  dmd_intern_init(&h->texts, env, COST_CENTRE);
  dmd_intern_init(&h->frames, env, COST_CENTRE);
  dmd_intern_init(&h->data, env, COST_CENTRE);
  dmd_pool_init(&h->builds, env, COST_CENTRE, sizeof(dmd_history_build_t));
  dmd_pool_init(&h->curves, env, COST_CENTRE, sizeof(dmd_history_curve_t));
  dmd_pool_init(&h->points, env, COST_CENTRE, sizeof(dmd_history_point_t));
  dmd_pool_init(&h->values, env, COST_CENTRE, sizeof(int64_t));
  dmd_pool_init(&h->alarms, env, COST_CENTRE, sizeof(dmd_history_alarm_t));
  dmd_pool_init(&h->changed, env, COST_CENTRE, sizeof(dmd_history_changed_t));
  dmd_pool_init(&h->stacks, env, COST_CENTRE, sizeof(dmd_history_stack_t));
  dmd_pool_init(&h->stack_frames, env, COST_CENTRE, sizeof(uint32_t));
  dmd_pool_init(&h->sets, env, COST_CENTRE, sizeof(dmd_history_set_t));
  dmd_pool_init(&h->kept, env, COST_CENTRE, sizeof(dmd_kept_t));
}

void dmd_history_destroy(dmd_history_t *h) {
  dmd_pool_destroy(&h->kept);
  dmd_pool_destroy(&h->sets);
  dmd_pool_destroy(&h->stack_frames);
  dmd_pool_destroy(&h->stacks);
  dmd_pool_destroy(&h->changed);
  dmd_pool_destroy(&h->alarms);
  dmd_pool_destroy(&h->values);
  dmd_pool_destroy(&h->points);
  dmd_pool_destroy(&h->curves);
  dmd_pool_destroy(&h->builds);
  dmd_intern_destroy(&h->data);
  dmd_intern_destroy(&h->frames);
  dmd_intern_destroy(&h->texts);
}

/* ---- Building. ---- */

uint32_t dmd_history_add_build(dmd_history_t *h, dmd_history_build_t build) {
  uint32_t id = dmd_pool_add(&h->builds);
  *DMD_POOL_AT(&h->builds, dmd_history_build_t, id) = build;
  return id;
}

uint32_t dmd_history_add_curve(dmd_history_t *h, dmd_history_curve_t curve) {
  uint32_t id = dmd_pool_add(&h->curves);
  curve.first = h->points.last + 1;
  curve.n = 0;
  *DMD_POOL_AT(&h->curves, dmd_history_curve_t, id) = curve;
  return id;
}

void dmd_history_add_point(dmd_history_t *h, uint32_t build) {
  uint32_t id = dmd_pool_add(&h->points);
  *DMD_POOL_AT(&h->points, dmd_history_point_t, id) =
      (dmd_history_point_t){.build = build, .first = h->values.last + 1};
  DMD_POOL_AT(&h->curves, dmd_history_curve_t, h->curves.last)->n++;
}

void dmd_history_add_value(dmd_history_t *h, int64_t value) {
  uint32_t id = dmd_pool_add(&h->values);
  *DMD_POOL_AT(&h->values, int64_t, id) = value;
  DMD_POOL_AT(&h->points, dmd_history_point_t, h->points.last)->n++;
}

uint32_t dmd_history_add_alarm(dmd_history_t *h, dmd_history_alarm_t alarm) {
  uint32_t id = dmd_pool_add(&h->alarms);
  alarm.first = h->changed.last + 1;
  alarm.n = 0;
  *DMD_POOL_AT(&h->alarms, dmd_history_alarm_t, id) = alarm;
  return id;
}

void dmd_history_add_changed(dmd_history_t *h, dmd_history_changed_t changed) {
  uint32_t id = dmd_pool_add(&h->changed);
  *DMD_POOL_AT(&h->changed, dmd_history_changed_t, id) = changed;
  DMD_POOL_AT(&h->alarms, dmd_history_alarm_t, h->alarms.last)->n++;
}

uint32_t dmd_history_add_stack(dmd_history_t *h, int64_t number) {
  uint32_t id = dmd_pool_add(&h->stacks);
  *DMD_POOL_AT(&h->stacks, dmd_history_stack_t, id) =
      (dmd_history_stack_t){.number = number, .first = h->stack_frames.last + 1};
  return id;
}

void dmd_history_add_frame(dmd_history_t *h, uint32_t frame) {
  uint32_t id = dmd_pool_add(&h->stack_frames);
  *DMD_POOL_AT(&h->stack_frames, uint32_t, id) = frame;
  DMD_POOL_AT(&h->stacks, dmd_history_stack_t, h->stacks.last)->n++;
}

uint32_t dmd_history_add_set(dmd_history_t *h, uint32_t base, const char *bytes, size_t n) {
  uint32_t id = dmd_pool_add(&h->sets);
  uint32_t depth =
      base == DMD_NONE ? 0 : DMD_POOL_AT(&h->sets, const dmd_history_set_t, base)->depth;
  *DMD_POOL_AT(&h->sets, dmd_history_set_t, id) =
      (dmd_history_set_t){.base = base, .depth = depth + 1, .bytes = bytes, .n = n};
  return id;
}

static bool may_be_compared(const dmd_history_t *h, const dmd_kept_t *a, const dmd_kept_t *b) {
  return a->moment == b->moment && a->environment == b->environment &&
         dmd_history_build(h, a->build)->branch == dmd_history_build(h, b->build)->branch;
}

uint32_t dmd_history_add_kept(dmd_history_t *h, dmd_kept_t kept) {
  uint32_t last = h->kept.last, id = dmd_pool_add(&h->kept);
  kept.before =
      last != DMD_NONE && may_be_compared(h, dmd_history_kept(h, last), &kept) ? last : DMD_NONE;
  *DMD_POOL_AT(&h->kept, dmd_kept_t, id) = kept;
  return id;
}

/* ---- Access. ---- */

/* Counts heap curves only: there may be more curves for the heaps of single processes. */
uint64_t dmd_history_measured(const dmd_history_t *h) {
  uint32_t heap = dmd_intern_find_str(&h->texts, dmd_metric_kind_name(DMD_METRIC_HEAP));
  uint64_t n = 0;
  for (uint32_t id = 1; id <= h->curves.last; id++)
    if (dmd_history_curve(h, id)->name == heap)
      n += dmd_history_curve(h, id)->n;
  return n;
}

dmd_point_t dmd_history_mean(const dmd_history_t *h, const dmd_history_point_t *point) {
  int64_t *values = dmd_env_alloc(h->env, COST_CENTRE, point->n * sizeof *values);
  for (uint32_t i = 0; i < point->n; i++)
    values[i] = dmd_history_value(h, point, i);
  dmd_scatter_t scatter = dmd_scatter_of(values, point->n);
  dmd_env_free(h->env, values);
  return (dmd_point_t){scatter.mean, point->n, scatter.deviation};
}

static const char *build_name(const dmd_history_t *h, const dmd_history_curve_t *curve,
                              uint32_t i) {
  uint32_t build = dmd_history_point(h, curve, i)->build;
  return dmd_history_text(h, dmd_history_build(h, build)->name);
}

dmd_alarm_t dmd_history_told(const dmd_history_t *h, uint32_t alarm) {
  const dmd_history_alarm_t *a = dmd_history_alarm(h, alarm);
  const dmd_history_curve_t *curve = dmd_history_curve(h, a->curve);
  return (dmd_alarm_t){.kind = curve->kind,
                       .name = dmd_history_text(h, curve->name),
                       .moment = dmd_history_text(h, curve->moment),
                       .environment = dmd_history_text(h, curve->environment),
                       .branch = dmd_history_text(h, curve->branch),
                       .first_build = build_name(h, curve, a->step.first),
                       .after_build = build_name(h, curve, a->step.first - 1),
                       .earliest = build_name(h, curve, a->step.earliest),
                       .latest = build_name(h, curve, a->step.latest),
                       .step = a->step,
                       .state = a->state,
                       .reason = dmd_history_text(h, a->reason),
                       .fixed_build = dmd_history_text(h, a->fixed_build)};
}

uint32_t *dmd_history_kept_along(const dmd_history_t *h, const dmd_history_curve_t *curve) {
  size_t szB = ((size_t)h->builds.last + 1) * sizeof(uint32_t);
  uint32_t *along = dmd_env_alloc(h->env, COST_CENTRE, szB);
  dmd_mem_zero(along, szB);
  for (uint32_t id = 1; id <= h->kept.last; id++) {
    const dmd_kept_t *kept = dmd_history_kept(h, id);
    if (kept->moment == curve->moment && kept->environment == curve->environment &&
        dmd_history_build(h, kept->build)->branch == curve->branch)
      along[kept->build] = id;
  }
  return along;
}

bool dmd_history_load(dmd_stackset_t *set, const dmd_history_t *h, uint32_t id) {
  dmd_stackset_init(set, h->env, 0);
  bool good = true;
  while (good && id != DMD_NONE) {
    const dmd_history_set_t *link = DMD_POOL_AT(&h->sets, const dmd_history_set_t, id);
    dmd_stackset_t part, sum;
    good = dmd_stackset_decode(&part, h->env, link->bytes, link->n);
    if (good) {
      dmd_stackset_add(&sum, set, &part);
      dmd_stackset_destroy(set);
      *set = sum;
    }
    dmd_stackset_destroy(&part);
    id = link->base;
  }
  return good;
}

/* ---- A build as a profile. ---- */

typedef struct {
  dmd_profile_t *profile;
  const dmd_history_t *history;
  uint32_t *frames;       /* of the profile, by frame of the history; DMD_NONE: not added yet */
  uint32_t next;          /* the history's stack that the next record may have */
  uint32_t once, twice;   /* report sets */
  uint64_t bytes, blocks; /* so far */
} filling_t;

static uint32_t frame_of(filling_t *f, uint32_t frame) {
  if (f->frames[frame] == DMD_NONE)
    f->frames[frame] =
        dmd_frames_read_text(&f->profile->frames, dmd_intern_get_str(&f->history->frames, frame));
  return f->frames[frame];
}

/* Records are in the order of the stacks. DMD_NONE: unknown stack. */
static uint32_t stack_of(filling_t *f, int64_t number) {
  const dmd_history_t *h = f->history;
  uint32_t frames[DMD_MAX_FRAMES];
  while (f->next <= h->stacks.last &&
         DMD_POOL_AT(&h->stacks, const dmd_history_stack_t, f->next)->number < number)
    f->next++;
  if (f->next > h->stacks.last)
    return DMD_NONE;
  const dmd_history_stack_t *stack = DMD_POOL_AT(&h->stacks, const dmd_history_stack_t, f->next);
  if (stack->number != number)
    return DMD_NONE;
  uint32_t n = stack->n < DMD_MAX_FRAMES ? stack->n : DMD_MAX_FRAMES;
  for (uint32_t i = 0; i < n; i++)
    frames[i] = frame_of(f, *DMD_POOL_AT(&h->stack_frames, const uint32_t, stack->first + i));
  return n == 0 ? DMD_NONE : dmd_profile_stack(f->profile, frames, n);
}

static bool is_possible(filling_t *f, const dmd_stack_record_t *record) {
  bool is_all = record->section == DMD_SECTION_ALL;
  if (record->bytes < 0 || record->blocks <= 0 ||
      is_all != (f->profile->mode != DMD_MODE_DARK_MATTER))
    return false;
  f->bytes += (uint64_t)record->bytes;
  f->blocks += (uint64_t)record->blocks;
  return (uint64_t)record->bytes <= DMD_MAX_TOTAL && (uint64_t)record->blocks <= DMD_MAX_TOTAL &&
         f->bytes <= DMD_MAX_TOTAL && f->blocks <= DMD_MAX_TOTAL;
}

/* Uses blocks of two sizes if the bytes are not divisible. */
static void add_blocks(filling_t *f, const dmd_stack_record_t *record) {
  uint64_t bytes = (uint64_t)record->bytes, blocks = (uint64_t)record->blocks;
  dmd_group_t group = {.req = bytes / blocks,
                       .num = blocks - bytes % blocks,
                       .stack = stack_of(f, record->stack),
                       .reports = record->section == DMD_SECTION_ONCE    ? f->once
                                  : record->section == DMD_SECTION_TWICE ? f->twice
                                                                         : DMD_NONE};
  dmd_groups_add(&f->profile->groups, &group);
  group.req++;
  group.num = bytes % blocks;
  if (group.num > 0)
    dmd_groups_add(&f->profile->groups, &group);
}

static const char *fill(filling_t *f, const dmd_stackset_t *set) {
  dmd_profile_t *profile = f->profile;
  bool is_dark = set->n == 0 || set->records[0].section != DMD_SECTION_ALL;
  profile->mode = is_dark ? DMD_MODE_DARK_MATTER : DMD_MODE_LIVE;
  f->once = dmd_reports_add(&profile->reports, DMD_NONE, (dmd_report_t){.stack = DMD_NONE});
  f->twice = dmd_reports_add(&profile->reports, f->once, (dmd_report_t){.stack = DMD_NONE});
  for (size_t i = 0; i < set->n; i++) {
    if (!is_possible(f, &set->records[i]))
      return "the history's records of this build are damaged";
    add_blocks(f, &set->records[i]);
  }
  dmd_groups_finish(&profile->groups);
  return NULL;
}

const char *dmd_history_fill(dmd_profile_t *profile, const dmd_history_t *h, uint32_t kept) {
  size_t n = ((size_t)dmd_intern_count(&h->frames) + 1) * sizeof(uint32_t);
  filling_t f = {.profile = profile, .history = h, .next = 1};
  dmd_stackset_t set;
  const char *wrong = "the history's records of this build cannot be read";
  f.frames = dmd_env_alloc(h->env, "dmd.history", n);
  dmd_mem_zero(f.frames, n);
  if (dmd_history_load(&set, h, dmd_history_kept(h, kept)->set))
    wrong = fill(&f, &set);
  dmd_stackset_destroy(&set);
  dmd_env_free(h->env, f.frames);
  return wrong;
}
