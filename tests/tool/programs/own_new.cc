// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program whose own operator new counts its calls; with -DWITHOUT it has none, or a library has
// it. The exit status is how often it ran.
#include <cstdlib>
#include <new>

extern "C" int n_calls;
int n_calls;

#ifndef WITHOUT
void *operator new(std::size_t szB) {
  n_calls++;
  void *p = malloc(szB);
  if (p == nullptr)
    throw std::bad_alloc();
  return p;
}

void operator delete(void *p) noexcept {
  free(p);
}

void operator delete(void *p, std::size_t) noexcept {
  free(p);
}
#endif

static void *volatile keep[3];

int main() {
  for (void *volatile &p : keep)
    p = ::operator new(100);
  return n_calls;
}
