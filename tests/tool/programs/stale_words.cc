// SPDX-License-Identifier: GPL-2.0-or-later
//
// Words that are left from earlier uses of memory point to a page: behind the last element of
// vectors, and in a line of text. A library owns the page; a line alone holds a note.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <valgrind/dmd.h>
#include <vector>

struct Node {
  int number = 0;
  std::vector<std::unique_ptr<Node>> kids;
};

struct Library {
  int number;
  void *page;
};

static std::vector<std::unique_ptr<Node>> nodes;
static Library library;
static char line[64];

static void *make_page() {
  return calloc(1, 1 << 20);
}
static void *make_note() {
  return calloc(1, 3000);
}

static void leave(void *place, const void *pointer) {
  memcpy(place, &pointer, sizeof pointer);
}

static __attribute__((noinline)) void fill() {
  library.page = make_page();
  leave(line, library.page);
  leave(line + 8, make_note());
  for (int i = 0; i < 100; i++) {
    auto node = std::make_unique<Node>();
    node->kids.reserve(4);
    for (int k = 0; k < 3; k++)
      node->kids.push_back(std::make_unique<Node>());
    leave(node->kids.data() + 3, library.page);
    nodes.push_back(std::move(node));
  }
}

/* Overwrites what fill left on the stack and in registers. */
static __attribute__((noinline)) int wipe(int a, int b, int c, int d, int e, int f) {
  volatile char room[4096];
  for (size_t i = 0; i < sizeof room; i++)
    room[i] = 0;
  return a + b + c + d + e + f + room[1];
}

int main() {
  fill();
  int n = wipe(1, 2, 3, 4, 5, 6);
  DMD_GRAPH("stale words");
  return n - 21;
}
