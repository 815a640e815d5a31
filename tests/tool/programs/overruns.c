/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes before and after its small blocks, like a program with a bug, and goes on.
 */
#include <stdlib.h>

enum { N = 1000 };

static void *volatile g_blocks[N];

static void overrun(void *block) {
  volatile unsigned char *p = block;
  for (int i = -64; i < 128; i++)
    p[i] = 0xff;
}

int main(void) {
  for (int i = 0; i < N; i++)
    g_blocks[i] = malloc(24);
  for (int i = 100; i < 900; i++)
    overrun(g_blocks[i]);
  for (int i = 0; i < N; i += 2)
    free(g_blocks[i]);
  for (int i = 0; i < N; i += 4)
    g_blocks[i] = malloc(40);
  return 0;
}
