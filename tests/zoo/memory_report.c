/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A memory report that publishes another value than the reporter of its path measured: half of it.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: memory-report
 *   num: 1
 *   reporter: explicit/jar
 *   claimed: 408
 *   measured: 800
 *   bytes: 392
 *   at: jar_publish @publish
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, *labels;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static void jar_publish(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t cookies = jar_size_of(jar->cookies), labels = jar_size_of(jar->labels);
  DMD_REPORTER_END(cookies + labels);
#ifdef FIXED
  size_t amount = cookies + labels;
#else
  size_t amount = cookies;
#endif
  struct dmd_memory_report report = {
      "", "explicit/jar", DMD_KIND_HEAP, DMD_UNITS_BYTES, (long long)amount, "The jar."};
  DMD_MEMORY_REPORT(&report); /* @publish */
}

int main(void) {
  struct jar jar = {malloc(400), malloc(392)};
  jar_publish(&jar);
  DMD_DUMP("a jar");
  return 0;
}
