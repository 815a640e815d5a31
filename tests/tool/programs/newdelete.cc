// SPDX-License-Identifier: GPL-2.0-or-later
// Flags: -std=c++17 -fsized-deallocation -faligned-new
//
// Every form of operator new and delete, called by name so that the compiler leaves none out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

static void *volatile keep[16];
static const std::align_val_t align{128};

static void *aligned(void *p) {
  if (p == nullptr || (uintptr_t)p % 128 != 0)
    abort();
  return p;
}

static void leak_new() {
  keep[0] = ::operator new(100);
}
static void leak_array() {
  keep[1] = ::operator new[](101);
}
static void leak_nothrow() {
  keep[2] = ::operator new(102, std::nothrow);
}
static void leak_nothrow_array() {
  keep[3] = ::operator new[](103, std::nothrow);
}
static void leak_aligned() {
  keep[4] = aligned(::operator new(200, align));
}
static void leak_aligned_array() {
  keep[5] = aligned(::operator new[](201, align));
}
static void leak_aligned_nothrow() {
  keep[6] = aligned(::operator new(202, align, std::nothrow));
}
static void leak_aligned_nothrow_array() {
  keep[7] = aligned(::operator new[](203, align, std::nothrow));
}

struct alignas(64) Wide {
  char bytes[192];
};

static void leak_expressions() {
  keep[8] = new int(7);
  keep[9] = new char[33];
  keep[10] = new Wide;
  keep[11] = new Wide[2];
}

static void delete_each() {
  ::operator delete(::operator new(50));
  ::operator delete (::operator new(50), std::size_t{50});
  ::operator delete(::operator new(50), std::nothrow);
  ::operator delete[](::operator new[](50));
  ::operator delete[](::operator new[](50), std::size_t{50});
  ::operator delete[](::operator new[](50), std::nothrow);
  ::operator delete(::operator new(50, align), align);
  ::operator delete (::operator new(50, align), std::size_t{50}, align);
  ::operator delete(::operator new(50, align), align, std::nothrow);
  ::operator delete[](::operator new[](50, align), align);
  ::operator delete[](::operator new[](50, align), std::size_t{50}, align);
  ::operator delete[](::operator new[](50, align), align, std::nothrow);
  delete static_cast<char *>(nullptr);
}

static void too_much() {
  volatile std::size_t huge = std::size_t{1} << 60;
  if (::operator new(huge, std::nothrow) != nullptr ||
      ::operator new[](huge, std::nothrow) != nullptr)
    abort();
}

int main() {
  leak_new();
  leak_array();
  leak_nothrow();
  leak_nothrow_array();
  leak_aligned();
  leak_aligned_array();
  leak_aligned_nothrow();
  leak_aligned_nothrow_array();
  leak_expressions();
  delete_each();
  too_much();
  return 0;
}
