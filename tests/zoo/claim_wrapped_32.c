/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that adds up in 32 bits.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/film
 *   claimed: 705033176
 *   measured: 5000000472
 *   bytes: 4294967296
 *   reason: wrapped-32
 *   at: film_measure @end
 *   text: Likely reason: the claim went through an integer of 32 bits, and lost the rest
 */
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(film_size_of)

#ifdef FIXED
typedef size_t total_t;
#else
typedef uint32_t total_t;
#endif

static void film_measure(void *pictures, void *sound) {
  DMD_REPORTER_BEGIN("explicit/film");
  total_t size = (total_t)film_size_of(pictures);
  size += (total_t)film_size_of(sound);
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *pictures = malloc(4999999464), *sound = malloc(1000);
  film_measure(pictures, sound);
  DMD_DUMP("a film");
  return 0;
}
