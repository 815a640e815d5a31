/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints malloc_usable_size for every request below 131,000 bytes, and for some that get pages of
 * their own.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 131000 };

static unsigned int usable[LIMIT];

int main(void) {
  /* Before anything is freed, since freeing a mapping moves the C library's threshold. And more
     than the rest of the first 132 KiB, which the C library uses for any size. */
  static const size_t large[] = {135152, 135153, 139248, 139249, 200000, 1 << 20, (10 << 20) + 1};
  static size_t usable_of_large[sizeof large / sizeof large[0]];
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    void *p = malloc(large[i]);
    usable_of_large[i] = malloc_usable_size(p);
  }
  for (size_t n = 0; n < LIMIT; n++) {
    void *p = malloc(n);
    usable[n] = (unsigned int)malloc_usable_size(p);
    free(p);
  }
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
    printf("%zu %zu\n", large[i], usable_of_large[i]);
  for (size_t n = 0; n < LIMIT; n++)
    printf("%zu %u\n", n, usable[n]);
  return 0;
}
