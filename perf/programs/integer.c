/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * integer: no allocation at all, integer arithmetic in loops with branches: the primes below
 * 200,000 by a sieve, which a core's own cache holds, and a hash over the result.
 */
#include <stdint.h>
#include <stdio.h>

enum { LIMIT = 200000, ROUNDS = 1000 };

static unsigned char g_composite[LIMIT];

static size_t sieve(void) {
  size_t n = 0;
  for (size_t i = 0; i < LIMIT; i++)
    g_composite[i] = 0;
  for (size_t i = 2; i < LIMIT; i++)
    if (!g_composite[i]) {
      n++;
      for (size_t k = i * 2; k < LIMIT; k += i)
        g_composite[k] = 1;
    }
  return n;
}

int main(void) {
  uint64_t hash = 14695981039346656037u;
  size_t n = 0;
  for (int round = 0; round < ROUNDS; round++) {
    n = sieve();
    for (size_t i = 0; i < LIMIT; i++)
      hash = (hash ^ g_composite[i]) * 1099511628211u;
  }
  printf("%zu primes, %llx\n", n, (unsigned long long)hash);
  return 0;
}
