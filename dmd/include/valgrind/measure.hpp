/*
   SPDX-License-Identifier: BSD-3-Clause

   measure.hpp: measures the memory of C++ objects from lists of their members.

   Copyright (C) 2026 the authors of dmd. All rights reserved.
   The terms are in LICENSES/BSD-3-Clause.txt, and at the top of dmd.h.
*/

#ifndef VALGRIND_DMD_MEASURE_HPP
#define VALGRIND_DMD_MEASURE_HPP

/* So that gcc shows an error in a list as one at that list, not in these macros. (The tests of
   these headers want to see their warnings.) */
#if defined(__GNUC__) && !defined(DMD_SHOW_WARNINGS_)
#pragma GCC system_header
#endif

/*
   What this is for
   ----------------
   dmd.h measures blocks, but the program has to know which object owns which block. This file knows
   it for the containers of the standard library, and learns it for your classes from a list of
   their members:

     class Cookie {
       std::string name_;
       std::unique_ptr<Value> value_;
       Jar *jar_;
       DMD_MEASURE(Cookie, name_, value_, DMD_IGNORE(jar_, "the jar owns the cookie"));
     };

     size_t measure_cookies(const std::vector<Cookie> &cookies) {
       return dmd::size_of(cookies);
     }

   A member missing from the list does not compile, nor does a member of an unknown type. So nobody
   can add a member and forget to measure it.

     dmd::size_of(x)            what hangs off x: all blocks that x owns, without x itself
     dmd::size_of_shallow(x)    only the blocks that are x's own: a vector's array, a list's nodes
     dmd::size_of_including(p)  the block that p points to, and what hangs off the object there

   Each block is measured with DMD_REPORT, so dmd sees it; sizes are usable sizes. What shared_ptr
   shares is reported as shared (DMD_REPORT_SHARED), once per call.

   DMD_MEASURE(Class, entries...) stands at the end of the class, after all members. An entry is

     member                       a value: a number, a container, a smart pointer, a measured class
     DMD_OWNED(member)            a raw pointer to one object, which this one owns
     DMD_OWNED_ARRAY(member, n)   a raw pointer to a block of n objects from malloc, or from new[]
                                  if they have no destructor
     DMD_OWNED_NEW_ARRAY(member)  a raw pointer to an array from new[] of objects with a destructor
     DMD_OWNED_EACH(member)       a container of raw pointers to objects that this one owns
     DMD_SHARED(member)           a raw or intrusive pointer to an object with several owners
     DMD_IGNORE(member, "reason") not measured, for this reason
     DMD_BASE(Base)               a base class, which has its own list
     DMD_IGNORE_BASE(Base, "reason")
     DMD_GAP(member, "reason")    the space before this member has no name that could be listed (bit
                                  fields, references, padding of alignas), and owns nothing
     DMD_GAP_AT_END("reason")     like DMD_GAP, for the space after the last member

   Members may be private. A missing member is found as a hole between the listed ones that is large
   enough for a pointer; a smaller member cannot own a block. If objects are deleted through a
   pointer to their base, write DMD_MEASURE_VIRTUAL in the base in place of DMD_MEASURE, and give
   each derived class its own list. The compiler does not notice a derived class without a list; dmd
   reports it when such an object is measured, as a fault of a reporter named "CLASS has no
   DMD_MEASURE of its own". Classes with virtual bases cannot be listed, since the compiler does not
   state where a virtual base lies.

   To measure a type that you cannot change, specialise:

     template <> struct dmd::measure<Theirs> {
       static void walk(const Theirs &x, dmd::Walk &walk) { walk.block(x.buffer); }
     };

   walk.block(p) measures the block that starts at p, walk.shared_block(p) one that has several
   owners, walk.value(x) what hangs off x, walk.pointee(p) the block at p and what hangs off it.

   For an allocator that takes each array and each node from malloc or new:

     template <> constexpr bool dmd::is_of_heap<Allocator> = true;

   Limits: the callable in a std::function and the value in a std::any are measured, but not what
   they own. C++17 and libstdc++ are required, since the code depends on the layout of libstdc++'s
   containers: it finds nodes through iterators, and arrays without an accessor in the object's
   words.

   Raw pointers that own may not lead in a circle. If they do, the measurement ends all the same,
   and dmd reports the blocks as reported twice.

   Cost: that of the same walk written by hand. Each call checks once whether dmd is running; if
   not, it makes no reports. Pointers are followed without recursion, so lists and trees may have
   any depth; the work list is malloc memory, freed at the end.
*/

#include "dmd.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

/* Inlines helpers that would take up frames of the report stacks, whose depth is limited. */
#if defined(__GNUC__)
#define DMD_AT_ONCE_ __attribute__((always_inline))
#else
#define DMD_AT_ONCE_
#endif

namespace dmd {

class Walk;
template <class T> class Chain_;

/* How a type is measured: walk(x, walk) measures what hangs off x. owns_nothing: no value of the
   type owns a block. fault_: why values cannot be measured. Specialise it for types that you cannot
   change. */
template <class T, class Enable = void> struct measure;

/* The class whose list measures an object. */
struct Listed_ {
  const std::type_info *type;
  size_t size;
};

/* Access to private functions of measured classes. */
struct Access_ {
  template <class T> static auto test(int) -> std::is_same<typename T::dmd_measured_, T>;
  template <class T> static std::false_type test(...);
  template <class T> DMD_AT_ONCE_ static void walk(const T &x, Walk &walk) { x.dmd_walk_(walk); }
  template <class T> DMD_AT_ONCE_ static void members(const T &x, Chain_<T> &chain) {
    x.dmd_members_(chain);
  }
  template <class T> DMD_AT_ONCE_ static Listed_ listed(const T &x) { return x.dmd_listed_(); }
  template <class T> DMD_AT_ONCE_ static void base(const T &x, Walk &walk) { x.T::dmd_walk_(walk); }
  template <class T> static auto virtually(int) -> typename T::dmd_virtually_;
  template <class T> static std::false_type virtually(...);
};
template <class T> constexpr bool is_measured_class_ = decltype(Access_::test<T>(0))::value;
template <class T> constexpr bool is_virtual_ = decltype(Access_::virtually<T>(0))::value;

template <class T, class = void> struct OwnsNothing_ : std::false_type {};
template <class T>
struct OwnsNothing_<T, std::enable_if_t<measure<T>::owns_nothing>> : std::true_type {};
template <class T> constexpr bool owns_nothing_ = OwnsNothing_<std::remove_cv_t<T>>::value;

/* Why values of a type cannot be measured: because of the type itself, or of one in it. */
enum class Fault_ { NONE, UNKNOWN_TYPE, RAW_POINTER, ALLOCATOR };

constexpr Fault_ first_of_(std::initializer_list<Fault_> faults) {
  for (const Fault_ fault : faults)
    if (fault != Fault_::NONE)
      return fault;
  return Fault_::NONE;
}

template <class M, class = void> struct Noted_ { static constexpr Fault_ value = Fault_::NONE; };
template <class M> struct Noted_<M, std::void_t<decltype(M::fault_)>> {
  static constexpr Fault_ value = M::fault_;
};
/* A type that is not complete yet may get its list later. */
template <class T, class = void> struct FaultOf_ { static constexpr Fault_ value = Fault_::NONE; };
template <class T>
struct FaultOf_<T, std::void_t<decltype(sizeof(T))>> : Noted_<measure<std::remove_cv_t<T>>> {};
template <class T> constexpr Fault_ fault_of_ = FaultOf_<T>::value;
template <class T> constexpr bool is_measurable_ = fault_of_<T> == Fault_::NONE;

#define DMD_CHECK_(type, what)                                                                     \
  static_assert(::dmd::fault_of_<type> != ::dmd::Fault_::UNKNOWN_TYPE,                             \
                "dmd: " what " has an unknown type: give it DMD_MEASURE or dmd::measure, or "      \
                "DMD_IGNORE the member");                                                          \
  static_assert(::dmd::fault_of_<type> != ::dmd::Fault_::RAW_POINTER,                              \
                "dmd: " what " has raw pointers: say DMD_OWNED, DMD_OWNED_ARRAY, DMD_OWNED_EACH, " \
                "DMD_SHARED or DMD_IGNORE");                                                       \
  static_assert(::dmd::fault_of_<type> != ::dmd::Fault_::ALLOCATOR,                                \
                "dmd: " what " has an allocator that may not use malloc: DMD_IGNORE it, or set "   \
                "dmd::is_of_heap")
/* The same where the member is not known. */
template <class T> constexpr void check_() {
  DMD_CHECK_(T, "a value");
}

/* Whether dmd is running. If not, sizes are only added up. */
inline bool is_heard_() {
#if defined(__linux__) && defined(__ELF__) && defined(__GNUC__) && !defined(NVALGRIND)
  if (dmd_slot_ != nullptr)
    return true;
#endif
  return RUNNING_ON_DMD > 0;
}

/* The start of the block that holds the object p. For a polymorphic object it may lie before p. */
template <class T> const void *start_of_(const T *p) {
  if constexpr (std::is_polymorphic_v<T> && !std::is_final_v<T>) {
    static_assert(is_virtual_<T>,
                  "dmd: objects of derived classes may be deleted through a pointer to this class: "
                  "write DMD_MEASURE_VIRTUAL in place of DMD_MEASURE, or make the class final");
    return dynamic_cast<const void *>(p);
  } else {
    return p;
  }
}

/* A set of objects: an open-addressing hash table; empty places are null. */
class Met_ {
public:
  Met_() = default;
  Met_(const Met_ &) = delete;
  Met_ &operator=(const Met_ &) = delete;
  ~Met_() { std::free(objects_); }

  /* Returns whether the object is new. */
  bool add(const void *p) {
    if (2 * n_ >= room_)
      grow();
    size_t i = place_of(p);
    if (objects_[i] == p)
      return false;
    objects_[i] = p;
    ++n_;
    return true;
  }

private:
  size_t place_of(const void *p) const {
    size_t i = (reinterpret_cast<size_t>(p) >> 4) * 0x9e3779b97f4a7c15u & (room_ - 1);
    while (objects_[i] != nullptr && objects_[i] != p)
      i = (i + 1) & (room_ - 1);
    return i;
  }

  void grow() {
    const void **old = objects_;
    const size_t n = room_, room = n == 0 ? 64 : 2 * n;
    auto *more = static_cast<const void **>(std::calloc(room, sizeof *objects_));
    if (more == nullptr) {
      if (n_ + 1 >= n)
        throw std::bad_alloc();
      return;
    }
    objects_ = more;
    room_ = room;
    for (size_t i = 0; i < n; i++)
      if (old[i] != nullptr)
        objects_[place_of(old[i])] = old[i];
    std::free(old);
  }

  const void **objects_ = nullptr;
  size_t n_ = 0, room_ = 0;
};

using Step_ = void (*)(const void *, Walk &);

/* Finds out whether a walk goes in a circle: compares each object with one visited before, at
   growing distances (Brent's algorithm). */
class Mark_ {
public:
  DMD_AT_ONCE_ bool meets(const void *object, Step_ walk) {
    if (object == object_ && walk == walk_)
      return true;
    if (--left_ == 0) {
      object_ = object;
      walk_ = walk;
      left_ = distance_ *= 2;
    }
    return false;
  }

private:
  const void *object_ = nullptr;
  Step_ walk_ = nullptr;
  size_t left_ = 1, distance_ = 1;
};

/* One measurement: the sum so far, and the objects still to visit. */
class Walk {
public:
  explicit Walk(bool is_shallow = false) : is_heard_(dmd::is_heard_()), is_shallow_(is_shallow) {}
  Walk(const Walk &) = delete;
  ~Walk() {
    if (waiting_ != few_)
      std::free(waiting_);
  }

  /* Measures the block that starts at p, which may be null. Returns its usable size. */
  DMD_AT_ONCE_ size_t block(const void *p) {
    return is_shared_ ? shared_block(p) : add(is_heard_ ? DMD_REPORT(p) : dmd_native_size_(p));
  }

  /* Like block(), for a block with several owners. */
  DMD_AT_ONCE_ size_t shared_block(const void *p) {
    return add(is_heard_ ? DMD_REPORT_SHARED(p) : dmd_native_size_(p));
  }

  template <class T> void value(const T &x) {
    using Plain = std::remove_cv_t<T>;
    check_<Plain>();
    if constexpr (is_measurable_<Plain> && !owns_nothing_<Plain>) {
      if (depth_ == MOST_DEEP) {
        wait(&x, step<Plain>);
        return;
      }
      ++depth_;
      measure<Plain>::walk(const_cast<const Plain &>(x), *this);
      --depth_;
    }
  }

  /* Like value(), for an element of a container: skipped by size_of_shallow. */
  template <class T> DMD_AT_ONCE_ void element(const T &x) {
    if (!is_shallow_)
      value(x);
  }

  /* Measures an object that has its own block: the block, and what hangs off it. */
  template <class T> void pointee(const T *p) {
    if (p == nullptr)
      return;
    check_<T>();
    if constexpr (is_measurable_<T> && !owns_nothing_<T>)
      if (!is_shallow_) {
        wait(p, whole<std::remove_cv_t<T>>);
        return;
      }
    object_block(p);
  }

  /* Like pointee(), for an object with several owners: visited once, however many pointers lead to
     it. */
  template <class T> void shared_pointee(const T *p) {
    const bool was_shared = share(true);
    if (p != nullptr && meets(p))
      pointee(p);
    share(was_shared);
  }

  /* The element count that new[] stores before the objects. AddressSanitizer lets only delete[]
     read it. */
  __attribute__((no_sanitize_address)) static size_t number_before(const void *p) {
    return static_cast<const size_t *>(p)[-1];
  }

  /* Measures an array from new[]: its block starts at the element count, if there is one. */
  template <class T> void array(const T *p) {
    if (p == nullptr)
      return;
    if constexpr (std::is_trivially_destructible_v<T>) {
      static_assert(owns_nothing_<T>,
                    "dmd: the number of objects in such an array is unknown: give their class a "
                    "destructor, or list the member as DMD_OWNED_ARRAY(member, count)");
      block(p);
    } else {
      constexpr size_t cookie = alignof(T) > sizeof(size_t) ? alignof(T) : sizeof(size_t);
      const size_t n = number_before(p);
      block(reinterpret_cast<const char *>(p) - cookie);
      for (size_t i = 0; i < n; i++)
        element(p[i]);
    }
  }

  /* Calls walk(object) after all else; the same object again makes no circle. */
  void later(const void *object, Step_ walk) {
    const size_t last = n_waiting_;
    wait(object, walk);
    if (n_waiting_ > last)
      std::swap(waiting_[n_late_++], waiting_[last]);
  }

  /* Whether a shared object is visited for the first time. */
  bool meets(const void *p) { return shared_.add(p); }

  /* Sets whether what follows is measured as shared; returns the previous state. */
  bool share(bool is_shared) { return std::exchange(is_shared_, is_shared); }

  /* Visits all waiting objects; returns the sum. */
  size_t finish() {
    while (n_waiting_ > 0) {
      const Waiting next = waiting_[--n_waiting_];
      if (n_late_ > n_waiting_)
        n_late_ = n_waiting_;
      else if (is_again(mark_, next.object, next.walk))
        continue;
      is_shared_ = next.is_shared;
      next.walk(next.object, *this);
    }
    return size_;
  }

private:
  template <class T> friend class Chain_;
  struct Waiting {
    const void *object = nullptr;
    Step_ walk = nullptr;
    bool is_shared = false;
  };
  enum { FEW = 32, MOST_DEEP = 64 };

  DMD_AT_ONCE_ size_t add(size_t size) {
    size_ += size;
    return size;
  }

  /* Whether this object is left out: once the walk went in a circle, it visits none twice. */
  DMD_AT_ONCE_ bool is_again(Mark_ &mark, const void *object, Step_ walk) {
    if (!is_circle_ && !mark.meets(object, walk))
      return false;
    is_circle_ = true;
    return !again_.add(object);
  }

  /* The block of an object whose class may be derived from T. */
  template <class T> DMD_AT_ONCE_ void object_block(const T *p) {
#ifdef __cpp_rtti
    if constexpr (is_virtual_<T>)
      if (const Listed_ listed = Access_::listed(*p); is_heard_ && *listed.type != typeid(*p))
        return unlisted_block(start_of_(p), listed.size, typeid(*p));
#endif
    block(start_of_(p));
  }

  /* The block of an object whose class has no list, only a base of size `listed`. The report names
     the class in place of the reporter. dmd finds the fault where the block is larger than the
     base: the length is wrong or, for a shared block, the claim is too small. The allocator may
     round a shared block up, so a small excess is accepted. */
  void unlisted_block(const void *p, size_t listed, const std::type_info &type) {
    char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr);
    char what[256];
    std::snprintf(what, sizeof what, "%.200s has no DMD_MEASURE of its own",
                  name != nullptr ? name : type.name());
    std::free(name);
    if (is_shared_) {
      ReporterScope scope(what);
      const size_t size = shared_block(p);
      scope.claim(size < listed + 2 * sizeof p ? size : listed);
      return;
    }
    const size_t size = DMD_REPORT_NAMED_(p, listed, what);
    add(size > 0 ? size : dmd_native_size_(p));
  }

  /* Functions for waiting objects: measure what hangs off the object; `whole` measures its block,
     too. */
  template <class T> static void step(const void *object, Walk &walk) {
    measure<T>::walk(*static_cast<const T *>(object), walk);
  }
  template <class T> static void whole(const void *object, Walk &walk) {
    const T *p = static_cast<const T *>(object);
    if constexpr (is_measured_class_<T> && !is_virtual_<T>) {
      static_cast<void>(start_of_(p)); /* for its static_assert */
      Chain_<T>(walk).follow(p);
    } else {
      walk.object_block(p);
      measure<T>::walk(*p, walk);
    }
  }

  /* Takes the newest waiting object if it waits for this function. */
  const void *take(Step_ step) {
    if (n_waiting_ == 0 || waiting_[n_waiting_ - 1].walk != step)
      return nullptr;
    is_shared_ = waiting_[--n_waiting_].is_shared;
    return waiting_[n_waiting_].object;
  }

  void wait(const void *object, Step_ walk) {
    if (n_waiting_ == room_ && !grow_waiting()) { /* out of memory: recurse */
      if (is_again(mark_, object, walk))
        return;
      const bool was_shared = is_shared_;
      walk(object, *this);
      is_shared_ = was_shared;
      return;
    }
    waiting_[n_waiting_++] = {object, walk, is_shared_};
  }

  bool grow_waiting() {
    void *more = std::malloc(2 * room_ * sizeof *waiting_);
    if (more == nullptr)
      return false;
    std::memcpy(more, waiting_, n_waiting_ * sizeof *waiting_);
    if (waiting_ != few_)
      std::free(waiting_);
    waiting_ = static_cast<Waiting *>(more);
    room_ *= 2;
    return true;
  }

  size_t size_ = 0;
  const bool is_heard_, is_shallow_;
  bool is_shared_ = false, is_circle_ = false;
  unsigned depth_ = 0;
  Waiting few_[FEW];
  Waiting *waiting_ = few_;
  size_t n_waiting_ = 0, room_ = FEW, n_late_ = 0; /* the first n_late_ are visited last */
  Met_ shared_, again_; /* visited: shared objects; objects since a circle was found */
  Mark_ mark_;
};

/* The walk through objects of one class, from pointer to pointer, as in lists and trees. Its state
   is local to follow(), so that compilers keep it in registers; a Walk must be in memory, since a
   request may read it. It behaves like its Walk for everything but pointers to the class. */
template <class T> class Chain_ {
public:
  explicit Chain_(Walk &walk)
      : walk_(walk), is_heard_(walk.is_heard_), is_shallow_(walk.is_shallow_) {}
  operator Walk &() const { return walk_; }

  template <class X> DMD_AT_ONCE_ void value(const X &x) {
    using Plain = std::remove_cv_t<X>;
    check_<Plain>();
    if constexpr (is_measurable_<Plain> && !owns_nothing_<Plain>)
      measure<Plain>::walk(const_cast<const Plain &>(x), *this);
  }
  template <class X> void pointee(const X *p) {
    if constexpr (std::is_same_v<std::remove_cv_t<X>, T>) {
      if (p == nullptr)
        return;
      if (next_ != nullptr || is_shallow_)
        walk_.pointee(p);
      else
        next_ = p;
    } else {
      walk_.pointee(p);
    }
  }
  template <class X> void array(const X *p) { walk_.array(p); }

  DMD_AT_ONCE_ void members(const T &x) {
    Access_::members(x, *this);
    if (next_ != nullptr)
      walk_.pointee(next_);
  }

  /* Measures the block of an object, and all objects that it leads to. */
  DMD_AT_ONCE_ void follow(const T *at) {
    size_t size = 0;
    Mark_ mark;
    do {
      if (is_heard_)
        walk_.block(at);
      else
        size += dmd_native_size_(at);
      next_ = nullptr;
      Access_::members(*at, *this);
      at = next_ != nullptr ? next_ : taken();
      while (at != nullptr && walk_.is_again(mark, at, Walk::whole<T>))
        at = taken();
    } while (at != nullptr);
    walk_.add(size);
  }

private:
  const T *taken() { return static_cast<const T *>(walk_.take(Walk::whole<T>)); }

  Walk &walk_;
  const T *next_ = nullptr;
  const bool is_heard_, is_shallow_;
};

} /* namespace dmd */

#include "measure_std.hpp"

namespace dmd {
/* ---- Unknown types ---- */

template <class T, class Enable> struct measure {
  static constexpr Fault_ fault_ =
      std::is_pointer_v<T> ? Fault_::RAW_POINTER : Fault_::UNKNOWN_TYPE;
  static constexpr bool owns_nothing = true;
};

template <class T> size_t size_of(const T &x) {
  Walk walk;
  walk.value(x);
  return walk.finish();
}

template <class T> size_t size_of_shallow(const T &x) {
  Walk walk(true);
  walk.value(x);
  return walk.finish();
}

template <class T> size_t size_of_including(const T *p) {
  Walk walk;
  walk.pointee(p);
  return walk.finish();
}

} /* namespace dmd */

#include "measure_list.hpp"

#endif
