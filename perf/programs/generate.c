/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * generate: writes a profile of any size to standard output, as dmd would: BLOCKS blocks (default
 * 1,000,000) from STACKS stacks (20,000) of five frames, in SIZES different sizes (200).
 *
 * Blocks that are alike are not put together, so that the file grows with BLOCKS, while what is
 * different in it is limited by STACKS times SIZES. One block in four is reported, one in 16 twice.
 */
#include "random.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAN = 28 };

static unsigned long argument(int argc, char **argv, int i, unsigned long fallback) {
  unsigned long value = argc > i ? strtoul(argv[i], NULL, 10) : fallback;
  if (value == 0) {
    fputs("usage: generate [BLOCKS [STACKS [SIZES]]]\n", stderr);
    exit(2);
  }
  return value;
}

static void write_blocks(unsigned long n_blocks, unsigned long n_stacks, unsigned long n_sizes) {
  for (unsigned long i = 0; i < n_blocks; i++) {
    uint32_t r = next_random();
    unsigned long req = 8 + r % n_sizes, slop = (16 - (req + 8) % 16) % 16;
    printf("%s\n  {\"req\": %lu", i > 0 ? "," : "", req);
    if (slop > 0)
      printf(", \"slop\": %lu", slop);
    printf(", \"alloc\": \"%lu\"", 1 + i % n_stacks);
    if (i % 16 == 0)
      printf(", \"reps\": [\"%lu\", \"%lu\"]", n_stacks + 1, n_stacks + 2);
    else if (i % 4 == 0)
      printf(", \"reps\": [\"%lu\"]", n_stacks + 1);
    putchar('}');
  }
}

/* Frames are numbered from 1: malloc, three levels of functions, main, and two that report. */
static void write_stacks(unsigned long n_stacks, unsigned long n_top) {
  unsigned long last = 2 + 2 * FAN + n_top;
  for (unsigned long i = 0; i < n_stacks; i++)
    printf("  \"%lu\": [\"1\", \"%lu\", \"%lu\", \"%lu\", \"%lu\"],\n", i + 1, 2 + i % FAN,
           2 + FAN + i / FAN % FAN, 2 + 2 * FAN + i / (FAN * FAN), last);
  for (unsigned long i = 1; i <= 2; i++)
    printf("  \"%lu\": [\"%lu\", \"%lu\"]%s\n", n_stacks + i, last + i, last, i < 2 ? "," : "");
}

static void write_frames(unsigned long n_top) {
  printf("  \"1\": \"#00: malloc (vg_replace_malloc.c:381)\"");
  for (unsigned long i = 0; i < 2 * FAN + n_top; i++)
    printf(",\n  \"%lu\": \"#00: %s_%lu (generate.c:%lu)\"", i + 2,
           i < FAN       ? "leaf"
           : i < 2 * FAN ? "middle"
                         : "top",
           i, 100 + i);
  unsigned long last = 2 + 2 * FAN + n_top;
  printf(",\n  \"%lu\": \"#00: main (generate.c:90)\"", last);
  for (unsigned long i = 1; i <= 2; i++)
    printf(",\n  \"%lu\": \"#00: measure_%lu (generate.c:%lu)\"", last + i, i, 80 + i);
}

int main(int argc, char **argv) {
  unsigned long n_blocks = argument(argc, argv, 1, 1000000);
  unsigned long n_stacks = argument(argc, argv, 2, 20000);
  unsigned long n_sizes = argument(argc, argv, 3, 200);
  unsigned long n_top = (n_stacks - 1) / (FAN * FAN) + 1;
  printf("{\n \"version\": 5,\n"
         " \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"dark-matter\"},\n \"blockList\": [");
  write_blocks(n_blocks, n_stacks, n_sizes);
  printf("\n ],\n \"traceTable\": {\n");
  write_stacks(n_stacks, n_top);
  printf(" },\n \"frameTable\": {\n");
  write_frames(n_top);
  printf("\n }\n}\n");
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
