/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scope.h: named scopes that threads open and close.
 *
 * Tags and reporters are both scopes: each thread has a stack of names, and the innermost one is in
 * force. One dmd_scopes_t holds the stacks of all threads for one kind of scope. Names are ids that
 * the owner interned; DMD_NONE: there is none.
 *
 * Below its stack a thread may have a base: the name that it was started with, which is in force
 * while no scope is open and which nothing removes. Above a scope that was pushed (or the base)
 * there is at most one that was set. It is replaced by the next one set and goes when the one below
 * it is popped.
 *
 * A scope that a guard of C++ opened is known by the guard's address. A guard that does not lie on
 * its thread's stack may be in the frame of a coroutine, and so may any that a coroutine made,
 * since compilers put frames on their caller's stack where they can. Such a scope is free. It may
 * end while scopes within it go on, and it need not be what the thread does now
 * (live/interleave.h). A coroutine may go on in another thread: its scopes then move there. Those
 * of threads that are no more are DMD_NO_THREAD's.
 *
 * Concurrency: nothing locks; one thread at a time. A stack is changed by its own thread only, and
 * by who ends that thread or the process. Of the whole process are the array of the threads'
 * stacks, which moves when a higher number comes, n_open, n_in_coroutines, and what
 * dmd_scopes_of_others, dmd_scopes_find_guard_of_others and dmd_scopes_move look at: the stacks of
 * all threads.
 */
#ifndef DMD_LIVE_SCOPE_H
#define DMD_LIVE_SCOPE_H

#include "base/env.h"
#include "base/pool.h"

#include <stdbool.h>

/* No thread has this number. */
enum { DMD_NO_THREAD = 0 };

/* Where in the program a scope begins or ends; all 0: unknown. */
typedef struct dmd_place {
  uint64_t ip, sp;   /* instruction and stack pointer */
  uint32_t stack;    /* of a begin: the stack that it had */
  uint64_t guard;    /* the address of what opened the scope and ends it; 0: not a guard */
  bool in_coroutine; /* it is a guard, and a coroutine's part made or ends it */
} dmd_place_t;

/* Whether an address lies on the stack of a thread that is at this place, further out. */
bool dmd_place_is_on_stack(const dmd_place_t *place, uint64_t addr);

typedef struct dmd_scope {
  uint32_t name;
  uint32_t data;     /* the owner's */
  dmd_place_t begin; /* of a scope that was pushed */
  uint64_t frame;    /* the owner's: the block that the guard lies in */
  bool is_free;      /* may end while scopes within it go on */
  bool is_mixed;     /* the owner's: who measured what meanwhile is not certain */
  bool is_counted;   /* as a fault: it is open and should not be */
  bool is_set;       /* and was not pushed */
  bool is_joined;    /* what another thread has open: `data` is its scope's as well */
} dmd_scope_t;

typedef struct dmd_scope_stack {
  dmd_scope_t *open;
  uint32_t depth, max_depth;
  uint32_t n_free;
  uint32_t base; /* a name, or DMD_NONE */
  /* What a signal handler interrupted, and the stack pointer then; NULL: nothing. */
  struct dmd_scope_stack *interrupted;
  uint64_t interrupted_sp;
} dmd_scope_stack_t;

typedef struct dmd_scopes {
  const dmd_env_t *env;
  dmd_scope_stack_t *threads; /* by thread number */
  uint32_t n_threads;
  uint64_t n_open;          /* scopes open now and bases, of all threads */
  uint64_t n_in_coroutines; /* of these: that began in coroutines */
  uint64_t n_moved;         /* scopes that ever moved from one thread to another */
} dmd_scopes_t;

void dmd_scopes_init(dmd_scopes_t *scopes, const dmd_env_t *env);
void dmd_scopes_destroy(dmd_scopes_t *scopes);

/* Opens a scope; returns the new depth of the thread's stack. */
uint32_t dmd_scopes_push(dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* The same for a scope that begins at this place. */
uint32_t dmd_scopes_begin(dmd_scopes_t *scopes, uint32_t thread, uint32_t name, dmd_place_t place);

/* Whether the thread has a scope open that is free, or may have another thread's. */
static inline bool dmd_scopes_any_free(const dmd_scopes_t *scopes, uint32_t thread) {
  return scopes->n_in_coroutines > 0 ||
         (thread < scopes->n_threads && scopes->threads[thread].n_free > 0);
}

/* This scope of the thread, which is not free, is so from now on. */
void dmd_scopes_set_free(dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope);

/* The innermost scope that the thread pushed, or NULL; outer: how many to pass over. Good until the
 * next push. */
dmd_scope_t *dmd_scopes_pushed(const dmd_scopes_t *scopes, uint32_t thread, uint32_t outer);

/* All that the thread pushed, the innermost first: the one within which the next is looked for, at
 * first NULL; NULL after the last. In constant time, but for those that were set. */
dmd_scope_t *dmd_scopes_next_pushed(const dmd_scopes_t *scopes, uint32_t thread,
                                    const dmd_scope_t *inner);

/* A scope with this name that another thread has open, or NULL. */
dmd_scope_t *dmd_scopes_of_others(const dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* How many of the thread's innermost scopes were left without an end, by longjmp or an exception,
 * when one is ended here. In one function the stack pointer is the same at a scope's begin and end
 * (a function that begins a scope for its caller has another at the end, and is not judged). So if
 * that of the innermost scope is another, and the same as that of one further out, those in between
 * belong to calls that are no more. same_function(ctx, ip, ip) rules out chance. */
uint32_t dmd_scopes_n_left(const dmd_scopes_t *scopes, uint32_t thread, dmd_place_t end,
                           bool (*same_function)(void *ctx, uint64_t ip, uint64_t other_ip),
                           void *ctx);

/* The scope whose push returned this depth, if it is open, or NULL. */
dmd_scope_t *dmd_scopes_find(const dmd_scopes_t *scopes, uint32_t thread, uint64_t depth);

/* The innermost scope of the guard at this address, or NULL. */
dmd_scope_t *dmd_scopes_find_guard(const dmd_scopes_t *scopes, uint32_t thread, uint64_t guard);

/* The same of the other threads, with the thread that has it. */
dmd_scope_t *dmd_scopes_find_guard_of_others(const dmd_scopes_t *scopes, uint32_t thread,
                                             uint64_t guard, uint32_t *owner);

/* Makes a scope that one thread has open the innermost one of another. Scopes of the other that
 * were found before may have moved. Returns it in its new place. */
dmd_scope_t *dmd_scopes_move(dmd_scopes_t *scopes, uint32_t from, dmd_scope_t *scope, uint32_t to);

/* Closes this scope of the thread, which was pushed, and one set within it. */
void dmd_scopes_remove(dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope);

/* The name in force where this scope of the thread is the innermost that was pushed (NULL: where
 * there is none): its own, that of one set within it, or the base. */
uint32_t dmd_scopes_name_in(const dmd_scopes_t *scopes, uint32_t thread, const dmd_scope_t *scope);

/* Sets a scope in place of the one set since the last push; returns the new depth. */
uint32_t dmd_scopes_set(dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* Closes the scope that was set since the last push, if there is one. */
void dmd_scopes_clear(dmd_scopes_t *scopes, uint32_t thread);

/* A signal handler begins to run in the thread, which had this stack pointer. It has scopes of its
 * own: what it interrupted is neither around these nor ended by it. */
void dmd_scopes_interrupt(dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);

/* Whether what the thread has open is a signal handler's. */
bool dmd_scopes_is_interrupted(const dmd_scopes_t *scopes, uint32_t thread);

/* Whether one of the handlers that the thread is in interrupted it at this stack pointer; whether
 * the innermost did. */
bool dmd_scopes_was_interrupted_at(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);
bool dmd_scopes_innermost_is_at(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);

/* Whether it is, and the handler is no more: a thread with this stack pointer is back in what was
 * interrupted, or further out. */
bool dmd_scopes_handler_is_gone(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp);

/* The handler, which has no scopes left, is done: what it interrupted goes on. */
void dmd_scopes_resume(dmd_scopes_t *scopes, uint32_t thread);

/* A thread begins, with this base and nothing else, whoever had its number before. */
void dmd_scopes_start_thread(dmd_scopes_t *scopes, uint32_t thread, uint32_t base);

/* A thread ended: it has no base and no open scopes any more. */
void dmd_scopes_end_thread(dmd_scopes_t *scopes, uint32_t thread);

/* How many scopes the thread has open, its base included. */
uint32_t dmd_scopes_depth(const dmd_scopes_t *scopes, uint32_t thread);

/* The name of the thread's innermost scope, its base or DMD_NONE. Called for each allocation: costs
 * one comparison while no thread has a scope open. */
static inline uint32_t dmd_scopes_top(const dmd_scopes_t *scopes, uint32_t thread) {
  if (scopes->n_open == 0 || thread >= scopes->n_threads)
    return DMD_NONE;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  return stack->depth == 0 ? stack->base : stack->open[stack->depth - 1].name;
}

#endif
