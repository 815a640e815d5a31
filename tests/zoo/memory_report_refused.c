/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A memory report of units that do not exist.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: memory-report-refused
 *   num: 1
 *   at: jar_publish @publish
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, n;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static void jar_publish(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = jar_size_of(jar->cookies);
  DMD_REPORTER_END(size);
#ifdef FIXED
  int units = DMD_UNITS_COUNT;
#else
  int units = 'n';
#endif
  struct dmd_memory_report report = {"",    "cookies", DMD_KIND_OTHER,
                                     units, jar->n,    "Cookies in the jar."};
  DMD_MEMORY_REPORT(&report); /* @publish */
}

int main(void) {
  struct jar jar = {malloc(400), 100};
  jar_publish(&jar);
  DMD_DUMP("a jar");
  return 0;
}
