/*
   SPDX-License-Identifier: BSD-3-Clause

   dmd-reporters.c: runs a program's memory reporters when somebody asks, see dmd-reporters.h.

   Copyright (C) 2026 the authors of dmd. All rights reserved.

   Redistribution and use in source and binary forms, with or without
   modification, are permitted provided that the following conditions are met:

   1. Redistributions of source code must retain the above copyright notice,
      this list of conditions and the following disclaimer.

   2. Redistributions in binary form must reproduce the above copyright notice,
      this list of conditions and the following disclaimer in the documentation
      and/or other materials provided with the distribution.

   3. Neither the name of the copyright referrer nor the names of its contributors
      may be used to endorse or promote products derived from this software
      without specific prior written permission.

   THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT REFERRERS AND CONTRIBUTORS "AS IS"
   AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
   IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
   DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT REFERRER OR CONTRIBUTORS BE LIABLE
   FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
   DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
   SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
   CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
   OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
   OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
*/
/*
   Overview
   --------
   A table holds the reporters; g.lock guards it and is never held while a reporter runs. A
   collection runs in one thread at a time (g.collector) and calls one reporter after the other.

   dmdv asks with a real-time signal whose value is a secret number. The handler stores the number
   and raises dmd_reporters_wanted_. The next poll, or the library's thread, connects to the
   abstract socket that the number names, checks that its owner is this user or root, and writes
   lines of JSON while the reporters run:

     {"dmd-reporters":1,"pid":...,"reporters":...}
     {"running":"NAME"}           before a reporter runs, so that one that hangs is known
     {"path":...,"kind":...,"units":...,"amount":...,"description":...,"process":...}
     {"skipped":"NAME"}           a reporter that may not run in this thread
     {"end":1,"refused":...,"dropped":...}

   The library never reads from the socket. A memfd's name in /proc/PID/maps marks a process that
   can be asked.

   Under dmd, a dump needs the reporters' scopes, claims and values. The library provides them
   before every dump: DMD_DUMP calls dmd_reporters_before_dump_, exit calls measure_at_exit, `kill
   -59` makes the next poll dump, and dmdv dump sends a number with FOR_DUMP and dumps after the
   line "end", while the thread that ran the reporters waits for the connection to close. Whatever
   reporters measure for another purpose is in a scope that dmd ignores.
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmd-reporters.h"

/* Only for programs that also run under dmd. */
#if defined(__has_include)
#if __has_include("dmd.h") && __has_include("valgrind.h")
#include "dmd.h"
#define HAS_DMD
#endif
#endif

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MARK "dmd-reporters-1"

enum {
  SIGNAL = 59,
  MAX_NAME = 63,
  MAX_ASKED = 64,           /* requests that wait */
  BUFFER_SZB = 32 << 10,    /* more than the longest line: every byte of a text may become six */
  MAX_ANSWER_SZB = 8 << 20, /* values beyond this are dropped */
  WRITE_MS = 5000,          /* time for all writes of an answer */
  POLL_MS = 2000,           /* time that the thread leaves to polls */
  DUMP_MS = 60000,          /* time for dmdv to begin a dump, */
  EXIT_MS = 2000,           /* and for another thread's collection to end before exit */
  ANONYMIZE = 1,            /* bits of a request's number; the second is always set */
  FOR_DUMP = 4,
  THREAD_STACK_SZB = 1 << 20
};

typedef struct {
  dmd_reporters_measure_fn measure; /* NULL: none; its slot is free if it does not run either */
  void *closure;
  unsigned generation, run; /* run: counts its calls */
  int flags, is_running;
  char name[MAX_NAME + 1];
} reporter_t;

/* What happens to the values of a collection. Functions may be NULL. */
typedef struct {
  void (*begin)(void *ctx, const char *reporter);
  void (*skip)(void *ctx, const char *reporter);
  dmd_reporters_take_fn take;
  void *ctx;
  int flags;
  int has_scopes; /* of dmd's, around each reporter */
  int has_failed; /* reporters run no longer */
} sink_t;

struct dmd_reporters_call {
  sink_t *sink;
  const char *reporter;
  long n_values, n_refused;
  int has_scope; /* heap of this process is claimed, not passed on */
  dmd_reporters_amount_t claim;
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a reporter or a collection has ended */
  int is_collecting;
  pthread_t collector;
  int n_slots; /* slots at and above it were never used */
  reporter_t slots[DMD_REPORTERS_MAX];
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Guarded by their own lock, except that the handler reads has_thread and posts wake. */
static struct {
  pthread_mutex_t lock;
  int has_handler, has_thread, is_stopping;
  void *mark;
  pthread_t thread;
  sem_t wake;
} g_manager = {.lock = PTHREAD_MUTEX_INITIALIZER};

int dmd_reporters_wanted_;
static unsigned g_asked[MAX_ASKED]; /* numbers; 0: free */
static int g_is_dump_wanted;

/* ---- The table. ---- */

static int id_of(int slot, unsigned generation) {
  return (int)(generation % 0x100000u) * DMD_REPORTERS_MAX + slot + 1;
}

static void prepare_fork(void) {
  pthread_mutex_lock(&g.lock);
}

static void leave_fork(void) {
  pthread_mutex_unlock(&g.lock);
}

static void abandon_answer(void);

/* Only the forking thread goes on in the child, which may be in the middle of a reporter. */
static void become_child(void) {
  static const pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  g.lock = g_manager.lock = lock;
  g.changed = changed;
  if (g.is_collecting && !pthread_equal(g.collector, pthread_self())) {
    g.is_collecting = 0;
    for (int i = 0; i < g.n_slots; i++)
      g.slots[i].is_running = 0;
  }
  g_manager.has_thread = 0;
  memset(g_asked, 0, sizeof g_asked);
  dmd_reporters_wanted_ = g_is_dump_wanted = 0;
  abandon_answer();
}

static int start(int flags);
static int is_under_dmd(void);
static void measure_at_exit(void);

static void begin_program(void) {
  pthread_atfork(prepare_fork, leave_fork, become_child);
  if (is_under_dmd())
    atexit(measure_at_exit);
  const char *wish = secure_getenv("DMD_REPORTERS");
  if (wish != NULL && strcmp(wish, "thread") == 0)
    start(DMD_REPORTERS_THREAD);
  else if (wish != NULL && strcmp(wish, "on") == 0)
    start(0);
}

static void begin_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin_program);
}

int dmd_reporters_register(dmd_reporters_measure_fn measure, void *closure, const char *name,
                           int flags) {
  int id = 0;
  begin_once();
  pthread_mutex_lock(&g.lock);
  for (int i = 0; i < DMD_REPORTERS_MAX && id == 0; i++) {
    reporter_t *r = &g.slots[i];
    if (r->measure != NULL || r->is_running)
      continue;
    r->measure = measure;
    r->closure = closure;
    r->flags = flags;
    snprintf(r->name, sizeof r->name, "%s", name == NULL ? "" : name);
    g.n_slots = i < g.n_slots ? g.n_slots : i + 1;
    id = id_of(i, r->generation);
  }
  pthread_mutex_unlock(&g.lock);
  return id;
}

void dmd_reporters_unregister(int id) {
  if (id <= 0)
    return;
  int slot = (id - 1) % DMD_REPORTERS_MAX;
  reporter_t *r = &g.slots[slot];
  pthread_mutex_lock(&g.lock);
  if (r->measure != NULL && id_of(slot, r->generation) == id) {
    unsigned run = r->run;
    r->measure = NULL;
    r->generation++;
    while (r->is_running && r->run == run && !pthread_equal(g.collector, pthread_self()))
      pthread_cond_wait(&g.changed, &g.lock);
  }
  pthread_mutex_unlock(&g.lock);
}

/* ---- Values. ---- */

int dmd_reporters_is_anonymized(const struct dmd_reporters_call *call) {
  return (call->sink->flags & DMD_REPORTERS_ANONYMIZE) != 0;
}

void dmd_reporters_report_of(struct dmd_reporters_call *call, const char *process, const char *path,
                             int kind, int units, dmd_reporters_amount_t amount,
                             const char *description) {
  const struct dmd_reporters_value value = {
      process == NULL ? "" : process,         path,          kind, units, amount,
      description == NULL ? "" : description, call->reporter};
  int is_known = kind >= DMD_REPORTERS_NONHEAP && kind <= DMD_REPORTERS_OTHER &&
                 units >= DMD_REPORTERS_BYTES && units <= DMD_REPORTERS_PERCENTAGE;
  if (path == NULL || path[0] == '\0' || !is_known ||
      (strncmp(path, "explicit/", 9) == 0 &&
       (kind == DMD_REPORTERS_OTHER || units != DMD_REPORTERS_BYTES))) {
    call->n_refused++;
    return;
  }
  call->n_values++;
  if (call->has_scope && value.process[0] == '\0' && kind == DMD_REPORTERS_HEAP &&
      strncmp(path, "explicit/", 9) == 0) {
    call->claim += amount;
    return;
  }
  call->sink->take(call->sink->ctx, &value);
}

void dmd_reporters_report(struct dmd_reporters_call *call, const char *path, int kind, int units,
                          dmd_reporters_amount_t amount, const char *description) {
  dmd_reporters_report_of(call, NULL, path, kind, units, amount, description);
}

/* ---- The allocator's own figures, and the library's. ---- */

typedef struct {
  size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
} mallinfo2_t;

/* They are null in programs without this allocator. */
static mallinfo2_t glibc_mallinfo2(void) __attribute__((weakref("mallinfo2")));
static int jemalloc_ctl(const char *, void *, size_t *, void *, size_t)
    __attribute__((weakref("mallctl")));
static int jemalloc_prefixed_ctl(const char *, void *, size_t *, void *, size_t)
    __attribute__((weakref("je_mallctl")));
static int tcmalloc_property(const char *, size_t *)
    __attribute__((weakref("MallocExtension_GetNumericProperty")));
static void mimalloc_info(size_t *, size_t *, size_t *, size_t *, size_t *, size_t *, size_t *,
                          size_t *) __attribute__((weakref("mi_process_info")));

static void report_heap(struct dmd_reporters_call *call, size_t allocated, size_t mapped) {
  dmd_reporters_report(call, "heap-allocated", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES,
                       (dmd_reporters_amount_t)allocated,
                       "The bytes of all live blocks, as the allocator counts them.");
  dmd_reporters_report(call, "heap-mapped", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES,
                       (dmd_reporters_amount_t)mapped,
                       "The memory that the allocator has from the system.");
}

static void report_overhead(struct dmd_reporters_call *call, const char *part, size_t szB,
                            const char *description) {
  char path[64];
  snprintf(path, sizeof path, "explicit/heap-overhead/%s", part);
  dmd_reporters_report(call, path, DMD_REPORTERS_NONHEAP, DMD_REPORTERS_BYTES,
                       (dmd_reporters_amount_t)szB, description);
}

static void measure_glibc(struct dmd_reporters_call *call) {
  mallinfo2_t m = glibc_mallinfo2();
  if (m.arena + m.hblkhd == 0) /* another allocator replaces it */
    return;
  report_heap(call, m.uordblks + m.hblkhd, m.arena + m.hblkhd);
  report_overhead(call, "free-chunks", m.fordblks,
                  "Free memory that the allocator keeps, in all arenas. Some of it may not be "
                  "resident.");
}

static size_t difference(size_t a, size_t b) {
  return a > b ? a - b : 0;
}

static void measure_jemalloc(struct dmd_reporters_call *call,
                             int (*ctl)(const char *, void *, size_t *, void *, size_t)) {
  static const char *const names[] = {"stats.allocated", "stats.active", "stats.metadata",
                                      "stats.resident", "stats.mapped"};
  size_t values[5] = {0};
  uint64_t epoch = 1;
  ctl("epoch", NULL, NULL, &epoch, sizeof epoch);
  for (int i = 0; i < 5; i++) {
    size_t szB = sizeof values[i];
    if (ctl(names[i], &values[i], &szB, NULL, 0) != 0)
      return;
  }
  report_heap(call, values[0], values[4]);
  report_overhead(call, "bin-unused", difference(values[1], values[0]),
                  "Unused parts of the pages that hold live blocks.");
  report_overhead(call, "bookkeeping", values[2], "The allocator's own data.");
  report_overhead(call, "page-cache", difference(values[3], values[1] + values[2]),
                  "Pages that are free and not yet given back to the system.");
}

static void measure_tcmalloc(struct dmd_reporters_call *call) {
  static const struct {
    const char *name, *part, *description;
  } parts[] = {
      {"tcmalloc.pageheap_free_bytes", "page-cache", "Free pages that are mapped."},
      {"tcmalloc.current_total_thread_cache_bytes", "thread-caches", "Free blocks of threads."},
      {"tcmalloc.central_cache_free_bytes", "central-cache", "Free blocks of the central cache."},
      {"tcmalloc.transfer_cache_free_bytes", "transfer-cache", "Free blocks between caches."},
  };
  size_t allocated = 0, mapped = 0, szB;
  if (!tcmalloc_property("generic.current_allocated_bytes", &allocated) ||
      !tcmalloc_property("generic.heap_size", &mapped))
    return;
  report_heap(call, allocated, mapped);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (tcmalloc_property(parts[i].name, &szB))
      report_overhead(call, parts[i].part, szB, parts[i].description);
}

static void measure_mimalloc(struct dmd_reporters_call *call) {
  size_t unused, committed = 0;
  mimalloc_info(&unused, &unused, &unused, &unused, &unused, &committed, &unused, &unused);
  dmd_reporters_report(call, "heap-mapped", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES,
                       (dmd_reporters_amount_t)committed,
                       "The memory that the allocator has from the system. mimalloc does not say "
                       "how much of it is allocated.");
}

static void measure_allocator(struct dmd_reporters_call *call) {
  if (tcmalloc_property != NULL)
    measure_tcmalloc(call);
  else if (jemalloc_ctl != NULL)
    measure_jemalloc(call, jemalloc_ctl);
  else if (jemalloc_prefixed_ctl != NULL)
    measure_jemalloc(call, jemalloc_prefixed_ctl);
  else if (mimalloc_info != NULL)
    measure_mimalloc(call);
  else if (glibc_mallinfo2 != NULL)
    measure_glibc(call);
}

static size_t own_szB(void);

static void measure_own(struct dmd_reporters_call *call) {
  dmd_reporters_report(call, "explicit/dmd-reporters", DMD_REPORTERS_NONHEAP, DMD_REPORTERS_BYTES,
                       (dmd_reporters_amount_t)own_szB(),
                       "The registered reporters, and the buffer in which they answer.");
}

/* ---- A collection. ---- */

/* Returns 0, EDEADLK within a reporter, or EBUSY if another thread collects and this may not wait.
 */
static int begin_collection(int may_wait) {
  int status = 0;
  pthread_mutex_lock(&g.lock);
  if (g.is_collecting && pthread_equal(g.collector, pthread_self()))
    status = EDEADLK;
  else if (g.is_collecting && !may_wait)
    status = EBUSY;
  while (status == 0 && g.is_collecting)
    pthread_cond_wait(&g.changed, &g.lock);
  if (status == 0) {
    g.is_collecting = 1;
    g.collector = pthread_self();
  }
  pthread_mutex_unlock(&g.lock);
  return status;
}

static void end_collection(void) {
  pthread_mutex_lock(&g.lock);
  g.is_collecting = 0;
  pthread_cond_broadcast(&g.changed);
  pthread_mutex_unlock(&g.lock);
}

/* Copies a slot. False: it has no reporter. */
static int read_slot(int slot, reporter_t *copy) {
  pthread_mutex_lock(&g.lock);
  *copy = g.slots[slot];
  pthread_mutex_unlock(&g.lock);
  return copy->measure != NULL;
}

/* Marks the reporter as running, unless it has gone since it was copied. */
static int begin_run(int slot, const reporter_t *copy) {
  reporter_t *r = &g.slots[slot];
  pthread_mutex_lock(&g.lock);
  int is_there = r->measure != NULL && r->generation == copy->generation;
  r->is_running = is_there;
  r->run += (unsigned)is_there;
  pthread_mutex_unlock(&g.lock);
  return is_there;
}

static void end_run(int slot) {
  pthread_mutex_lock(&g.lock);
  g.slots[slot].is_running = 0;
  pthread_cond_broadcast(&g.changed);
  pthread_mutex_unlock(&g.lock);
}

static void begin_reporter(struct dmd_reporters_call *call, const char *name) {
  call->reporter = name;
  if (call->sink->begin != NULL)
    call->sink->begin(call->sink->ctx, name);
}

/* Reports that are made for another purpose than a dump do not count. */
static void run_ignored(struct dmd_reporters_call *call, const reporter_t *r) {
#ifdef HAS_DMD
  DMD_REPORTER_BEGIN_WITH(r->name, DMD_REPORTER_IGNORED);
#endif
  r->measure(call, r->closure);
#ifdef HAS_DMD
  DMD_REPORTER_END(0);
#endif
}

static void run_in_scope(struct dmd_reporters_call *call, const reporter_t *r) {
  call->has_scope = 1;
  call->claim = 0;
#ifdef HAS_DMD
  DMD_REPORTER_BEGIN(r->name);
#endif
  r->measure(call, r->closure);
#ifdef HAS_DMD
  DMD_REPORTER_END((size_t)call->claim);
#endif
  call->has_scope = 0;
}

static void run_one(struct dmd_reporters_call *call, const reporter_t *r) {
  if (!call->sink->has_scopes)
    run_ignored(call, r);
  else if (r->flags & DMD_REPORTERS_SUMS)
    r->measure(call, r->closure);
  else
    run_in_scope(call, r);
}

/* Runs the reporters whose flags contain these. */
static void run_reporters(struct dmd_reporters_call *call, int flags) {
  reporter_t r;
  for (int i = 0; i < DMD_REPORTERS_MAX && !call->sink->has_failed; i++) {
    if (!read_slot(i, &r))
      continue;
    if ((r.flags & flags) != flags) {
      if (call->sink->skip != NULL)
        call->sink->skip(call->sink->ctx, r.name);
      continue;
    }
    begin_reporter(call, r.name);
    if (!begin_run(i, &r))
      continue;
    run_one(call, &r);
    end_run(i);
  }
}

static void run_built_in(struct dmd_reporters_call *call) {
  if (call->sink->has_failed)
    return;
  begin_reporter(call, "(allocator)");
  measure_allocator(call);
  measure_own(call);
}

long dmd_reporters_collect(dmd_reporters_take_fn take, void *closure, int flags) {
  sink_t sink = {.take = take, .ctx = closure, .flags = flags};
  struct dmd_reporters_call call = {.sink = &sink};
  begin_once();
  if (begin_collection(1) != 0)
    return -1;
  run_reporters(&call, 0);
  run_built_in(&call);
  end_collection();
  return call.n_values;
}

/* ---- OpenMetrics. ---- */

/* The samples of a family must be adjacent and each series may occur once, so all values are kept
 * until the reporters have run, in mappings. */

enum { MAX_METRICS_SZB = 8 << 20, N_CHAINS = 4096, N_FAMILIES = 4 };

/* A mapping that grows. */
typedef struct {
  char *at;
  size_t n, room;
} area_t;

typedef struct {
  unsigned hash, next; /* next: in its chain, plus 1 */
  int kind, units;
  dmd_reporters_amount_t amount;
  size_t labels; /* in the text: process and path, each with its NUL */
} series_t;

typedef struct {
  area_t series, text; /* of series_t; of their labels */
  unsigned chains[N_CHAINS];
  dmd_reporters_amount_t heap, allocated; /* of this process: reported, and in all */
  int has_allocated, is_full;
} metrics_t;

/* Returns NULL if there is no memory, or too much in use. */
static void *extend(area_t *area, size_t n) {
  size_t room = area->room == 0 ? 64 << 10 : area->room;
  while (room < area->n + n)
    room *= 2;
  if (room > MAX_METRICS_SZB)
    return NULL;
  if (room > area->room) {
    void *at = area->at == NULL
                   ? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                   : mremap(area->at, area->room, room, MREMAP_MAYMOVE);
    if (at == MAP_FAILED)
      return NULL;
    area->at = at;
    area->room = room;
  }
  area->n += n;
  return area->at + area->n - n;
}

static void release(area_t *area) {
  if (area->at != NULL)
    munmap(area->at, area->room);
}

static unsigned hash_text(unsigned hash, const char *text) {
  for (size_t i = 0; i < DMD_REPORTERS_MAX_TEXT && text[i] != '\0'; i++)
    hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash * 16777619u;
}

static int is_same_text(const char *kept, const char *text) {
  return strncmp(kept, text, DMD_REPORTERS_MAX_TEXT) == 0;
}

static series_t *series_at(const metrics_t *m, size_t i) {
  return (series_t *)(void *)m->series.at + i;
}

static series_t *find_series(const metrics_t *m, const struct dmd_reporters_value *value,
                             unsigned hash) {
  for (unsigned i = m->chains[hash % N_CHAINS]; i != 0; i = series_at(m, i - 1)->next) {
    series_t *s = series_at(m, i - 1);
    const char *process = m->text.at + s->labels;
    if (s->hash == hash && s->kind == value->kind && s->units == value->units &&
        is_same_text(process, value->process) &&
        is_same_text(process + strlen(process) + 1, value->path))
      return s;
  }
  return NULL;
}

static int add_text(metrics_t *m, const char *text) {
  size_t n = strnlen(text, DMD_REPORTERS_MAX_TEXT);
  char *to = extend(&m->text, n + 1);
  if (to == NULL)
    return -1;
  memcpy(to, text, n);
  to[n] = '\0';
  return 0;
}

static void add_series(metrics_t *m, const struct dmd_reporters_value *value, unsigned hash) {
  size_t labels = m->text.n;
  series_t *s = extend(&m->series, sizeof *s);
  if (s == NULL || add_text(m, value->process) != 0 || add_text(m, value->path) != 0) {
    m->series.n -= s == NULL ? 0 : sizeof *s;
    m->is_full = 1;
    return;
  }
  unsigned *chain = &m->chains[hash % N_CHAINS];
  *s = (series_t){hash, *chain, value->kind, value->units, value->amount, labels};
  *chain = (unsigned)(m->series.n / sizeof *s);
}

static void take_metric(void *ctx, const struct dmd_reporters_value *value) {
  metrics_t *m = ctx;
  unsigned hash =
      hash_text(hash_text(2166136261u + (unsigned)value->kind, value->process), value->path);
  series_t *same = find_series(m, value, hash);
  if (same != NULL)
    __builtin_add_overflow(same->amount, value->amount, &same->amount);
  else
    add_series(m, value, hash);
  if (value->process[0] != '\0')
    return;
  if (value->kind == DMD_REPORTERS_HEAP && strncmp(value->path, "explicit/", 9) == 0)
    __builtin_add_overflow(m->heap, value->amount, &m->heap);
  if (strcmp(value->path, "heap-allocated") == 0) {
    m->has_allocated = 1;
    m->allocated = value->amount;
  }
}

static void add_unclassified(metrics_t *m) {
  struct dmd_reporters_value rest = {
      "", "explicit/heap-unclassified", DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, 0, "", ""};
  if (m->has_allocated && !__builtin_sub_overflow(m->allocated, m->heap, &rest.amount))
    take_metric(m, &rest);
}

/* The length of the UTF-8 character at text; 0 if there is none. */
static size_t utf8_length(const unsigned char *text) {
  unsigned c = text[0];
  size_t n = c < 0x80                ? 1
             : c >= 0xc2 && c < 0xe0 ? 2
             : c >= 0xe0 && c < 0xf0 ? 3
             : c < 0xf5              ? 4
                                     : 0;
  if (c >= 0x80 && c < 0xc2)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  int is_long = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
  int is_none = (c == 0xed && text[1] >= 0xa0) || (c == 0xf4 && text[1] >= 0x90);
  return is_long || is_none ? 0 : n;
}

/* Appends a label. Control characters and bytes that are not UTF-8 become '?'. */
static char *put_label(char *to, const char *name, const char *text) {
  to += sprintf(to, "%s=\"", name);
  for (size_t n; *text != '\0'; text += n) {
    n = utf8_length((const unsigned char *)text);
    int is_good = n > 0 && (unsigned char)*text >= 0x20 && *text != 0x7f;
    n = n > 0 ? n : 1;
    if (*text == '\\' || *text == '"')
      *to++ = '\\';
    if (is_good)
      memcpy(to, text, n);
    else
      *to = '?';
    to += is_good ? n : 1;
  }
  *to++ = '"';
  return to;
}

static const struct {
  const char *name, *head;
} g_families[N_FAMILIES] = {
    {"dmd_memory_bytes", "# TYPE dmd_memory_bytes gauge\n# UNIT dmd_memory_bytes bytes\n"
                         "# HELP dmd_memory_bytes Memory.\n"},
    {"dmd_memory_items", "# TYPE dmd_memory_items gauge\n"
                         "# HELP dmd_memory_items Numbers of things.\n"},
    {"dmd_memory_events", "# TYPE dmd_memory_events gauge\n"
                          "# HELP dmd_memory_events Counts that only grow.\n"},
    {"dmd_memory_ratio", "# TYPE dmd_memory_ratio gauge\n# UNIT dmd_memory_ratio ratio\n"
                         "# HELP dmd_memory_ratio Shares, of which 1 is the whole.\n"},
};

static int write_series(const metrics_t *m, const series_t *s, dmd_reporters_write_fn write,
                        void *closure) {
  static const char *const kinds[] = {"nonheap", "heap", "other"};
  char line[4 * DMD_REPORTERS_MAX_TEXT + 256];
  const char *process = m->text.at + s->labels;
  char *to = line + sprintf(line, "%s{", g_families[s->units].name);
  if (process[0] != '\0') {
    to = put_label(to, "process", process);
    *to++ = ',';
  }
  to = put_label(to, "path", process + strlen(process) + 1);
  to += sprintf(to, ",kind=\"%s\"} ", kinds[s->kind]);
  unsigned long long size =
      s->amount < 0 ? 0 - (unsigned long long)s->amount : (unsigned long long)s->amount;
  if (s->units == DMD_REPORTERS_PERCENTAGE)
    to += sprintf(to, "%s%llu.%04llu\n", s->amount < 0 ? "-" : "", size / 10000, size % 10000);
  else
    to += sprintf(to, "%lld\n", (long long)s->amount);
  return write(closure, line, (size_t)(to - line));
}

/* Returns the number of samples, or -1. */
static long write_metrics(const metrics_t *m, dmd_reporters_write_fn write, void *closure) {
  size_t n = m->series.n / sizeof(series_t);
  for (int units = 0; units < N_FAMILIES; units++) {
    int has_head = 0;
    for (size_t i = 0; i < n; i++) {
      const series_t *s = series_at(m, i);
      if (s->units != units)
        continue;
      const char *head = g_families[units].head;
      if (!has_head && write(closure, head, strlen(head)) != 0)
        return -1;
      has_head = 1;
      if (write_series(m, s, write, closure) != 0)
        return -1;
    }
  }
  return write(closure, "# EOF\n", 6) == 0 ? (long)n : -1;
}

long dmd_reporters_openmetrics(dmd_reporters_write_fn write, void *closure) {
  area_t own = {0};
  metrics_t *m = extend(&own, sizeof *m);
  if (m == NULL)
    return -1;
  long n = dmd_reporters_collect(take_metric, m, 0);
  add_unclassified(m);
  n = n < 0 || m->is_full ? -1 : write_metrics(m, write, closure);
  release(&m->series);
  release(&m->text);
  release(&own);
  return n;
}

/* ---- Under dmd. ---- */

static int is_under_dmd(void) {
#ifdef HAS_DMD
  return RUNNING_ON_DMD != 0;
#else
  return 0;
#endif
}

static void publish(void *ctx, const struct dmd_reporters_value *value) {
  (void)ctx;
#ifdef HAS_DMD
  const struct dmd_memory_report report = {value->process, value->path,   value->kind,
                                           value->units,   value->amount, value->description};
  DMD_MEMORY_REPORT(&report);
#else
  (void)value;
#endif
}

/* Within a collection: runs the reporters whose flags contain these, as a dump needs them. */
static void measure_for_dump(int flags) {
  sink_t sink = {.take = publish, .has_scopes = 1};
  struct dmd_reporters_call call = {.sink = &sink};
  run_reporters(&call, flags);
}

/* Within a collection, so that dmd_reporters_before_dump_ does nothing. */
static size_t dump(const char *label, int flags) {
  measure_for_dump(flags);
#ifdef HAS_DMD
  return DMD_DUMP(label);
#else
  (void)label;
  return 0;
#endif
}

size_t dmd_reporters_dump(const char *label) {
  if (!is_under_dmd() || begin_collection(1) != 0)
    return 0;
  size_t number = dump(label, 0);
  end_collection();
  return number;
}

void dmd_reporters_before_dump_(void) {
  if (!is_under_dmd() || begin_collection(1) != 0)
    return;
  measure_for_dump(0);
  end_collection();
}

/* If main has returned, its frame is gone. */
static int is_on_own_stack(const void *p) {
  pthread_attr_t attributes;
  void *stack;
  size_t szB;
  if (p == NULL || pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  int status = pthread_attr_getstack(&attributes, &stack, &szB);
  pthread_attr_destroy(&attributes);
  return status == 0 && (uintptr_t)p - (uintptr_t)stack < szB;
}

static void leave_out_stack(void) {
  reporter_t r;
  for (int i = 0; i < DMD_REPORTERS_MAX; i++) {
    if (!read_slot(i, &r) || !is_on_own_stack(r.closure))
      continue;
    fprintf(stderr,
            "dmd-reporters: the reporter \"%s\" does not run at exit, since its closure is on the "
            "stack; dump before main returns, with dmd_reporters_dump\n",
            r.name);
    dmd_reporters_unregister(id_of(i, r.generation));
  }
}

/* A reporter that hangs in another thread must not keep the process from ending. */
static void measure_at_exit(void) {
  const struct timespec part = {0, 10000000};
  int status;
  for (int ms = 0; (status = begin_collection(0)) == EBUSY && ms < EXIT_MS; ms += 10)
    nanosleep(&part, NULL);
  if (status != 0)
    return;
  leave_out_stack();
  measure_for_dump(0);
  end_collection();
}

static void forget_reports(void) {
#ifdef HAS_DMD
  DMD_CLEAR_REPORTS();
#endif
}

/* ---- An answer. Only the collecting thread uses it. ---- */

static struct {
  int fd; /* -1: none, or it has failed */
  int is_used;
  int64_t ms_left; /* for writing */
  size_t n, n_all;
  long n_dropped;
  sink_t *sink;
  char text[BUFFER_SZB];
} g_answer = {.fd = -1};

static size_t own_szB(void) {
  pthread_mutex_lock(&g.lock);
  size_t szB = sizeof g - sizeof g.slots + (size_t)g.n_slots * sizeof g.slots[0];
  pthread_mutex_unlock(&g.lock);
  return szB + (g_answer.is_used ? sizeof g_answer : 0);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void abandon_answer(void) {
  if (g_answer.fd >= 0)
    close(g_answer.fd);
  g_answer.fd = -1;
  if (g_answer.sink != NULL)
    g_answer.sink->has_failed = 1;
}

static void await_room(void) {
  struct pollfd waiting = {.fd = g_answer.fd, .events = POLLOUT};
  int64_t before = now_ms();
  poll(&waiting, 1, (int)g_answer.ms_left);
  g_answer.ms_left -= now_ms() - before;
}

static void flush_answer(void) {
  size_t sent = 0;
  while (sent < g_answer.n && g_answer.fd >= 0) {
    ssize_t n = send(g_answer.fd, g_answer.text + sent, g_answer.n - sent, MSG_NOSIGNAL);
    if (n >= 0)
      sent += (size_t)n;
    else if (errno == EAGAIN && g_answer.ms_left > 0)
      await_room();
    else if (errno != EINTR)
      abandon_answer();
  }
  g_answer.n_all += g_answer.n;
  g_answer.n = 0;
}

static void put(const char *text) {
  size_t n = strlen(text);
  memcpy(g_answer.text + g_answer.n, text, n);
  g_answer.n += n;
}

static void put_number(const char *key, long long number) {
  char text[64];
  snprintf(text, sizeof text, "%s%lld", key, number);
  put(text);
}

/* The reader replaces bytes that are not UTF-8. */
static void put_text(const char *key, const char *text) {
  put(key);
  char *to = g_answer.text + g_answer.n;
  *to++ = '"';
  for (size_t i = 0; i < DMD_REPORTERS_MAX_TEXT && text[i] != '\0'; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == '"' || c == '\\')
      to += snprintf(to, 7, "\\u%04x", c);
    else
      *to++ = (char)c;
  }
  *to++ = '"';
  g_answer.n = (size_t)(to - g_answer.text);
}

static void end_line(void) {
  enum { LONGEST = 3 * (6 * DMD_REPORTERS_MAX_TEXT + 64) + 256 };
  put("}\n");
  if (g_answer.n > sizeof g_answer.text - LONGEST)
    flush_answer();
}

static void answer_value(void *ctx, const struct dmd_reporters_value *value) {
  (void)ctx;
  if (g_answer.n_all > MAX_ANSWER_SZB) {
    g_answer.n_dropped++;
    return;
  }
  put_text("{\"path\":", value->path);
  put_number(",\"kind\":", value->kind);
  put_number(",\"units\":", value->units);
  put_number(",\"amount\":", value->amount);
  if (value->description[0] != '\0')
    put_text(",\"description\":", value->description);
  if (value->process[0] != '\0')
    put_text(",\"process\":", value->process);
  end_line();
}

static void answer_skip(void *ctx, const char *reporter) {
  (void)ctx;
  put_text("{\"skipped\":", reporter);
  end_line();
}

static void answer_begin(void *ctx, const char *reporter) {
  (void)ctx;
  put_text("{\"running\":", reporter);
  end_line();
  flush_answer();
}

/* Returns -1 if the socket cannot be reached, or belongs to another user. */
static int reach(unsigned number) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct ucred peer;
  socklen_t szB = sizeof peer;
  int n = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, MARK ".%08x", number);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  if (connect(fd, (const struct sockaddr *)&address, length) == 0 &&
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &szB) == 0 &&
      (peer.uid == 0 || peer.uid == geteuid()))
    return fd;
  close(fd);
  return -1;
}

static int count_reporters(void) {
  int n = 0;
  pthread_mutex_lock(&g.lock);
  for (int i = 0; i < g.n_slots; i++)
    n += g.slots[i].measure != NULL;
  pthread_mutex_unlock(&g.lock);
  return n;
}

/* Waits until dmdv, which dumps, closes the connection. */
static void await_dump(void) {
  struct pollfd closed = {.fd = g_answer.fd, .events = POLLIN};
  int64_t end = now_ms() + DUMP_MS;
  while (g_answer.fd >= 0 && poll(&closed, 1, (int)(end - now_ms())) < 0 && errno == EINTR &&
         now_ms() < end)
    ;
}

static void answer(unsigned number, int flags) {
  int is_for_dump = (number & FOR_DUMP) != 0 && is_under_dmd();
  sink_t sink = {.begin = answer_begin,
                 .skip = answer_skip,
                 .take = is_for_dump ? publish : answer_value,
                 .has_scopes = is_for_dump,
                 .flags = number & ANONYMIZE ? DMD_REPORTERS_ANONYMIZE : 0};
  struct dmd_reporters_call call = {.sink = &sink};
  if ((g_answer.fd = reach(number)) < 0)
    return;
  g_answer.is_used = 1;
  g_answer.ms_left = WRITE_MS;
  g_answer.n = g_answer.n_all = 0;
  g_answer.n_dropped = 0;
  g_answer.sink = &sink;
  put_number("{\"dmd-reporters\":1,\"pid\":", getpid());
  put_number(",\"reporters\":", count_reporters());
  end_line();
  run_reporters(&call, flags);
  if (!is_for_dump)
    run_built_in(&call);
  put_number("{\"end\":1,\"refused\":", call.n_refused);
  put_number(",\"dropped\":", g_answer.n_dropped);
  end_line();
  flush_answer();
  if (is_for_dump) {
    await_dump();
    forget_reports();
  }
  g_answer.sink = NULL;
  abandon_answer();
}

/* ---- Requests. ---- */

static unsigned take_request(void) {
  for (int i = 0; i < MAX_ASKED; i++) {
    unsigned number = __atomic_exchange_n(&g_asked[i], 0, __ATOMIC_ACQ_REL);
    if (number != 0)
      return number;
  }
  return 0;
}

static void answer_requests(int may_wait, int flags) {
  unsigned number;
  if (begin_collection(may_wait) != 0) {
    __atomic_store_n(&dmd_reporters_wanted_, 1, __ATOMIC_RELEASE); /* for the next poll */
    return;
  }
  if (__atomic_exchange_n(&g_is_dump_wanted, 0, __ATOMIC_ACQ_REL))
    dump(NULL, flags);
  while ((number = take_request()) != 0)
    answer(number, flags);
  end_collection();
}

void dmd_reporters_answer_(void) {
  int saved = errno;
  __atomic_store_n(&dmd_reporters_wanted_, 0, __ATOMIC_SEQ_CST);
  answer_requests(0, 0);
  errno = saved;
}

static void take_signal(int number, siginfo_t *info, void *context) {
  int saved = errno, is_stored = 0;
  unsigned asked = (unsigned)info->si_value.sival_int;
  (void)number;
  (void)context;
  if (info->si_code == SI_USER && is_under_dmd()) {
    __atomic_store_n(&g_is_dump_wanted, 1, __ATOMIC_RELEASE);
    is_stored = 1;
  }
  for (int i = 0; i < MAX_ASKED && asked != 0 && info->si_code == SI_QUEUE && !is_stored; i++) {
    unsigned free_slot = 0;
    is_stored = __atomic_compare_exchange_n(&g_asked[i], &free_slot, asked, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED);
  }
  if (is_stored)
    __atomic_store_n(&dmd_reporters_wanted_, 1, __ATOMIC_SEQ_CST);
  if (is_stored && __atomic_load_n(&g_manager.has_thread, __ATOMIC_ACQUIRE))
    sem_post(&g_manager.wake);
  errno = saved;
}

/* ---- The thread. ---- */

static int has_request(void) {
  int n = __atomic_load_n(&g_is_dump_wanted, __ATOMIC_ACQUIRE);
  for (int i = 0; i < MAX_ASKED; i++)
    n += __atomic_load_n(&g_asked[i], __ATOMIC_ACQUIRE) != 0;
  return n > 0;
}

static int needs_poll(void) {
  int n = 0;
  pthread_mutex_lock(&g.lock);
  for (int i = 0; i < g.n_slots; i++)
    n += g.slots[i].measure != NULL && !(g.slots[i].flags & DMD_REPORTERS_ANY_THREAD);
  pthread_mutex_unlock(&g.lock);
  return n > 0;
}

/* If the program polls, all reporters can run: gives it some time to do so. */
static void leave_time_for_polls(void) {
  const struct timespec part = {0, 20000000};
  int64_t end = now_ms() + POLL_MS;
  while (has_request() && needs_poll() && now_ms() < end)
    nanosleep(&part, NULL);
}

static void *serve(void *unused) {
  for (;;) {
    while (sem_wait(&g_manager.wake) != 0)
      ;
    if (__atomic_load_n(&g_manager.is_stopping, __ATOMIC_ACQUIRE))
      return unused;
    leave_time_for_polls();
    if (has_request())
      answer_requests(1, DMD_REPORTERS_ANY_THREAD);
  }
}

/* The thread takes no signal but ours, which the others may block. */
static int begin_thread(void) {
  sigset_t all, before;
  pthread_attr_t attributes;
  if (g_manager.has_thread)
    return 0;
  g_manager.is_stopping = 0;
  sem_init(&g_manager.wake, 0, 0);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, THREAD_STACK_SZB);
  sigfillset(&all);
  sigdelset(&all, SIGNAL);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int status = pthread_create(&g_manager.thread, &attributes, serve, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (status == 0)
    pthread_setname_np(g_manager.thread, "dmd-reporters");
  __atomic_store_n(&g_manager.has_thread, status == 0, __ATOMIC_RELEASE);
  sem_post(&g_manager.wake); /* for requests that came before */
  return status;
}

static void end_thread(void) {
  if (!g_manager.has_thread)
    return;
  __atomic_store_n(&g_manager.is_stopping, 1, __ATOMIC_RELEASE);
  sem_post(&g_manager.wake);
  pthread_join(g_manager.thread, NULL);
  __atomic_store_n(&g_manager.has_thread, 0, __ATOMIC_RELEASE);
}

/* ---- Start and stop. ---- */

static int begin_handler(void) {
  struct sigaction ours = {.sa_sigaction = take_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  struct sigaction before;
  if (g_manager.has_handler)
    return 0;
  if (sigaction(SIGNAL, NULL, &before) != 0)
    return errno;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return EBUSY;
  int fd = memfd_create(MARK, MFD_CLOEXEC);
  void *mark = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
  int error = errno;
  if (fd >= 0)
    close(fd);
  if (mark == MAP_FAILED)
    return error;
  g_manager.mark = mark;
  sigfillset(&ours.sa_mask);
  g_manager.has_handler = sigaction(SIGNAL, &ours, NULL) == 0;
  return g_manager.has_handler ? 0 : errno;
}

static int start(int flags) {
  pthread_mutex_lock(&g_manager.lock);
  int status = begin_handler();
  if (status == 0 && (flags & DMD_REPORTERS_THREAD))
    status = begin_thread();
  pthread_mutex_unlock(&g_manager.lock);
  return status;
}

int dmd_reporters_start(int flags) {
  begin_once();
  return start(flags);
}

/* Ignored, not reset: a request that is under way must not kill the process. */
static void end_handler(void) {
  if (!g_manager.has_handler)
    return;
  signal(SIGNAL, SIG_IGN);
  munmap(g_manager.mark, 1);
  g_manager.has_handler = 0;
}

void dmd_reporters_stop(void) {
  pthread_mutex_lock(&g_manager.lock);
  end_handler();
  end_thread();
  pthread_mutex_unlock(&g_manager.lock);
}

/* The process ends. A reporter that hangs in the thread must not keep it from that. */
__attribute__((destructor)) static void end_process(void) {
  if (pthread_mutex_trylock(&g_manager.lock) != 0)
    return;
  end_handler();
  pthread_mutex_unlock(&g_manager.lock);
}
