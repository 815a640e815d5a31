/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * 20,000 blocks, each with a pointer to one that is drawn by lot. So the profile is small, and the
 * heap graph is large: what is drawn does not compress.
 */
#include <stdlib.h>

enum { BLOCKS = 20000 };

int main(void) {
  static void **all[BLOCKS];
  unsigned lot = 1;
  for (int i = 0; i < BLOCKS; i++) {
    lot = lot * 1103515245u + 12345u;
    all[i] = malloc(sizeof(void *));
    *all[i] = all[(lot >> 8) % (unsigned)(i + 1)];
  }
  return 0;
}
