/*
   SPDX-License-Identifier: BSD-3-Clause

   measure_std.hpp: how types of the C++ standard library are measured. Part of measure.hpp, which
   includes it.

   Copyright (C) 2026 the authors of dmd. All rights reserved.
   The terms are in LICENSES/BSD-3-Clause.txt, and at the top of dmd.h.
*/

#ifndef VALGRIND_DMD_MEASURE_STD_HPP
#define VALGRIND_DMD_MEASURE_STD_HPP

#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <shared_mutex>
#include <stack>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif
#if __cplusplus > 202002L && __has_include(<expected>)
#include <expected>
#endif

#if !defined(__GLIBCXX__)
#error "measure.hpp: this C++ library is not supported, only libstdc++ is"
#endif

namespace dmd {

/* ---- Types that own nothing ---- */

struct Nothing_ {
  static constexpr bool owns_nothing = true;
  template <class T> static void walk(const T &, Walk &) {}
};

template <class T>
struct measure<
    T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_null_pointer_v<T> ||
                        std::is_member_pointer_v<T> ||
                        (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>)>>
    : Nothing_ {};
template <class T> struct measure<std::complex<T>> : Nothing_ {};
template <size_t N> struct measure<std::bitset<N>> : Nothing_ {};
template <class R, class P> struct measure<std::chrono::duration<R, P>> : Nothing_ {};
template <class C, class D> struct measure<std::chrono::time_point<C, D>> : Nothing_ {};
template <class C, class Tr> struct measure<std::basic_string_view<C, Tr>> : Nothing_ {};
template <class T> struct measure<std::reference_wrapper<T>> : Nothing_ {};
template <class T> struct measure<std::allocator<T>> : Nothing_ {};
template <class T> struct measure<std::initializer_list<T>> : Nothing_ {};
#if defined(__cpp_lib_span)
template <class T, size_t N> struct measure<std::span<T, N>> : Nothing_ {};
#endif
template <> struct measure<std::atomic_flag> : Nothing_ {};
template <> struct measure<std::error_code> : Nothing_ {};
template <> struct measure<std::thread::id> : Nothing_ {};
template <> struct measure<std::type_index> : Nothing_ {};
template <> struct measure<std::monostate> : Nothing_ {};
template <> struct measure<std::mutex> : Nothing_ {};
template <> struct measure<std::recursive_mutex> : Nothing_ {};
template <> struct measure<std::timed_mutex> : Nothing_ {};
template <> struct measure<std::shared_mutex> : Nothing_ {};
template <> struct measure<std::once_flag> : Nothing_ {};
template <> struct measure<std::condition_variable> : Nothing_ {};

/* Iterators of containers. */
template <class T> struct measure<std::_List_iterator<T>> : Nothing_ {};
template <class T> struct measure<std::_List_const_iterator<T>> : Nothing_ {};
template <class T> struct measure<std::_Fwd_list_iterator<T>> : Nothing_ {};
template <class T> struct measure<std::_Fwd_list_const_iterator<T>> : Nothing_ {};
template <class T> struct measure<std::_Rb_tree_iterator<T>> : Nothing_ {};
template <class T> struct measure<std::_Rb_tree_const_iterator<T>> : Nothing_ {};
template <class T, bool C, bool H>
struct measure<std::__detail::_Node_iterator<T, C, H>> : Nothing_ {};
template <class T, bool C, bool H>
struct measure<std::__detail::_Node_const_iterator<T, C, H>> : Nothing_ {};
template <class T, class R, class P> struct measure<std::_Deque_iterator<T, R, P>> : Nothing_ {};
template <class P, class C> struct measure<__gnu_cxx::__normal_iterator<P, C>> : Nothing_ {};
template <> struct measure<std::_Bit_iterator> : Nothing_ {};
template <> struct measure<std::_Bit_const_iterator> : Nothing_ {};
template <class I> struct measure<std::reverse_iterator<I>> : Nothing_ {};

/* ---- Types that hold their values inside ---- */

template <class... T> struct Each_ {
  static constexpr bool owns_nothing = (owns_nothing_<T> && ...);
  static constexpr Fault_ fault_ = first_of_({fault_of_<T>...});
};

template <class T> struct measure<std::atomic<T>> : Each_<T> {
  static void walk(const std::atomic<T> &x, Walk &walk) { walk.value(x.load()); }
};
template <class A, class B> struct measure<std::pair<A, B>> : Each_<A, B> {
  template <class W> static void walk(const std::pair<A, B> &x, W &walk) {
    walk.value(x.first);
    walk.value(x.second);
  }
};
template <class... T> struct measure<std::tuple<T...>> : Each_<T...> {
  template <class W> static void walk(const std::tuple<T...> &x, W &walk) {
    std::apply([&walk](const auto &...each) { (walk.value(each), ...); }, x);
  }
};
template <class T, size_t N> struct measure<T[N]> : Each_<T> {
  template <class W> static void walk(const T (&x)[N], W &walk) {
    for (const T &each : x)
      walk.value(each);
  }
};
template <class T, size_t N> struct measure<std::array<T, N>> : Each_<T> {
  template <class W> static void walk(const std::array<T, N> &x, W &walk) {
    for (const T &each : x)
      walk.value(each);
  }
};
template <class T> struct measure<std::optional<T>> : Each_<T> {
  template <class W> static void walk(const std::optional<T> &x, W &walk) {
    if (x)
      walk.value(*x);
  }
};
template <class... T> struct measure<std::variant<T...>> : Each_<T...> {
  static void walk(const std::variant<T...> &x, Walk &walk) {
    if (!x.valueless_by_exception())
      std::visit([&walk](const auto &each) { walk.value(each); }, x);
  }
};

#if defined(__cpp_lib_expected)
template <class T, class E>
struct measure<std::expected<T, E>> : Each_<std::conditional_t<std::is_void_v<T>, bool, T>, E> {
  template <class W> static void walk(const std::expected<T, E> &x, W &walk) {
    if (!x)
      walk.value(x.error());
    else if constexpr (!std::is_void_v<T>)
      walk.value(*x);
  }
};
#endif

/* ---- Containers ---- */

/* Whether the allocator takes each array and each node from malloc or new. */
template <class A> constexpr bool is_of_heap = false;
template <class T> constexpr bool is_of_heap<std::allocator<T>> = true;
template <class A> struct OfHeap_ {
  static constexpr Fault_ fault_ = is_of_heap<A> ? Fault_::NONE : Fault_::ALLOCATOR;
};
template <class C, class = void> struct Allocator_ { using type = typename C::allocator_type; };
template <class C> struct Allocator_<C, std::void_t<typename C::container_type>> {
  using type = typename Allocator_<typename C::container_type>::type;
};

/* Measures an array's block, unless the array lies within the object itself. */
template <class T> DMD_AT_ONCE_ inline void block_outside_(const T &x, const void *p, Walk &walk) {
  const size_t begin = reinterpret_cast<size_t>(&x), at = reinterpret_cast<size_t>(p);
  if (at < begin || at >= begin + sizeof x)
    walk.block(p);
}

/* A container: parts(x, walk, each) measures its own blocks and calls each(element) for each. */
template <class C> struct Container_ {
  static constexpr bool owns_nothing = false;
  static constexpr Fault_ of_blocks_ = OfHeap_<typename Allocator_<C>::type>::fault_;
  static constexpr Fault_ fault_ = first_of_({of_blocks_, fault_of_<typename C::value_type>});
  static void walk(const C &x, Walk &walk) {
    measure<C>::parts(x, walk, [&walk](const auto &each) { walk.element(each); });
  }
};

template <class C, class Each> void elements_(const C &x, Each each) {
  for (const auto &element : x)
    each(element);
}

template <class C, class Tr, class A> struct measure<std::basic_string<C, Tr, A>> : OfHeap_<A> {
  static void walk(const std::basic_string<C, Tr, A> &x, Walk &walk) {
    block_outside_(x, x.data(), walk);
  }
};
template <class T, class A> struct measure<std::vector<T, A>> : Container_<std::vector<T, A>> {
  template <class Each> static void parts(const std::vector<T, A> &x, Walk &walk, Each each) {
    if (x.capacity() > 0)
      walk.block(x.data());
    elements_(x, each);
  }
};
template <class A> struct measure<std::vector<bool, A>> : OfHeap_<A> {
  static void walk(const std::vector<bool, A> &x, Walk &walk) {
    if (x.capacity() > 0)
      walk.block(x.begin()._M_p);
  }
};

template <class T> struct measure<std::valarray<T>> {
  static constexpr Fault_ fault_ = fault_of_<T>;
  static void walk(const std::valarray<T> &x, Walk &walk) {
    if (x.size() > 0)
      walk.block(std::addressof(x[0]));
    for (size_t i = 0; i < x.size(); i++)
      walk.element(x[i]);
  }
};

/* Containers of nodes: iterators point to the nodes. */
template <class C> struct Nodes_ : Container_<C> {
  template <class Each> static void parts(const C &x, Walk &walk, Each each) {
    for (auto at = x.begin(); at != x.end(); ++at) {
      walk.block(at._M_node);
      each(*at);
    }
  }
};
template <class T, class A> struct measure<std::list<T, A>> : Nodes_<std::list<T, A>> {};
template <class T, class A>
struct measure<std::forward_list<T, A>> : Nodes_<std::forward_list<T, A>> {};
template <class K, class T, class C, class A>
struct measure<std::map<K, T, C, A>> : Nodes_<std::map<K, T, C, A>> {};
template <class K, class T, class C, class A>
struct measure<std::multimap<K, T, C, A>> : Nodes_<std::multimap<K, T, C, A>> {};
template <class K, class C, class A>
struct measure<std::set<K, C, A>> : Nodes_<std::set<K, C, A>> {};
template <class K, class C, class A>
struct measure<std::multiset<K, C, A>> : Nodes_<std::multiset<K, C, A>> {};

/* A hash table's array of buckets: the word of the object that precedes the bucket count, the first
   node and the element count. */
template <class C> const void *buckets_(const C &x) {
  size_t words[sizeof x / sizeof(size_t)];
  std::memcpy(words, &x, sizeof words);
  const size_t first = reinterpret_cast<size_t>(x.begin()._M_cur);
  for (size_t i = 0; i + 3 < sizeof words / sizeof *words; i++)
    if (words[i + 1] == x.bucket_count() && words[i + 2] == first && words[i + 3] == x.size())
      return reinterpret_cast<const void *>(words[i]);
  return nullptr;
}
template <class C> struct Table_ : Container_<C> {
  template <class Each> static void parts(const C &x, Walk &walk, Each each) {
    block_outside_(x, buckets_(x), walk);
    for (auto at = x.begin(); at != x.end(); ++at) {
      walk.block(at._M_cur);
      each(*at);
    }
  }
};
template <class K, class T, class H, class E, class A>
struct measure<std::unordered_map<K, T, H, E, A>> : Table_<std::unordered_map<K, T, H, E, A>> {};
template <class K, class T, class H, class E, class A>
struct measure<std::unordered_multimap<K, T, H, E, A>>
    : Table_<std::unordered_multimap<K, T, H, E, A>> {};
template <class K, class H, class E, class A>
struct measure<std::unordered_set<K, H, E, A>> : Table_<std::unordered_set<K, H, E, A>> {};
template <class K, class H, class E, class A>
struct measure<std::unordered_multiset<K, H, E, A>> : Table_<std::unordered_multiset<K, H, E, A>> {
};

/* Gives access to members that derived classes see. */
template <class T, class A> struct Deque_ : std::_Deque_base<T, A> {
  static void blocks(const std::_Deque_base<T, A> &x, Walk &walk) {
    const auto &parts = x.*(&Deque_::_M_impl);
    if (parts._M_map == nullptr)
      return;
    walk.block(parts._M_map);
    for (auto node = parts._M_start._M_node; node <= parts._M_finish._M_node; ++node)
      walk.block(*node);
  }
};
template <class T, class A> struct measure<std::deque<T, A>> : Container_<std::deque<T, A>> {
  template <class Each> static void parts(const std::deque<T, A> &x, Walk &walk, Each each) {
    Deque_<T, A>::blocks((const std::_Deque_base<T, A> &)x, walk); /* a protected base */
    elements_(x, each);
  }
};
template <class Q> struct Inside_ : Q {
  static const typename Q::container_type &of(const Q &x) { return x.*(&Inside_::c); }
};
template <class Q> struct Adaptor_ : Container_<Q> {
  template <class Each> static void parts(const Q &x, Walk &walk, Each each) {
    measure<typename Q::container_type>::parts(Inside_<Q>::of(x), walk, each);
  }
};
template <class T, class C> struct measure<std::stack<T, C>> : Adaptor_<std::stack<T, C>> {};
template <class T, class C> struct measure<std::queue<T, C>> : Adaptor_<std::queue<T, C>> {};
template <class T, class C, class L>
struct measure<std::priority_queue<T, C, L>> : Adaptor_<std::priority_queue<T, C, L>> {};

/* The components of a path, if it has several, lie in one block after two numbers. */
template <> struct measure<std::filesystem::path> {
  static void walk(const std::filesystem::path &x, Walk &walk) {
    walk.value(x.native());
    const auto first = x.begin();
    if (first == x.end() || std::addressof(*first) == &x)
      return;
    walk.block(reinterpret_cast<const char *>(std::addressof(*first)) - 2 * sizeof(int));
    for (const auto &component : x)
      walk.value(component.native());
  }
};

/* ---- Smart pointers ---- */

template <class T> struct measure<std::unique_ptr<T>> {
  static constexpr Fault_ fault_ = fault_of_<T>;
  template <class W> static void walk(const std::unique_ptr<T> &x, W &walk) {
    walk.pointee(x.get());
  }
};
template <class T> struct measure<std::unique_ptr<T[]>> {
  static constexpr Fault_ fault_ = fault_of_<T>;
  static void walk(const std::unique_ptr<T[]> &x, Walk &walk) { walk.array(x.get()); }
};

/* The control block of a shared or weak pointer: its second word points there. */
template <class P> const void *counts_(const P &x) {
  const void *words[2];
  static_assert(sizeof words == sizeof x,
                "dmd: the layout of this libstdc++'s shared_ptr is unknown");
  std::memcpy(words, &x, sizeof x);
  return words[1];
}

/* The word of a control block that points to its object; null if the object lies within, or if that
   is unknown: the type of the block is known only with run-time type information. The object is
   from new, since the usual delete ends it. */
inline const void *object_of_(const char *counts) {
  static const char plain[] = "St15_Sp_counted_ptrI", deleter[] = "St19_Sp_counted_deleterI",
                    usual[] = "St14default_deleteI";
  const std::type_info *const *table;
  const void *object;
  std::memcpy(&table, counts, sizeof table);
  std::memcpy(&object, counts + 2 * sizeof object, sizeof object);
  if (table[-1] == nullptr)
    return nullptr;
  const char *name = table[-1]->name();
  if (std::strncmp(name, plain, sizeof plain - 1) == 0)
    return object;
  const char *at = std::strncmp(name, deleter, sizeof deleter - 1) == 0 ? name : nullptr;
  for (const char *next = at; next != nullptr; next = std::strstr(at + 1, usual))
    at = next;
  const char *end = at == nullptr || at == name ? nullptr : std::strchr(at, 'E');
  return end != nullptr && std::strncmp(end, "ESaIvE", 6) == 0 ? object : nullptr;
}

template <class T> struct measure<std::shared_ptr<T>> {
  static constexpr Fault_ fault_ = fault_of_<std::remove_extent_t<T>>;
  static void walk(const std::shared_ptr<T> &x, Walk &walk) {
    const char *counts = static_cast<const char *>(counts_(x));
    if (counts == nullptr)
      return;
    if (is_alias(x.get(), counts))
      walk.later(counts, alias);
    else if (walk.meets(counts))
      block(x, counts, walk);
  }

private:
  using Element = std::remove_extent_t<T>;

  static bool is_alias(const Element *p, const char *counts) {
    return std::memcmp(counts + 2 * sizeof p, &p, sizeof p) != 0 && object_of_(counts) != nullptr;
  }

  static void block(const std::shared_ptr<T> &x, const char *counts, Walk &walk) {
    const size_t size = walk.shared_block(counts);
    if constexpr (!std::is_void_v<T>)
      object(x.get(), counts, size, walk);
  }

  /* A pointer into an object, or to another one, that no other pointer of this walk owns. The type
     of the object is unknown, so only its block is measured. */
  static void alias(const void *counts, Walk &walk) {
    if (!walk.meets(counts))
      return;
    walk.shared_block(counts);
    walk.shared_block(object_of_(static_cast<const char *>(counts)));
  }

  /* The object lies in the control block, or has its own block, to which the control block points.
     Any other pointer points into an object that is measured through its owner. */
  static void object(const Element *p, const char *counts, size_t size, Walk &walk) {
    if (p == nullptr)
      return;
    const bool was_shared = walk.share(true);
    const size_t at = reinterpret_cast<size_t>(p) - reinterpret_cast<size_t>(counts);
    if (at < size)
      walk.element(*p);
    else if (points_to(p, counts, size))
      whole(p, walk);
    walk.share(was_shared);
  }

  static void whole(const Element *p, Walk &walk) {
    if constexpr (std::is_array_v<T>)
      walk.array(p);
    else
      walk.pointee(p);
  }

  static bool points_to(const void *p, const char *counts, size_t size) {
    for (size_t i = 2 * sizeof p; i + sizeof p <= size; i += sizeof p)
      if (std::memcmp(counts + i, &p, sizeof p) == 0)
        return true;
    return false;
  }
};
/* Owns the control block once the object is gone. */
template <class T> struct measure<std::weak_ptr<T>> {
  static void walk(const std::weak_ptr<T> &x, Walk &walk) {
    const void *counts = counts_(x);
    if (counts != nullptr && x.expired() && walk.meets(counts))
      walk.shared_block(counts);
  }
};

/* ---- Type-erased holders: their block, not what the value owns ---- */

template <class S> struct measure<std::function<S>> {
  static void walk(const std::function<S> &x, Walk &walk) {
    const auto &base =
        (const std::_Function_base &)x; /* a C-style cast, since the base is private */
    if (!x)
      return;
    std::_Any_data at;
    base._M_manager(at, base._M_functor, std::__get_functor_ptr);
    block_outside_(x, at._M_access<const void *>(), walk);
  }
};

template <auto Manager> struct AnyManager_ {
  friend constexpr auto any_manager_(int) { return Manager; }
};
constexpr auto any_manager_(int);
template struct AnyManager_<&std::any::_M_manager>;
template <class Op, class Arg>
const void *any_object_(void (*manager)(Op, const std::any *, Arg *), const std::any &x) {
  Arg arg;
  manager(static_cast<Op>(0), &x, &arg); /* _Op_access */
  return arg._M_obj;
}
template <> struct measure<std::any> {
  static void walk(const std::any &x, Walk &walk) {
    if (x.has_value())
      block_outside_(x, any_object_(x.*any_manager_(0), x), walk);
  }
};

} /* namespace dmd */

#endif
