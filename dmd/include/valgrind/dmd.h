/*
   SPDX-License-Identifier: BSD-3-Clause

   dmd.h: requests from a program to dmd, the dark matter detector for Valgrind.

   Copyright (C) 2026 the authors of dmd. All rights reserved.

   Redistribution and use in source and binary forms, with or without
   modification, are permitted provided that the following conditions are met:

   1. Redistributions of source code must retain the above copyright notice,
      this list of conditions and the following disclaimer.

   2. Redistributions in binary form must reproduce the above copyright notice,
      this list of conditions and the following disclaimer in the documentation
      and/or other materials provided with the distribution.

   3. Neither the name of the copyright holder nor the names of its contributors
      may be used to endorse or promote products derived from this software
      without specific prior written permission.

   THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
   AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
   IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
   DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
   FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
   DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
   SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
   CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
   OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
   OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
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

   The manual explains the terms (block, report, reporter, claim, tag, dump). All sizes are usable
   sizes in bytes: what the allocator really provided, which is at least what was requested.

   How to use it
   -------------
   1. Define a measuring function with a macro of this header. It returns the usable size, as
      malloc_usable_size does, and under dmd it also reports the block:

        #include <valgrind/dmd.h>
        DMD_MALLOC_SIZE_OF_FN(cookies_size_of)

        size_t cookies_measure(const struct cookies *c) {
          return cookies_size_of(c) + cookies_size_of(c->table);
        }

      Give each reporter its own function, since its name shows up in the report stacks.
   2. After everything has been measured, call DMD_DUMP("a label"). A program that never does is
      analysed when it exits; by then much may have been freed.
   3. Put DMD_REPORTER_BEGIN(path) and DMD_REPORTER_END(claim) around a reporter: its reports then
      carry the path, and its claim is checked.
   4. Put DMD_TAG_PUSH(name) and DMD_TAG_POP() around calls into code that you cannot measure.
   5. If an allocator of yours counts its bytes (xmalloc, a library's hooks), measure there with
      DMD_MALLOC_SIZE_OF_ON_ALLOC_FN and DMD_MALLOC_SIZE_OF_ON_FREE_FN; see below.

   Then build with -g and run: valgrind --tool=dmd ./program

   What a request returns ("elsewhere": without dmd, whether under Valgrind or not)
   ----------------------

     request                    under dmd                                 elsewhere
     RUNNING_ON_DMD             version of these requests, 1 or more      0
     DMD_REPORT(p)              usable size; 0 if no block starts at p    usable size
     DMD_REPORT_ON_ALLOC(p)     like DMD_REPORT                           usable size
     DMD_REPORT_SHARED(p)       like DMD_REPORT                           usable size
     DMD_REPORT_ENCLOSING(p)    usable size; 0 if p is in no block        0
     DMD_REPORT_ENCLOSING_SHARED(p)  the same                             0
     DMD_REPORT_MAPPED(p, n)    bytes there that the program mapped       n
     DMD_UNREPORT(p)            like DMD_REPORT                           usable size
     DMD_CLEAR_REPORTS()        0                                         0
     DMD_DUMP(label)            number of the dump (1, 2, ...); 0: lost   0
     DMD_GRAPH(label)           number of the graph (1, 2, ...); 0: lost  0
     DMD_MARK(text)             0                                         0
     DMD_REPORTER_BEGIN(path)   reporters open in this thread, with it    0
     DMD_REPORTER_END(claim)    reporters still open in this thread       0
     DMD_REPORTER_HANDLE()      handle of the innermost; 0: none is open  0
     DMD_REPORTER_JOIN(handle)  reporters open in this thread, with it    0
     DMD_REPORTER_LEAVE()       reporters still open in this thread       0
     DMD_TAG_PUSH(name)         tags that this thread carries, with it    0
     DMD_TAG_POP()              tags that this thread still carries       0
     DMD_SET_HEAP_BLOCK_TAG(s)  tags that this thread carries, with it    0
     DMD_CLEAR_HEAP_BLOCK_TAG() tags that this thread still carries       0
     DMD_TAG_BYTES(name)        usable bytes of live blocks with the tag  0
     DMD_TAG_BLOCKS(name)       live blocks with the tag                  0
     DMD_MEMORY_REPORT(r)       memory reports kept for the next dump     0

   Each is an expression of type size_t or a statement. Arguments are always evaluated once.
   Without Valgrind a request costs a few instructions. Other tools ignore these requests; some
   versions of DHAT print a line for each.

   With -DNVALGRIND, or on a platform that Valgrind does not support, the requests are compiled out:
   everything returns its "elsewhere" value, so sizes are still real.

   Null pointers have size 0. Without dmd, p must be null or the start of a live heap block, as for
   malloc_usable_size; only DMD_REPORT_ENCLOSING takes any pointer. Under dmd any other pointer is
   listed as a misreport. Blocks that --sample-interval leaves out are measured as if without dmd.
   Strings are copied. Scopes belong to a thread, may nest and should be balanced; an extra END or
   POP does no harm.

   Another allocator
   -----------------
   The usable size comes from the C library, unless this macro is defined before the include:

     #define DMD_NATIVE_USABLE_SIZE(p) je_malloc_usable_size((void *)(p))

   p is a const void pointer and never null. Systems whose C library lacks malloc_usable_size need
   the definition. Programs may also use the macro directly, to get a size without a report.
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

/* Next to this file, where Valgrind installs it, or on the include path. */
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

/* An ABI between programs and the tool: never reorder or remove a number; append new ones at the
   end. The first DMD (2011) had other numbers; its macros still work, see the end of this file. */
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
  VG_USERREQ__DMD_GRAPH,
  VG_USERREQ__DMD_MARK,
  VG_USERREQ__DMD_REPORT_ENCLOSING,
  VG_USERREQ__DMD_REPORT_MAPPED
} Vg_DMDClientRequest;

/* Flags of DMD_REPORTER_BEGIN_WITH; part of the ABI. */
enum {
  DMD_REPORTER_EXCLUSIVE = 1, /* the claim excludes what nested reporters measured */
  DMD_REPORTER_IGNORED = 2,   /* for another purpose than a dump: the reports in it do not count */
  DMD_REPORTER_ABANDONED_ = 1 /* set by a guard that an exception ends: the claim is incomplete.
                                 The other bits are the depth that the begin returned */
};

/* Flag of DMD_REPORT_ENCLOSING_SHARED; part of the ABI. */
enum { DMD_ENCLOSING_SHARED_ = 1 };

/* One memory report, see DMD_MEMORY_REPORT. The layout is part of the ABI. */
enum dmd_kind { DMD_KIND_NONHEAP, DMD_KIND_HEAP, DMD_KIND_OTHER };
enum dmd_units {
  DMD_UNITS_BYTES,
  DMD_UNITS_COUNT,
  DMD_UNITS_COUNT_CUMULATIVE, /* a count that only grows */
  DMD_UNITS_PERCENTAGE        /* the amount is in hundredths of a per cent */
};
#if defined(__GNUC__)
__extension__ typedef long long dmd_amount_t_; /* not in C89 */
#else
typedef long long dmd_amount_t_;
#endif
struct dmd_memory_report {
  const char *process;     /* NULL or "": this process */
  const char *path;        /* e.g. "explicit/cookies/disk-cache"; without '/' it stands alone */
  int kind;                /* enum dmd_kind */
  int units;               /* enum dmd_units */
  dmd_amount_t_ amount;    /* a long long */
  const char *description; /* a sentence, or NULL */
};

/* Internals. Names that end in an underscore are private to dmd's headers. */

#if defined(__cplusplus)
#define DMD_INLINE_ inline
#elif defined(__GNUC__) || defined(_MSC_VER)
#define DMD_INLINE_ __inline
#else
#define DMD_INLINE_
#endif

/* Declares that a function uses its argument's address only. Otherwise GCC takes measuring a block
   fresh from malloc for a use of uninitialised memory, and warns. The volatile copy below serves
   the same purpose where the user's own function lacks the attribute. */
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

/* Without Valgrind, dmd's native engine answers: a library that is preloaded into the program. It
   stores a function in the variable below. Each program and each library has its own copy, which
   the engine finds by an ELF note or the loader binds. Without the engine it stays null. */
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

/* Statement expressions, not functions: the request is then made by the frame that wrote it, and
   report stacks show no helper of ours, whether or not the compiler inlines. */

/* Passes two arguments of the given types, and a guard's address (0: none). `name` makes the
   variables unique, so that one request may be the argument of another. */
#define DMD_REQUEST2_(name, request, type, arg, type2, arg2, guard)                                \
  __extension__({                                                                                  \
    type dmd_##name##_ = (arg);                                                                    \
    type2 dmd_##name##_2_ = (arg2);                                                                \
    DMD_ASK_(0, (request), dmd_##name##_, dmd_##name##_2_, (guard));                               \
  })

#define DMD_REPORT_MAPPED_(p, n)                                                                   \
  __extension__({                                                                                  \
    const void *dmd_mapped_ = (p);                                                                 \
    size_t dmd_mapped_size_ = (n);                                                                 \
    DMD_ASK_(dmd_mapped_size_, VG_USERREQ__DMD_REPORT_MAPPED, dmd_mapped_, dmd_mapped_size_, 0);   \
  })

/* A request that returns a size. dmd never returns (size_t)-1: that value means that no engine
   answered, and the size comes from the allocator. So a report under dmd costs one request. */
#define DMD_MEASURE_(request, p)                                                                   \
  __extension__({                                                                                  \
    const void *dmd_block_ = (p);                                                                  \
    size_t dmd_size_ = DMD_ASK_((size_t)-1, (request), dmd_block_, 0, 0);                          \
    dmd_size_ == (size_t)-1 ? dmd_native_size_(dmd_block_) : dmd_size_;                            \
  })

/* The library dmd-reporters, if the program has it, runs its registered reporters for the dump. */
#if defined(__linux__) && defined(__ELF__)
#ifdef __cplusplus
extern "C" {
#endif
extern __attribute__((weak)) void dmd_reporters_before_dump_(void);
#ifdef __cplusplus
}
#endif
#define DMD_DUMP_(label)                                                                           \
  __extension__({                                                                                  \
    const char *dmd_label_ = (label);                                                              \
    if (dmd_reporters_before_dump_)                                                                \
      dmd_reporters_before_dump_();                                                                \
    DMD_REQUEST_(dump, VG_USERREQ__DMD_DUMP, const char *, dmd_label_);                            \
  })
#endif

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
#define DMD_REPORT_MAPPED_(p, n) ((void)(p), (size_t)(n))
#define DMD_REPORT_NAMED_(p, len, name)                                                            \
  dmd_no_request_((size_t)(const void *)(p), (size_t)(len) + (size_t)(const char *)(name))

#endif

#define DMD_REQUEST_(name, request, type, arg) DMD_REQUEST2_(name, request, type, arg, size_t, 0, 0)

#ifndef DMD_DUMP_
#define DMD_DUMP_(label) DMD_REQUEST_(dump, VG_USERREQ__DMD_DUMP, const char *, label)
#endif

/* Version of the requests that the running dmd supports, currently 1; 0 elsewhere. */
#define RUNNING_ON_DMD DMD_REQUEST_(running, VG_USERREQ__DMD_RUNNING, size_t, 0)

/* Measure the block that starts at p and report it. The report holds until the next clear or dump,
   or until the block is freed. It belongs to the innermost reporter open in this thread. */
#define DMD_REPORT(p) DMD_MEASURE_(VG_USERREQ__DMD_REPORT, p)

/* Like DMD_REPORT, but the report holds until DMD_UNREPORT or until the block is freed. For
   allocators that count: their published sum covers the block for as long as it lives. */
#define DMD_REPORT_ON_ALLOC(p) DMD_MEASURE_(VG_USERREQ__DMD_REPORT_ON_ALLOC, p)

/* Like DMD_REPORT, for a block that several owners share (by reference counts, say). Each owner
   must report it with this request: the block then does not count as reported twice, and each of k
   reporters is credited with 1/k of it. Returns the whole size. */
#define DMD_REPORT_SHARED(p) DMD_MEASURE_(VG_USERREQ__DMD_REPORT_SHARED, p)

/* Like DMD_REPORT and DMD_REPORT_SHARED, for the block that contains the address p: its start or
   any address within it. For objects that only hand out pointers into their blocks, such as the
   value in a reference-counted box or an entry of a hash table. An allocator cannot answer this, so
   that without dmd the result is 0, whatever p is: add an estimate there. */
#define DMD_REPORT_ENCLOSING(p) DMD_ENCLOSING_(p, 0)
#define DMD_REPORT_ENCLOSING_SHARED(p) DMD_ENCLOSING_(p, DMD_ENCLOSING_SHARED_)
#define DMD_ENCLOSING_(p, flags)                                                                   \
  DMD_REQUEST2_(enclosing, VG_USERREQ__DMD_REPORT_ENCLOSING, const void *, p, size_t, flags, 0)

/* Report n bytes at p that the program mapped itself, with mmap and the like: the address space,
   also of pages that were never touched. */
#define DMD_REPORT_MAPPED(p, n) DMD_REPORT_MAPPED_(p, n)

/* Measure the block that starts at p and withdraw all its reports, of both kinds. */
#define DMD_UNREPORT(p) DMD_MEASURE_(VG_USERREQ__DMD_UNREPORT, p)

/* Forget all reports except those made on allocation, and all memory reports. Needed only if
   reporters may have run for another purpose: the next run would report everything twice. */
#define DMD_CLEAR_REPORTS() DMD_REQUEST_(clear, VG_USERREQ__DMD_CLEAR_REPORTS, size_t, 0)

/* Analyse all live blocks, write the result with the label (a string or NULL), then clear the
   reports. In a program with registered reporters (dmd-reporters.h), these run first. */
#define DMD_DUMP(label) DMD_DUMP_(label)

/* Write the heap graph: all live blocks and the pointers between them. Clears nothing. */
#define DMD_GRAPH(label) DMD_REQUEST_(graph, VG_USERREQ__DMD_GRAPH, const char *, label)

/* Mark this moment in the timeline with a text, such as "warm" or "request 7". */
#define DMD_MARK(text) DMD_REQUEST_(mark, VG_USERREQ__DMD_MARK, const char *, text)

/* BEGIN opens a reporter with this path; flags may be DMD_REPORTER_EXCLUSIVE or 0. END closes the
   innermost reporter and states its claim: how many bytes were measured since BEGIN, nested
   reporters included, as the sum of what DMD_REPORT and the like returned. A claim that differs
   from what dmd saw reported is a misreport. */
#define DMD_REPORTER_BEGIN(path) DMD_REPORTER_BEGIN_WITH(path, 0)
#define DMD_REPORTER_END(claim) DMD_REQUEST_(end, VG_USERREQ__DMD_REPORTER_END, size_t, claim)
#define DMD_REPORTER_BEGIN_WITH(path, flags)                                                       \
  DMD_REQUEST2_(begin, VG_USERREQ__DMD_REPORTER_BEGIN, const char *, path, size_t, flags, 0)

/* For a reporter that measures with several threads. The thread that opened it gets its handle and
   passes it to the others. Each of them joins, measures, and leaves before the reporter ends. Their
   reports belong to that reporter and are part of its claim. */
#define DMD_REPORTER_HANDLE() DMD_REQUEST_(handle, VG_USERREQ__DMD_REPORTER_HANDLE, size_t, 0)
#define DMD_REPORTER_JOIN(handle) DMD_REQUEST_(join, VG_USERREQ__DMD_REPORTER_JOIN, size_t, handle)
#define DMD_REPORTER_LEAVE() DMD_REQUEST_(leave, VG_USERREQ__DMD_REPORTER_LEAVE, size_t, 0)

/* Push a tag onto this thread's stack of tags; pop the innermost one. A block gets the innermost
   tag of the thread that allocates it. A new thread inherits the innermost tag of its creator and
   cannot pop it (with --tag-threads=none it starts without a tag). */
#define DMD_TAG_PUSH(name) DMD_REQUEST_(tag, VG_USERREQ__DMD_TAG_PUSH, const char *, name)
#define DMD_TAG_POP() DMD_REQUEST_(pop, VG_USERREQ__DMD_TAG_POP, size_t, 0)

/* Tags without nesting, for code whose begin and end do not pair up. SET replaces the tag that was
   set since the last push. CLEAR removes it, and so does the pop of a tag that was pushed before
   it. Clearing when no tag is set is not a fault. */
#define DMD_SET_HEAP_BLOCK_TAG(name)                                                               \
  DMD_REQUEST_(set, VG_USERREQ__DMD_SET_HEAP_BLOCK_TAG, const char *, name)
#define DMD_CLEAR_HEAP_BLOCK_TAG()                                                                 \
  DMD_REQUEST_(unset, VG_USERREQ__DMD_CLEAR_HEAP_BLOCK_TAG, size_t, 0)

/* Totals of the live blocks with this tag, in constant time. A reporter can publish them for memory
   that cannot be measured. 0 for an unknown tag. */
#define DMD_TAG_BYTES(name) DMD_REQUEST_(bytes_of, VG_USERREQ__DMD_TAG_BYTES, const char *, name)
#define DMD_TAG_BLOCKS(name) DMD_REQUEST_(blocks_of, VG_USERREQ__DMD_TAG_BLOCKS, const char *, name)

/* Publish a value in any unit: r is a const struct dmd_memory_report *. The next dump contains it,
   and `dmdv tree` and `dmdv export --format=about-memory` show it. Until then, reports with equal
   process, path, kind and units add up. A reporter's measured amount takes precedence over bytes
   that are published under its path. The structure and its strings are copied; an unreadable or
   invalid structure is listed as a fault. In C:

     DMD_MEMORY_REPORT(&(struct dmd_memory_report){
         NULL, "explicit/cookies/mapped", DMD_KIND_NONHEAP, DMD_UNITS_BYTES, n, "Mapped files."});
   In C++ r may be the value itself, as returned by dmd::memory_report below. */
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

/* Report stacks should start with the measuring function's own name, so it must be neither inlined
   into its caller nor folded with an identical function. */
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

/* Define `static size_t fn(const void *p)`, which measures and reports. Write no semicolon after
   it. */
#define DMD_MALLOC_SIZE_OF_FN(fn)                                                                  \
  DMD_KEEP_APART_ DMD_ADDRESS_ONLY_ static size_t fn(const void *p) {                              \
    return DMD_REPORT(p);                                                                          \
  }

/* For an allocator that counts: add the first function's value just after a block was allocated;
   subtract the second's just before it is freed or reallocated, which changes its size. */
#define DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(fn)                                                         \
  DMD_KEEP_APART_ DMD_ADDRESS_ONLY_ static size_t fn(const void *p) {                              \
    return DMD_REPORT_ON_ALLOC(p);                                                                 \
  }
#define DMD_MALLOC_SIZE_OF_ON_FREE_FN(fn)                                                          \
  DMD_KEEP_APART_ DMD_ADDRESS_ONLY_ static size_t fn(const void *p) {                              \
    return DMD_UNREPORT(p);                                                                        \
  }

/* The macros of the first DMD. They return the usable size, or 0 if dmd is not running, and never
   touch the block, so that old code may pass any pointer. `name` is the reporter of this one
   report. VALGRIND_DMD_CHECK_REPORTING takes no parentheses. */
#define VALGRIND_DMD_REPORT(addr, len, name) DMD_REPORT_NAMED_(addr, len, name)
#define VALGRIND_DMD_UNREPORT(addr)                                                                \
  DMD_REQUEST_(unreport, VG_USERREQ__DMD_UNREPORT, const void *, addr)
#define VALGRIND_DMD_CHECK_REPORTING DMD_DUMP((const char *)0)

#ifdef __cplusplus

/* Scope guards for C++, usable in coroutines. An exception closes them, too. */
#include <exception>

namespace dmd {

/* Tags the blocks that its thread allocates during its lifetime. */
class TagScope {
public:
  explicit TagScope(const char *name)
      : depth_(DMD_REQUEST2_(tag, VG_USERREQ__DMD_TAG_PUSH, const char *, name, size_t, 0, this)) {}
  ~TagScope() { DMD_REQUEST2_(pop, VG_USERREQ__DMD_TAG_POP, size_t, depth_, size_t, 0, this); }

private:
  TagScope(const TagScope &);
  TagScope &operator=(const TagScope &);

  size_t depth_; /* identifies this scope if inner ones were left open */
};

/* A reporter with the guard's lifetime. If an exception ends it, its claim is not checked. Pass
   everything measured through claim(), in one or several calls: it adds to the claim that the end
   states, and returns its argument. */
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

  size_t depth_; /* identifies this scope if inner ones were left open */
  size_t claimed_;
  int exceptions_;
};

/* Joins another thread's reporter for its lifetime: see DMD_REPORTER_HANDLE. */
class JoinScope {
public:
  explicit JoinScope(size_t handle) { DMD_REPORTER_JOIN(handle); }
  ~JoinScope() { DMD_REPORTER_LEAVE(); }

private:
  JoinScope(const JoinScope &);
  JoinScope &operator=(const JoinScope &);
};

/* Makes a value for DMD_MEMORY_REPORT. */
inline dmd_memory_report memory_report(const char *path, dmd_kind kind, dmd_units units,
                                       dmd_amount_t_ amount, const char *description = 0,
                                       const char *process = 0) {
  const dmd_memory_report value = {process, path, kind, units, amount, description};
  return value;
}

/* The argument of DMD_MEMORY_REPORT: a pointer, or a value, which is copied. */
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
