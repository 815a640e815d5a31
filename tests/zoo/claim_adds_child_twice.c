/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sum to which a nested reporter's amount is added twice.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/shop
 *   claimed: 3456
 *   measured: 2456
 *   bytes: 1000
 *   reason: child-twice
 *   text: 3,456 bytes claimed, 2,456 bytes measured: 1,000 bytes too many
 *   text: Likely reason: the claim counts twice what was measured by explicit/shop/staff
 *   scope: explicit/shop/staff
 *   at: shop_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct shop {
  int *shelves, *cookies, *staff;
};

DMD_MALLOC_SIZE_OF_FN(shop_size_of)

static size_t cookies_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop/cookies");
  size_t size = shop_size_of(shop->cookies);
  DMD_REPORTER_END(size);
  return size;
}

static size_t staff_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop/staff");
  size_t size = shop_size_of(shop->staff);
  DMD_REPORTER_END(size);
  return size;
}

static void shop_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop");
  size_t size = shop_size_of(shop->shelves);
  size += cookies_measure(shop);
  size_t staff = staff_measure(shop);
  size += staff;
#ifndef FIXED
  size += staff;
#endif
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  struct shop shop = {malloc(400), malloc(1040), malloc(1000)};
  shop_measure(&shop);
  DMD_DUMP("a shop");
  return 0;
}
