// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags: -std=c++17
//
// Pointers made by shared_ptr's aliasing constructor own an object that they do not point to.
#include <valgrind/measure.hpp>

struct Page {
  int before[100] = {};
  int number = 1;
  std::string text = std::string(100, 'p');
  DMD_MEASURE(Page, before, number, text)
};

static __attribute__((noinline)) Page *lone_page() {
  return new Page;
}
static __attribute__((noinline)) Page *moved_page() {
  return new Page;
}
static __attribute__((noinline)) Page *owned_page() {
  return new Page;
}
static Page still;

struct Book {
  std::shared_ptr<int> lone, moved, early, in_still; // early comes before its owner
  std::shared_ptr<Page> owner;
  std::shared_ptr<int> late;
  DMD_MEASURE(Book, lone, moved, early, in_still, owner, late)
};

static std::shared_ptr<int> number_of(const std::shared_ptr<Page> &page) {
  return std::shared_ptr<int>(page, &page->number);
}

int main() {
  Book book;
  book.lone = number_of(std::shared_ptr<Page>(lone_page()));
  book.moved = number_of(std::shared_ptr<Page>(std::unique_ptr<Page>(moved_page())));
  book.in_still = number_of(std::shared_ptr<Page>(&still, [](Page *) {}));
  book.owner = std::shared_ptr<Page>(owned_page());
  book.early = book.late = number_of(book.owner);
  {
    dmd::ReporterScope scope("book");
    scope.claim(dmd::size_of(book));
  }
  DMD_DUMP("aliases");
  return 0;
}
