/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two reporters count the same block: its owner, and an index that only points to it.
 *
 * Mozilla's DMD: twice-reported
 *
 * Expect: twice-reported
 *   blocks: 2
 *   bytes: 208
 *   allocatedAt: main @alloc
 *   reporter: explicit/products
 *   reportedAt: products_size_of @products_fn < products_measure @owner
 *   otherReporter: explicit/index
 *   reportedAgainAt: index_size_of @index_fn < index_measure @borrower
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static char *products[2];
static char **by_name; /* points to products, owns none */

DMD_MALLOC_SIZE_OF_FN(products_size_of) /* @products_fn */
DMD_MALLOC_SIZE_OF_FN(index_size_of)    /* @index_fn */

static void products_measure(void) {
  DMD_REPORTER_BEGIN("explicit/products");
  size_t size = 0;
  for (int i = 0; i < 2; i++)
    size += products_size_of(products[i]); /* @owner */
  DMD_REPORTER_END(size);
}

static void index_measure(void) {
  DMD_REPORTER_BEGIN("explicit/index");
  size_t size = index_size_of(by_name);
#ifndef FIXED
  for (int i = 0; i < 2; i++)
    size += index_size_of(by_name[i]); /* @borrower */
#endif
  DMD_REPORTER_END(size);
}

int main(void) {
  by_name = malloc(sizeof products);
  for (int i = 0; i < 2; i++)
    by_name[i] = products[i] = malloc(100); /* @alloc */
  products_measure();
  index_measure();
  DMD_DUMP("products and their index");
  return 0;
}
