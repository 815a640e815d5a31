/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stacktrie.h: a trie of stacks that gives each stack a number, for threads that run in parallel.
 *
 * A stack is the addresses of its frames, each with its epoch. Equal stacks have equal numbers as
 * long as the table lives; numbers are dense and begin with 1. Stacks share their common outer
 * frames: each frame is a node of the trie, stored once per distinct path from the outermost frame,
 * and a stack is its innermost node.
 *
 * Most frames of a new stack equal those of the thread's previous one. The caller keeps that one in
 * a dmd_stack_path_t per thread, and only frames that differ are looked up.
 *
 * Concurrency: entries never move or change, so looking up and reading stacks take no lock, only
 * atomic loads. Frames and numbers are added under the table's lock, the last but one in the lock
 * order: memory is allocated while it is held. A reader that misses an entry that another thread is
 * just adding looks again under the lock.
 *
 * Memory: 20 bytes a frame; 6 to 16 bytes for its index entry, a third of which belongs to outgrown
 * indexes that a thread may still be reading; 4 bytes a stack.
 */
#ifndef DMD_RECORD_UNWIND_STACKTRIE_H
#define DMD_RECORD_UNWIND_STACKTRIE_H

#include "base/env.h"
#include "base/limits.h"
#include "base/lock.h"
#include "record/host.h"

enum {
  DMD_STACK_LEAST_SHIFT = 10, /* log2 size of the first segment; the next ones double */
  DMD_STACK_SEGMENTS = 22
};

typedef struct dmd_stacktrie {
  const dmd_env_t *env;
  const dmd_waiting_t *waiting; /* NULL: one thread at a time */
  dmd_lock_t lock;              /* guards additions */
  struct dmd_stack_node *nodes[DMD_STACK_SEGMENTS];
  uint32_t *stacks[DMD_STACK_SEGMENTS]; /* innermost node of each stack */
  struct dmd_stack_index *index;
  uint32_t n_nodes, n_stacks;
} dmd_stacktrie_t;

void dmd_stacktrie_init(dmd_stacktrie_t *table, const dmd_env_t *env, const dmd_waiting_t *waiting);
void dmd_stacktrie_destroy(dmd_stacktrie_t *table);

/* A thread's last stack. Zero-initialised, and may be zeroed at any time. */
typedef struct dmd_stack_path {
  uint32_t n;
  uint32_t nodes[DMD_MAX_FRAMES + 2]; /* outermost first */
} dmd_stack_path_t;

/* The number of a stack of n frames, innermost first; n is at least one, and at most the capacity
 * of a path. path may be NULL. */
uint32_t dmd_stacktrie_number(dmd_stacktrie_t *table, dmd_stack_path_t *path,
                              const dmd_code_t *codes, uint32_t n);

/* Copies the frames of a stack, innermost first, at most max. Returns their number. */
uint32_t dmd_stacktrie_codes(const dmd_stacktrie_t *table, uint32_t stack, dmd_code_t *codes,
                             uint32_t max);

/* A lower bound of the number of stacks if others add some: ids up to this are valid. */
uint32_t dmd_stacktrie_count(const dmd_stacktrie_t *table);

/* For fork: take it before, let go in both processes. */
void dmd_stacktrie_take(dmd_stacktrie_t *table);
void dmd_stacktrie_let_go(dmd_stacktrie_t *table);

#endif
