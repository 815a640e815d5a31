/*
   measure.hpp: the memory of C++ objects, measured by code that nobody has to write.

   This file and dmd.h, and no other file of dmd, are under the licence below, so that any program
   may include them. The rest of dmd is under the GNU General Public License, version 2 or later;
   see COPYING.

   Copyright (C) 2026 the authors of dmd. All rights reserved.

   You may use this file and pass it on, as source text or in compiled form, changed or unchanged,
   provided that:

   1. where it is passed on as source text, the copyright line above, these conditions and the
      disclaimer below stay in it;
   2. where it is passed on in compiled form, the documentation or other material that comes along
      contains the copyright line, these conditions and the disclaimer; this is not asked of a
      program that merely includes this file to measure what it holds;
   3. the names of dmd's authors are not used to advertise or recommend anything made from this
      file, unless they have agreed to it in writing beforehand.

   THE AUTHORS PROVIDE THIS FILE "AS IS". THEY GIVE NO WARRANTY OF ANY KIND, EXPRESS OR IMPLIED; IN
   PARTICULAR NONE THAT IT IS FIT TO BE SOLD OR FIT FOR A PARTICULAR PURPOSE. THEY ARE NOT LIABLE
   FOR ANY DAMAGE THAT COMES OF ITS USE, WHETHER DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY OR
   CONSEQUENTIAL (LOSS OF DATA, OF USE, OF PROFITS, OF BUSINESS AND THE COST OF A REPLACEMENT
   AMONG IT), ON WHATEVER LEGAL GROUND, BE IT CONTRACT, STRICT LIABILITY OR TORT (NEGLIGENCE
   INCLUDED), AND EVEN WHERE THEY WERE TOLD THAT SUCH DAMAGE WAS POSSIBLE.
*/

#ifndef VALGRIND_DMD_MEASURE_HPP
#define VALGRIND_DMD_MEASURE_HPP

/*
   What this is for
   ----------------
   dmd.h measures blocks; who owns which block the program has to say. This file says it for the
   containers of the standard library, and for your classes from a list of their members:

     class Cookie {
       std::string name_;
       std::unique_ptr<Value> value_;
       Jar *jar_;
       DMD_MEASURE(Cookie, name_, value_, DMD_IGNORE(jar_, "the jar owns the cookie"));
     };

     size_t measure_cookies(const std::vector<Cookie> &cookies) {
       return dmd::size_of(cookies);
     }

   A member that is in no list, and a type of which nothing is known, do not compile. So measuring
   code cannot be forgotten when a member is added.

     dmd::size_of(x)            what hangs off x: all blocks that x owns, without x itself
     dmd::size_of_shallow(x)    only the blocks that are x's own: a vector's array, a list's nodes
     dmd::size_of_including(p)  the block that p points to, and what hangs off the object there

   Each block is measured by its start with DMD_REPORT, so dmd sees it; sizes are what the allocator
   really gave. What shared_ptr shares is reported as shared (DMD_REPORT_SHARED), once in each call.

   The list
   --------
   DMD_MEASURE(Class, entries...) stands at the end of the class, behind all members. An entry is

     member                       a value: a number, a container, a smart pointer, a measured class
     DMD_OWNED(member)            a raw pointer to one object, which this one owns
     DMD_OWNED_ARRAY(member, n)   a raw pointer to a block of n objects, made by malloc, or by new[]
                                  and without a destructor
     DMD_OWNED_NEW_ARRAY(member)  a raw pointer to what new[] made of objects with a destructor
     DMD_OWNED_EACH(member)       a container of raw pointers to objects that this one owns
     DMD_SHARED(member)           a raw or intrusive pointer to an object with several owners
     DMD_IGNORE(member, "reason") nothing of it is measured, and why
     DMD_BASE(Base)               a base class, which has a list of its own
     DMD_IGNORE_BASE(Base, "reason")
     DMD_GAP(member, "reason")    what lies before this member has no name that could be listed (bit
                                  fields, references, padding of alignas), and owns nothing
     DMD_GAP_AT_END("reason")     the same of what lies behind all members

   Members may be private. What is not listed is noticed as a hole of a pointer's size or more
   between those that are; a smaller member that is forgotten owns no block. Where objects are
   deleted through a pointer to their base, the base has DMD_MEASURE_VIRTUAL in place of
   DMD_MEASURE, and each class that derives from it a list of its own. Compilers do not notice where
   one lacks it; dmd does, when such an object is measured: a fault, of a reporter with the name
   "CLASS has no DMD_MEASURE of its own". Virtual bases have no place that the compiler tells, so
   such classes cannot be listed.

   Types of others are told by a specialisation:

     template <> struct dmd::measure<Theirs> {
       static void walk(const Theirs &x, dmd::Walk &walk) { walk.block(x.buffer); }
     };

   walk.block(p) measures the block that starts at p, walk.shared_block(p) one that has several
   owners, walk.value(x) what hangs off x, walk.pointee(p) the block at p and what hangs off it.

   So are allocators of which each array and node is a block of malloc's or new's:

     template <> constexpr bool dmd::is_of_heap<Allocator> = true;

   What is not seen: what the callable in a std::function and the value in a std::any own, beyond
   their own block. It needs C++17 and libstdc++, whose containers it looks into: nodes are found
   through iterators, and arrays that no function tells through the objects' words.

   Time: that of the same walk written by hand; where nobody listens, which is asked once in each
   call, no report is made. No recursion along pointers, so lists and trees may have any depth; what
   still has to be walked is kept in memory of malloc's, freed at the end.
*/

#include "dmd.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

/* Of functions that would stand in stacks, of which only so many frames are kept, between the
   program's own and those that do the work. */
#if defined(__GNUC__)
#define DMD_AT_ONCE_ __attribute__((always_inline))
#else
#define DMD_AT_ONCE_
#endif

namespace dmd {

class Walk;
template <class T> class Chain_;

/* How a type is measured: walk(x, walk) tells what hangs off x. owns_nothing: no value of the type
   owns a block. Specialise it for types of others. */
template <class T, class Enable = void> struct measure;

/* The class whose list measures an object. */
struct Listed_ {
  const std::type_info *type;
  size_t size;
};

/* Sees into measured classes. */
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

/* Whether blocks are reported to anybody. Where nobody listens none is: they are only added up. */
inline bool is_heard_() {
#if defined(__linux__) && defined(__ELF__) && defined(__GNUC__) && !defined(NVALGRIND)
  if (dmd_slot_ != nullptr)
    return true;
#endif
  return RUNNING_ON_DMD > 0;
}

/* Where the block of an object starts that is one of its own. */
template <class T> const void *start_of_(const T *p) {
  if constexpr (std::is_polymorphic_v<T> && !std::is_final_v<T>) {
    static_assert(is_virtual_<T>,
                  "dmd: classes may be derived from this one and be deleted through a pointer to "
                  "it: write DMD_MEASURE_VIRTUAL in place of DMD_MEASURE, or make it final");
    return dynamic_cast<const void *>(p);
  } else {
    return p;
  }
}

/* One measuring: the sum so far, and what still has to be walked. */
class Walk {
public:
  explicit Walk(bool is_shallow = false) : is_heard_(dmd::is_heard_()), is_shallow_(is_shallow) {}
  Walk(const Walk &) = delete;
  Walk &operator=(const Walk &) = delete;
  ~Walk() {
    if (waiting_ != few_)
      std::free(waiting_);
    std::free(met_);
  }

  /* The block that starts at p, which may be null. Returns its usable size. */
  DMD_AT_ONCE_ size_t block(const void *p) {
    return is_shared_ ? shared_block(p) : add(is_heard_ ? DMD_REPORT(p) : dmd_native_size_(p));
  }

  /* The same of a block that has several owners. */
  DMD_AT_ONCE_ size_t shared_block(const void *p) {
    return add(is_heard_ ? DMD_REPORT_SHARED(p) : dmd_native_size_(p));
  }

  /* What hangs off an object. */
  template <class T> void value(const T &x) {
    using Plain = std::remove_cv_t<T>;
    if constexpr (!owns_nothing_<Plain>) {
      if (depth_ == MOST_DEEP) {
        wait(&x, step<Plain>);
        return;
      }
      ++depth_;
      measure<Plain>::walk(const_cast<const Plain &>(x), *this);
      --depth_;
    }
  }

  /* What hangs off an object that is part of the one whose own blocks are wanted. */
  template <class T> DMD_AT_ONCE_ void element(const T &x) {
    if (!is_shallow_)
      value(x);
  }

  /* The block of an object of its own, and what hangs off it. */
  template <class T> void pointee(const T *p) {
    if (p == nullptr)
      return;
    if constexpr (!owns_nothing_<T>)
      if (!is_shallow_) {
        wait(p, whole<std::remove_cv_t<T>>);
        return;
      }
    object_block(p);
  }

  /* The same of one that several objects own: it is walked once, however many lead to it. */
  template <class T> void shared_pointee(const T *p) {
    const bool was_shared = is_shared_;
    is_shared_ = true;
    if (p != nullptr && meets(p))
      pointee(p);
    is_shared_ = was_shared;
  }

  /* The number that new[] keeps before objects. AddressSanitizer lets only delete[] read it. */
  __attribute__((no_sanitize_address)) static size_t number_before(const void *p) {
    return static_cast<const size_t *>(p)[-1];
  }

  /* Of an array that was made with new[]: where its block starts, and how many objects it has. */
  template <class T> void array(const T *p) {
    if (p == nullptr)
      return;
    if constexpr (std::is_trivially_destructible_v<T>) {
      static_assert(owns_nothing_<T>,
                    "dmd: nobody knows how many objects such an array has: their class needs a "
                    "destructor, or the list DMD_OWNED_ARRAY(member, count)");
      block(p);
    } else {
      constexpr size_t cookie = alignof(T) > sizeof(size_t) ? alignof(T) : sizeof(size_t);
      const size_t n = number_before(p);
      block(reinterpret_cast<const char *>(p) - cookie);
      for (size_t i = 0; i < n; i++)
        element(p[i]);
    }
  }

  /* Whether this is met for the first time, of what is shared. */
  bool meets(const void *p) {
    if (2 * n_met_ >= room_met_)
      grow_met();
    if (room_met_ == 0)
      return true;
    size_t i = place_of(p);
    if (met_[i] == p)
      return false;
    met_[i] = p;
    ++n_met_;
    return true;
  }

  bool is_shallow() const { return is_shallow_; }
  /* From now on what is measured is shared, or not; returns what it was. */
  bool share(bool is_shared) { return std::exchange(is_shared_, is_shared); }

  /* Walks whatever waits; returns the sum. */
  size_t finish() {
    while (n_waiting_ > 0) {
      const Waiting next = waiting_[--n_waiting_];
      is_shared_ = next.is_shared;
      next.walk(next.object, *this);
    }
    return size_;
  }

private:
  template <class T> friend class Chain_;
  using Step = void (*)(const void *, Walk &);
  struct Waiting {
    const void *object = nullptr;
    Step walk = nullptr;
    bool is_shared = false;
  };
  enum { FEW = 32, MOST_DEEP = 64 };

  DMD_AT_ONCE_ size_t add(size_t size) {
    size_ += size;
    return size;
  }

  /* The block of an object, which may be of a class that is derived from T. */
  template <class T> DMD_AT_ONCE_ void object_block(const T *p) {
#ifdef __cpp_rtti
    if constexpr (is_virtual_<T>)
      if (const Listed_ listed = Access_::listed(*p); is_heard_ && *listed.type != typeid(*p))
        return unlisted_block(start_of_(p), listed.size, typeid(*p));
#endif
    block(start_of_(p));
  }

  /* The block of an object whose class has no list: a base of this size was measured. A reporter's
     name says so, and dmd finds the fault where the block is larger: a wrong length or, of what is
     shared, a claim that is too small. A shared block may be larger by what allocators add. */
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

  /* What is done later: what hangs off an object; its block, too. */
  template <class T> static void step(const void *object, Walk &walk) {
    measure<T>::walk(*static_cast<const T *>(object), walk);
  }
  template <class T> static void whole(const void *object, Walk &walk) {
    const T *p = static_cast<const T *>(object);
    if constexpr (is_measured_class_<T> && !is_virtual_<T>) {
      static_cast<void>(start_of_(p)); /* where it starts is asserted there */
      Chain_<T>(walk).follow(p);
    } else {
      walk.object_block(p);
      measure<T>::walk(*p, walk);
    }
  }

  /* The last that waits, if this is to be done with it. */
  const void *take(Step step) {
    if (n_waiting_ == 0 || waiting_[n_waiting_ - 1].walk != step)
      return nullptr;
    is_shared_ = waiting_[--n_waiting_].is_shared;
    return waiting_[n_waiting_].object;
  }

  void wait(const void *object, Step walk) {
    if (n_waiting_ == room_ && !grow_waiting()) { /* without memory: on the stack */
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

  size_t place_of(const void *p) const {
    size_t i = (reinterpret_cast<size_t>(p) >> 4) * 0x9e3779b97f4a7c15u & (room_met_ - 1);
    while (met_[i] != nullptr && met_[i] != p)
      i = (i + 1) & (room_met_ - 1);
    return i;
  }

  void grow_met() {
    const void **old = met_;
    const size_t n = room_met_, room = n == 0 ? 64 : 2 * n;
    auto *more = static_cast<const void **>(std::calloc(room, sizeof *met_));
    if (more == nullptr) {
      if (n_met_ + 1 >= n)
        throw std::bad_alloc();
      return;
    }
    met_ = more;
    room_met_ = room;
    for (size_t i = 0; i < n; i++)
      if (old[i] != nullptr)
        met_[place_of(old[i])] = old[i];
    std::free(old);
  }

  size_t size_ = 0;
  const bool is_heard_, is_shallow_;
  bool is_shared_ = false;
  unsigned depth_ = 0;
  Waiting few_[FEW];
  Waiting *waiting_ = few_;
  size_t n_waiting_ = 0, room_ = FEW;
  const void **met_ = nullptr; /* what is shared: open addressing */
  size_t n_met_ = 0, room_met_ = 0;
};

/* The walk through objects of one class, from pointer to pointer, as in lists and trees. What it
   knows of the way it shows to no other code, so that compilers keep it in registers: a Walk is in
   memory, since a request may look at that. For all but pointers to them it is that Walk. */
template <class T> class Chain_ {
public:
  explicit Chain_(Walk &walk)
      : walk_(walk), is_heard_(walk.is_heard_), is_shallow_(walk.is_shallow_) {}
  operator Walk &() const { return walk_; }

  template <class X> DMD_AT_ONCE_ void value(const X &x) {
    using Plain = std::remove_cv_t<X>;
    if constexpr (!owns_nothing_<Plain>)
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

  /* What hangs off one object. */
  DMD_AT_ONCE_ void members(const T &x) {
    Access_::members(x, *this);
    if (next_ != nullptr)
      walk_.pointee(next_);
  }

  /* The block of one, and of all that it leads to. */
  DMD_AT_ONCE_ void follow(const T *at) {
    size_t size = 0;
    do {
      if (is_heard_)
        walk_.block(at);
      else
        size += dmd_native_size_(at);
      next_ = nullptr;
      Access_::members(*at, *this);
      at = next_ != nullptr ? next_ : static_cast<const T *>(walk_.take(Walk::whole<T>));
    } while (at != nullptr);
    walk_.add(size);
  }

private:
  Walk &walk_;
  const T *next_ = nullptr;
  const bool is_heard_, is_shallow_;
};

} /* namespace dmd */

#include "measure_std.hpp"

namespace dmd {

/* ---- Measured classes, and everything else ---- */

template <class T> struct measure<T, std::enable_if_t<is_measured_class_<T>>> {
  static void walk(const T &x, Walk &walk) { Access_::walk(x, walk); }
};

template <class T> constexpr bool is_known_ = false;
template <class T, class Enable> struct measure {
  static_assert(!std::is_pointer_v<T> || is_known_<T>,
                "dmd: a raw pointer does not say whether it owns: list it as DMD_OWNED, "
                "DMD_OWNED_ARRAY, DMD_OWNED_EACH, DMD_SHARED, or DMD_IGNORE with a reason");
  static_assert(std::is_pointer_v<T> || is_known_<T>,
                "dmd: nothing is known of this type: put DMD_MEASURE(type, members...) at its end, "
                "specialise dmd::measure for it, or DMD_IGNORE the member with a reason");
  static constexpr bool owns_nothing = true;
  static void walk(const T &, Walk &) {}
};

/* ---- What programs call ---- */

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
