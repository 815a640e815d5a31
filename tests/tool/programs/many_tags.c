/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * More tags than have numbers of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep;

int main(void) {
  for (int i = 1; i <= 65550; i++) {
    char name[20];
    snprintf(name, sizeof name, "tag-%d", i);
    DMD_TAG_PUSH(name);
    if (i % 5000 == 0 || i >= 65530)
      keep = malloc(10);
    DMD_TAG_POP();
  }
  return 0;
}
