/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/timekeeper.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"

void dmd_timekeeper_init(dmd_timekeeper_t *keeper, const dmd_env_t *env, dmd_clock_t clock,
                         dmd_clock_t instructions, dmd_resident_t resident, bool is_on) {
  *keeper = (dmd_timekeeper_t){.env = env,
                               .clock = clock,
                               .instructions = instructions,
                               .resident = resident,
                               .is_on = is_on && clock.now != NULL,
                               .spacing_ms = 1};
}

static void forget_marks(dmd_timekeeper_t *keeper) {
  for (uint32_t i = 0; i < keeper->n_marks; i++)
    dmd_env_free(keeper->env, keeper->marks[i].text);
  keeper->n_marks = 0;
}

void dmd_timekeeper_destroy(dmd_timekeeper_t *keeper) {
  forget_marks(keeper);
  dmd_env_free(keeper->env, keeper->marks);
  dmd_env_free(keeper->env, keeper->points);
}

static void set_time(dmd_timekeeper_t *keeper, dmd_timepoint_t *point) {
  uint64_t now = keeper->clock.now(keeper->clock.ctx);
  if (now > keeper->last_ms)
    keeper->last_ms = now;
  if (keeper->instructions.now != NULL)
    keeper->last_instructions = keeper->instructions.now(keeper->instructions.ctx);
  dmd_timekeeper_set_last(keeper, point);
}

static uint64_t read_resident(dmd_timekeeper_t *keeper) {
  uint64_t szB = keeper->resident.now == NULL ? DMD_MEMORY_UNKNOWN
                                              : keeper->resident.now(keeper->resident.ctx);
  if (szB != DMD_MEMORY_UNKNOWN && szB > keeper->most_resident_szB)
    keeper->most_resident_szB = szB;
  return szB;
}

static bool is_in_slot_of(const dmd_timekeeper_t *keeper, const dmd_timepoint_t *point,
                          uint64_t ms) {
  return point->ms / keeper->spacing_ms == ms / keeper->spacing_ms;
}

/* Adds a point, or makes the last one the larger of the two if both are in one slot. Either way the
 * smallest heap of the slot is that of both. */
static void add(dmd_timekeeper_t *keeper, const dmd_timepoint_t *point) {
  dmd_timepoint_t *last = keeper->points + keeper->n_points - 1;
  if (keeper->n_points == 0 || !is_in_slot_of(keeper, last, point->ms)) {
    keeper->points[keeper->n_points++] = *point;
  } else {
    uint64_t least = point->least_szB < last->least_szB ? point->least_szB : last->least_szB;
    if (point->szB >= last->szB)
      *last = *point;
    last->least_szB = least;
  }
}

/* Doubles the slots until a quarter of the points is gone. */
static void thin_out(dmd_timekeeper_t *keeper) {
  while (keeper->n_points > DMD_MAX_TIMEPOINTS / 4 * 3) {
    uint32_t n = keeper->n_points;
    keeper->n_points = 0;
    keeper->spacing_ms *= 2;
    for (uint32_t i = 0; i < n; i++) {
      dmd_timepoint_t point = keeper->points[i];
      add(keeper, &point);
    }
  }
}

void dmd_timekeeper_add(dmd_timekeeper_t *keeper, dmd_timepoint_t point) {
  if (!keeper->is_on)
    return;
  if (keeper->points == NULL)
    keeper->points =
        dmd_env_alloc(keeper->env, "dmd.timekeeper", DMD_MAX_TIMEPOINTS * sizeof *keeper->points);
  set_time(keeper, &point);
  const dmd_timepoint_t *last = keeper->points + keeper->n_points - 1;
  bool is_new_slot = keeper->n_points == 0 || !is_in_slot_of(keeper, last, point.ms);
  point.resident_szB = is_new_slot ? read_resident(keeper) : last->resident_szB;
  add(keeper, &point);
  if (keeper->n_points == DMD_MAX_TIMEPOINTS)
    thin_out(keeper);
  uint64_t next_ms = (point.ms / keeper->spacing_ms + 1) * keeper->spacing_ms;
  __atomic_store_n(&keeper->next_ms, next_ms, __ATOMIC_RELAXED);
}

/* ---- Marks. ---- */

static char *copy_of(const dmd_env_t *env, const char *text) {
  if (text == NULL)
    return NULL;
  size_t n = dmd_str_length(text) + 1;
  char *copy = dmd_env_alloc(env, "dmd.timekeeper", n);
  dmd_mem_copy(copy, text, n);
  return copy;
}

static void drop_every_other_mark(dmd_timekeeper_t *keeper) {
  for (uint32_t i = 0; i < keeper->n_marks; i++)
    if (i % 2 == 0)
      keeper->marks[i / 2] = keeper->marks[i];
    else
      dmd_env_free(keeper->env, keeper->marks[i].text);
  keeper->n_marks = (keeper->n_marks + 1) / 2;
}

void dmd_timekeeper_mark(dmd_timekeeper_t *keeper, dmd_timepoint_t point, const char *text,
                         uint64_t dump) {
  if (!keeper->is_on)
    return;
  if (keeper->marks == NULL)
    keeper->marks =
        dmd_env_alloc(keeper->env, "dmd.timekeeper", DMD_MAX_TIMEMARKS * sizeof *keeper->marks);
  if (keeper->n_marks == DMD_MAX_TIMEMARKS)
    drop_every_other_mark(keeper);
  set_time(keeper, &point);
  point.resident_szB = read_resident(keeper);
  keeper->marks[keeper->n_marks++] =
      (dmd_kept_mark_t){.mark = {.at = point, .dump = dump}, .text = copy_of(keeper->env, text)};
}

void dmd_timekeeper_restart(dmd_timekeeper_t *keeper) {
  forget_marks(keeper);
  keeper->n_points = 0;
  keeper->spacing_ms = 1;
  keeper->next_ms = 0;
  keeper->most_resident_szB = 0;
  keeper->is_forked = true;
}

/* ---- The profile's. ---- */

dmd_timepoint_t dmd_timepoint_in_blocks(dmd_timepoint_t point, uint64_t unit) {
  point.n_blocks = (point.n_blocks + unit / 2) / unit;
  return point;
}

void dmd_timekeeper_tell(const dmd_timekeeper_t *keeper, dmd_timepoint_t now, uint64_t unit,
                         dmd_profile_t *profile) {
  dmd_timeline_t *to = &profile->timeline;
  if (!keeper->is_on)
    return;
  to->spacing_ms = keeper->spacing_ms;
  to->is_forked = keeper->is_forked;
  to->counts_instructions = keeper->instructions.now != NULL;
  for (uint32_t i = 0; i < keeper->n_points; i++) {
    dmd_timepoint_t point = dmd_timepoint_in_blocks(keeper->points[i], unit);
    dmd_timeline_add_point(to, &point);
  }
  now = dmd_timepoint_in_blocks(now, unit);
  dmd_timekeeper_set_last(keeper, &now);
  dmd_timeline_add_point(to, &now);
  for (uint32_t i = 0; i < keeper->n_marks; i++) {
    const dmd_kept_mark_t *kept = &keeper->marks[i];
    dmd_timemark_t mark = kept->mark;
    mark.at = dmd_timepoint_in_blocks(mark.at, unit);
    mark.text = kept->text == NULL ? DMD_NONE : dmd_intern_text(&profile->names, kept->text);
    dmd_timeline_add_mark(to, &mark);
  }
}
