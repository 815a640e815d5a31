/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scope.h: named scopes that threads open and close.
 *
 * Tags and reporters are both scopes: each thread has a stack of names, and the innermost one is
 * current. A dmd_scopes_t holds the stacks of all threads for one kind of scope. Names are ids that
 * the owner interned; DMD_NONE: no name.
 *
 * A thread may have a base below its stack: the name it was started with, which is current while no
 * scope is open and cannot be removed. Above each pushed scope (or the base) there is at most one
 * scope that was set. The next one that is set replaces it, and popping the scope below removes it.
 *
 * A scope opened by a C++ guard is identified by the guard's address. A guard that is not on its
 * thread's stack may be in a coroutine's frame; so may any guard that a coroutine made, since
 * compilers put frames on the caller's stack if they can. Such a scope is free: it may end while
 * scopes within it continue, and it need not describe what the thread does now
 * (record/heap/interleave.h). A coroutine may continue in another thread; its scopes then move
 * there. Scopes of threads that have ended belong to DMD_NO_THREAD.
 *
 * Concurrency: one thread at a time. Only a thread itself changes its stack, and whoever ends that
 * thread or the process. These are shared by all threads: the array of stacks, which moves when a
 * higher thread number comes; n_open; n_in_coroutines; and the stacks of all threads, which
 * dmd_scopes_of_others, dmd_scopes_find_guard_of_others and dmd_scopes_move read.
 */
#ifndef DMD_RECORD_HEAP_SCOPE_H
#define DMD_RECORD_HEAP_SCOPE_H

#include "base/env.h"
#include "base/pool.h"

#include <stdbool.h>

/* No thread has this number. */
enum { DMD_NO_THREAD = 0 };

/* Where in the program a scope begins or ends; all 0: unknown. */
typedef struct dmd_place {
  uint64_t ip, sp;   /* instruction pointer and stack pointer */
  uint32_t stack;    /* at a begin: the stack id */
  uint64_t guard;    /* address of the guard that opens and ends the scope; 0: not a guard */
  bool in_coroutine; /* it is a guard, made or ended by a coroutine */
} dmd_place_t;

/* True if an address is on the stack of a thread at this place, further out. */
bool dmd_place_is_on_stack(const dmd_place_t *place, uint64_t addr);

/* The party that ends a scope. */
typedef enum {
  DMD_ENDED_BY_UNKNOWN,
  DMD_ENDED_BY_ITSELF, /* the function that begins it */
  DMD_ENDED_BY_OTHERS  /* perhaps another function */
} dmd_ended_by_t;

typedef struct dmd_scope {
  uint32_t name;
  uint32_t data;     /* for the owner's use */
  dmd_place_t begin; /* if the scope was pushed */
  uint64_t frame;    /* for the owner's use: the block that contains the guard */
  bool is_free;      /* may end while scopes within it go on */
  bool is_mixed;     /* for the owner's use: it is uncertain who measured what meanwhile */
  bool is_counted;   /* counted as a fault: it is open but should not be */
  bool is_set;       /* set rather than pushed */
  uint8_t ended_by;  /* for the owner's use: dmd_ended_by_t */
  bool is_joined;    /* joined: another thread has the scope open; both share `data` */
} dmd_scope_t;

typedef struct dmd_scope_stack {
  dmd_scope_t *open;
  uint32_t depth, max_depth;
  uint32_t n_free;
  uint32_t base; /* a name, or DMD_NONE */
  /* The scopes that a signal handler interrupted, and the stack pointer then; NULL: none. */
  struct dmd_scope_stack *interrupted;
  uint64_t interrupted_sp;
} dmd_scope_stack_t;

typedef struct dmd_scopes {
  const dmd_env_t *env;
  dmd_scope_stack_t *threads; /* by thread number */
  uint32_t n_threads;
  uint64_t n_open;          /* open scopes and bases of all threads */
  uint64_t n_in_coroutines; /* those of them that began in coroutines */
  uint64_t n_moved;         /* scopes that have moved from one thread to another */
} dmd_scopes_t;

void dmd_scopes_init(dmd_scopes_t *scopes, const dmd_env_t *env);
void dmd_scopes_destroy(dmd_scopes_t *scopes);

/* Opens a scope; returns the new depth of the thread's stack. */
uint32_t dmd_scopes_push(dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* Opens a scope that begins at this place. */
uint32_t dmd_scopes_begin(dmd_scopes_t *scopes, uint32_t thread, uint32_t name, dmd_place_t place);

/* True if the thread has a free scope open, or may have one that belongs to another thread. */
static inline bool dmd_scopes_any_free(const dmd_scopes_t *scopes, uint32_t thread) {
  return scopes->n_in_coroutines > 0 ||
         (thread < scopes->n_threads && scopes->threads[thread].n_free > 0);
}

/* Makes this scope of the thread, which must not be free, free. */
void dmd_scopes_set_free(dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope);

/* The innermost scope that the thread pushed, or NULL; outer: how many to skip. Valid until the
 * next push. */
dmd_scope_t *dmd_scopes_pushed(const dmd_scopes_t *scopes, uint32_t thread, uint32_t outer);

/* Iterates over the scopes that the thread pushed, innermost first. inner: the previous result,
 * initially NULL. Returns NULL after the last. Constant time, apart from skipping scopes that were
 * set. */
dmd_scope_t *dmd_scopes_next_pushed(const dmd_scopes_t *scopes, uint32_t thread,
                                    const dmd_scope_t *inner);

/* A scope with this name that another thread has open, or NULL. */
dmd_scope_t *dmd_scopes_of_others(const dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* When a scope ends here: how many of the thread's innermost scopes were left without an end, by
 * longjmp or an exception. Within one function the stack pointer is the same at a scope's begin and
 * end (a function that begins a scope for its caller is not judged, since its stack pointer
 * differs). So if the innermost scope has another stack pointer, and one further out has this one,
 * those in between belong to calls that no longer exist. same_function(ctx, ip, ip) rules out
 * coincidence. */
uint32_t dmd_scopes_n_left(const dmd_scopes_t *scopes, uint32_t thread, dmd_place_t end,
                           bool (*same_function)(void *ctx, uint64_t ip, uint64_t other_ip),
                           void *ctx);

/* The open scope whose push returned this depth, or NULL. */
dmd_scope_t *dmd_scopes_find(const dmd_scopes_t *scopes, uint32_t thread, uint64_t depth);

/* The innermost scope of the guard at this address, or NULL. */
dmd_scope_t *dmd_scopes_find_guard(const dmd_scopes_t *scopes, uint32_t thread, uint64_t guard);

/* The same among the other threads; *owner gets the thread that has it. */
dmd_scope_t *dmd_scopes_find_guard_of_others(const dmd_scopes_t *scopes, uint32_t thread,
                                             uint64_t guard, uint32_t *owner);

/* Moves an open scope to another thread, where it becomes the innermost, and returns it there.
 * Invalidates pointers to that thread's scopes. */
dmd_scope_t *dmd_scopes_move(dmd_scopes_t *scopes, uint32_t from, dmd_scope_t *scope, uint32_t to);

/* Closes this scope, which the thread pushed, and one set within it. */
void dmd_scopes_remove(dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope);

/* The name that is current if this scope is the innermost pushed one: that of a scope set within
 * it, else its own. scope NULL: none was pushed; the base then takes its place. */
uint32_t dmd_scopes_name_in(const dmd_scopes_t *scopes, uint32_t thread, const dmd_scope_t *scope);

/* Sets a scope, replacing one set since the last push; returns the new depth. */
uint32_t dmd_scopes_set(dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* Closes the scope set since the last push, if there is one. */
void dmd_scopes_clear(dmd_scopes_t *scopes, uint32_t thread);

/* A signal handler begins in the thread, which had this stack pointer. The handler has scopes of
 * its own: those it interrupted neither contain them nor are ended by it. */
void dmd_scopes_interrupt(dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);

/* True if the thread is in a signal handler. */
bool dmd_scopes_is_interrupted(const dmd_scopes_t *scopes, uint32_t thread);

/* True if any handler that the thread is in interrupted it at this stack pointer; true if the
 * innermost did. */
bool dmd_scopes_was_interrupted_at(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);
bool dmd_scopes_innermost_is_at(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);

/* True if the thread is in a handler that is gone: with this stack pointer the thread is back in
 * the interrupted code, or further out. */
bool dmd_scopes_handler_is_gone(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);

/* Ends the innermost handler, which has no scopes left: the interrupted scopes continue. */
void dmd_scopes_resume(dmd_scopes_t *scopes, uint32_t thread);

/* A thread begins with this base and nothing else; an earlier thread may have had its number. */
void dmd_scopes_start_thread(dmd_scopes_t *scopes, uint32_t thread, uint32_t base);

/* A thread ended: drops its base and its open scopes. */
void dmd_scopes_end_thread(dmd_scopes_t *scopes, uint32_t thread);

/* Number of the thread's open scopes, its base included. */
uint32_t dmd_scopes_depth(const dmd_scopes_t *scopes, uint32_t thread);

/* The name of the thread's innermost scope, else its base, else DMD_NONE. Called for each
 * allocation: costs one comparison while no thread has a scope open. */
static inline uint32_t dmd_scopes_top(const dmd_scopes_t *scopes, uint32_t thread) {
  if (scopes->n_open == 0 || thread >= scopes->n_threads)
    return DMD_NONE;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  return stack->depth == 0 ? stack->base : stack->open[stack->depth - 1].name;
}

#endif
