// SPDX-License-Identifier: GPL-2.0-or-later
//
// Like types.c, for the types that C++ adds: derived classes, templates, the containers of the
// library.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <dmd.h>

static void block(const void *p, const char *type) {
  std::printf("block %p %s\n", p, type);
}

static void edge(const void *p, const char *member) {
  std::printf("edge %p %s\n", p, member);
}

namespace shop {

struct Plain {
  long number = 1;
  Plain *next = nullptr;
};

class Ware {
public:
  virtual ~Ware() {}
  Plain *plain = new Plain;
};

class Priced {
public:
  virtual ~Priced() {}
  virtual long price() const { return 1; }
  Plain *list = nullptr;
};

class Jar : public Ware, public Priced {
public:
  Jar *beside = nullptr;
  long price() const override { return 2; }
};

struct Shared : virtual Ware {
  long x = 1;
};

template <class T, int N> struct Box {
  Box() { value = new T; }
  T *value;
  T *values[N] = {};
};

struct Counted {
  Counted() {}
  ~Counted() { n = 0; } // so that new[] keeps the number of elements
  long n = 1;
  Plain *plain = nullptr;
};

enum Kind { SWEET, SOUR };

} // namespace shop

using namespace shop;

struct Containers {
  std::vector<Plain> plains{3};
  std::vector<Plain *> pointers{4};
  std::map<int, Plain> tree;
  std::list<Plain> list{2};
  std::unordered_map<long, Plain> hash;
  std::string text = std::string(40, 'x');
  std::unique_ptr<Plain> unique = std::make_unique<Plain>();
  std::shared_ptr<Plain> shared = std::make_shared<Plain>();
};

static Containers *all;
static Ware *ware;
static Priced *priced;
static Ware *virtually;
static Box<Plain, 2> *box;
static Counted *counted;
static Plain *array;

__attribute__((noinline)) static void fill() {
  ware = new Jar;
  Jar *jar = new Jar;
  priced = jar;
  jar->list = new Plain[2];
  jar->beside = static_cast<Jar *>(ware);
  virtually = new Shared;
  box = new Box<Plain, 2>;
  box->values[1] = box->value;
  counted = new Counted[3];
  counted[2].plain = box->value;
  array = new Plain[5];
  all = new Containers;
  all->tree[3].next = array;
  all->hash[5].next = array;
  all->pointers[2] = array;
  all->plains[1].next = array;
}

// A container's only node or buffer: it has a word at a known place that points to the same address
// as `inside`.
static const void *start(const void *inside, std::size_t before) {
  return static_cast<const char *>(inside) - before;
}

static void say_containers() {
  block(all, "Containers");
  edge(&all, "all");
  block(all->plains.data(), "shop::Plain[]");
  edge(&all->plains[1].next, "[1].next");
  block(all->pointers.data(), "shop::Plain *[]");
  edge(&all->pointers[2], "[2]");
  block(start(&*all->tree.begin(), 32), "std::_Rb_tree_node<std::pair<int const, shop::Plain> >");
  block(start(&*all->list.begin(), 16), "std::_List_node<shop::Plain>");
  block(all->text.data(), "char[] from Containers::Containers()");
  block(all->unique.get(), "shop::Plain");
  block(start(&*all->hash.begin(), 8),
        "std::__detail::_Hash_node<std::pair<long const, shop::Plain>, false>");
  block(start(all->shared.get(), 16), "std::_Sp_counted_ptr_inplace<shop::Plain, ...>");
}

int main() {
  fill();
  block(ware, "shop::Jar");
  block(static_cast<Jar *>(priced), "shop::Jar");
  edge(&static_cast<Jar *>(priced)->beside, "beside");
  edge(&priced->list, "list");
  edge(&ware->plain, "plain");
  block(priced->list, "shop::Plain[]");
  block(ware->plain, "shop::Plain");
  block(dynamic_cast<Shared *>(virtually), "shop::Shared");
  block(box, "shop::Box<shop::Plain, 2>");
  edge(&box->values[1], "values[1]");
  block(box->value, "shop::Plain");
  block(start(counted, 8), "shop::Counted[]");
  edge(&counted[2].plain, "[2].plain");
  block(array, "shop::Plain[]");
  say_containers();
  DMD_GRAPH("types");
  std::fflush(stdout);
  return 0;
}
