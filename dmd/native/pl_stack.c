/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_stack.h"

#include "base/limits.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "record/unwind/stacktrie.h"
#include "record/unwind/unwind.h"

enum { MAX_CODES = DMD_MAX_FRAMES + 2 };

/* What a thread needs to walk its stack, and its unwind cache. When a thread ends, the next new
 * thread reuses it. */
typedef struct pl_walker {
  struct pl_walker *next;  /* in the free list */
  struct pl_walker *older; /* in the list of all */
  dmd_unwindcache_t walks;
  dmd_unwinder_t unwinder;
  dmd_stack_path_t path;
  uint32_t n_changes; /* the state of pl_objects_changes that it knows */
  dmd_trace_t trace;
  dmd_code_t codes[MAX_CODES];
  dmd_code_t read[MAX_CODES]; /* the result of pl_stack_codes */
} pl_walker_t;

static struct {
  dmd_stacktrie_t table;
  uint32_t max_frames; /* including our own function */
  bool by_frame_pointers, checks;
  uint32_t own_object;
  dmd_lock_t lock; /* guards the free list */
  pl_walker_t *unused;
  pl_walker_t *newest;
} g_stacks;

/* ---- Callbacks of the unwinder ---- */

bool pl_stack_code_range(uint32_t number, dmd_code_range_t *range) {
  const pl_object_t *object = pl_object(number);
  *range = (dmd_code_range_t){.start = object->start,
                              .end = object->end,
                              .eh_frame_hdr = object->eh_frame_hdr,
                              .epoch = number};
  return true;
}

static bool find_code(void *ctx, uintptr_t ip, dmd_code_range_t *range) {
  uint32_t number = pl_object_at(ip);
  (void)ctx;
  return number != DMD_NONE && pl_stack_code_range(number, range);
}

static bool find_known_code(void *ctx, uintptr_t ip, dmd_code_range_t *range) {
  uint32_t number = pl_object_find(ip);
  (void)ctx;
  return number != DMD_NONE && pl_stack_code_range(number, range);
}

static const dmd_unwind_host_t g_unwind_host = {.find_code = find_code, .can_read = pl_can_read};

/* ---- Walkers ---- */

void pl_stack_init(uint32_t max_frames, bool by_frame_pointers, bool checks) {
  g_stacks.max_frames = max_frames > DMD_MAX_FRAMES ? DMD_MAX_FRAMES : max_frames;
  g_stacks.by_frame_pointers = by_frame_pointers;
  g_stacks.checks = checks;
  dmd_stacktrie_init(&g_stacks.table, &g_env, &pl_waiting);
}

void pl_stack_start(void) {
  g_stacks.own_object = pl_object_at((uintptr_t)pl_stack_start);
}

static pl_walker_t *new_walker(void) {
  pl_walker_t *walker = dmd_env_alloc(&g_env, "pl.walker", sizeof *walker);
  uint32_t most = g_stacks.max_frames;
  dmd_unwindcache_init(&walker->walks, &g_env, most < DMD_TRACE_FRAMES ? most : DMD_TRACE_FRAMES,
                       DMD_UNWINDCACHE_LEAST);
  walker->walks.is_restless = g_stacks.checks;
  dmd_unwinder_init(&walker->unwinder, &g_env, &g_unwind_host, g_stacks.by_frame_pointers);
  walker->path.n = 0;
  walker->n_changes = pl_objects_changes();
  pl_lock_take(&g_stacks.lock);
  walker->older = g_stacks.newest;
  g_stacks.newest = walker;
  pl_lock_give(&g_stacks.lock);
  return walker;
}

static pl_walker_t *walker_of(pl_thread_t *thread) {
  if (__builtin_expect(thread->walker != NULL, 1))
    return thread->walker;
  pl_lock_take(&g_stacks.lock);
  thread->walker = g_stacks.unused;
  if (thread->walker != NULL)
    g_stacks.unused = thread->walker->next;
  pl_lock_give(&g_stacks.lock);
  if (thread->walker == NULL)
    thread->walker = new_walker();
  return thread->walker;
}

void pl_stack_end_thread(pl_thread_t *thread) {
  pl_walker_t *walker = thread->walker;
  if (walker == NULL)
    return;
  thread->walker = NULL;
  pl_lock_take(&g_stacks.lock);
  walker->next = g_stacks.unused;
  g_stacks.unused = walker;
  pl_lock_give(&g_stacks.lock);
}

/* ---- Capturing ---- */

bool pl_stack_is_ours(dmd_code_t code) {
  return code.epoch == g_stacks.own_object;
}

/* Drops this library's frames in which threads begin. */
static uint32_t without_ours(dmd_code_t *codes, uint32_t n) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!pl_stack_is_ours(codes[i]))
      codes[n_kept++] = codes[i];
  return n_kept;
}

static uint32_t walk(pl_walker_t *walker, const dmd_walk_start_t *start, const pl_function_t *in,
                     dmd_trace_t *trace) {
  uint32_t n = 0, max = g_stacks.max_frames;
  if (in != NULL) {
    walker->codes[n++] = (dmd_code_t){in->address, g_stacks.own_object};
    max = max > 1 ? max - 1 : 1;
  }
  n += without_ours(walker->codes + n,
                    dmd_unwind(&walker->unwinder, start, walker->codes + n, max, trace));
  if (n > g_stacks.max_frames)
    n = g_stacks.max_frames;
  return dmd_stacktrie_number(&g_stacks.table, &walker->path, walker->codes, n);
}

/* Other code may now be where code was unloaded. */
__attribute__((noinline, cold)) static void forget(pl_walker_t *walker, uint32_t n_changes) {
  walker->n_changes = n_changes;
  dmd_unwindcache_forget(&walker->walks);
  dmd_unwinder_forget(&walker->unwinder);
}

static inline void forget_what_was_unloaded(pl_walker_t *walker) {
  uint32_t n_changes = pl_objects_changes();
  if (__builtin_expect(walker->n_changes != n_changes, 0))
    forget(walker, n_changes);
}

/* Where the walk of the thread's stack begins. The stack alone does not tell which of our functions
 * it is in. */
static inline __attribute__((always_inline)) dmd_walk_start_t start_of(const pl_thread_t *thread) {
  const pl_entry_t *entry = &thread->entry;
  dmd_walk_start_t start = {.ip = entry->ip - 1,
                            .sp = entry->sp,
                            .fp = entry->fp,
                            .key = (uint16_t)((uintptr_t)entry->in / sizeof *entry->in)};
  if (entry->sp >= thread->stack_low && entry->sp < thread->stack_high)
    start.top = thread->stack_high - sizeof(uintptr_t);
  return start;
}

/* Rare steps are in functions of their own, which compute the start of the walk again, so that in
 * the common path it stays in registers. */
__attribute__((noinline)) static uint32_t walk_anew(pl_walker_t *walker,
                                                    const pl_thread_t *thread) {
  dmd_walk_start_t start = start_of(thread);
  uint32_t stack = walk(walker, &start, thread->entry.in, &walker->trace);
  if (walker->trace.n > 0)
    dmd_unwindcache_remember(&walker->walks, &start, &walker->trace, stack);
  return stack;
}

__attribute__((noinline)) static uint32_t walk_only(pl_walker_t *walker,
                                                    const pl_thread_t *thread) {
  dmd_walk_start_t start = start_of(thread);
  return walk(walker, &start, thread->entry.in, NULL);
}

__attribute__((noinline, cold)) static void check(pl_walker_t *walker, const pl_thread_t *thread,
                                                  uint32_t stack) {
  if (walk_only(walker, thread) != stack)
    pl_die("dmd: --check-stacks: a known stack is not the thread's");
}

static uint32_t look_up(pl_thread_t *thread, pl_walker_t *walker) {
  dmd_walk_start_t start = start_of(thread);
  if (start.top == 0 || g_stacks.max_frames > DMD_TRACE_FRAMES ||
      dmd_unwindcache_rest(&walker->walks))
    return walk_only(walker, thread);
  uint32_t stack = dmd_unwindcache_find(&walker->walks, &start);
  if (__builtin_expect(stack == 0, 0))
    return walk_anew(walker, thread);
  if (__builtin_expect(g_stacks.checks, 0))
    check(walker, thread, stack);
  return stack;
}

/* A cached walk went through no signal handler. */
void pl_stack_walk(pl_thread_t *thread) {
  pl_walker_t *walker = walker_of(thread);
  forget_what_was_unloaded(walker);
  walker->unwinder.interrupted_sp = 0;
  thread->stack = look_up(thread, walker);
  thread->interrupted_sp = walker->unwinder.interrupted_sp;
}

uint32_t pl_stack_of_entry(const pl_entry_t *entry) {
  dmd_code_t codes[2];
  uint32_t n = 0;
  if (entry->in != NULL)
    codes[n++] = (dmd_code_t){entry->in->address, g_stacks.own_object};
  codes[n++] = (dmd_code_t){entry->ip - 1, pl_object_find(entry->ip - 1)};
  return dmd_stacktrie_number(&g_stacks.table, NULL, codes, n);
}

const dmd_code_t *pl_stack_codes(uint32_t stack, uint32_t *n) {
  pl_walker_t *walker = walker_of(pl_thread());
  *n = dmd_stacktrie_codes(&g_stacks.table, stack, walker->read, MAX_CODES);
  return walker->read;
}

bool pl_stack_is_whole(uint32_t stack) {
  uint32_t n;
  pl_stack_codes(stack, &n);
  return n < g_stacks.max_frames;
}

/* Uses an unwinder of its own, which never asks the loader. */
bool pl_stack_frame_around(const pl_thread_t *thread, uint64_t addr, dmd_code_t *code) {
  static const dmd_unwind_host_t host = {.find_code = find_known_code, .can_read = pl_can_read};
  const pl_entry_t *entry = &thread->entry;
  dmd_walk_start_t start = {.ip = entry->ip - 1, .sp = entry->sp, .fp = entry->fp};
  dmd_code_t codes[DMD_MAX_FRAMES];
  uint64_t sps[DMD_MAX_FRAMES];
  dmd_unwinder_t unwinder;
  dmd_unwinder_init(&unwinder, &g_env, &host, g_stacks.by_frame_pointers);
  uint32_t n = dmd_unwind_frames(&unwinder, &start, codes, sps, DMD_MAX_FRAMES), i = 0;
  while (i + 1 < n && (addr < sps[i] || addr >= sps[i + 1]))
    i++;
  dmd_unwinder_destroy(&unwinder);
  *code = codes[i];
  return i + 1 < n;
}

uint32_t pl_stack_count(void) {
  return dmd_stacktrie_count(&g_stacks.table);
}

void pl_stack_say_stats(void) {
  uint64_t n_asked = 0, n_known = 0;
  for (const pl_walker_t *w = g_stacks.newest; w != NULL; w = w->older) {
    n_asked += dmd_unwindcache_asked(&w->walks);
    n_known += dmd_unwindcache_known(&w->walks);
  }
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: ");
  dmd_strbuf_u64(&line, n_asked);
  dmd_strbuf_str(&line, " stacks looked up, ");
  dmd_strbuf_u64(&line, n_known);
  dmd_strbuf_str(&line, " of them cached");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

/* ---- fork ---- */

void pl_stack_fork_begin(void) {
  pl_lock_take(&g_stacks.lock);
  dmd_stacktrie_take(&g_stacks.table);
}

void pl_stack_fork_end(void) {
  dmd_stacktrie_let_go(&g_stacks.table);
  pl_lock_give(&g_stacks.lock);
}
