// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program whose own operator new counts its calls; with -DARRAYS its operator new[] does. With
// -DWITHOUT it has none of its own, but a library may. The exit status is the number of its calls.
#include <cstdlib>
#include <new>

extern "C" int n_calls;
int n_calls;

#ifdef ARRAYS
#define NEW operator new[]
#define DELETE operator delete[]
#else
#define NEW operator new
#define DELETE operator delete
#endif

#ifndef WITHOUT
void *NEW(std::size_t szB) {
  n_calls++;
  void *p = malloc(szB);
  if (p == nullptr)
    throw std::bad_alloc();
  return p;
}

void DELETE(void *p) noexcept {
  free(p);
}

void DELETE(void *p, std::size_t) noexcept {
  free(p);
}
#endif

static void *volatile keep[3];

int main() {
  for (void *volatile &p : keep)
    p = ::NEW(100);
  return n_calls;
}
