/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Mistakes after which the C library would abort a program, and impossible sizes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

static char data[64];

static void free_twice(void) {
  char *volatile p = malloc(50);
  free(p);
  free(p);
}

static void free_inside(void) {
  char *volatile p = malloc(60);
  free(p + 16);
  free(p);
}

static void free_data(void) {
  char *volatile p = data;
  free(p + 16);
}

static void realloc_data(void) {
  char *volatile p = data;
  if (realloc(p + 16, 100) != NULL)
    abort();
}

static void negative(void) {
  volatile size_t minus = (size_t)-5;
  if (malloc(minus) != NULL || calloc(minus, 2) != NULL)
    abort();
}

static void negative_realloc(void) {
  volatile size_t minus = (size_t)-5;
  char *p = malloc(70);
  strcpy(p, "is kept");
  if (realloc(p, minus) != NULL || strcmp(p, "is kept") != 0)
    abort();
  free(p);
}

static void too_large(void) {
  volatile size_t half = SIZE_MAX / 4;
  if (calloc(half, 3) != NULL)
    abort();
}

static void report_data(void) {
  DMD_REPORT_ON_ALLOC(RUNNING_ON_DMD ? data : NULL);
}

int main(void) {
  free_twice();
  free_inside();
  free_data();
  realloc_data();
  negative();
  negative_realloc();
  too_large();
  report_data();
  return 0;
}
