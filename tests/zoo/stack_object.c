/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A structure on the stack is measured as if it had come from malloc.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-stack
 *   num: 1
 *   memory: the stack of thread 1, in the frame of main
 *   text: in the stack of thread 1, in the frame of main
 *   reporter: explicit/buffer
 *   at: buffer_size_of @fn < buffer_measure @report
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct buffer {
  char *text;
  size_t length;
};

DMD_MALLOC_SIZE_OF_FN(buffer_size_of) /* @fn */

static void buffer_measure(const struct buffer *buffer) {
  DMD_REPORTER_BEGIN("explicit/buffer");
  size_t size = buffer_size_of(buffer->text);
#ifndef FIXED
  size += buffer_size_of(buffer); /* @report */
#endif
  DMD_REPORTER_END(size);
}

int main(void) {
  struct buffer buffer = {malloc(1000), 1000};
  buffer_measure(&buffer);
  DMD_DUMP("a buffer");
  return 0;
}
