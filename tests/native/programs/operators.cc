/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each form of operators new and delete. Sizes differ from form to form; those of aligned ones are
 * whole multiples of the alignment, since some versions of the C++ library require that. Blocks
 * from gone are freed again, in each way that exists for the form. `operators refused` also
 * requests more than can exist. Flags: -std=c++17 -fno-builtin
 */
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::align_val_t wide{256};

void check(const void *p, bool is_wide) {
  if (p == nullptr || (is_wide && reinterpret_cast<std::uintptr_t>(p) % 256 != 0))
    std::abort();
}

template <class Make> void keep(bool is_wide, Make make) {
  check(make(), is_wide);
}

template <class Make, class Drop> void come_and_go(bool is_wide, Make make, Drop drop) {
  void *p = make();
  check(p, is_wide);
  drop(p);
}

void kept() {
  keep(false, [] { return operator new(101); });
  keep(false, [] { return operator new[](103); });
  keep(false, [] { return operator new(105, std::nothrow); });
  keep(false, [] { return operator new[](107, std::nothrow); });
  keep(true, [] { return operator new(1024, wide); });
  keep(true, [] { return operator new[](2048, wide); });
  keep(true, [] { return operator new(3072, wide, std::nothrow); });
  keep(true, [] { return operator new[](4096, wide, std::nothrow); });
}

void gone() {
  come_and_go(
      false, [] { return operator new(201); }, [](void *p) { operator delete(p); });
  come_and_go(
      false, [] { return operator new(203); }, [](void *p) { operator delete(p, 203); });
  come_and_go(
      false, [] { return operator new(205, std::nothrow); },
      [](void *p) { operator delete(p, std::nothrow); });
  come_and_go(
      false, [] { return operator new[](207); }, [](void *p) { operator delete[](p); });
  come_and_go(
      false, [] { return operator new[](209); }, [](void *p) { operator delete[](p, 209); });
  come_and_go(
      false, [] { return operator new[](211, std::nothrow); },
      [](void *p) { operator delete[](p, std::nothrow); });
  come_and_go(
      true, [] { return operator new(512, wide); }, [](void *p) { operator delete(p, wide); });
  come_and_go(
      true, [] { return operator new(768, wide); }, [](void *p) { operator delete(p, 768, wide); });
  come_and_go(
      true, [] { return operator new(1280, wide, std::nothrow); },
      [](void *p) { operator delete(p, wide, std::nothrow); });
  come_and_go(
      true, [] { return operator new[](1536, wide); }, [](void *p) { operator delete[](p, wide); });
  come_and_go(
      true, [] { return operator new[](1792, wide); },
      [](void *p) { operator delete[](p, 1792, wide); });
  come_and_go(
      true, [] { return operator new[](2304, wide, std::nothrow); },
      [](void *p) { operator delete[](p, wide, std::nothrow); });
  operator delete(nullptr);
  operator delete[](nullptr);
}

/* More than possible: one form reports it by an exception, the other by a null pointer. */
void refused() {
  volatile std::size_t much = PTRDIFF_MAX - 4096;
  try {
    operator delete(operator new(much));
    std::abort();
  } catch (const std::bad_alloc &) {
  }
  if (operator new(much, std::nothrow) != nullptr)
    std::abort();
}

} // namespace

int main() {
  kept();
  gone();
  refused();
  return 0;
}
