/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first that the tool hears of a program is wrong: addresses that are no block's, when none was
 * ever allocated.
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
