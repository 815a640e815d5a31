// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions with typical names of C++. The program does not include dmd.h.
#include <cstddef>
#include <malloc.h>

namespace gfx {

struct Canvas {
  int *pixels;
  Canvas() : pixels(new int[25]) {} // 100 bytes
  int *resize(int n) const { return new int[n]; }
  bool operator==(int n) const { return (new int[n]) != nullptr; }
  int *operator()(int n) const { return new int[n]; }
  size_t measure() const { return malloc_usable_size(pixels); }
};

template <typename T> T *make(int n) {
  return new T[n];
}

} // namespace gfx

namespace {
int *hidden(int n) {
  return new int[n];
}
} // namespace

static void *volatile keep[5];
static volatile size_t total;

int main() {
  gfx::Canvas *canvas = new gfx::Canvas; // 8 bytes
  keep[0] = canvas->resize(50);
  keep[1] = (void *)(*canvas == 51 ? canvas : nullptr);
  keep[2] = (*canvas)(52);
  keep[3] = gfx::make<int>(53);
  keep[4] = hidden(54);
  total = canvas->measure();
}
