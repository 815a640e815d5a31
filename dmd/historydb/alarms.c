/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/alarms.h"

#include "analyse/records/record.h"
#include "base/mem.h"
#include "base/sort.h"
#include "host/process.h"

#include <string.h>

/* ---- Change points. ---- */

static const char *keep(dmdv_alarms_t *alarms, const char *text) {
  return dmd_intern_get_str(&alarms->texts, dmd_intern_str(&alarms->texts, text));
}

/* The first build that is back at the level before the first of n change points, or "". */
static const char *fixed_build(const dmdv_curve_t *curve, const dmd_changepoint_t *steps,
                               uint32_t n) {
  double most_left = (steps->after - steps->before) / 4;
  if (most_left < 0)
    return "";
  for (uint32_t i = 1; i < n; i++)
    if (steps[i].after - steps->before <= most_left)
      return curve->builds[steps[i].first].name;
  return "";
}

/* The number of builds on each side that are compared to explain the first of n change points. */
static uint32_t count_near(const dmdv_curve_t *curve, const dmd_changepoint_t *step, uint32_t n) {
  if (step->deviation == 0)
    return 1;
  uint32_t end = n == 1 ? curve->n : step[1].is_slow ? step[1].since + 1 : step[1].first;
  uint32_t n_before = step->first - step->since;
  uint32_t n_after = end > step->first ? end - step->first : 1;
  uint32_t most = step->is_slow ? n_before / 4 : n_before < n_after ? n_before : n_after;
  return most < 1 ? 1 : most < DMDV_ALARM_NEAR ? most : DMDV_ALARM_NEAR;
}

/* A slow change is looked for between the builds at its two ends. */
static void choose_near(dmdv_alarm_t *alarm, const dmdv_curve_t *curve,
                        const dmd_changepoint_t *step, uint32_t n) {
  alarm->n_near = count_near(curve, step, n);
  for (uint32_t i = 0; i < alarm->n_near; i++) {
    uint32_t without = step->is_slow ? step->since + i : step->first - 1 - i;
    uint32_t with = step->is_slow ? step->first - i : step->first + i;
    alarm->without[i] = curve->builds[without].id;
    alarm->with[i] = curve->builds[with].id;
  }
}

/* Adds the alarm of the first of n change points, the last ones of the curve. */
static void add_alarm(dmdv_alarms_t *alarms, const dmdv_curve_t *curve,
                      const dmd_changepoint_t *step, uint32_t n) {
  uint32_t id = dmd_pool_add(&alarms->pool);
  const char *fixed = fixed_build(curve, step, n);
  uint32_t sure = step->earliest > 0 ? step->earliest - 1 : 0;
  const dmdv_curve_build_t *builds = curve->builds;
  const dmd_alarm_t alarm = {.kind = curve->kind,
                             .name = keep(alarms, curve->name),
                             .moment = keep(alarms, curve->moment),
                             .environment = keep(alarms, curve->environment_lines),
                             .branch = keep(alarms, curve->branch),
                             .first_build = keep(alarms, builds[step->first].name),
                             .after_build = keep(alarms, builds[step->first - 1].name),
                             .earliest = keep(alarms, builds[step->earliest].name),
                             .latest = keep(alarms, builds[step->latest].name),
                             .step = *step,
                             .state = step->after < step->before ? DMD_ALARM_IMPROVED
                                      : fixed[0] != '\0'         ? DMD_ALARM_FIXED
                                                                 : DMD_ALARM_NEW,
                             .reason = "",
                             .fixed_build = keep(alarms, fixed)};
  dmdv_alarm_t *added = DMD_POOL_AT(&alarms->pool, dmdv_alarm_t, id);
  *added = (dmdv_alarm_t){.alarm = alarm,
                          .series = curve->series,
                          .process = keep(alarms, curve->process),
                          .environment = curve->environment,
                          .build = builds[step->first].id,
                          .before_id = builds[step->is_slow ? step->since : step->first - 1].id,
                          .now = curve->points[curve->n - 1].value,
                          .sure = keep(alarms, builds[sure].name),
                          .middle = keep(alarms, builds[(step->earliest + step->latest) / 2].name)};
  choose_near(added, curve, step, n);
}

/* Whether the change may have begun with the requested build. */
static bool is_wanted(const dmdv_alarms_t *alarms, const dmdv_curve_t *curve,
                      const dmd_changepoint_t *step) {
  bool any = alarms->of_build == NULL;
  for (uint32_t i = step->earliest; i <= step->latest && !any; i++)
    any = strcmp(curve->builds[i].name, alarms->of_build) == 0;
  return any;
}

/* Counts the curve if it has the newest build; one with a newer build starts the count anew. */
static void note_length(dmdv_unjudged_t *u, const dmdv_curve_t *curve) {
  const dmdv_curve_build_t *last = &curve->builds[curve->n - 1];
  if (u->n_curves > 0 && (last->time < u->time || (last->time == u->time && last->id < u->build)))
    return;
  if (last->time != u->time || last->id != u->build)
    *u = (dmdv_unjudged_t){.time = last->time, .build = last->id};
  uint32_t needed = dmd_changepoints_needed(curve->points, curve->n);
  u->n_curves++;
  u->n_short += needed > 0;
  if (needed > 0 && curve->n > u->n_builds) {
    u->n_builds = curve->n;
    u->needed = needed;
  }
}

static void find_in_curve(void *ctx, const dmdv_curve_t *curve) {
  dmdv_alarms_t *alarms = ctx;
  uint32_t n;
  dmd_changepoint_t *steps = dmdv_curve_steps(curve, alarms->limits, &n);
  for (uint32_t i = 0; i < n; i++)
    if (is_wanted(alarms, curve, &steps[i]))
      add_alarm(alarms, curve, &steps[i], n - i);
  dmd_env_free(&dmdv_env, steps);
  alarms->n_curves++;
  alarms->n_points += curve->n;
  note_length(&alarms->unjudged, curve);
  if (alarms->visit != NULL)
    alarms->visit(alarms->visit_ctx, curve);
}

/* Starts a statement whose first values identify an alarm. */
static void start_of(dmdv_database_t *db, dmdv_sql_t sql, const dmdv_alarm_t *alarm) {
  dmdv_sql_start(db, sql);
  dmdv_sql_int(db, alarm->series);
  dmdv_sql_text(db, alarm->process);
  dmdv_sql_text(db, alarm->alarm.moment);
  dmdv_sql_int(db, alarm->environment);
  dmdv_sql_int(db, alarm->build);
}

static bool find_state(dmdv_alarms_t *alarms, dmdv_alarm_t *alarm) {
  dmdv_database_t *db = alarms->db;
  dmdv_sql_step_t step;
  start_of(db, DMDV_SQL_FIND_ALARM, alarm);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    if (alarm->alarm.state == DMD_ALARM_NEW)
      alarm->alarm.state = DMD_ALARM_ACKNOWLEDGED;
    alarm->alarm.reason = keep(alarms, dmdv_sql_column_text(db, 1));
  }
  return step == DMDV_SQL_DONE;
}

/* Puts the alarms of one build together, and the heap before its parts. */
static int compare_alarms(const void *ctx, uint32_t a, uint32_t b) {
  const dmdv_alarm_t *x = DMD_POOL_AT((const dmd_pool_t *)ctx, dmdv_alarm_t, a);
  const dmdv_alarm_t *y = DMD_POOL_AT((const dmd_pool_t *)ctx, dmdv_alarm_t, b);
  int order = strcmp(x->alarm.branch, y->alarm.branch);
  if (order == 0)
    order = (x->build > y->build) - (x->build < y->build);
  if (order == 0)
    order = strcmp(x->alarm.moment, y->alarm.moment);
  if (order == 0)
    order = (x->environment > y->environment) - (x->environment < y->environment);
  if (order == 0)
    order = (x->alarm.kind > y->alarm.kind) - (x->alarm.kind < y->alarm.kind);
  return order != 0 ? order : strcmp(x->alarm.name, y->alarm.name);
}

static void sort_alarms(dmdv_alarms_t *alarms) {
  uint32_t n = alarms->pool.last;
  uint32_t *order = dmd_sorted_ids(&dmdv_env, n, compare_alarms, &alarms->pool);
  dmd_pool_t sorted;
  dmd_pool_init(&sorted, &dmdv_env, "dmdv.alarms", sizeof(dmdv_alarm_t));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t id = dmd_pool_add(&sorted);
    *DMD_POOL_AT(&sorted, dmdv_alarm_t, id) = *DMD_POOL_AT(&alarms->pool, dmdv_alarm_t, order[i]);
  }
  dmd_env_free(&dmdv_env, order);
  dmd_pool_destroy(&alarms->pool);
  alarms->pool = sorted;
}

static bool find(dmdv_alarms_t *alarms) {
  dmdv_database_t *db = alarms->db;
  dmd_intern_init(&alarms->texts, &dmdv_env, "dmdv.alarms");
  dmd_pool_init(&alarms->pool, &dmdv_env, "dmdv.alarms", sizeof(dmdv_alarm_t));
  dmdv_setsums_init(&alarms->sums, db);
  bool good = dmdv_curves_visit(db, DMDV_CURVE_SAMPLE, find_in_curve, alarms);
  for (uint32_t id = 1; id <= alarms->pool.last && good; id++)
    good = find_state(alarms, DMD_POOL_AT(&alarms->pool, dmdv_alarm_t, id));
  sort_alarms(alarms);
  return good;
}

bool dmdv_alarms_find(dmdv_alarms_t *alarms, dmdv_database_t *db,
                      dmd_changepoints_limits_t limits) {
  *alarms = (dmdv_alarms_t){.db = db, .limits = limits};
  return find(alarms);
}

bool dmdv_alarms_find_and_visit(dmdv_alarms_t *alarms, dmdv_database_t *db,
                                dmd_changepoints_limits_t limits,
                                void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx) {
  *alarms = (dmdv_alarms_t){.db = db, .limits = limits, .visit = visit, .visit_ctx = ctx};
  return find(alarms);
}

bool dmdv_alarms_find_of_build(dmdv_alarms_t *alarms, dmdv_database_t *db,
                               dmd_changepoints_limits_t limits, const char *build) {
  *alarms = (dmdv_alarms_t){.db = db, .limits = limits, .of_build = build};
  return find(alarms);
}

void dmdv_alarms_destroy(dmdv_alarms_t *alarms) {
  dmdv_setsums_destroy(&alarms->sums);
  dmd_pool_destroy(&alarms->pool);
  dmd_intern_destroy(&alarms->texts);
}

/* ---- Records. ---- */

/* Whether both alarms compare the same builds. */
static bool has_same_builds(const dmdv_alarm_t *a, const dmdv_alarm_t *b) {
  bool same = a->n_near == b->n_near && a->environment == b->environment &&
              strcmp(a->alarm.moment, b->alarm.moment) == 0 && strcmp(a->process, b->process) == 0;
  for (uint32_t i = 0; i < a->n_near && same; i++)
    same = a->without[i] == b->without[i] && a->with[i] == b->with[i];
  return same;
}

/* Sums what the builds after the change held more than those before it. */
static bool find_difference(dmdv_alarms_t *alarms, const dmdv_alarm_t *alarm) {
  const dmd_alarm_t *told = &alarm->alarm;
  dmdv_setsums_t *sums = &alarms->sums;
  bool good = true;
  if (alarms->differs != NULL && has_same_builds(alarms->differs, alarm))
    return true;
  dmdv_setsums_begin(sums);
  for (uint32_t i = 0; i < alarm->n_near && good; i++)
    good =
        dmdv_setsums_add(sums, alarm->without[i], told->moment, alarm->environment, alarm->process,
                         -1) &&
        dmdv_setsums_add(sums, alarm->with[i], told->moment, alarm->environment, alarm->process, 1);
  good = good && dmdv_setsums_add_up(sums);
  alarms->differs = good ? alarm : NULL;
  return good;
}

typedef struct {
  int64_t stack, bytes;
} change_t;

/* The records to report: those with the largest changes in the alarm's direction come first. */
typedef struct {
  change_t changes[DMDV_ALARM_RECORDS];
  uint32_t n;
  bool up;
} chosen_t;

/* If changes are equally large, the stack that entered the history first goes first. */
static bool is_before(const chosen_t *chosen, change_t a, change_t b) {
  if (a.bytes == b.bytes)
    return a.stack < b.stack;
  return chosen->up ? a.bytes > b.bytes : a.bytes < b.bytes;
}

static void choose(chosen_t *chosen, change_t change) {
  uint32_t i = chosen->n;
  if (chosen->up ? change.bytes <= 0 : change.bytes >= 0)
    return;
  chosen->n += i < DMDV_ALARM_RECORDS;
  for (; i > 0 && is_before(chosen, change, chosen->changes[i - 1]); i--)
    if (i < DMDV_ALARM_RECORDS)
      chosen->changes[i] = chosen->changes[i - 1];
  if (i < DMDV_ALARM_RECORDS)
    chosen->changes[i] = change;
}

/* The sections of a stack are added up, so that bytes that only moved to another section do not
 * count. For an alarm about one section, only that section counts. */
static void choose_relevant(chosen_t *chosen, const dmdv_setsums_t *sums,
                            const dmdv_alarm_t *alarm) {
  static const int sections[DMD_N_FIGURES] = {[DMD_METRIC_UNREPORTED] = DMD_SECTION_UNREPORTED + 1,
                                              [DMD_METRIC_ONCE] = DMD_SECTION_ONCE + 1,
                                              [DMD_METRIC_TWICE] = DMD_SECTION_TWICE + 1,
                                              [DMD_METRIC_EXCESS] = DMD_SECTION_TWICE + 1};
  int section = sections[alarm->alarm.kind] - 1;
  for (uint32_t i = 0; i < dmdv_setsums_count(sums); i++) {
    const dmdv_setsum_t *sum = dmdv_setsums_at(sums, i);
    uint64_t bytes = 0;
    for (int k = 0; k < DMD_RECORDSET_SECTIONS; k++)
      if (section < 0 || k == section)
        bytes += (uint64_t)sum->bytes[k];
    choose(chosen, (change_t){sum->stack, (int64_t)bytes / (int64_t)alarm->n_near});
  }
}

static bool visit_stack(dmdv_database_t *db, change_t change,
                        void (*visit)(void *ctx, const char *frames, int64_t delta), void *ctx) {
  dmdv_sql_step_t step;
  dmdv_sql_start(db, DMDV_SQL_STACK_FRAMES);
  dmdv_sql_int(db, change.stack);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    visit(ctx, dmdv_sql_column_text(db, 0), change.bytes);
  return step == DMDV_SQL_DONE;
}

bool dmdv_alarm_records(dmdv_alarms_t *alarms, const dmdv_alarm_t *alarm,
                        void (*visit)(void *ctx, const char *frames, int64_t delta), void *ctx) {
  chosen_t chosen = {.up = alarm->alarm.step.after > alarm->alarm.step.before};
  bool good = find_difference(alarms, alarm);
  if (good)
    choose_relevant(&chosen, &alarms->sums, alarm);
  for (uint32_t i = 0; good && i < chosen.n; i++)
    good = visit_stack(alarms->db, chosen.changes[i], visit, ctx);
  return good;
}

bool dmdv_alarm_acknowledge(dmdv_database_t *db, const dmdv_alarm_t *alarm, const char *reason) {
  start_of(db, DMDV_SQL_SET_ALARM, alarm);
  dmdv_sql_text(db, "acknowledged");
  dmdv_sql_text(db, reason);
  return dmdv_sql_run(db);
}
