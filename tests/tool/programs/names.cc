// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stacks of many forms: inlined calls, templates, namespaces without a name, lambdas, static
// functions, and what the C and the C++ library call back.
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace deep {
template <class T> struct Box {
  std::vector<T> v;
  __attribute__((noinline)) void fill(int n) {
    for (int i = 0; i < n; i++)
      v.push_back(T(i));
  }
};
namespace {
__attribute__((noinline)) void *hidden(unsigned long n, const char *what) {
  return what ? malloc(n) : nullptr;
}
} // namespace
static inline void *one(size_t n) {
  return malloc(n + 1);
}
static inline __attribute__((always_inline)) void *two(size_t n) {
  void *p = one(n);
  void *q = one(n * 2);
  return p < q ? p : q;
}
struct S {
  int a;
  S();
  ~S() {}
  void *m(int) const;
  std::string name;
};
S::S() : a(1), name("a string that is longer than sixteen bytes") {}
__attribute__((noinline)) void *S::m(int k) const {
  return two(k);
}
} // namespace deep
extern "C" __attribute__((noinline)) void *plain(int n) {
  return deep::two(n);
}
static void *keep[100];
struct operator_test {
  void *operator()(int n) { return calloc(1, n); }
};
int main(int argc, char **argv) {
  int k = 0;
  keep[k++] = plain(3);
  auto *s = new deep::S;
  keep[k++] = s;
  keep[k++] = s->m(5);
  auto *b = new deep::Box<double>;
  b->fill(9);
  keep[k++] = b;
  auto *m = new std::map<std::string, std::vector<int>>;
  (*m)["some key that is long enough to allocate"].push_back(3);
  keep[k++] = m;
  keep[k++] = deep::hidden(7, argv[0]);
  std::function<void *(int)> f = [](int n) { return malloc(n); };
  keep[k++] = f(12);
  keep[k++] = operator_test()(14);
  keep[k++] = new std::shared_ptr<deep::S>(std::make_shared<deep::S>());
  auto *v = new std::vector<std::unique_ptr<int>>;
  for (int i = 0; i < 3; i++)
    v->push_back(std::make_unique<int>(i));
  keep[k++] = v;
  qsort_r(
      keep, 2, 8,
      [](const void *, const void *, void *) {
        keep[50] = malloc(1);
        return 0;
      },
      nullptr);
  return argc > 5;
}
