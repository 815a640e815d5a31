/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/time/growth.h"

enum { BLOCKS = 12, QUARTERS = 4, IN_QUARTER = BLOCKS / QUARTERS, LEAST_MS = 10000 };

/* Of the variance of the blocks, the part that a line explains; of the average step from quarter to
 * quarter, the part that each has; of the heap, the part by which it grows. */
#define LEAST_EXPLAINED 0.9
#define LEAST_STEP 0.6
#define LEAST_GROWTH 0.04

typedef struct {
  double low[BLOCKS], high[BLOCKS]; /* averages of the points below and above the average */
} window_t;

static double average_of(const dmd_timeline_t *timeline, uint32_t from, uint32_t end, double least,
                         double most) {
  double sum = 0;
  uint32_t n = 0;
  for (uint32_t id = from; id < end; id++) {
    double szB = (double)dmd_timeline_point(timeline, id)->szB;
    if (szB < least || szB > most)
      continue;
    sum += szB;
    n++;
  }
  return n == 0 ? 0 : sum / n;
}

/* The points of a block are from the id on, before the end. A block without points is as the one
 * before. */
static void fill_block(window_t *w, int i, const dmd_timeline_t *timeline, uint32_t from,
                       uint32_t end) {
  if (from == end) {
    w->low[i] = w->high[i] = i == 0 ? 0 : (w->low[i - 1] + w->high[i - 1]) / 2;
    return;
  }
  double average = average_of(timeline, from, end, 0, 1e300);
  w->low[i] = average_of(timeline, from, end, 0, average);
  w->high[i] = average_of(timeline, from, end, average, 1e300);
}

/* Returns false if blocks have no points. */
static bool fill_window(window_t *w, const dmd_timeline_t *timeline, uint64_t from_ms,
                        uint64_t to_ms) {
  uint32_t id = 1, end = timeline->points.last, n_empty = 0;
  while (id < end && dmd_timeline_point(timeline, id)->ms < from_ms)
    id++;
  for (int i = 0; i < BLOCKS; i++) {
    uint64_t end_ms = from_ms + (to_ms - from_ms) * (uint64_t)(i + 1) / BLOCKS;
    uint32_t from = id;
    while (id < end && (dmd_timeline_point(timeline, id)->ms < end_ms || i == BLOCKS - 1))
      id++;
    fill_block(w, i, timeline, from, id);
    n_empty += from == id;
  }
  return n_empty <= 1;
}

/* The slope of the line through the blocks, by block. False if they are not close to one. */
static bool fit_line(const double *y, double *slope) {
  double mean_x = (BLOCKS - 1) / 2.0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (int i = 0; i < BLOCKS; i++)
    mean_y += y[i] / BLOCKS;
  for (int i = 0; i < BLOCKS; i++) {
    xx += (i - mean_x) * (i - mean_x);
    xy += (i - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  *slope = xy / xx;
  return xy > 0 && xy * xy >= LEAST_EXPLAINED * xx * yy;
}

static bool grows_in_all_quarters(const double *y) {
  double quarter[QUARTERS] = {0};
  for (int i = 0; i < BLOCKS; i++)
    quarter[i / IN_QUARTER] += y[i];
  double average = (quarter[QUARTERS - 1] - quarter[0]) / (QUARTERS - 1);
  for (int i = 1; i < QUARTERS; i++)
    if (quarter[i] - quarter[i - 1] < LEAST_STEP * average)
      return false;
  return average > 0;
}

static bool grows(const window_t *w, double *slope) {
  double low, high;
  if (!fit_line(w->low, &low) || !fit_line(w->high, &high) || !grows_in_all_quarters(w->low) ||
      !grows_in_all_quarters(w->high))
    return false;
  *slope = (low + high) / 2;
  return *slope * BLOCKS >= LEAST_GROWTH * w->high[BLOCKS - 1];
}

/* Windows begin at each 1/16 of the time, up to 12/16. */
enum { STARTS = 16, WINDOWS = 12 };

static bool grows_from(const dmd_timeline_t *timeline, uint64_t start, dmd_growth_t *growth) {
  uint64_t first_ms = dmd_timeline_point(timeline, 1)->ms,
           to_ms = dmd_timeline_point(timeline, timeline->points.last - 1)->ms,
           from_ms = first_ms + (to_ms - first_ms) * start / STARTS;
  window_t w;
  double slope;
  if (to_ms - from_ms < LEAST_MS || !fill_window(&w, timeline, from_ms, to_ms) ||
      !grows(&w, &slope))
    return false;
  *growth =
      (dmd_growth_t){.from_ms = from_ms,
                     .to_ms = to_ms,
                     .szB_per_s = (uint64_t)(slope * BLOCKS * 1000 / (double)(to_ms - from_ms))};
  return growth->szB_per_s > 0;
}

/* A window may begin a little before the growth does: then a shorter one grows faster. */
bool dmd_growth_find(const dmd_timeline_t *timeline, dmd_growth_t *growth) {
  if (timeline->points.last < BLOCKS)
    return false;
  uint64_t start = 0;
  while (start <= WINDOWS && !grows_from(timeline, start, growth))
    start++;
  if (start > WINDOWS)
    return false;
  dmd_growth_t later;
  while (++start <= WINDOWS && grows_from(timeline, start, &later) &&
         later.szB_per_s > growth->szB_per_s + growth->szB_per_s / 64)
    *growth = later;
  return true;
}
