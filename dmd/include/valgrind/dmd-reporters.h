/*
   SPDX-License-Identifier: BSD-3-Clause

   dmd-reporters.h: memory reporters of a running program, see dmd-reporters.c.

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

#ifndef VALGRIND_DMD_REPORTERS_H
#define VALGRIND_DMD_REPORTERS_H

/*
   What this is for
   ----------------
   A program registers memory reporters: functions that say how much memory a part of the program
   uses. Whenever somebody asks, in production too, the reporters run, and their values form a
   tree:

     dmdv memory PID

   Until then the reporters cost nothing. The library is this file and dmd-reporters.c; it needs
   Linux, threads, and a compiler that knows GNU C. Build with `pkg-config --cflags --libs
   dmd-reporters`, or copy the two files into the program. The manual has more.

   How to use it
   -------------
   1. Write a reporter, and register it. It may report any number of values:

        static void measure_cookies(struct dmd_reporters_call *call, void *closure) {
          dmd_reporters_report(call, "explicit/cookies", DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES,
                               (long long)cookies_measure(closure), "The cookies, in usable
   bytes.");
        }

        int id = dmd_reporters_register(measure_cookies, cookies, "explicit/cookies", 0);

   2. Decide which thread measures. A program with an event loop calls dmd_reporters_poll() in each
      turn of it: if somebody has asked, all reporters run there and then. Reporters that may run in
      any thread at any time are registered with DMD_REPORTERS_ANY_THREAD; with
      dmd_reporters_start(DMD_REPORTERS_THREAD) a thread of the library calls them.
   3. Call dmd_reporters_start. Without this call nobody can ask, unless the environment has
      DMD_REPORTERS=on or DMD_REPORTERS=thread.

   Values
   ------
   A path is a place in a tree, with '/' between its parts; a '/' within a name is written '\'. A
   path without '/' stands alone. Values under "explicit/" are bytes of kind HEAP or NONHEAP that
   do not overlap: together they are the memory of the program. Heap that no value under explicit/
   covers is shown as heap-unclassified. Values with equal paths add up.

   The library adds what the allocator says of itself: heap-allocated, heap-mapped, and
   explicit/heap-overhead. It knows those of glibc, jemalloc, tcmalloc and mimalloc.

   Rules
   -----
   Any thread may call any function at any time, except from a signal handler. One reporter runs at
   a time. A reporter may allocate, register and unregister. It must return: it may neither throw
   nor jump out. It must not wait for a thread that waits in dmd_reporters_unregister.

   The library's own memory has a fixed size (explicit/dmd-reporters), and nothing in it allocates
   from the heap while reporters run. A child that fork makes keeps the reporters and can be asked,
   but has no thread of the library before it calls dmd_reporters_start again.
*/

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of kinds and units are those of dmd.h and of about:memory. */
enum dmd_reporters_kind {
  DMD_REPORTERS_NONHEAP, /* memory that malloc did not provide: mappings, stacks */
  DMD_REPORTERS_HEAP,
  DMD_REPORTERS_OTHER /* not memory of this process, or contained in other values */
};
enum dmd_reporters_units {
  DMD_REPORTERS_BYTES,
  DMD_REPORTERS_COUNT,
  DMD_REPORTERS_COUNT_CUMULATIVE, /* a count that only grows */
  DMD_REPORTERS_PERCENTAGE        /* the amount is in hundredths of a per cent */
};

enum {
  DMD_REPORTERS_ANY_THREAD = 1, /* register: this reporter may run in any thread at any time */
  DMD_REPORTERS_SUMS = 2,      /* register: its values are sums that the program keeps by itself; it
                                  measures no block. Only dumps under dmd distinguish them */
  DMD_REPORTERS_THREAD = 1,    /* start: the library has a thread of its own */
  DMD_REPORTERS_ANONYMIZE = 1, /* collect: leave out private strings, see below */
  DMD_REPORTERS_MAX = 1024,    /* reporters at a time */
  DMD_REPORTERS_MAX_TEXT = 1000 /* bytes of a path or a description; the rest is cut off */
};

#if defined(__GNUC__)
__extension__ typedef long long dmd_reporters_amount_t; /* not in C89 */
#else
typedef long long dmd_reporters_amount_t;
#endif

/* One collection, as a reporter sees it. Valid until the reporter returns, in its thread. */
struct dmd_reporters_call;

typedef void (*dmd_reporters_measure_fn)(struct dmd_reporters_call *call, void *closure);

/* Returns the reporter's id, which is above 0; 0 if there are DMD_REPORTERS_MAX reporters. The name
   is copied, up to 63 bytes: the path of its value, or what the paths of its values have in common,
   such as "explicit/cookies". It identifies a reporter that hangs or did not run. */
int dmd_reporters_register(dmd_reporters_measure_fn measure, void *closure, const char *name,
                           int flags);

/* When this returns, the reporter does not run and never will. If it runs just now in another
   thread, waits for its end; so the caller must hold no lock that the reporter takes. A reporter
   may unregister itself. Ids that were unregistered before, and 0, do no harm. */
void dmd_reporters_unregister(int id);

/* For a reporter: reports a value. Strings are copied; description is a sentence, or NULL. A value
   that cannot be right is refused, and counted: an unknown kind or unit, no path, or a value under
   explicit/ that is not memory in bytes. */
void dmd_reporters_report(struct dmd_reporters_call *call, const char *path, int kind, int units,
                          dmd_reporters_amount_t amount, const char *description);

/* The same, for another process, such as a child without the library. */
void dmd_reporters_report_of(struct dmd_reporters_call *call, const char *process, const char *path,
                             int kind, int units, dmd_reporters_amount_t amount,
                             const char *description);

/* For a reporter: whether paths must not contain private strings, such as file names and URLs. */
int dmd_reporters_is_anonymized(const struct dmd_reporters_call *call);

struct dmd_reporters_value {
  const char *process; /* "": this process */
  const char *path;    /* never NULL */
  int kind, units;     /* enum dmd_reporters_kind, enum dmd_reporters_units */
  dmd_reporters_amount_t amount;
  const char *description; /* never NULL */
  const char *reporter;    /* the name of the reporter */
};

/* Takes a value, whose strings are valid during the call. */
typedef void (*dmd_reporters_take_fn)(void *closure, const struct dmd_reporters_value *value);

/* Runs all reporters in the calling thread, for a program that writes its memory into its own log
   or page. flags may be DMD_REPORTERS_ANONYMIZE. Waits for a collection in another thread to end.
   Returns the number of values, or -1 within a reporter. */
long dmd_reporters_collect(dmd_reporters_take_fn take, void *closure, int flags);

/* Takes n bytes of text, which is valid during the call. Returns 0, or another number to stop. */
typedef int (*dmd_reporters_write_fn)(void *closure, const char *text, size_t n);

/* Like dmd_reporters_collect, and writes the values as OpenMetrics, for a program that answers
   Prometheus at /metrics (content type "application/openmetrics-text; version=1.0.0"):

     dmd_memory_bytes{path="explicit/cookies",kind="heap"} 4096

   The other units are dmd_memory_items, dmd_memory_events and dmd_memory_ratio. Values with equal
   paths are added up, and heap-unclassified is computed. The last line is "# EOF". Writes after all
   reporters have run; until then the text is in memory that does not come from the heap, at most 16
   MB. Returns the number of samples; -1 within a reporter, without memory, or if write stopped. */
long dmd_reporters_openmetrics(dmd_reporters_write_fn write, void *closure);

/* Under dmd, Valgrind's tool or the native engine: runs all reporters, and dumps with this label,
   which may be NULL. Each reporter runs in a reporter scope (DMD_REPORTER_BEGIN) that has its name.
   The heap that it reports under explicit/ is its claim, which dmd compares with the blocks that
   dmd's functions measured meanwhile. Other values, and those of reporters with
   DMD_REPORTERS_SUMS, are published as by DMD_MEMORY_REPORT. Returns the number of the dump; 0
   elsewhere, within a reporter, and if dmd-reporters.c was compiled without dmd.h and valgrind.h in
   the include path (pkg-config --cflags valgrind).

   Other dumps run the reporters in the same way: DMD_DUMP, and the dump when the program calls exit
   or returns from main; after dmd_reporters_start also dmdv dump, and the signal 59 from kill,
   which makes the next poll dump. Whatever reporters measure at other times does not count for dmd.
   So call DMD_DUMP and exit where dmd_reporters_poll could be called. */
size_t dmd_reporters_dump(const char *label);

/* Allows dmdv to ask this process: only the same user and root can. Takes the real-time signal 59;
   blocking system calls are restarted where the system restarts them. flags may be
   DMD_REPORTERS_THREAD. May be called again, to get the thread. Returns 0, or an errno: EBUSY means
   that the program has a handler for this signal. */
int dmd_reporters_start(int flags);

/* After this, no one can ask, and the thread ends. Call it before code that contains the library is
   unloaded. */
void dmd_reporters_stop(void);

/* Private. */
extern int dmd_reporters_wanted_;
void dmd_reporters_answer_(void);

#if defined(__cplusplus)
#define DMD_REPORTERS_INLINE_ inline
#else
#define DMD_REPORTERS_INLINE_ __inline
#endif

/* Answers whoever asks. Call it in a loop, where the program holds no lock that a reporter takes
   and its data is consistent. If nobody asks, it is a load and a branch. */
static DMD_REPORTERS_INLINE_ void dmd_reporters_poll(void) {
  if (__atomic_load_n(&dmd_reporters_wanted_, __ATOMIC_RELAXED))
    dmd_reporters_answer_();
}

#ifdef __cplusplus
} /* extern "C" */

namespace dmd {

/* A reporter that is registered for as long as this object lives. As a member, declare it last, so
   that it goes first. */
class RegisteredReporter {
public:
  RegisteredReporter(dmd_reporters_measure_fn measure, void *closure, const char *name,
                     int flags = 0)
      : id_(dmd_reporters_register(measure, closure, name, flags)) {}

  /* Calls object->report_memory(call), where call is a dmd_reporters_call *. */
  template <class T>
  RegisteredReporter(T *object, const char *name, int flags = 0)
      : id_(dmd_reporters_register(measure_<T>, object, name, flags)) {}

  ~RegisteredReporter() { dmd_reporters_unregister(id_); }

  bool is_registered() const { return id_ != 0; }

private:
  RegisteredReporter(const RegisteredReporter &);
  RegisteredReporter &operator=(const RegisteredReporter &);

  template <class T> static void measure_(dmd_reporters_call *call, void *object) {
    static_cast<T *>(object)->report_memory(call);
  }

  int id_;
};

} /* namespace dmd */

#endif

#endif /* VALGRIND_DMD_REPORTERS_H */
