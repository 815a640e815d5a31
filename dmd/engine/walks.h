/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * walks.h: walks from frame to frame that need not be made again.
 *
 * Programs allocate and report from the same places again and again, and to walk the stack there
 * is the dearest thing that a host does. A walk is a function of the instruction, stack and frame
 * pointer that it starts with, of the unwind information loaded, and of the words that it reads
 * from the stack: each frame's return address and, where a frame saved it, its caller's frame
 * pointer. A walk that was made once is remembered with all of these. Where they all are still what
 * they were, another walk would end in the same stack, and comparing them costs one load for each.
 *
 * A walk is found by the return addresses of its frames, in a table. Before that, the one that came
 * after the last one the time before is tried: programs do the same things in the same order again,
 * and it has been on its way from memory since then; and after that one the last two that began at
 * the same place, which finds most stacks of programs that do things in any order. If few stacks
 * are known again, none is looked up for a while.
 *
 * Call order: init; then, for each stack, rest, which says whether to look at all, find, and, where
 * find knows none, remember with what the host's unwinder found. The host calls forget when code
 * was loaded or unloaded, and when a number of a thread may stand for another thread.
 *
 * What is read: only words from the stack pointer up to `top`. That these can be read, and that sp
 * is a multiple of a word's size, is for the host to know.
 *
 * Memory: none before the first walk is remembered; then as many words as init says for walks, and
 * a third of that, or less, for tables. It doubles when it is full (all is forgotten then), up to
 * 4 MiB.
 *
 * Concurrency: nothing locks. A host whose threads run at once has one for each thread; the tool
 * has one for all, in which each walk's key is its thread's number.
 */
#ifndef DMD_ENGINE_WALKS_H
#define DMD_ENGINE_WALKS_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  DMD_TRACE_FRAMES = 64, /* longer walks are not remembered */
  DMD_TRACE_WORDS = 128  /* nor are those that read more */
};

/* Where a walk begins: at a frame's next instruction (of a caller: its return address, or what the
 * host makes of it, always the same), with these registers. */
typedef struct dmd_walk_start {
  uintptr_t ip, sp, fp;
  uintptr_t top; /* the highest address of which a word can be read */
  uint32_t key;  /* whatever else tells walks apart, below 2^16 */
} dmd_walk_start_t;

/* A walk that was made, the innermost frame first. */
typedef struct dmd_trace {
  uintptr_t ips[DMD_TRACE_FRAMES];
  uintptr_t slots[DMD_TRACE_FRAMES]; /* where the return address of each frame but the last is */
  uint32_t n;                        /* frames, at least one */
  uint32_t n_words;
  uintptr_t at[DMD_TRACE_WORDS]; /* the words that were read */
  bool needs_fp;                 /* whether the frame pointer that it began with mattered */
} dmd_trace_t;

/* A word of the program's stack, whatever is in it: AddressSanitizer does not like to see all of
 * them read. */
typedef uintptr_t __attribute__((may_alias)) dmd_stack_word_t;

__attribute__((no_sanitize("address"))) static inline uintptr_t dmd_stack_word(uintptr_t at) {
  return *(const dmd_stack_word_t *)at;
}

/* Adds a word that was read, unless it is there. False: there are too many. */
bool dmd_trace_add_word(dmd_trace_t *trace, uintptr_t at);

typedef struct dmd_walks {
  const dmd_env_t *env;
  uint32_t max_frames; /* that a stack has at most */
  bool is_restless;    /* none is left out because few were known */

  /* Walks and their words. A place is an index of room, plus 1; 0 is none. */
  uintptr_t *room;
  uint32_t n_room, n_used; /* words */
  uint32_t *table;         /* places of walks */
  uint32_t set_shift;      /* which bits of a hash choose its set */
  uint32_t last;           /* the place of the last known one */
  uint32_t *outer;         /* places of words of outer frames */
  uint32_t *begun;         /* places of walks, by where they begin */
  struct dmd_frame_size *sizes;
  uint32_t n_sizes; /* pairs */

  uint32_t n_asked, n_hits; /* in this period */
  uint32_t pause;           /* stacks that are left out before it is tried again */
  uint32_t last_pause;
  uint64_t n_all_asked, n_all_hits; /* in the periods before */
} dmd_walks_t;

/* The exponent of the words in the room, at the start: */
enum { DMD_WALKS_LEAST = 12, DMD_WALKS_MOST = 19 };

/* max_frames is at most DMD_TRACE_FRAMES. */
void dmd_walks_init(dmd_walks_t *walks, const dmd_env_t *env, uint32_t max_frames,
                    uint32_t exponent);
void dmd_walks_destroy(dmd_walks_t *walks);

void dmd_walks_forget(dmd_walks_t *walks);

/* Whether this stack is not to be looked up, nor remembered. To be asked for each. */
static inline bool dmd_walks_rest(dmd_walks_t *walks) {
  if (walks->pause == 0)
    return false;
  walks->pause--;
  return true;
}

/* The stack of the walk that begins so; 0: it is not known. */
uint32_t dmd_walks_find(dmd_walks_t *walks, const dmd_walk_start_t *start);

/* The words of the trace are those that can be read below start's top. The stack is above 0. */
void dmd_walks_remember(dmd_walks_t *walks, const dmd_walk_start_t *start, dmd_trace_t *trace,
                        uint32_t stack);

/* How many stacks were looked up, and how many of them were known. */
static inline uint64_t dmd_walks_asked(const dmd_walks_t *walks) {
  return walks->n_all_asked + walks->n_asked;
}

static inline uint64_t dmd_walks_known(const dmd_walks_t *walks) {
  return walks->n_all_hits + walks->n_hits;
}

#endif
