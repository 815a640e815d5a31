/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * random.h: numbers that look random and are the same in each run (xorshift, Marsaglia).
 */
#ifndef PERF_PROGRAMS_RANDOM_H
#define PERF_PROGRAMS_RANDOM_H

#include <stdint.h>

static uint32_t g_random = 1;

static uint32_t next_random(void) {
  g_random ^= g_random << 13;
  g_random ^= g_random >> 17;
  g_random ^= g_random << 5;
  return g_random;
}

#endif
