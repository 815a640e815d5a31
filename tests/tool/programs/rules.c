/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks from all sorts of functions; only tagged_by_the_program makes requests of dmd. Linked with
 * crate.c.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "dmd.h"

void *crate_new(size_t n);
void *crate_call(void *(*make)(size_t), size_t n);
size_t crate_size(void *p);

static void *volatile keep[16];

static void in_the_library(void) {
  keep[0] = crate_new(100);
}

static void *own_make(size_t n) {
  return malloc(n);
}

static void called_back(void) {
  keep[1] = crate_call(own_make, 101);
}

static void through_libc(void) {
  keep[2] = strdup("fourteen bytes");
}

static void *xmalloc(size_t n) {
  return malloc(n);
}

static void render_frame(void) {
  keep[3] = xmalloc(102);
}

static inline __attribute__((always_inline)) void *inlined_make(size_t n) {
  return malloc(n);
}

static void around_inlined(void) {
  keep[4] = inlined_make(103);
}

static void tagged_by_the_program(void) {
  DMD_TAG_PUSH("own");
  keep[5] = crate_new(104);
  DMD_TAG_POP();
}

static void regrown(void) {
  keep[6] = realloc(crate_new(16), 5000);
}

static void many_small(void) {
  for (int i = 0; i < 1000; i++)
    keep[7] = malloc(24);
}

static size_t measured_by_the_library(void) {
  return crate_size(keep[1]);
}

int main(void) {
  in_the_library();
  called_back();
  through_libc();
  render_frame();
  around_inlined();
  tagged_by_the_program();
  regrown();
  many_small();
  return measured_by_the_library() == 0;
}
