/*
   SPDX-License-Identifier: BSD-3-Clause

   measure_list.hpp: DMD_MEASURE, the list of a class's members. Part of measure.hpp, which
   includes it.

   Copyright (C) 2026 the authors of dmd. All rights reserved.
   The terms are in LICENSES/BSD-3-Clause.txt, and at the top of dmd.h.
*/

#ifndef VALGRIND_DMD_MEASURE_LIST_HPP
#define VALGRIND_DMD_MEASURE_LIST_HPP

namespace dmd {

template <class T> struct measure<T, std::enable_if_t<is_measured_class_<T>>> {
  static void walk(const T &x, Walk &walk) { Access_::walk(x, walk); }
};

/* ---- The list of members ---- */

/* Where a member lies. is_gap: the space before it is accounted for, too. */
struct Span_ {
  size_t begin, size;
  bool is_gap;
};

/* The bytes before the first member. */
struct Lead_ {
  size_t size = 0;
  bool has_table = false;

  template <class Base> constexpr Lead_ with() const {
    if (std::is_empty_v<Base>)
      return *this;
    return {(size + alignof(Base) - 1) / alignof(Base) * alignof(Base) + sizeof(Base),
            has_table || std::is_polymorphic_v<Base>};
  }
  /* The pointer to the virtual function table belongs to a base, or comes first. */
  template <class T> constexpr size_t of() const {
    return std::is_polymorphic_v<T> && !has_table ? size + sizeof(void *) : size;
  }
};

constexpr size_t no_hole_ = static_cast<size_t>(-1);

/* Returns the first place between the listed members where a pointer fits, or no_hole_. */
template <size_t N> constexpr size_t hole_(size_t lead, size_t whole, const Span_ (&spans)[N]) {
  size_t end = lead;
  for (;;) {
    const Span_ *next = nullptr; /* the first span that ends after `end` */
    for (const Span_ &span : spans)
      if (span.begin + span.size > end && (next == nullptr || span.begin < next->begin))
        next = &span;
    const size_t at = (end + alignof(void *) - 1) / alignof(void *) * alignof(void *);
    const size_t begin = next == nullptr ? whole : next->begin;
    if (at + sizeof(void *) <= begin && !(next != nullptr && next->is_gap))
      return at;
    if (next == nullptr)
      return no_hole_;
    end = next->begin + next->size;
  }
}

/* Measures what an element of a container, or of a map, owns. */
template <class T> void owned_(T *const &p, Walk &walk) {
  walk.pointee(p);
}
template <class K, class T> void owned_(const std::pair<K, T *> &x, Walk &walk) {
  walk.value(x.first);
  walk.pointee(x.second);
}
template <class C> void owned_each_(const C &x, Walk &walk) {
  static_assert(measure<C>::of_blocks_ == Fault_::NONE,
                "dmd: a container has an allocator that may not use malloc: DMD_IGNORE it, or set "
                "dmd::is_of_heap");
  measure<C>::parts(x, walk, [&walk](const auto &each) { owned_(each, walk); });
}
template <class T> void owned_array_(const T *p, size_t n, Walk &walk) {
  walk.block(p);
  check_<T>();
  if constexpr (is_measurable_<T> && !owns_nothing_<T>)
    for (size_t i = 0; p != nullptr && i < n; i++)
      walk.element(p[i]);
}
template <class P> void shared_(const P &p, Walk &walk) {
  if (p)
    walk.shared_pointee(std::addressof(*p));
}

/* Calls of these for entries whose type has a fault, which was reported, do nothing. */
template <class T, class W> DMD_AT_ONCE_ inline void listed_value_(const T &x, W &walk) {
  if constexpr (is_measurable_<T>)
    walk.value(x);
}
template <class T, class W> DMD_AT_ONCE_ inline void listed_pointee_(const T *p, W &walk) {
  if constexpr (is_measurable_<T>)
    walk.pointee(p);
}
template <class T> DMD_AT_ONCE_ inline void listed_array_(const T *p, size_t n, Walk &walk) {
  if constexpr (is_measurable_<T>)
    owned_array_(p, n, walk);
}
template <class T, class W> DMD_AT_ONCE_ inline void listed_new_array_(const T *p, W &walk) {
  if constexpr (is_measurable_<T>)
    walk.array(p);
}

} /* namespace dmd */

/* Entries in parentheses carry their kind; all others are members. */
#define DMD_OWNED(member) (dmd_owned, member, )
#define DMD_OWNED_ARRAY(member, n) (dmd_owned_array, member, n)
#define DMD_OWNED_NEW_ARRAY(member) (dmd_owned_new_array, member, )
#define DMD_OWNED_EACH(member) (dmd_owned_each, member, )
#define DMD_SHARED(member) (dmd_shared, member, )
#define DMD_IGNORE(member, reason) (dmd_ignore, member, reason)
#define DMD_BASE(Base) (dmd_base, Base, )
#define DMD_IGNORE_BASE(Base, reason) (dmd_ignore_base, Base, reason)
#define DMD_GAP(member, reason) (dmd_gap, member, reason)
#define DMD_GAP_AT_END(reason) (dmd_gap_at_end, the end, reason)

#define DMD_MEASURE(...) DMD_LIST_(, __VA_ARGS__, )
#define DMD_MEASURE_VIRTUAL(...)                                                                   \
  using dmd_virtually_ = std::true_type;                                                           \
  DMD_LIST_(virtual, __VA_ARGS__, )

/* Silences warnings about a missing `override`, and about offsetof in classes with bases or mixed
   access, where these compilers know the offsets. */
#if defined(__clang__)
#define DMD_QUIETLY_                                                                               \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Winvalid-offsetof\"")      \
      _Pragma("clang diagnostic ignored \"-Winconsistent-missing-override\"")                      \
          _Pragma("clang diagnostic ignored \"-Wsuggest-override\"")
#define DMD_ALOUD_ _Pragma("clang diagnostic pop")
#else
#define DMD_QUIETLY_                                                                               \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Winvalid-offsetof\"")          \
      _Pragma("GCC diagnostic ignored \"-Wsuggest-override\"")
#define DMD_ALOUD_ _Pragma("GCC diagnostic pop")
#endif

/* Without run-time type information (-fno-rtti) a class without a list is not detected. */
#ifdef __cpp_rtti
#define DMD_TYPE_(object) &typeid(object)
#else
#define DMD_TYPE_(object) nullptr
#endif

#define DMD_LIST_(virtually, Class, ...)                                                           \
  DMD_QUIETLY_                                                                                     \
  friend struct ::dmd::Access_;                                                                    \
  using dmd_measured_ = Class;                                                                     \
  virtually void dmd_walk_(::dmd::Walk &dmd_walk) const {                                          \
    ::dmd::Chain_<Class>(dmd_walk).members(*this);                                                 \
  }                                                                                                \
  virtually ::dmd::Listed_ dmd_listed_() const {                                                   \
    return {DMD_TYPE_(Class), sizeof(Class)};                                                      \
  }                                                                                                \
  void dmd_members_(::dmd::Chain_<Class> &dmd_walk) const {                                        \
    constexpr ::dmd::Lead_ dmd_lead = ::dmd::Lead_() DMD_EACH_(DMD_LEAD_, Class, __VA_ARGS__);     \
    constexpr ::dmd::Span_ dmd_spans[] = {DMD_EACH_(DMD_SPAN_, Class, __VA_ARGS__){0, 0, false}};  \
    constexpr bool dmd_is_whole =                                                                  \
        ::dmd::hole_(dmd_lead.of<Class>(), sizeof(Class), dmd_spans) == ::dmd::no_hole_;           \
    static_assert(dmd_is_whole,                                                                    \
                  "dmd: " #Class " has a member that DMD_MEASURE does not list: add it, or "       \
                  "DMD_IGNORE(member, \"why\")");                                                  \
    DMD_EACH_(DMD_WALK_, Class, __VA_ARGS__)                                                       \
    static_cast<void>(dmd_walk);                                                                   \
  }                                                                                                \
  DMD_ALOUD_

/* Passes an entry in parentheses to the macro `of_kind`, any other to `of_member`. */
/* (A macro is not expanded within itself, so each use needs its own copy.) */
#define DMD_CALL_EACH_(macro, arguments) macro arguments
#define DMD_CALL_COUNT_(macro, arguments) macro arguments
#define DMD_CALL_FORM_(macro, arguments) macro arguments
#define DMD_CALL_KIND_(macro, arguments) macro arguments
#define DMD_THIRD_(a, b, third, ...) third
#define DMD_PARENTHESES_(...) ~, ~
#define DMD_BY_FORM_(entry, of_kind, of_member)                                                    \
  DMD_CALL_FORM_(DMD_THIRD_, (DMD_PARENTHESES_ entry, of_kind, of_member, ~))
#define DMD_INSIDE_(...) __VA_ARGS__

/* The bases add up to the bytes before the first member. */
#define DMD_LEAD_(Class, entry) DMD_BY_FORM_(entry, DMD_LEAD_OF_, DMD_NO_LEAD_)(Class, entry)
#define DMD_NO_LEAD_(Class, entry)
#define DMD_LEAD_OF_(Class, entry) DMD_CALL_KIND_(DMD_LEAD_KIND_, (DMD_INSIDE_ entry))
#define DMD_LEAD_KIND_(kind, name, more) DMD_LEAD_##kind(name)
#define DMD_LEAD_dmd_owned(name)
#define DMD_LEAD_dmd_owned_array(name)
#define DMD_LEAD_dmd_owned_new_array(name)
#define DMD_LEAD_dmd_owned_each(name)
#define DMD_LEAD_dmd_shared(name)
#define DMD_LEAD_dmd_ignore(name)
#define DMD_LEAD_dmd_gap(name)
#define DMD_LEAD_dmd_gap_at_end(name)
#define DMD_LEAD_dmd_base(Base) .with<Base>()
#define DMD_LEAD_dmd_ignore_base(Base) .with<Base>()

/* Where a member lies. */
#define DMD_SPAN_(Class, entry) DMD_BY_FORM_(entry, DMD_SPAN_OF_, DMD_SPAN_AT_)(Class, entry)
#define DMD_SPAN_AT_(Class, name) {__builtin_offsetof(Class, name), sizeof(Class::name), false},
#define DMD_SPAN_OF_(Class, entry) DMD_CALL_KIND_(DMD_SPAN_KIND_, (Class, DMD_INSIDE_ entry))
#define DMD_SPAN_KIND_(Class, kind, name, more) DMD_SPAN_##kind(Class, name)
#define DMD_SPAN_dmd_owned DMD_SPAN_AT_
#define DMD_SPAN_dmd_owned_array DMD_SPAN_AT_
#define DMD_SPAN_dmd_owned_new_array DMD_SPAN_AT_
#define DMD_SPAN_dmd_owned_each DMD_SPAN_AT_
#define DMD_SPAN_dmd_shared DMD_SPAN_AT_
#define DMD_SPAN_dmd_ignore DMD_SPAN_AT_
#define DMD_SPAN_dmd_gap(Class, name) {__builtin_offsetof(Class, name), sizeof(Class::name), true},
#define DMD_SPAN_dmd_gap_at_end(Class, name) {sizeof(Class), 1, true},
#define DMD_SPAN_dmd_base(Class, Base)
#define DMD_SPAN_dmd_ignore_base(Class, Base)

/* How an entry is measured. */
#define DMD_WALK_(Class, entry) DMD_BY_FORM_(entry, DMD_WALK_OF_, DMD_WALK_VALUE_)(Class, entry)
#define DMD_WALK_VALUE_(Class, name)                                                               \
  DMD_CHECK_(decltype(Class::name), #name);                                                        \
  ::dmd::listed_value_(name, dmd_walk);
#define DMD_CHECK_TARGET_(name)                                                                    \
  DMD_CHECK_(std::remove_pointer_t<decltype(name)>, "what " #name " points to")
#define DMD_WALK_OF_(Class, entry) DMD_CALL_KIND_(DMD_WALK_KIND_, (DMD_INSIDE_ entry))
#define DMD_WALK_KIND_(kind, name, more) DMD_WALK_##kind(name, more)
#define DMD_WALK_dmd_owned(name, more)                                                             \
  DMD_CHECK_TARGET_(name);                                                                         \
  ::dmd::listed_pointee_(name, dmd_walk);
#define DMD_WALK_dmd_owned_array(name, n)                                                          \
  DMD_CHECK_TARGET_(name);                                                                         \
  ::dmd::listed_array_(name, static_cast<size_t>(n), dmd_walk);
#define DMD_WALK_dmd_owned_new_array(name, more)                                                   \
  DMD_CHECK_TARGET_(name);                                                                         \
  ::dmd::listed_new_array_(name, dmd_walk);
#define DMD_WALK_dmd_owned_each(name, more) ::dmd::owned_each_(name, dmd_walk);
#define DMD_WALK_dmd_shared(name, more) ::dmd::shared_(name, dmd_walk);
#define DMD_WALK_dmd_base(Base, more)                                                              \
  static_assert(::dmd::is_measured_class_<Base>, "dmd: the base " #Base " has no DMD_MEASURE");    \
  ::dmd::Access_::base(static_cast<const Base &>(*this), dmd_walk);
#define DMD_WALK_dmd_ignore(name, reason) DMD_NEEDS_REASON_(name, reason)
#define DMD_WALK_dmd_ignore_base(name, reason) DMD_NEEDS_REASON_(name, reason)
#define DMD_WALK_dmd_gap(name, reason) DMD_NEEDS_REASON_(name, reason)
#define DMD_WALK_dmd_gap_at_end(name, reason) DMD_NEEDS_REASON_(name, reason)
#define DMD_NEEDS_REASON_(name, reason)                                                            \
  static_assert(sizeof("" reason) > 1, "dmd: a reason is missing: why is " #name " not "           \
                                       "measured?");

/* Expands to macro(Class, entry) for each entry. An empty entry follows the last one. */
#define DMD_EACH_(macro, Class, ...)                                                               \
  DMD_CALL_EACH_(                                                                                  \
      DMD_CALL_COUNT_(DMD_66TH_,                                                                   \
                      (__VA_ARGS__, DMD_64_, DMD_63_, DMD_62_, DMD_61_, DMD_60_, DMD_59_, DMD_58_, \
                       DMD_57_, DMD_56_, DMD_55_, DMD_54_, DMD_53_, DMD_52_, DMD_51_, DMD_50_,     \
                       DMD_49_, DMD_48_, DMD_47_, DMD_46_, DMD_45_, DMD_44_, DMD_43_, DMD_42_,     \
                       DMD_41_, DMD_40_, DMD_39_, DMD_38_, DMD_37_, DMD_36_, DMD_35_, DMD_34_,     \
                       DMD_33_, DMD_32_, DMD_31_, DMD_30_, DMD_29_, DMD_28_, DMD_27_, DMD_26_,     \
                       DMD_25_, DMD_24_, DMD_23_, DMD_22_, DMD_21_, DMD_20_, DMD_19_, DMD_18_,     \
                       DMD_17_, DMD_16_, DMD_15_, DMD_14_, DMD_13_, DMD_12_, DMD_11_, DMD_10_,     \
                       DMD_9_, DMD_8_, DMD_7_, DMD_6_, DMD_5_, DMD_4_, DMD_3_, DMD_2_, DMD_1_,     \
                       DMD_0_, ~)),                                                                \
      (macro, Class, __VA_ARGS__))
#define DMD_66TH_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17,  \
                  a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33,  \
                  a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49,  \
                  a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64,       \
                  picked, ...)                                                                     \
  picked
#define DMD_0_(macro, Class, ...)
#define DMD_1_(macro, Class, entry, ...) macro(Class, entry) DMD_0_(macro, Class, __VA_ARGS__)
#define DMD_2_(macro, Class, entry, ...) macro(Class, entry) DMD_1_(macro, Class, __VA_ARGS__)
#define DMD_3_(macro, Class, entry, ...) macro(Class, entry) DMD_2_(macro, Class, __VA_ARGS__)
#define DMD_4_(macro, Class, entry, ...) macro(Class, entry) DMD_3_(macro, Class, __VA_ARGS__)
#define DMD_5_(macro, Class, entry, ...) macro(Class, entry) DMD_4_(macro, Class, __VA_ARGS__)
#define DMD_6_(macro, Class, entry, ...) macro(Class, entry) DMD_5_(macro, Class, __VA_ARGS__)
#define DMD_7_(macro, Class, entry, ...) macro(Class, entry) DMD_6_(macro, Class, __VA_ARGS__)
#define DMD_8_(macro, Class, entry, ...) macro(Class, entry) DMD_7_(macro, Class, __VA_ARGS__)
#define DMD_9_(macro, Class, entry, ...) macro(Class, entry) DMD_8_(macro, Class, __VA_ARGS__)
#define DMD_10_(macro, Class, entry, ...) macro(Class, entry) DMD_9_(macro, Class, __VA_ARGS__)
#define DMD_11_(macro, Class, entry, ...) macro(Class, entry) DMD_10_(macro, Class, __VA_ARGS__)
#define DMD_12_(macro, Class, entry, ...) macro(Class, entry) DMD_11_(macro, Class, __VA_ARGS__)
#define DMD_13_(macro, Class, entry, ...) macro(Class, entry) DMD_12_(macro, Class, __VA_ARGS__)
#define DMD_14_(macro, Class, entry, ...) macro(Class, entry) DMD_13_(macro, Class, __VA_ARGS__)
#define DMD_15_(macro, Class, entry, ...) macro(Class, entry) DMD_14_(macro, Class, __VA_ARGS__)
#define DMD_16_(macro, Class, entry, ...) macro(Class, entry) DMD_15_(macro, Class, __VA_ARGS__)
#define DMD_17_(macro, Class, entry, ...) macro(Class, entry) DMD_16_(macro, Class, __VA_ARGS__)
#define DMD_18_(macro, Class, entry, ...) macro(Class, entry) DMD_17_(macro, Class, __VA_ARGS__)
#define DMD_19_(macro, Class, entry, ...) macro(Class, entry) DMD_18_(macro, Class, __VA_ARGS__)
#define DMD_20_(macro, Class, entry, ...) macro(Class, entry) DMD_19_(macro, Class, __VA_ARGS__)
#define DMD_21_(macro, Class, entry, ...) macro(Class, entry) DMD_20_(macro, Class, __VA_ARGS__)
#define DMD_22_(macro, Class, entry, ...) macro(Class, entry) DMD_21_(macro, Class, __VA_ARGS__)
#define DMD_23_(macro, Class, entry, ...) macro(Class, entry) DMD_22_(macro, Class, __VA_ARGS__)
#define DMD_24_(macro, Class, entry, ...) macro(Class, entry) DMD_23_(macro, Class, __VA_ARGS__)
#define DMD_25_(macro, Class, entry, ...) macro(Class, entry) DMD_24_(macro, Class, __VA_ARGS__)
#define DMD_26_(macro, Class, entry, ...) macro(Class, entry) DMD_25_(macro, Class, __VA_ARGS__)
#define DMD_27_(macro, Class, entry, ...) macro(Class, entry) DMD_26_(macro, Class, __VA_ARGS__)
#define DMD_28_(macro, Class, entry, ...) macro(Class, entry) DMD_27_(macro, Class, __VA_ARGS__)
#define DMD_29_(macro, Class, entry, ...) macro(Class, entry) DMD_28_(macro, Class, __VA_ARGS__)
#define DMD_30_(macro, Class, entry, ...) macro(Class, entry) DMD_29_(macro, Class, __VA_ARGS__)
#define DMD_31_(macro, Class, entry, ...) macro(Class, entry) DMD_30_(macro, Class, __VA_ARGS__)
#define DMD_32_(macro, Class, entry, ...) macro(Class, entry) DMD_31_(macro, Class, __VA_ARGS__)
#define DMD_33_(macro, Class, entry, ...) macro(Class, entry) DMD_32_(macro, Class, __VA_ARGS__)
#define DMD_34_(macro, Class, entry, ...) macro(Class, entry) DMD_33_(macro, Class, __VA_ARGS__)
#define DMD_35_(macro, Class, entry, ...) macro(Class, entry) DMD_34_(macro, Class, __VA_ARGS__)
#define DMD_36_(macro, Class, entry, ...) macro(Class, entry) DMD_35_(macro, Class, __VA_ARGS__)
#define DMD_37_(macro, Class, entry, ...) macro(Class, entry) DMD_36_(macro, Class, __VA_ARGS__)
#define DMD_38_(macro, Class, entry, ...) macro(Class, entry) DMD_37_(macro, Class, __VA_ARGS__)
#define DMD_39_(macro, Class, entry, ...) macro(Class, entry) DMD_38_(macro, Class, __VA_ARGS__)
#define DMD_40_(macro, Class, entry, ...) macro(Class, entry) DMD_39_(macro, Class, __VA_ARGS__)
#define DMD_41_(macro, Class, entry, ...) macro(Class, entry) DMD_40_(macro, Class, __VA_ARGS__)
#define DMD_42_(macro, Class, entry, ...) macro(Class, entry) DMD_41_(macro, Class, __VA_ARGS__)
#define DMD_43_(macro, Class, entry, ...) macro(Class, entry) DMD_42_(macro, Class, __VA_ARGS__)
#define DMD_44_(macro, Class, entry, ...) macro(Class, entry) DMD_43_(macro, Class, __VA_ARGS__)
#define DMD_45_(macro, Class, entry, ...) macro(Class, entry) DMD_44_(macro, Class, __VA_ARGS__)
#define DMD_46_(macro, Class, entry, ...) macro(Class, entry) DMD_45_(macro, Class, __VA_ARGS__)
#define DMD_47_(macro, Class, entry, ...) macro(Class, entry) DMD_46_(macro, Class, __VA_ARGS__)
#define DMD_48_(macro, Class, entry, ...) macro(Class, entry) DMD_47_(macro, Class, __VA_ARGS__)
#define DMD_49_(macro, Class, entry, ...) macro(Class, entry) DMD_48_(macro, Class, __VA_ARGS__)
#define DMD_50_(macro, Class, entry, ...) macro(Class, entry) DMD_49_(macro, Class, __VA_ARGS__)
#define DMD_51_(macro, Class, entry, ...) macro(Class, entry) DMD_50_(macro, Class, __VA_ARGS__)
#define DMD_52_(macro, Class, entry, ...) macro(Class, entry) DMD_51_(macro, Class, __VA_ARGS__)
#define DMD_53_(macro, Class, entry, ...) macro(Class, entry) DMD_52_(macro, Class, __VA_ARGS__)
#define DMD_54_(macro, Class, entry, ...) macro(Class, entry) DMD_53_(macro, Class, __VA_ARGS__)
#define DMD_55_(macro, Class, entry, ...) macro(Class, entry) DMD_54_(macro, Class, __VA_ARGS__)
#define DMD_56_(macro, Class, entry, ...) macro(Class, entry) DMD_55_(macro, Class, __VA_ARGS__)
#define DMD_57_(macro, Class, entry, ...) macro(Class, entry) DMD_56_(macro, Class, __VA_ARGS__)
#define DMD_58_(macro, Class, entry, ...) macro(Class, entry) DMD_57_(macro, Class, __VA_ARGS__)
#define DMD_59_(macro, Class, entry, ...) macro(Class, entry) DMD_58_(macro, Class, __VA_ARGS__)
#define DMD_60_(macro, Class, entry, ...) macro(Class, entry) DMD_59_(macro, Class, __VA_ARGS__)
#define DMD_61_(macro, Class, entry, ...) macro(Class, entry) DMD_60_(macro, Class, __VA_ARGS__)
#define DMD_62_(macro, Class, entry, ...) macro(Class, entry) DMD_61_(macro, Class, __VA_ARGS__)
#define DMD_63_(macro, Class, entry, ...) macro(Class, entry) DMD_62_(macro, Class, __VA_ARGS__)
#define DMD_64_(macro, Class, entry, ...) macro(Class, entry) DMD_63_(macro, Class, __VA_ARGS__)

#endif
