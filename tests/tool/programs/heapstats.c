/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints what the allocator says about its own memory: three times, with nothing, with 5,000 blocks
 * of up to 1,068 bytes and three of their own mappings, and after every second block was freed.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 5000, LARGE = 3 };

/* The first number after this text; a later text counts more. */
static unsigned long last_number(const char *text, const char *before) {
  unsigned long found = 0;
  for (const char *at = text; (at = strstr(at, before)) != NULL; at += strlen(before))
    found = strtoul(at + strlen(before), NULL, 10);
  return found;
}

static void print(const char *when) {
  static char text[1 << 16];
  struct mallinfo2 wide = mallinfo2();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo narrow = mallinfo();
#pragma GCC diagnostic pop
  memset(text, 0, sizeof text);
  FILE *file = fmemopen(text, sizeof text - 1, "w");
  setvbuf(file, NULL, _IONBF, 0);
  malloc_info(0, file);
  fclose(file);
  printf("%s used %zu\n%s used-int %d\n", when, wide.uordblks, when, narrow.uordblks);
  printf("%s mapped %zu\n%s mappings %zu\n", when, wide.hblkhd, when, wide.hblks);
  printf("%s in-use %zu\n", when, wide.uordblks + wide.hblkhd);
  printf("%s system %lu\n", when, last_number(text, "<system type=\"current\" size=\""));
}

int main(void) {
  static char buffer[1 << 14];
  static void *blocks[BLOCKS], *large[LARGE];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  for (int i = 0; i < BLOCKS; i++)
    blocks[i] = malloc((size_t)(i * 37 % 1050) + 1);
  for (int i = 0; i < LARGE; i++)
    large[i] = malloc((size_t)(i + 1) * 300000);
  print("full");
  for (int i = 0; i < BLOCKS; i += 2)
    free(blocks[i]);
  free(large[0]);
  print("half");
  fflush(stdout);
  malloc_stats();
  return 0;
}
