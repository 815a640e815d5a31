/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/time/growth.h"

enum { SPANS = 12, QUARTERS = 4, IN_QUARTER = SPANS / QUARTERS, FINE = 48, LEAST_MS = 10000 };

/* ---- Series of bytes over time. ---- */

/* The points or, by one stack, the breakdowns; without the dump. */
typedef struct {
  const dmd_timeline_t *timeline;
  bool is_of_stack;
  uint32_t stack; /* its place */
  uint32_t n;
} series_t;

static series_t of_heap(const dmd_timeline_t *timeline) {
  uint32_t n = timeline->points.last;
  return (series_t){.timeline = timeline, .n = n > 0 ? n - 1 : 0};
}

static series_t of_stack(const dmd_timeline_t *timeline, uint32_t stack) {
  uint32_t n = timeline->n_breakdowns;
  return (series_t){
      .timeline = timeline, .is_of_stack = true, .stack = stack, .n = n > 0 ? n - 1 : 0};
}

static const dmd_timepoint_t *at(const series_t *s, uint32_t i) {
  return s->is_of_stack ? &s->timeline->breakdowns[i].at : dmd_timeline_point(s->timeline, i + 1);
}

static double least_of(const series_t *s, uint32_t i) {
  return (double)(s->is_of_stack ? s->timeline->breakdowns[i].stacks[s->stack]
                                 : at(s, i)->least_szB);
}

static double largest_heap(const series_t *s, uint64_t from_ms) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < s->n; i++)
    if (at(s, i)->ms >= from_ms && at(s, i)->szB > most)
      most = at(s, i)->szB;
  return (double)most;
}

/* ---- The spans of a window. ---- */

/* Sets the smallest of each span. An empty span is as the one before; false if the first one or
 * more than max_empty are. */
static bool fill(const series_t *s, uint64_t from_ms, uint64_t to_ms, uint32_t n,
                 uint32_t max_empty, double *low) {
  uint32_t next = 0, n_empty = 0;
  while (next < s->n && at(s, next)->ms < from_ms)
    next++;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t end_ms = from_ms + (uint64_t)((double)(to_ms - from_ms) * (i + 1) / n);
    uint32_t first = next;
    for (; next < s->n && (at(s, next)->ms < end_ms || i == n - 1); next++)
      if (next == first || least_of(s, next) < low[i])
        low[i] = least_of(s, next);
    if (next > first)
      continue;
    if (i == 0 || ++n_empty > max_empty)
      return false;
    low[i] = low[i - 1];
  }
  return true;
}

/* The line through values, and the part of their variance that it explains. */
typedef struct {
  double middle, slope, explained;
} line_t;

static line_t fit(const double *y, uint32_t n) {
  double mean_x = (n - 1) / 2.0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (uint32_t i = 0; i < n; i++)
    mean_y += y[i] / n;
  for (uint32_t i = 0; i < n; i++) {
    xx += (i - mean_x) * (i - mean_x);
    xy += (i - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return (line_t){
      .middle = mean_y, .slope = xy / xx, .explained = yy > 0 ? xy * xy / (xx * yy) : 0};
}

/* The smallest step from one value to the next, as a part of the average step. */
static double least_step(const double *y, uint32_t n) {
  double average = (y[n - 1] - y[0]) / (n - 1), least = y[1] - y[0];
  for (uint32_t i = 2; i < n; i++)
    if (y[i] - y[i - 1] < least)
      least = y[i] - y[i - 1];
  return average > 0 ? least / average : -1;
}

static double least_quarter(const double *y) {
  double quarters[QUARTERS] = {0};
  for (uint32_t i = 0; i < SPANS; i++)
    quarters[i / IN_QUARTER] += y[i];
  return least_step(quarters, QUARTERS);
}

/* Von Neumann's ratio of the distances from a line: 2 if each is independent of the one before,
 * close to 0 for a random walk. */
static double independence_of(const double *y, uint32_t n) {
  line_t line = fit(y, n);
  double before = 0, steps = 0, all = 0;
  for (uint32_t i = 0; i < n; i++) {
    double distance = y[i] - line.middle - line.slope * (i - (n - 1) / 2.0);
    steps += i > 0 ? (distance - before) * (distance - before) : 0;
    all += distance * distance;
    before = distance;
  }
  return all > 0 ? steps / all : 0;
}

/* ---- What is steady. ----
 *
 * tests/unit/analyse/time/test_growth counts how often random walks pass, and how often leaks do.
 */

static bool is_exact(const double *y, const line_t *line) {
  return line->slope > 0 && line->explained >= 0.97 && least_quarter(y) >= 0.7 &&
         least_step(y, SPANS) >= 0.4;
}

static bool is_hidden(const series_t *s, const double *y, const line_t *line, uint64_t from_ms,
                      uint64_t to_ms) {
  double low[FINE];
  return !s->is_of_stack && line->slope > 0 && line->explained >= 0.8 && least_quarter(y) >= 0.3 &&
         fill(s, from_ms, to_ms, FINE, FINE / 8, low) && independence_of(low, FINE) >= 1.2;
}

/* A series must grow by at least this part of itself, and of the whole heap. */
#define LEAST_GROWTH 0.04
#define LEAST_OF_HEAP 0.01

/* The growth of a series. */
typedef struct {
  uint64_t from_ms, to_ms;
  double szB_per_s;
  bool is_exact;
} found_t;

/* Windows begin at each 1/16 of the time, up to 12/16. */
enum { STARTS = 16, WINDOWS = 12 };

static bool grows_from(const series_t *s, uint64_t start, found_t *found) {
  uint64_t first_ms = at(s, 0)->ms, to_ms = at(s, s->n - 1)->ms,
           from_ms = first_ms + (to_ms - first_ms) / STARTS * start;
  double y[SPANS];
  if (to_ms - from_ms < LEAST_MS || !fill(s, from_ms, to_ms, SPANS, 1, y))
    return false;
  line_t line = fit(y, SPANS);
  double heap = largest_heap(s, from_ms), all = line.slope * SPANS;
  if (all < LEAST_GROWTH * (s->is_of_stack ? y[SPANS - 1] : heap) || all < LEAST_OF_HEAP * heap)
    return false;
  *found = (found_t){.from_ms = from_ms,
                     .to_ms = to_ms,
                     .szB_per_s = all * 1000 / (double)(to_ms - from_ms),
                     .is_exact = is_exact(y, &line)};
  return found->szB_per_s >= 1 && (found->is_exact || is_hidden(s, y, &line, from_ms, to_ms));
}

/* A window may begin a little before the growth does: then a shorter one grows faster. */
static bool find(const series_t *s, found_t *found) {
  if (s->n < SPANS)
    return false;
  uint64_t start = 0;
  while (start <= WINDOWS && !grows_from(s, start, found))
    start++;
  if (start > WINDOWS)
    return false;
  found_t later;
  while (++start <= WINDOWS && grows_from(s, start, &later) && later.is_exact >= found->is_exact &&
         later.szB_per_s > found->szB_per_s + found->szB_per_s / 64)
    *found = later;
  return true;
}

/* Adds up the stacks that grow. Returns the one that grows most in *most; false if none does. */
static bool find_stacks(const dmd_timeline_t *timeline, found_t *most, uint32_t *stack,
                        double *szB_per_s) {
  bool is_found = false;
  *szB_per_s = 0;
  for (uint32_t i = 0; i < timeline->stacks.last; i++) {
    series_t series = of_stack(timeline, i);
    found_t found;
    if (!find(&series, &found))
      continue;
    *szB_per_s += found.szB_per_s;
    if (!is_found || found.szB_per_s > most->szB_per_s) {
      *most = found;
      *stack = *dmd_timeline_stack(timeline, i);
    }
    is_found = true;
  }
  return is_found;
}

bool dmd_growth_find(const dmd_timeline_t *timeline, dmd_growth_t *growth) {
  series_t series = of_heap(timeline);
  found_t heap = {0}, of_stack = {0};
  double of_stacks;
  uint32_t stack = DMD_NONE;
  bool is_found = find(&series, &heap);
  bool has_stack = find_stacks(timeline, &of_stack, &stack, &of_stacks);
  if (!is_found && !has_stack)
    return false;
  /* A line through large fluctuations is less exact than that of a stack. */
  if (has_stack && !heap.is_exact) {
    heap = of_stack;
    heap.szB_per_s = of_stacks;
  }
  double part = of_stack.szB_per_s < heap.szB_per_s ? of_stack.szB_per_s : heap.szB_per_s;
  *growth = (dmd_growth_t){.from_ms = heap.from_ms,
                           .to_ms = heap.to_ms,
                           .szB_per_s = (uint64_t)heap.szB_per_s,
                           .stack = stack,
                           .stack_szB_per_s = (uint64_t)part};
  return true;
}
