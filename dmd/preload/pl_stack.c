/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_stack.h"

#include "base/intern.h"
#include "base/limits.h"
#include "preload/pl_lock.h"
#include "preload/pl_malloc.h"
#include "preload/pl_memory.h"
#include "preload/pl_objects.h"

static struct {
  dmd_lock_t lock;
  uint32_t max_frames;
  dmd_intern_t stacks; /* of dmd_code_t */
} g_stacks;

void pl_stack_init(uint32_t max_frames) {
  g_stacks.max_frames = max_frames > DMD_MAX_FRAMES ? DMD_MAX_FRAMES : max_frames;
  dmd_intern_init(&g_stacks.stacks, &g_env, "pl.stacks");
}

static uint32_t id_of(const dmd_code_t *codes, uint32_t n) {
  pl_lock_take(&g_stacks.lock);
  uint32_t id = dmd_intern_bytes(&g_stacks.stacks, codes, n * sizeof *codes);
  pl_lock_give(&g_stacks.lock);
  return id;
}

/* The codes are zeroed, between their fields too: they are compared as bytes. */
static void add(dmd_code_t *codes, uint32_t *n, uint64_t ip, uint32_t object) {
  codes[*n].ip = ip;
  codes[*n].epoch = object;
  ++*n;
}

static uint32_t begin(dmd_code_t *codes, const pl_entry_t *entry) {
  uint32_t n = 0;
  if (entry->in != PL_IN_NONE)
    add(codes, &n, pl_function_address(entry->in), pl_object_find(pl_function_address(entry->in)));
  add(codes, &n, entry->ip - 1, pl_object_find(entry->ip - 1));
  return n;
}

uint32_t pl_stack_of_entry(const pl_entry_t *entry) {
  dmd_code_t codes[2];
  dmd_mem_zero(codes, sizeof codes);
  return id_of(codes, begin(codes, entry));
}

/* Frames as they hang together by their pointers, which must go outwards, and not far. */
uint32_t pl_stack_capture(pl_thread_t *thread) {
  enum { MOST_SZB = 1 << 20 };
  dmd_code_t codes[DMD_MAX_FRAMES + 2];
  if (thread->stack != DMD_NONE)
    return thread->stack;
  pl_object_at(thread->entry.ip - 1);
  dmd_mem_zero(codes, sizeof codes);
  uint32_t n = begin(codes, &thread->entry);
  uint64_t sp = thread->entry.sp, fp = thread->entry.fp;
  while (n < g_stacks.max_frames && fp >= sp && fp - sp < MOST_SZB && fp % sizeof(void *) == 0 &&
         fp + 2 * sizeof(void *) <= thread->stack_high) {
    const uint64_t *frame = (const uint64_t *)fp;
    uint32_t object = pl_object_find(frame[1] - 1);
    if (object == DMD_NONE)
      break;
    add(codes, &n, frame[1] - 1, object);
    sp = fp + 2 * sizeof(void *);
    fp = frame[0];
  }
  return thread->stack = id_of(codes, n);
}

const dmd_code_t *pl_stack_codes(uint32_t stack, uint32_t *n) {
  size_t szB;
  pl_lock_take(&g_stacks.lock);
  const dmd_code_t *codes = dmd_intern_get(&g_stacks.stacks, stack, &szB);
  pl_lock_give(&g_stacks.lock);
  *n = (uint32_t)(szB / sizeof *codes);
  return codes;
}

void pl_stack_fork_begin(void) {
  pl_lock_take(&g_stacks.lock);
}

void pl_stack_fork_end(void) {
  pl_lock_renew(&g_stacks.lock);
}
