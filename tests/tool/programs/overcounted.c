/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A cache whose entries share one name, which its reporter measures once for each entry: it
 * publishes 5,040,008 bytes, and has 41,008.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(size_of)

enum { ENTRIES = 5000 };

static char **names;

static size_t measure(void) {
  DMD_REPORTER_BEGIN("explicit/cache");
  size_t n = size_of(names);
  for (int i = 0; i < ENTRIES; i++)
    n += size_of(names[i]);
  DMD_REPORTER_END(n);
  return n;
}

int main(void) {
  char *name = malloc(1000);
  names = calloc(ENTRIES, sizeof *names);
  for (int i = 0; i < ENTRIES; i++)
    names[i] = name;
  size_t published = measure();
  DMD_DUMP("loaded");
  return published == 5040008 ? 0 : 1;
}
