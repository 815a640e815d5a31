/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_questions.h"

#include "native/pl_kernel.h"

#include <sys/mman.h>

enum { AT_HAND = 64 }; /* room for this many without a mapping */

static uint64_t g_at_hand[AT_HAND];

/* A ring. Its size is a power of two; n_added and n_taken only grow. */
static struct {
  dmd_lock_t lock;
  uint64_t *ring;
  uint32_t room;
  uint32_t n_added, n_taken;
} g_questions = {.ring = g_at_hand, .room = AT_HAND};

static uint64_t *place(uint64_t *ring, uint32_t room, uint32_t number) {
  return &ring[number & (room - 1)];
}

static bool make_room(void) {
  uint32_t room = 2 * g_questions.room;
  uint64_t *ring =
      mmap(NULL, room * sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ring == MAP_FAILED)
    return false;
  for (uint32_t i = g_questions.n_taken; i != g_questions.n_added; i++)
    *place(ring, room, i) = *place(g_questions.ring, g_questions.room, i);
  uint64_t *before = g_questions.ring;
  g_questions.ring = ring;
  g_questions.room = room;
  if (before != g_at_hand)
    munmap(before, room / 2 * sizeof *ring);
  return true;
}

void pl_questions_add(uint64_t question) {
  pl_lock_take(&g_questions.lock);
  bool is_full = g_questions.n_added - g_questions.n_taken == g_questions.room;
  if (!is_full || make_room())
    *place(g_questions.ring, g_questions.room, g_questions.n_added++) = question;
  pl_lock_give(&g_questions.lock);
}

bool pl_questions_take(uint64_t *question) {
  pl_lock_take(&g_questions.lock);
  bool is_there = g_questions.n_taken != g_questions.n_added;
  if (is_there)
    *question = *place(g_questions.ring, g_questions.room, g_questions.n_taken++);
  pl_lock_give(&g_questions.lock);
  return is_there;
}

bool pl_questions_any(void) {
  pl_lock_take(&g_questions.lock);
  bool is_any = g_questions.n_taken != g_questions.n_added;
  pl_lock_give(&g_questions.lock);
  return is_any;
}

/* Resets the lock, which another thread may have held at the moment of the fork. */
void pl_questions_forked(void) {
  g_questions.lock = (dmd_lock_t){0};
  g_questions.n_taken = g_questions.n_added = 0;
  if (g_questions.ring != g_at_hand) {
    munmap(g_questions.ring, g_questions.room * sizeof *g_questions.ring);
    g_questions.ring = g_at_hand;
    g_questions.room = AT_HAND;
  }
}
