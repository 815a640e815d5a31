/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A nested reporter claims too little. The sum around it is made as it should be, and is wrong only
 * for that.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/shop/staff
 *   claimed: 0
 *   measured: 1000
 *   bytes: 1000
 *   reason: claimed-nothing
 *   at: staff_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct shop {
  int *shelves, *staff;
};

DMD_MALLOC_SIZE_OF_FN(shop_size_of)

static size_t staff_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop/staff");
  size_t size = shop_size_of(shop->staff);
#ifndef FIXED
  size = 0;
#endif
  DMD_REPORTER_END(size); /* @end */
  return size;
}

static size_t shop_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop");
  size_t size = shop_size_of(shop->shelves) + staff_measure(shop);
  DMD_REPORTER_END(size);
  return size;
}

int main(void) {
  struct shop shop = {malloc(400), malloc(1000)};
  shop_measure(&shop);
  DMD_DUMP("a shop");
  return 0;
}
