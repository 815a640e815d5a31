// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags: -std=c++17
//
// Classes that derive from a measured one, with and without a list of their own, measured through
// pointers to their base.
#include <valgrind/measure.hpp>

struct Animal {
  virtual ~Animal() {}
  std::string name = std::string(50, 'a');
  DMD_MEASURE_VIRTUAL(Animal, name)
};
struct Listed : Animal {
  std::string more = std::string(60, 'l');
  DMD_MEASURE(Listed, DMD_BASE(Animal), more)
};
struct Quiet : Animal { // adds nothing
  ~Quiet() override {}
};
struct Forgotten : Animal {
  std::string more = std::string(70, 'f');
};
struct Slight : Animal { // adds a word, perhaps within what allocators add
  void *more = nullptr;
};
namespace farm {
struct Shared : Animal {
  std::string more = std::string(80, 's');
};
} // namespace farm

int main() {
  std::vector<std::unique_ptr<Animal>> own;
  own.emplace_back(new Animal);
  own.emplace_back(new Listed);
  own.emplace_back(new Quiet);
  own.emplace_back(new Forgotten);
  own.emplace_back(new Slight);
  std::vector<std::shared_ptr<Animal>> shared;
  shared.emplace_back(new Listed);
  shared.emplace_back(new Quiet);
  shared.emplace_back(new farm::Shared);
  {
    dmd::ReporterScope scope("animals");
    scope.claim(dmd::size_of(own) + dmd::size_of(shared));
  }
  DMD_DUMP("animals");
  return 0;
}
