/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/ttest.h"

/* Newton's method from above: each step decreases until no further number lies in between. */
double dmd_sqrt(double x) {
  if (x <= 0)
    return 0;
  double root = x > 1 ? x : 1, next = (root + x / root) / 2;
  while (next < root) {
    root = next;
    next = (root + x / root) / 2;
  }
  return root;
}

uint64_t dmd_standard_error(double variance) {
  return (uint64_t)(dmd_sqrt(variance) + 0.5);
}

/* With one degree of freedom, an upper bound for the probability above t. */
static double above_of_one(double t) {
  const double pi = 3.14159265358979323846;
  return pi * t > 2 ? 1 / (pi * t) : 0.5;
}

/* With cos^2 = n / (n + t^2), the inverse of the sine is 1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 + ...
 * For even n, the first n/2 terms times the sine are the probability within t on both sides
 * (Abramowitz and Stegun, 26.7.4). Far out that is so close to 1 that the difference would vanish,
 * so the remaining terms are added up instead. */
double dmd_ttest_above(uint32_t n, double t) {
  n -= n % 2;
  if (n == 0)
    return above_of_one(t);
  double cos2 = n / (n + t * t), sin = t / dmd_sqrt(n + t * t), term = 1, within = 0, beyond = 0;
  uint32_t k = 0;
  for (; k < n / 2; k++) {
    within += term;
    term *= cos2 * (2 * k + 1) / (2 * k + 2);
  }
  if (t < 1)
    return (1 - sin * within) / 2;
  for (; term > beyond * 1e-17; k++) {
    beyond += term;
    term *= cos2 * (2 * k + 1) / (2 * k + 2);
  }
  return sin * beyond / 2;
}

double dmd_ttest_bound(uint32_t n, double p) {
  double low = 0, high = 1;
  while (dmd_ttest_above(n, high) > p && high < 1e12)
    high *= 2;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (dmd_ttest_above(n, middle) > p)
      low = middle;
    else
      high = middle;
  }
  return high;
}

dmd_scatter_t dmd_scatter_of(const int64_t *values, size_t n) {
  /* Relative to the first value, so that equal values cause no rounding error. */
  double sum = 0, differences = 0;
  for (size_t i = 1; i < n; i++)
    differences += (double)values[i] - (double)values[0];
  dmd_scatter_t scatter = {.mean = (double)values[0] + differences / (double)n};
  for (size_t i = 0; i < n; i++) {
    double distance = (double)values[i] - scatter.mean;
    sum += distance * distance;
  }
  if (n > 1)
    scatter.deviation = dmd_sqrt(sum / (double)(n - 1));
  return scatter;
}
