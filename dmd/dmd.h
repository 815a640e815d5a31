/*
   dmd.h: requests from a program to dmd, the dark matter detector for Valgrind.

   This file, and no other file of dmd, is under the licence below, so that any program may include
   it. The rest of dmd is under the GNU General Public License, version 2 or later; see COPYING.

   Copyright (C) 2026 the authors of dmd. All rights reserved.

   You may use this file and pass it on, as source text or in compiled form, changed or unchanged,
   provided that:

   1. where it is passed on as source text, the copyright line above, these conditions and the
      disclaimer below stay in it;
   2. where it is passed on in compiled form, the documentation or other material that comes along
      contains the copyright line, these conditions and the disclaimer; this is not asked of a
      program that merely includes this file to make the requests that it declares;
   3. the names of dmd's authors are not used to advertise or recommend anything made from this
      file, unless they have agreed to it in writing beforehand.

   THE AUTHORS PROVIDE THIS FILE "AS IS". THEY GIVE NO WARRANTY OF ANY KIND, EXPRESS OR IMPLIED; IN
   PARTICULAR NONE THAT IT IS FIT TO BE SOLD OR FIT FOR A PARTICULAR PURPOSE. THEY ARE NOT LIABLE
   FOR ANY DAMAGE THAT COMES OF ITS USE, WHETHER DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY OR
   CONSEQUENTIAL (LOSS OF DATA, OF USE, OF PROFITS, OF BUSINESS AND THE COST OF A REPLACEMENT
   AMONG IT), ON WHATEVER LEGAL GROUND, BE IT CONTRACT, STRICT LIABILITY OR TORT (NEGLIGENCE
   INCLUDED), AND EVEN WHERE THEY WERE TOLD THAT SUCH DAMAGE WAS POSSIBLE.
*/

#ifndef VALGRIND_DMD_H
#define VALGRIND_DMD_H

/*
   What this is for
   ----------------
   A program that measures its own memory walks its data structures, asks for the size of each heap
   block and publishes the sums. Such code goes stale: a new structure is never measured, or two
   places measure the same block. dmd watches the measuring and then lists the live blocks that
   nobody measured ("dark matter") and those that were measured twice, with the stacks that
   allocated and measured them.

   The manual explains the words (block, report, reporter, claim, tag, dump). All sizes here are
   usable sizes, in bytes: what the allocator really gave, at least what was asked for.

   How to use it
   -------------
   1. Measure blocks with a function that this header makes. It returns the usable size, as
      malloc_usable_size does, and under dmd it also reports the block:

        #include <valgrind/dmd.h>
        DMD_MALLOC_SIZE_OF_FN(cookies_size_of)

        size_t cookies_measure(const struct cookies *c) {
          return cookies_size_of(c) + cookies_size_of(c->table);
        }

      Give each reporter a function of its own, since its name shows up in the report stacks.
   2. Where everything has been measured, call DMD_DUMP("a label"). A program that never does is
      analysed when it exits; by then much may have been freed.
   3. Put DMD_REPORTER_BEGIN(path) and DMD_REPORTER_END(claim) around a reporter: its reports then
      carry the path, and its claim is checked.
   4. Put DMD_TAG_PUSH(name) and DMD_TAG_POP() around calls into code that you cannot measure.
   5. Where an allocator of your own keeps count (xmalloc, a library's hooks), let it measure with
      DMD_MALLOC_SIZE_OF_ON_ALLOC_FN and DMD_MALLOC_SIZE_OF_ON_FREE_FN; see below.

   Then build with -g and run: valgrind --tool=dmd ./program

   What a request returns ("elsewhere": without dmd, under Valgrind or not)
   ----------------------

     request                    under dmd                                 elsewhere
     RUNNING_ON_DMD             version of these requests, 1 or more      0
     DMD_REPORT(p)              usable size; 0 if no block starts at p    usable size
     DMD_REPORT_ON_ALLOC(p)     the same                                  usable size
     DMD_REPORT_SHARED(p)       the same                                  usable size
     DMD_UNREPORT(p)            the same                                  usable size
     DMD_CLEAR_REPORTS()        0                                         0
     DMD_DUMP(label)            number of the dump (1, 2, ...); 0: lost   0
     DMD_GRAPH(label)           the same of the graph                     0
     DMD_REPORTER_BEGIN(path)   reporters open in this thread, with it    0
     DMD_REPORTER_END(claim)    reporters still open in this thread       0
     DMD_REPORTER_HANDLE()      a number for the innermost; 0: none       0
     DMD_REPORTER_JOIN(handle)  reporters open in this thread, with it    0
     DMD_REPORTER_LEAVE()       reporters still open in this thread       0
     DMD_TAG_PUSH(name)         tags that this thread carries, with it    0
     DMD_TAG_POP()              tags that this thread still carries       0
     DMD_SET_HEAP_BLOCK_TAG(s)  tags that this thread carries, with it    0
     DMD_CLEAR_HEAP_BLOCK_TAG() tags that this thread still carries       0
     DMD_TAG_BYTES(name)        usable bytes of live blocks with the tag  0
     DMD_TAG_BLOCKS(name)       live blocks with the tag                  0
     DMD_MEMORY_REPORT(r)       memory reports kept for the next dump     0

   Each is an expression of type size_t or a statement. Arguments are evaluated once, always.
   Without Valgrind a request costs a few instructions. Other tools ignore these requests; some
   versions of DHAT print a line for each.

   Compiled with -DNVALGRIND, or for a platform that Valgrind does not know, the requests are left
   out: everything returns what it returns "elsewhere", so sizes are still real.

   Null pointers have size 0. Elsewhere than under dmd, p must be null or the start of a live heap
   block, as for malloc_usable_size. Under dmd any other pointer is listed as a misreport. With
   --sample-interval, which keeps few blocks, measuring the others is as it is elsewhere.
   Strings are copied. Scopes belong to a thread, may nest and should be balanced; an END or POP too
   many does no harm.

   Whose usable size
   -----------------
   The C library's, unless a macro is defined before this file is included:

     #define DMD_NATIVE_USABLE_SIZE(p) je_malloc_usable_size((void *)(p))

   p is then a const void pointer, never null. It must be defined on systems whose C library has no
   such function. Programs may use the macro themselves for a size without a report.
*/

#include <stddef.h>

#ifndef DMD_NATIVE_USABLE_SIZE
#if defined(__APPLE__)
#include <malloc/malloc.h>
#define DMD_NATIVE_USABLE_SIZE(p) malloc_size(p)
#elif defined(__FreeBSD__)
#include <malloc_np.h>
#define DMD_NATIVE_USABLE_SIZE(p) malloc_usable_size((void *)(p))
#elif defined(_WIN32)
#include <malloc.h>
#define DMD_NATIVE_USABLE_SIZE(p) _msize((void *)(p))
#elif defined(__sun) || defined(__OpenBSD__) || defined(__NetBSD__)
#error "dmd.h: define DMD_NATIVE_USABLE_SIZE(p) first, this C library has no malloc_usable_size"
#else
#include <malloc.h>
#define DMD_NATIVE_USABLE_SIZE(p) malloc_usable_size((void *)(p))
#endif
#endif

/* Beside this file, where Valgrind installs it, or else wherever the compiler finds it. */
#if defined(__has_include)
#if __has_include("valgrind.h")
#include "valgrind.h"
#else
#include <valgrind/valgrind.h>
#endif
#if __has_include("dmd-annotations.h") /* DMD_OWNS and so on, which dmd-derive reads */
#include "dmd-annotations.h"
#endif
#else
#include "valgrind.h"
#endif

/* An ABI between programs and the tool: never reorder or remove a number, append new ones at the
   end. The first DMD (2011) had others; its macros still work, see the end of this file. */
typedef enum {
  VG_USERREQ__DMD_RUNNING = VG_USERREQ_TOOL_BASE('D', 'M'),
  VG_USERREQ__DMD_REPORT,
  VG_USERREQ__DMD_REPORT_ON_ALLOC,
  VG_USERREQ__DMD_UNREPORT,
  VG_USERREQ__DMD_CLEAR_REPORTS,
  VG_USERREQ__DMD_DUMP,
  VG_USERREQ__DMD_REPORTER_BEGIN,
  VG_USERREQ__DMD_REPORTER_END,
  VG_USERREQ__DMD_TAG_PUSH,
  VG_USERREQ__DMD_TAG_POP,
  VG_USERREQ__DMD_REPORT_NAMED,
  VG_USERREQ__DMD_REPORT_SHARED,
  VG_USERREQ__DMD_SET_HEAP_BLOCK_TAG,
  VG_USERREQ__DMD_CLEAR_HEAP_BLOCK_TAG,
  VG_USERREQ__DMD_TAG_BYTES,
  VG_USERREQ__DMD_TAG_BLOCKS,
  VG_USERREQ__DMD_MEMORY_REPORT,
  VG_USERREQ__DMD_REPORTER_HANDLE,
  VG_USERREQ__DMD_REPORTER_JOIN,
  VG_USERREQ__DMD_REPORTER_LEAVE,
  VG_USERREQ__DMD_GRAPH
} Vg_DMDClientRequest;

/* Flags of DMD_REPORTER_BEGIN_WITH, also an ABI. */
enum {
  DMD_REPORTER_EXCLUSIVE = 1, /* the claim leaves out what reporters nested within it measured */
  DMD_REPORTER_ABANDONED_ = 1 /* of a guard's end: an exception came before the claim was complete.
                                 The other bits are the depth that the begin returned */
};

/* One memory report: see DMD_MEMORY_REPORT. The structure is an ABI too. */
enum dmd_kind { DMD_KIND_NONHEAP, DMD_KIND_HEAP, DMD_KIND_OTHER };
enum dmd_units {
  DMD_UNITS_BYTES,
  DMD_UNITS_COUNT,
  DMD_UNITS_COUNT_CUMULATIVE, /* a count that only grows */
  DMD_UNITS_PERCENTAGE        /* the amount is in hundredths of a per cent */
};
#if defined(__GNUC__)
__extension__ typedef long long dmd_amount_t_; /* C89 has none */
#else
typedef long long dmd_amount_t_;
#endif
struct dmd_memory_report {
  const char *process;     /* NULL or "": this one */
  const char *path;        /* e.g. "explicit/cookies/disk-cache"; without '/' it stands alone */
  int kind;                /* enum dmd_kind */
  int units;               /* enum dmd_units */
  dmd_amount_t_ amount;    /* a long long */
  const char *description; /* a sentence, or NULL */
};

/* Internals. Names that end in an underscore are not for use outside this file. */

#if defined(__cplusplus)
#define DMD_INLINE_ inline
#elif defined(__GNUC__) || defined(_MSC_VER)
#define DMD_INLINE_ __inline
#else
#define DMD_INLINE_
#endif

/* Says that a function only looks at its argument's address: without it GCC takes the measuring of
   a block fresh from malloc for a use of its uninitialised contents, and warns. The volatile copy
   below is for the same purpose, where the user's function has no such attribute. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define DMD_ADDRESS_ONLY_ __attribute__((access(none, 1)))
#else
#define DMD_ADDRESS_ONLY_
#endif

DMD_ADDRESS_ONLY_ static DMD_INLINE_ size_t dmd_native_size_(const void *p) {
  const void *volatile block = p;
  return p ? DMD_NATIVE_USABLE_SIZE(block) : 0;
}

#if defined(__GNUC__) && !defined(NVALGRIND)

/* Without Valgrind dmd's native engine answers, a library that is preloaded into the program. It
   stores a function in the variable below, of which each program and library has one: it finds it
   by a note, or is found by the loader. Where there is no such engine the variable stays null. */
#if defined(__linux__) && defined(__ELF__)
#ifdef __cplusplus
extern "C" {
#endif
typedef size_t (*dmd_answer_fn_)(size_t, size_t, size_t, size_t, size_t);
extern __attribute__((weak)) size_t dmd_answer_request_(size_t, size_t, size_t, size_t, size_t);
extern volatile dmd_answer_fn_ dmd_slot_;
__attribute__((weak, visibility("hidden"), used)) volatile dmd_answer_fn_ dmd_slot_ =
    dmd_answer_request_;
#ifdef __cplusplus
}
#endif
__asm__(".pushsection .note.dmd,\"a\",%note\n.balign 4\n.long 4,4,1\n.asciz \"DMD\"\n"
        ".long dmd_slot_ - .\n.popsection\n");
#define DMD_ASK_(default_, request, arg1, arg2, arg3)                                              \
  __extension__({                                                                                  \
    const dmd_answer_fn_ dmd_answer_ = dmd_slot_;                                                  \
    dmd_answer_                                                                                    \
        ? dmd_answer_((default_), (request), (size_t)(arg1), (size_t)(arg2), (size_t)(arg3))       \
        : (size_t)VALGRIND_DO_CLIENT_REQUEST_EXPR((default_), (request), (arg1), (arg2), (arg3),   \
                                                  0, 0);                                           \
  })
#else
#define DMD_ASK_(default_, request, arg1, arg2, arg3)                                              \
  VALGRIND_DO_CLIENT_REQUEST_EXPR((default_), (request), (arg1), (arg2), (arg3), 0, 0)
#endif

/* Statement expressions and no functions: a request is then made by the frame that wrote it, and
   report stacks show no helper of ours, whether or not the compiler inlines. */

/* Two arguments of the given types, and a guard's address (0: none). name: of the variables, so
   that one request may be the argument of another. */
#define DMD_REQUEST2_(name, request, type, arg, type2, arg2, guard)                                \
  __extension__({                                                                                  \
    type dmd_##name##_ = (arg);                                                                    \
    type2 dmd_##name##_2_ = (arg2);                                                                \
    DMD_ASK_(0, (request), dmd_##name##_, dmd_##name##_2_, (guard));                               \
  })

/* A request that answers with a size. dmd never answers (size_t)-1, so if that comes back nobody
   has answered, and the allocator is asked: under dmd a report costs one request. */
#define DMD_MEASURE_(request, p)                                                                   \
  __extension__({                                                                                  \
    const void *dmd_block_ = (p);                                                                  \
    size_t dmd_size_ = DMD_ASK_((size_t)-1, (request), dmd_block_, 0, 0);                          \
    dmd_size_ == (size_t)-1 ? dmd_native_size_(dmd_block_) : dmd_size_;                            \
  })

#define DMD_REPORT_NAMED_(p, len, name)                                                            \
  __extension__({                                                                                  \
    const void *dmd_block_ = (p);                                                                  \
    size_t dmd_len_ = (len);                                                                       \
    const char *dmd_name_ = (name);                                                                \
    DMD_ASK_(0, VG_USERREQ__DMD_REPORT_NAMED, dmd_block_, dmd_len_, dmd_name_);                    \
  })

#else

/* A function, so that arguments are evaluated and count as used. */
static DMD_INLINE_ size_t dmd_no_request_(size_t arg, size_t arg2) {
  (void)arg;
  (void)arg2;
  return 0;
}

#define DMD_REQUEST2_(name, request, type, arg, type2, arg2, guard)                                \
  dmd_no_request_((size_t)(arg), (size_t)(arg2))
#define DMD_MEASURE_(request, p) dmd_native_size_(p)
#define DMD_REPORT_NAMED_(p, len, name)                                                            \
  dmd_no_request_((size_t)(const void *)(p), (size_t)(len) + (size_t)(const char *)(name))

#endif

#define DMD_REQUEST_(name, request, type, arg) DMD_REQUEST2_(name, request, type, arg, size_t, 0, 0)

/* Version of the requests that the running dmd knows, at present 1; 0 elsewhere. */
#define RUNNING_ON_DMD DMD_REQUEST_(running, VG_USERREQ__DMD_RUNNING, size_t, 0)

/* Measure the block that starts at p and report it. The report holds until the next clear or dump,
   or until the block is freed. It belongs to the innermost reporter open in this thread. */
#define DMD_REPORT(p) DMD_MEASURE_(VG_USERREQ__DMD_REPORT, p)

/* The same, but the report holds until DMD_UNREPORT or until the block is freed. For allocators
   that count: the sum they publish covers the block for as long as it lives. */
#define DMD_REPORT_ON_ALLOC(p) DMD_MEASURE_(VG_USERREQ__DMD_REPORT_ON_ALLOC, p)

/* The same as DMD_REPORT, by one of several owners that share the block (reference counts, say).
   All of them report it so: a block that k owners share is then not counted twice, and each
   reporter is credited with one k-th of it. Returns the whole size. */
#define DMD_REPORT_SHARED(p) DMD_MEASURE_(VG_USERREQ__DMD_REPORT_SHARED, p)

/* Measure the block that starts at p and take back all its reports, of both kinds. */
#define DMD_UNREPORT(p) DMD_MEASURE_(VG_USERREQ__DMD_UNREPORT, p)

/* Forget all reports except those on allocation, and all memory reports. Needed only where
   reporters may have run for another reason: the next ones would report everything twice. */
#define DMD_CLEAR_REPORTS() DMD_REQUEST_(clear, VG_USERREQ__DMD_CLEAR_REPORTS, size_t, 0)

/* Analyse all live blocks, write the result with the label (a string or NULL), then clear. */
#define DMD_DUMP(label) DMD_REQUEST_(dump, VG_USERREQ__DMD_DUMP, const char *, label)

/* Write the heap graph: all live blocks, and the pointers that lead to them. Nothing is cleared. */
#define DMD_GRAPH(label) DMD_REQUEST_(graph, VG_USERREQ__DMD_GRAPH, const char *, label)

/* Open the reporter with this path, with DMD_REPORTER_EXCLUSIVE as flags or none; close the
   innermost one and state how many bytes were measured in between, by reporters nested within it
   too: the sum of what DMD_REPORT and its like returned. Another sum than dmd saw reported is a
   misreport. */
#define DMD_REPORTER_BEGIN(path) DMD_REPORTER_BEGIN_WITH(path, 0)
#define DMD_REPORTER_END(claim) DMD_REQUEST_(end, VG_USERREQ__DMD_REPORTER_END, size_t, claim)
#define DMD_REPORTER_BEGIN_WITH(path, flags)                                                       \
  DMD_REQUEST2_(begin, VG_USERREQ__DMD_REPORTER_BEGIN, const char *, path, size_t, flags, 0)

/* For a reporter whose threads share the work: within it, its own thread asks for its handle and
   hands that to the others. Each of them joins it, measures, and leaves it before the reporter
   ends. What it reports in between is that reporter's and part of its claim. */
#define DMD_REPORTER_HANDLE() DMD_REQUEST_(handle, VG_USERREQ__DMD_REPORTER_HANDLE, size_t, 0)
#define DMD_REPORTER_JOIN(handle) DMD_REQUEST_(join, VG_USERREQ__DMD_REPORTER_JOIN, size_t, handle)
#define DMD_REPORTER_LEAVE() DMD_REQUEST_(leave, VG_USERREQ__DMD_REPORTER_LEAVE, size_t, 0)

/* Let this thread carry a tag; take off the innermost one. A block bears the innermost tag of the
   thread that allocates it. A thread starts with the innermost tag of the one that creates it, and
   cannot take that off (unless dmd runs with --tag-threads=none: then it starts without). */
#define DMD_TAG_PUSH(name) DMD_REQUEST_(tag, VG_USERREQ__DMD_TAG_PUSH, const char *, name)
#define DMD_TAG_POP() DMD_REQUEST_(pop, VG_USERREQ__DMD_TAG_POP, size_t, 0)

/* The same without nesting, for code whose begin and end do not pair up: a tag that was set takes
   the place of the one set before it since the last push; clear takes it off, and so does the pop
   of a tag pushed before it. Clearing where none is set is not a fault. */
#define DMD_SET_HEAP_BLOCK_TAG(name)                                                               \
  DMD_REQUEST_(set, VG_USERREQ__DMD_SET_HEAP_BLOCK_TAG, const char *, name)
#define DMD_CLEAR_HEAP_BLOCK_TAG()                                                                 \
  DMD_REQUEST_(unset, VG_USERREQ__DMD_CLEAR_HEAP_BLOCK_TAG, size_t, 0)

/* What the live blocks with this tag amount to, in constant time: a reporter of memory that cannot
   be measured can publish it. 0 for a name that no block bears. */
#define DMD_TAG_BYTES(name) DMD_REQUEST_(bytes_of, VG_USERREQ__DMD_TAG_BYTES, const char *, name)
#define DMD_TAG_BLOCKS(name) DMD_REQUEST_(blocks_of, VG_USERREQ__DMD_TAG_BLOCKS, const char *, name)

/* Publish a value of any unit: r is a const struct dmd_memory_report *. It goes into the next dump,
   and from there into what `dmdv tree` and `dmdv export --format=about-memory` show. Reports of
   equal process, path, kind and units add up until then. A reporter's measured amount comes before
   what is published in bytes under its path. The structure and its strings are copied; one that
   cannot be read, or that holds what makes no sense, is listed as a fault. In C:

     DMD_MEMORY_REPORT(&(struct dmd_memory_report){
         NULL, "explicit/cookies/mapped", DMD_KIND_NONHEAP, DMD_UNITS_BYTES, n, "Mapped files."});
   In C++ r may be the value itself, made by dmd::memory_report below. */
#if (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L) ||                                  \
    (defined(__cplusplus) && __cplusplus >= 201103L)
#define DMD_MEMORY_REPORT(...) DMD_MEMORY_REPORT_((__VA_ARGS__))
#else
#define DMD_MEMORY_REPORT(r) DMD_MEMORY_REPORT_(r)
#endif
#ifdef __cplusplus
#define DMD_MEMORY_REPORT_(r)                                                                      \
  DMD_REQUEST_(memory_report, VG_USERREQ__DMD_MEMORY_REPORT, dmd::MemoryReportArgument_,           \
               dmd::MemoryReportArgument_(r))
#else
#define DMD_MEMORY_REPORT_(r)                                                                      \
  DMD_REQUEST_(memory_report, VG_USERREQ__DMD_MEMORY_REPORT, const struct dmd_memory_report *, r)
#endif

/* A stack should begin with the measuring function's own name: it must not become a part of its
   caller, nor one with another function that does the same. */
#if defined(__has_attribute)
#if __has_attribute(no_icf)
#define DMD_KEEP_APART_ __attribute__((noinline, no_icf))
#elif __has_attribute(noinline)
#define DMD_KEEP_APART_ __attribute__((noinline))
#endif
#endif
#ifndef DMD_KEEP_APART_
#define DMD_KEEP_APART_
#endif

/* Define `static size_t fn(const void *p)`, which measures and reports. No semicolon follows. */
#define DMD_MALLOC_SIZE_OF_FN(fn)                                                                  \
  DMD_KEEP_APART_ DMD_ADDRESS_ONLY_ static size_t fn(const void *p) {                              \
    return DMD_REPORT(p);                                                                          \
  }

/* The same for an allocator that keeps a sum of its own: add the first function's value to the sum
   just after a block was allocated, subtract the second one's just before it is freed (and before
   it is reallocated, since a block keeps neither its size nor perhaps its place). */
#define DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(fn)                                                         \
  DMD_KEEP_APART_ DMD_ADDRESS_ONLY_ static size_t fn(const void *p) {                              \
    return DMD_REPORT_ON_ALLOC(p);                                                                 \
  }
#define DMD_MALLOC_SIZE_OF_ON_FREE_FN(fn)                                                          \
  DMD_KEEP_APART_ DMD_ADDRESS_ONLY_ static size_t fn(const void *p) {                              \
    return DMD_UNREPORT(p);                                                                        \
  }

/* The macros of the first DMD. They return the usable size, or 0 where it is not running: like the
   originals they never touch the block, so that old code may go on passing any pointer. `name` is
   the reporter of this one report. VALGRIND_DMD_CHECK_REPORTING takes no parentheses, as ever. */
#define VALGRIND_DMD_REPORT(addr, len, name) DMD_REPORT_NAMED_(addr, len, name)
#define VALGRIND_DMD_UNREPORT(addr)                                                                \
  DMD_REQUEST_(unreport, VG_USERREQ__DMD_UNREPORT, const void *, addr)
#define VALGRIND_DMD_CHECK_REPORTING DMD_DUMP((const char *)0)

#ifdef __cplusplus

/* Scope guards for C++, also in coroutines. They close what they opened on exceptions as well. */
#include <exception>

namespace dmd {

/* Carries a tag for as long as it lives. */
class TagScope {
public:
  explicit TagScope(const char *name)
      : depth_(DMD_REQUEST2_(tag, VG_USERREQ__DMD_TAG_PUSH, const char *, name, size_t, 0, this)) {}
  ~TagScope() { DMD_REQUEST2_(pop, VG_USERREQ__DMD_TAG_POP, size_t, depth_, size_t, 0, this); }

private:
  TagScope(const TagScope &);
  TagScope &operator=(const TagScope &);

  size_t depth_; /* tells which scope ends, where others within it were left open */
};

/* Is a reporter for as long as it lives; where an exception ends it, its claim is not checked. Pass
   everything measured through claim(), at once or bit by bit: it adds to what the reporter claims
   at its end, and returns what was passed. */
class ReporterScope {
public:
  explicit ReporterScope(const char *path)
      : depth_(DMD_REQUEST2_(begin, VG_USERREQ__DMD_REPORTER_BEGIN, const char *, path, size_t, 0,
                             this)),
        claimed_(0), exceptions_(exceptions()) {}
  ~ReporterScope() {
    DMD_REQUEST2_(end, VG_USERREQ__DMD_REPORTER_END, size_t, claimed_, size_t,
                  depth_ * 2 + (exceptions() > exceptions_ ? DMD_REPORTER_ABANDONED_ : 0), this);
  }

  size_t claim(size_t size) {
    claimed_ += size;
    return size;
  }

private:
  ReporterScope(const ReporterScope &);
  ReporterScope &operator=(const ReporterScope &);

  static int exceptions() {
#if __cplusplus >= 201703L
    return std::uncaught_exceptions();
#else
    return std::uncaught_exception() ? 1 : 0;
#endif
  }

  size_t depth_; /* tells which scope ends, where others within it were left open */
  size_t claimed_;
  int exceptions_;
};

/* Works for another thread's reporter for as long as it lives: see DMD_REPORTER_HANDLE. */
class JoinScope {
public:
  explicit JoinScope(size_t handle) { DMD_REPORTER_JOIN(handle); }
  ~JoinScope() { DMD_REPORTER_LEAVE(); }

private:
  JoinScope(const JoinScope &);
  JoinScope &operator=(const JoinScope &);
};

/* A value for DMD_MEMORY_REPORT. */
inline dmd_memory_report memory_report(const char *path, dmd_kind kind, dmd_units units,
                                       dmd_amount_t_ amount, const char *description = 0,
                                       const char *process = 0) {
  const dmd_memory_report value = {process, path, kind, units, amount, description};
  return value;
}

/* What DMD_MEMORY_REPORT was given: a pointer, or a value, which is copied. */
struct MemoryReportArgument_ {
  explicit MemoryReportArgument_(const dmd_memory_report *r) : value_(), r_(r), is_value_(false) {}
  explicit MemoryReportArgument_(const dmd_memory_report &value)
      : value_(value), r_(0), is_value_(true) {}
  operator size_t() const { return reinterpret_cast<size_t>(is_value_ ? &value_ : r_); }

  dmd_memory_report value_;
  const dmd_memory_report *r_;
  bool is_value_;
};

} /* namespace dmd */

#endif

#endif /* VALGRIND_DMD_H */
