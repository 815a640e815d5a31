/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program that measures itself in the usual way, without dmd.h: functions walk a structure and
 * call malloc_usable_size, and an allocation wrapper counts the blocks that it returns.
 */
#include <malloc.h>
#include <stdlib.h>

static struct { void *cookies, *labels, *lid, *crumb, *counted, *own; } jar;

static volatile size_t counted, result;

static void *counting_malloc(size_t n) {
  void *p = malloc(n);
  counted += malloc_usable_size(p);
  return p;
}

static void counting_free(void *p) {
  counted -= malloc_usable_size(p);
  free(p);
}

static void fill_cookies(void) {
  jar.cookies = malloc(100);
}
static void fill_labels(void) {
  jar.labels = malloc(200);
}
static void fill_lid(void) {
  jar.lid = malloc(300);
}
static void fill_crumb(void) {
  jar.crumb = malloc(400);
}
static void fill_forgotten(void) {
  static void *volatile forgotten;
  forgotten = malloc(500);
}
static void fill_counted(void) {
  counting_free(counting_malloc(600));
  jar.counted = counting_malloc(700);
}

/* The program's name for malloc_usable_size. */
static size_t size_of(void *p) {
  return malloc_usable_size(p);
}

static size_t measure_labels(void) {
  return size_of(jar.labels) + size_of(NULL);
}

/* Measures the lid itself, twice; another function measures the labels. */
static size_t measure_jar(void) {
  return size_of(jar.cookies) + measure_labels() + size_of(jar.lid) + size_of(jar.lid);
}

static size_t measure_cookies_again(void) {
  return size_of(jar.cookies);
}

static size_t measure_the_middle(void) {
  return malloc_usable_size((char *)jar.crumb + 8);
}

static inline __attribute__((always_inline)) size_t inlined_size_of(void *p) {
  return malloc_usable_size(p);
}

static size_t measure_inlined(void) {
  return inlined_size_of(jar.labels);
}

int main(void) {
  fill_cookies();
  fill_labels();
  fill_lid();
  fill_crumb();
  fill_forgotten();
  fill_counted();
  result = measure_jar();
  result += measure_cookies_again();
  result += measure_the_middle();
  result += measure_inlined();
  jar.own = malloc(800);
  result += malloc_usable_size(jar.own); /* by main, which is not a wrapper */
  return result == 0;
}
