/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * unwindcache.h: the unwind cache: reuses earlier stack walks whose inputs have not changed.
 *
 * Programs allocate and report from the same places again and again, and walking the stack is a
 * host's most expensive operation. The result of a walk depends on the instruction, stack and frame
 * pointer at its start, on the loaded unwind information, and on the words that it reads from the
 * stack: the return address of each frame and, where a frame saved it, the caller's frame pointer.
 * The cache stores these with each walk. If all are unchanged, a new walk would yield the same
 * stack, and comparing them takes one load each.
 *
 * Call order: init; then for each stack: rest, which tells whether to skip the cache; find; and, on
 * a miss, remember with the result of the host's unwinder. Call forget when code was loaded or
 * unloaded, and when a thread number may refer to a new thread.
 *
 * Reads only words from the stack pointer up to `top`. The host ensures that these are readable and
 * that sp is a multiple of the word size.
 *
 * Memory: none before the first walk is stored; then the number of words passed to init for walks,
 * and at most a third of that for tables. Doubles when full (dropping all walks), up to 4 MiB.
 *
 * Concurrency: one thread at a time. A host whose threads run in parallel has one cache per thread;
 * the tool has one for all, with the thread's number as the key.
 */
#ifndef DMD_RECORD_UNWIND_UNWINDCACHE_H
#define DMD_RECORD_UNWIND_UNWINDCACHE_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  DMD_TRACE_FRAMES = 64, /* longer walks are not cached */
  DMD_TRACE_WORDS = 128  /* nor are those that read more words */
};

/* The start of a walk: a frame's next instruction (in a caller: the return address, or a fixed
 * function of it) and these registers. */
typedef struct dmd_walk_start {
  uintptr_t ip, sp, fp;
  uintptr_t top;  /* the highest address at which a word can be read */
  uint32_t key;   /* tells apart walks that are otherwise equal, below 2^16 */
  uintptr_t link; /* of a thread that was stopped anywhere: the link register; 0: there is none */
} dmd_walk_start_t;

/* A completed walk, innermost frame first. */
typedef struct dmd_trace {
  uintptr_t ips[DMD_TRACE_FRAMES];
  uintptr_t
      slots[DMD_TRACE_FRAMES]; /* address of each frame's return address, except the last frame's */
  uint32_t n;                  /* number of frames, at least one */
  uint32_t n_words;
  uintptr_t at[DMD_TRACE_WORDS]; /* addresses of the words that were read */
  bool needs_fp;                 /* the walk depends on the initial frame pointer */
} dmd_trace_t;

/* A word of the program's stack, whatever it contains: AddressSanitizer would object to some of
 * these reads. */
typedef uintptr_t __attribute__((may_alias)) dmd_stack_word_t;

__attribute__((no_sanitize("address"))) static inline uintptr_t dmd_stack_word(uintptr_t at) {
  return *(const dmd_stack_word_t *)at;
}

/* Adds a word that was read, unless present. Returns false if there are too many. */
bool dmd_trace_add_word(dmd_trace_t *trace, uintptr_t at);

typedef struct dmd_unwindcache {
  const dmd_env_t *env;
  uint32_t max_frames; /* maximum number of frames of a stack */
  bool is_restless;    /* never pauses */

  /* Walks and their words. A place is an index into room, plus 1; 0: no place. */
  uintptr_t *room;
  uint32_t n_room, n_used; /* in words */
  uint32_t *table;         /* sets of places of walks */
  uint32_t set_shift;      /* selects the bits of a hash that choose a set */
  uint32_t last;           /* place of the walk found last */
  uint32_t *outer;         /* places of the outer frames' words */
  uint32_t *begun;         /* places of walks, by start */
  struct dmd_frame_size *sizes;
  uint32_t n_sizes; /* number of pairs */

  uint32_t n_asked, n_hits; /* in this period */
  uint32_t pause;           /* stacks to skip before the next attempt */
  uint32_t last_pause;
  uint64_t n_all_asked, n_all_hits; /* in earlier periods */
} dmd_unwindcache_t;

/* log2 of the number of words in room, initially and at most. */
enum { DMD_UNWINDCACHE_LEAST = 12, DMD_UNWINDCACHE_MOST = 19 };

/* max_frames is at most DMD_TRACE_FRAMES. */
void dmd_unwindcache_init(dmd_unwindcache_t *walks, const dmd_env_t *env, uint32_t max_frames,
                          uint32_t exponent);
void dmd_unwindcache_destroy(dmd_unwindcache_t *walks);

void dmd_unwindcache_forget(dmd_unwindcache_t *walks);

/* True if this stack must be neither looked up nor stored. Call for each stack. */
static inline bool dmd_unwindcache_rest(dmd_unwindcache_t *walks) {
  if (walks->pause == 0)
    return false;
  walks->pause--;
  return true;
}

/* The stack of the cached walk with this start; 0 if not found. */
uint32_t dmd_unwindcache_find(dmd_unwindcache_t *walks, const dmd_walk_start_t *start);

/* Stores a walk. The words of the trace must be readable and below start's top. stack must not be
 * 0. */
void dmd_unwindcache_remember(dmd_unwindcache_t *walks, const dmd_walk_start_t *start,
                              dmd_trace_t *trace, uint32_t stack);

/* Numbers of look-ups and of hits. */
static inline uint64_t dmd_unwindcache_asked(const dmd_unwindcache_t *walks) {
  return walks->n_all_asked + walks->n_asked;
}

static inline uint64_t dmd_unwindcache_known(const dmd_unwindcache_t *walks) {
  return walks->n_all_hits + walks->n_hits;
}

#endif
