/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stacktable.h: stacks, and a number for each, of threads that run at the same time.
 *
 * A stack is the addresses of its frames, each with its epoch; the same frames have the same
 * number, as long as the table lives. Numbers begin with 1 and are dense. Stacks share what they
 * have in common from the outermost frame on: a frame is kept once for each different way to it, as
 * a node of a tree, and a stack is its innermost node.
 *
 * What is in the table never moves nor changes, so that finding a stack and reading it take no
 * lock: atomic loads only. New frames and numbers are added under the table's lock, the last but
 * one in the order of locks: memory is allocated while it is held. A reader who does not find what
 * another thread adds just then looks again under the lock.
 *
 * Most of a new stack is like the last one of its thread: that is kept in a path, of which each
 * thread has its own, and only what differs is looked up.
 *
 * Memory: 20 bytes for each frame, 6 to 16 for its place in the index, of which a third is what the
 * index had before it grew, since somebody may be reading it; 4 for each stack.
 */
#ifndef DMD_ENGINE_STACKTABLE_H
#define DMD_ENGINE_STACKTABLE_H

#include "base/env.h"
#include "base/limits.h"
#include "base/lock.h"
#include "engine/host.h"

enum {
  DMD_STACK_LEAST_SHIFT = 10, /* of the first segment's elements; each next one has twice as many */
  DMD_STACK_SEGMENTS = 22
};

typedef struct dmd_stacktable {
  const dmd_env_t *env;
  const dmd_waiting_t *waiting; /* NULL: one thread at a time */
  dmd_lock_t lock;              /* of what is added */
  struct dmd_stack_node *nodes[DMD_STACK_SEGMENTS];
  uint32_t *stacks[DMD_STACK_SEGMENTS]; /* the innermost node of each */
  struct dmd_stack_index *index;
  uint32_t n_nodes, n_stacks;
} dmd_stacktable_t;

void dmd_stacktable_init(dmd_stacktable_t *table, const dmd_env_t *env,
                         const dmd_waiting_t *waiting);
void dmd_stacktable_destroy(dmd_stacktable_t *table);

/* The last stack of a thread. It is all zero at the start, and may be again whenever one likes. */
typedef struct dmd_stack_path {
  uint32_t n;
  uint32_t nodes[DMD_MAX_FRAMES + 2]; /* the outermost first */
} dmd_stack_path_t;

/* The number of a stack of n frames, at least one, at most as many as a path has room for, the
 * innermost first. path may be NULL. */
uint32_t dmd_stacktable_number(dmd_stacktable_t *table, dmd_stack_path_t *path,
                               const dmd_code_t *codes, uint32_t n);

/* Writes down the frames of a stack, the innermost first: at most max, and answers how many there
 * are. */
uint32_t dmd_stacktable_codes(const dmd_stacktable_t *table, uint32_t stack, dmd_code_t *codes,
                              uint32_t max);

/* How many stacks there are at least, if others add some: numbers up to this are known. */
uint32_t dmd_stacktable_count(const dmd_stacktable_t *table);

/* In a fork: taken before it, let go in both processes. */
void dmd_stacktable_take(dmd_stacktable_t *table);
void dmd_stacktable_let_go(dmd_stacktable_t *table);

#endif
