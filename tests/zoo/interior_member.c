/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A member that is part of its structure's block is measured as if it had a block of its own.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-interior
 *   num: 1
 *   bytes: 56
 *   offset: 16
 *   text: 16 bytes into a block of 56 bytes
 *   size: 56
 *   reporter: explicit/jar/label
 *   at: jar_size_of @fn < label_measure @report
 *   allocatedAt: main @alloc
 *   otherReporter: explicit/jar
 *   reportedAt: jar_size_of @fn < jar_measure @owner
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

struct label {
  char *text;
  int colour;
};

struct jar {
  int *cookies;
  size_t n_cookies;
  struct label label;
  char maker[24];
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of) /* @fn */

static size_t label_measure(const struct label *label) {
  DMD_REPORTER_BEGIN("explicit/jar/label");
  size_t size = jar_size_of(label->text);
#ifndef FIXED
  size += jar_size_of(label); /* @report */
#endif
  DMD_REPORTER_END(size);
  return size;
}

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = jar_size_of(jar); /* @owner */
  size += jar_size_of(jar->cookies);
  size += label_measure(&jar->label);
  DMD_REPORTER_END(size);
}

int main(void) {
  struct jar *jar = malloc(sizeof *jar); /* @alloc */
  jar->cookies = malloc(400);
  jar->label.text = malloc(40);
  jar_measure(jar);
  DMD_DUMP("a jar with a label");
  return 0;
}
