/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thousand reporters, one for each document, that are wrong at one line. They are one fault,
 * which names the first of them.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1000
 *   names: 1000
 *   claimed: 0
 *   measured: 200
 *   bytes: 200000
 *   reason: claimed-nothing
 *   at: document_measure @end < main
 *   text: 1,000 times, 200,000 bytes; the worst time:
 *   text: 1,000 reporters {
 *   text: explicit/documents/0
 *   text: explicit/documents/7
 *   text: and 992 more
 */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(document_size_of)

static size_t document_measure(const void *document, int number) {
  char path[64];
  snprintf(path, sizeof path, "explicit/documents/%d", number);
  DMD_REPORTER_BEGIN(path);
  size_t size = document_size_of(document);
#ifdef FIXED
  DMD_REPORTER_END(size);
#else
  DMD_REPORTER_END(0); /* @end */
#endif
  return size;
}

int main(void) {
  for (int i = 0; i < 1000; i++) {
    void *document = malloc(200);
    document_measure(document, i);
  }
  DMD_DUMP("a thousand documents");
  return 0;
}
