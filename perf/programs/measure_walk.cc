// SPDX-License-Identifier: GPL-2.0-or-later
//
// measure_walk NODES: how long it takes to measure a list and a tree of so many nodes, by derived
// code and by hand. Prints "list derived MILLISECONDS" and so on, of processor time, medians of
// several rounds that take turns; the sums must be equal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include <valgrind/measure.hpp>

enum { ROUNDS = 11 };

struct Link {
  int value = 0;
  std::unique_ptr<Link> next;
  DMD_MEASURE(Link, value, next)
};
struct Tree {
  int key = 0;
  std::unique_ptr<Tree> left, right;
  DMD_MEASURE(Tree, key, left, right)
};

static size_t by_hand(const Link *link) {
  size_t size = 0;
  for (; link != nullptr; link = link->next.get())
    size += DMD_REPORT(link);
  return size;
}

static size_t by_hand(const Tree *top) {
  std::vector<const Tree *> waiting;
  size_t size = 0;
  for (const Tree *at = top;;) {
    if (at == nullptr) {
      if (waiting.empty())
        return size;
      at = waiting.back();
      waiting.pop_back();
    }
    size += DMD_REPORT(at);
    if (at->left && at->right)
      waiting.push_back(at->left.get());
    at = at->right ? at->right.get() : at->left.get();
  }
}

template <class F> static double milliseconds(F measure, size_t &sum) {
  const std::clock_t begin = std::clock();
  sum = measure();
  return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

template <class T> static bool compare(const char *name, const T *root) {
  std::vector<double> derived, hand;
  size_t sums[2] = {0, 0};
  for (int i = 0; i < ROUNDS; i++) {
    derived.push_back(milliseconds([root] { return dmd::size_of_including(root); }, sums[0]));
    hand.push_back(milliseconds([root] { return by_hand(root); }, sums[1]));
  }
  std::sort(derived.begin(), derived.end());
  std::sort(hand.begin(), hand.end());
  printf("%s derived %.2f\n%s by hand %.2f\n", name, derived[ROUNDS / 2], name, hand[ROUNDS / 2]);
  return sums[0] == sums[1] && sums[0] > 0;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000000;
  std::mt19937 dice(1);
  auto list = std::make_unique<Link>();
  for (int i = 1; i < n; i++) {
    auto link = std::make_unique<Link>();
    link->next = std::move(list);
    list = std::move(link);
  }
  auto tree = std::make_unique<Tree>();
  for (int i = 1; i < n; i++)
    for (Tree *at = tree.get(); at != nullptr;) {
      std::unique_ptr<Tree> &side = dice() % 2 ? at->left : at->right;
      at = side.get();
      if (at == nullptr)
        side = std::make_unique<Tree>();
    }
  const bool is_equal = compare("list", list.get()) && compare("tree", tree.get());
  while (list)
    list = std::move(list->next);
  if (!is_equal)
    fprintf(stderr, "the sums differ\n");
  return is_equal ? 0 : 1;
}
