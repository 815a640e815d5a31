// SPDX-License-Identifier: GPL-2.0-or-later
//
// Multiple inheritance: a pointer to an object's second base points into its block, not to its
// start.
//
// Mozilla's DMD: unreported, as if no reporter had tried
//
// Expect: report-interior
//   num: 1
//   offset: 56
//   text: 56 bytes into a block of 72 bytes
//   size: 72
//   reporter: explicit/shop
//   at: shop_size_of(void const*) @fn < Shop::measure() const @report
//   allocatedAt: main @alloc
// Expect: unreported
//   blocks: 1
//   bytes: 72
//   allocatedAt: main @alloc
#include <cstddef>
#include <valgrind/dmd.h>

class Food {
public:
  virtual ~Food() {}
  char recipe[48];
};

class Sellable {
public:
  virtual ~Sellable() {}
  int price;
};

class Cookie : public Food, public Sellable {};

DMD_MALLOC_SIZE_OF_FN(shop_size_of) // @fn

class Shop {
public:
  explicit Shop(Sellable *item) : item_(item) {}

  void measure() const {
    dmd::ReporterScope reporter("explicit/shop");
#ifdef FIXED
    reporter.claim(
        shop_size_of(dynamic_cast<const void *>(item_))); // where the whole object starts
#else
    reporter.claim(shop_size_of(item_)); // @report
#endif
  }

private:
  Sellable *item_;
};

int main() {
  Shop shop(new Cookie); // @alloc
  shop.measure();
  DMD_DUMP("a shop");
  return 0;
}
