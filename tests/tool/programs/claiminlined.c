/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions that say sizes: one that is inlined wherever it is called, one that is inlined at one
 * of two calls, and one with a result of 16 and of 32 bits.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct jar {
  char *label;
  size_t n;
};

static inline __attribute__((always_inline)) size_t size_inlined(const struct jar *jar) {
  size_t szB = sizeof *jar;
  for (size_t i = 0; i < jar->n; i++)
    szB += jar->label[i] == 'x';
  return szB;
}

static inline __attribute__((always_inline)) size_t size_at(const struct jar *jar) {
  return sizeof *jar + jar->n;
}

/* Its address is taken, so that it is also a function. */
static inline __attribute__((always_inline)) size_t size_partly(const struct jar *jar) {
  size_t szB = sizeof *jar;
  for (size_t i = 0; i < jar->n; i++)
    szB += jar->label[i] != 0;
  return szB;
}

__attribute__((noipa)) size_t asked_through_pointer(size_t (*size)(const struct jar *),
                                                    const struct jar *jar) {
  return size(jar);
}

__attribute__((noipa)) uint16_t size_narrow(const struct jar *jar) {
  return (uint16_t)(sizeof *jar + jar->n);
}

/* The upper half of the register holds something else. */
__attribute__((noipa)) unsigned size_with_rest(const struct jar *jar) {
  uint64_t szB = sizeof *jar + jar->n;
#ifdef __x86_64__
  __asm__("movabsq $0x123400000000, %%rcx; orq %%rcx, %0" : "+r"(szB) : : "rcx", "cc");
#endif
  return (unsigned)szB;
}

static struct jar *jars[12];

int main(void) {
  size_t all = 0;
  for (size_t i = 0; i < 12; i++) {
    jars[i] = malloc(sizeof *jars[i]);
    jars[i]->n = i % 2 ? 10 + i : 66000 + i;
    jars[i]->label = malloc(jars[i]->n);
    for (size_t k = 0; k < jars[i]->n; k++)
      jars[i]->label[k] = 'x';
  }
  for (size_t i = 0; i < 12; i++) {
    all += size_inlined(jars[i]) + size_at(jars[i]) + size_partly(jars[i]);
    all += asked_through_pointer(size_partly, jars[i]);
    all += size_narrow(jars[i]) + size_with_rest(jars[i]);
  }
  printf("%zu\n", all);
  return 0;
}
