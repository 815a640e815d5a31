/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Loses a block, but leaves its address in a frame that has returned, all over but for the part
 * where the frames of exit will be. The handler that writes the last files has its own frames
 * there.
 */
#include <stdlib.h>

enum { N_WORDS = 8192, N_OF_EXIT = 512 };

__attribute__((noinline)) static void *lost_block(void) {
  return malloc(1000);
}

__attribute__((noinline)) static void lose(void) {
  void *volatile words[N_WORDS];
  void *block = lost_block();
  for (int i = 0; i < N_WORDS - N_OF_EXIT; i++)
    words[i] = block;
}

int main(void) {
  lose();
  return 0;
}
