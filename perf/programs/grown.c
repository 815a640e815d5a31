/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * grown: a library that is preloaded into a program and makes its heap larger by $GROWN_BYTES, in
 * blocks that grown_by_a_change asks for. $GROWN_IN names the one program that it is for, as the
 * kernel does: what that starts is left alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1000 };

void **g_grown;

static __attribute__((noinline)) void grown_by_a_change(size_t n) {
  g_grown = malloc((n / BLOCK + 1) * sizeof *g_grown);
  for (size_t i = 0; i <= n / BLOCK && g_grown != NULL; i++)
    g_grown[i] = malloc(i < n / BLOCK ? BLOCK - 8 - sizeof *g_grown : n % BLOCK);
}

__attribute__((constructor)) static void begin(void) {
  const char *bytes = getenv("GROWN_BYTES"), *in = getenv("GROWN_IN");
  if (bytes != NULL && (in == NULL || strcmp(in, program_invocation_short_name) == 0))
    grown_by_a_change(strtoul(bytes, NULL, 10));
}
