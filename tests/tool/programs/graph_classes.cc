/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pointers into the middle of blocks that Memcheck's leak check accepts because of the blocks'
 * contents. Prints the target of each.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <valgrind/dmd.h>

namespace {

struct First {
  virtual ~First() {}
  virtual int first() { return 1; }
  long number = 0;
};

struct Second {
  virtual ~Second() {}
  virtual int second() { return 2; }
};

struct Both : First, Second {
  int first() override { return 3; }
};

struct WithDestructor {
  ~WithDestructor() { number = 0; }
  long number = 1, more = 2;
};

void *volatile g_held[8];

__attribute__((noinline)) void *make_string() {
  size_t *words = static_cast<size_t *>(calloc(1, 3 * sizeof(size_t) + 20 + 1));
  words[0] = 5;
  words[1] = 20;
  return words + 3;
}

__attribute__((noinline)) void *make_sized() {
  uint64_t *words = static_cast<uint64_t *>(calloc(1, 48));
  words[0] = 40;
  return words + 1;
}

__attribute__((noinline)) void *make_array() {
  return new WithDestructor[3];
}

__attribute__((noinline)) void *make_second() {
  return static_cast<Second *>(new Both);
}

/* The same offset in a block with other contents. */
__attribute__((noinline)) void *make_nothing() {
  return static_cast<char *>(calloc(1, 72)) + 8;
}

} // namespace

int main() {
  Second *second = static_cast<Second *>(make_second());
  g_held[0] = make_string();
  g_held[1] = make_sized();
  g_held[2] = make_array();
  g_held[3] = second;
  g_held[4] = make_nothing();
  std::printf("%d %d\n", second->second(), static_cast<Both *>(second)->first());
  return DMD_GRAPH(NULL) == 1 ? 0 : 1;
}
