/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_size: a size as a limit on the command line. An accepted size is in its range, and a share
 * of a whole is the exact one rounded down.
 */
#include "fuzz.h"

#include "analyse/limits/size.h"

#include <stdlib.h>
#include <string.h>

static const int64_t wholes[] = {
    0, 1, 99, 100, 4096, 123456789, INT64_C(1) << 53, INT64_C(1) << 61};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char *text = fuzz_string(data, n);
  dmd_size_t size;
  const char *why = dmd_size_parse(text, &size);
  FUZZ_CHECK(why == NULL || why[0] != '\0');
  for (size_t i = 0; why == NULL && i < sizeof wholes / sizeof wholes[0]; i++) {
    int64_t bytes = dmd_size_bytes(&size, wholes[i]);
    FUZZ_CHECK(bytes >= 0 && bytes <= INT64_C(1) << 62);
    if (!size.is_percent) {
      FUZZ_CHECK((uint64_t)bytes == size.value);
      continue;
    }
    long double exact = (long double)wholes[i] * (long double)size.value / 1e8L;
    if (exact < 0x1p62L)
      FUZZ_CHECK((long double)bytes <= exact && (long double)bytes > exact - 1.5L);
  }
  free(text);
  return 0;
}
