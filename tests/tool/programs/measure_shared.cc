// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags: -std=c++17
//
// Two owners share objects, which also point back to themselves.
#include <valgrind/measure.hpp>

struct Page {
  std::string text = std::string(100, 'p');
  std::shared_ptr<Page> next;
  DMD_MEASURE(Page, text, next)
};

struct Counted {
  int owners = 2;
  std::string name = std::string(60, 'c');
  DMD_MEASURE(Counted, owners, name)
};

struct Book {
  std::shared_ptr<Page> pages = std::make_shared<Page>();
  std::shared_ptr<Page> again;
  Counted *counted = nullptr;
  std::string own = std::string(40, 'b');
  DMD_MEASURE(Book, pages, again, DMD_SHARED(counted), own)
};

int main() {
  auto one = std::make_unique<Book>(), two = std::make_unique<Book>();
  one->pages->next = std::shared_ptr<Page>(new Page);
  one->pages->next->next = one->pages; // a cycle
  one->again = one->pages;
  two->pages = one->pages;
  one->counted = two->counted = new Counted;
  for (auto *book : {&one, &two}) {
    dmd::ReporterScope scope(book == &one ? "one" : "two");
    scope.claim(dmd::size_of(*book));
  }
  DMD_DUMP("shared");
  one->pages->next->next.reset();
  return 0;
}
