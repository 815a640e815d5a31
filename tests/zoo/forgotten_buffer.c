/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Structures are measured, the buffers that they own are not.
 *
 * Mozilla's DMD: unreported
 *
 * Expect: unreported
 *   blocks: 3
 *   bytes: 600
 *   allocatedAt: string_new @buffer
 *   proposal: size += string_size_of(string->text); in string_measure
 *   holder: explicit/strings
 *   text: 100% held at +0x8 of blocks reported by explicit/strings
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

struct string {
  size_t length;
  char *text;
};

DMD_MALLOC_SIZE_OF_FN(string_size_of)

static struct string *string_new(size_t length) {
  struct string *string = malloc(sizeof *string);
  string->length = length;
  string->text = malloc(length + 1); /* @buffer */
  memset(string->text, 0, length + 1);
  return string;
}

static size_t string_measure(const struct string *string) {
#ifdef FIXED
  return string_size_of(string) + string_size_of(string->text);
#else
  return string_size_of(string);
#endif
}

int main(void) {
  struct string *strings[3];
  for (int i = 0; i < 3; i++)
    strings[i] = string_new(190);
  DMD_REPORTER_BEGIN("explicit/strings");
  size_t size = 0;
  for (int i = 0; i < 3; i++)
    size += string_measure(strings[i]);
  DMD_REPORTER_END(size);
  DMD_DUMP("strings");
  return 0;
}
