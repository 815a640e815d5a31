// SPDX-License-Identifier: GPL-2.0-or-later
//
// The C++ library allocates for functions of the program that are made from templates.
#include <map>
#include <string>
#include <valgrind/dmd.h>
#include <vector>

namespace pantry {

template <class T> __attribute__((noinline)) std::vector<T> *grow(int n) {
  std::vector<T> *all = new std::vector<T>();
  for (int i = 0; i < n; i++)
    all->push_back(T());
  return all;
}

struct Shelf {
  std::map<std::string, std::vector<std::string>> jars;

  template <class Key> __attribute__((noinline)) bool label(const Key &key) {
    jars[key].push_back(std::string(100, 'x'));
    return true;
  }
};

} // namespace pantry

static void *volatile keep[2];

int main() {
  keep[0] = pantry::grow<int>(100);
  pantry::Shelf shelf;
  shelf.label(std::string("jam"));
  keep[1] = &shelf;
  DMD_DUMP("full");
}
