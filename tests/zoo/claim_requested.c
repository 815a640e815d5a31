/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter adds up the sizes that it requested, which are less than what malloc gave.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/names
 *   claimed: 1000
 *   measured: 1040
 *   bytes: 40
 *   reason: requested
 *   text: 1,000 bytes claimed, 1,040 bytes measured: 40 bytes too few
 *   text: Likely reason: the claim is what was requested of the allocator, without slop
 *   at: names_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { N_NAMES = 10, LENGTH = 100 };

DMD_MALLOC_SIZE_OF_FN(names_size_of)

static void names_measure(char *const names[]) {
  DMD_REPORTER_BEGIN("explicit/names");
  size_t size = 0;
  for (int i = 0; i < N_NAMES; i++) {
#ifdef FIXED
    size += names_size_of(names[i]);
#else
    names_size_of(names[i]);
    size += LENGTH;
#endif
  }
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  char *names[N_NAMES];
  for (int i = 0; i < N_NAMES; i++)
    names[i] = malloc(LENGTH);
  names_measure(names);
  DMD_DUMP("names");
  return 0;
}
