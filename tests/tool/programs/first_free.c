/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first events of the program are mistakes: frees of addresses that are not blocks, before any
 * block was ever allocated.
 *
 * Flags: -Wno-free-nonheap-object
 */
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  for (uintptr_t addr = 1; addr <= 4; addr++)
    free((void *)addr);
  return 0;
}
