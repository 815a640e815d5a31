/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mem.h: memory and string functions for the core, without a libc header.
 *
 * Copy and fill use the compiler's built-ins (both hosts provide the functions that these may
 * call); compare and length are loops, since a tool's host provides neither.
 */
#ifndef DMD_BASE_MEM_H
#define DMD_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void dmd_mem_copy(void *to, const void *from, size_t n) {
  if (n > 0)
    __builtin_memcpy(to, from, n);
}

static inline void dmd_mem_fill(void *p, unsigned char byte, size_t n) {
  __builtin_memset(p, byte, n);
}

static inline void dmd_mem_zero(void *p, size_t n) {
  dmd_mem_fill(p, 0, n);
}

static inline bool dmd_mem_equal(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (size_t i = 0; i < n; i++)
    if (x[i] != y[i])
      return false;
  return true;
}

/* The compiler knows a literal's length; a loop would hide it from the copy that follows. */
static inline size_t dmd_str_length(const char *s) {
  if (__builtin_constant_p(__builtin_strlen(s)))
    return __builtin_strlen(s);
  size_t n = 0;
  while (s[n] != '\0')
    n++;
  return n;
}

static inline bool dmd_str_equal(const char *a, const char *b) {
  while (*a != '\0' && *a == *b)
    a++, b++;
  return *a == *b;
}

/* Mixes a 64-bit value so that every bit of the result depends on every bit of x (the finalising
 * steps of the public-domain splitmix64 generator). Its values never change: anonymised names
 * contain them. */
static inline uint64_t dmd_hash_u64(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* A hash of n bytes, for tables in memory only: its value may differ between machines. Keys that
 * collide with one seed do not with another. */
static inline uint64_t dmd_hash_bytes(uint64_t seed, const void *p, size_t n) {
  const unsigned char *b = p;
  uint64_t h = seed ^ n;
  for (; n >= 8; b += 8, n -= 8) {
    uint64_t word;
    __builtin_memcpy(&word, b, 8);
    h = dmd_hash_u64(h ^ word);
  }
  uint64_t tail = 0;
  for (size_t i = 0; i < n; i++)
    tail = tail << 8 | b[i];
  return dmd_hash_u64(h ^ tail);
}

#endif
