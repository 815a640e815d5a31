/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter claims only what it measured itself, without what nested reporters did, and does not
 * say that it means to. The twin says so: it is exclusive.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/shop
 *   claimed: 392
 *   measured: 2440
 *   bytes: 2048
 *   reason: children-left-out
 *   text: 392 bytes claimed, 2,440 bytes measured: 2,048 bytes too few
 *   text: Likely reason: the claim lacks what the reporters within it measured; if it
 *       should, begin it with DMD_REPORTER_EXCLUSIVE
 *   at: shop_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct shop {
  int *shelves, *cookies, *staff;
};

DMD_MALLOC_SIZE_OF_FN(shop_size_of)

static void cookies_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop/cookies");
  size_t size = shop_size_of(shop->cookies);
  DMD_REPORTER_END(size);
}

static void staff_measure(const struct shop *shop) {
  DMD_REPORTER_BEGIN("explicit/shop/staff");
  size_t size = shop_size_of(shop->staff);
  DMD_REPORTER_END(size);
}

static void shop_measure(const struct shop *shop) {
#ifdef FIXED
  DMD_REPORTER_BEGIN_WITH("explicit/shop", DMD_REPORTER_EXCLUSIVE);
#else
  DMD_REPORTER_BEGIN("explicit/shop");
#endif
  size_t size = shop_size_of(shop->shelves);
  cookies_measure(shop);
  staff_measure(shop);
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  struct shop shop = {malloc(392), malloc(1048), malloc(1000)};
  shop_measure(&shop);
  DMD_DUMP("a shop");
  return 0;
}
