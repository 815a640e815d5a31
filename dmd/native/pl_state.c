/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_state.h"

#include "base/mem.h"
#include "native/pl_kernel.h"

#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>

volatile pl_state_t g_state;
dmd_engine_t g_engine;
uint32_t g_start = 1;
volatile bool g_is_complete = true;
_Thread_local pl_thread_t g_thread __attribute__((tls_model("initial-exec")));

enum { MORE_SZB = 64 * 1024 };

/* A mapping with further notes; it has this size. */
struct pl_notes_more {
  struct pl_notes_more *next;
  uint32_t n_added, n_taken;
  pl_note_t note[];
};

enum { ROOM = (MORE_SZB - sizeof(struct pl_notes_more)) / sizeof(pl_note_t) };

/* ---- Adding notes ---- */

static bool add_room(pl_notes_t *notes) {
  struct pl_notes_more *more =
      mmap(NULL, MORE_SZB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (more == MAP_FAILED)
    return false;
  if (notes->last != NULL)
    notes->last->next = more;
  else
    notes->first = more;
  notes->last = more;
  return true;
}

static bool add(pl_notes_t *notes, const pl_note_t *note) {
  if (notes->last == NULL && notes->n_added - notes->n_taken < PL_NOTES_AT_HAND) {
    notes->at_hand[notes->n_added++ % PL_NOTES_AT_HAND] = *note;
    return true;
  }
  if ((notes->last == NULL || notes->last->n_added == ROOM) && !add_room(notes))
    return false;
  notes->last->note[notes->last->n_added++] = *note;
  return true;
}

/* Signals are blocked, since another handler may interrupt this one. */
__attribute__((noinline, cold)) void pl_note(pl_thread_t *thread, const pl_note_t *what) {
  if (g_state == PL_OFF)
    return;
  sigset_t before = pl_signals_block();
  if (!add(&thread->notes, what))
    g_is_complete = false;
  pl_signals_restore(&before);
}

void pl_note_call(pl_thread_t *thread, pl_note_fn call, uint64_t argument) {
  pl_note(thread, &(pl_note_t){.kind = PL_NOTE_CALL, .call = call, .argument = argument});
}

/* ---- Taking notes ---- */

/* Takes a note from the mappings. Handlers must not add notes meanwhile. */
static bool take_more(pl_notes_t *notes, pl_note_t *note) {
  struct pl_notes_more *first = notes->first;
  bool is_there = first->n_taken < first->n_added;
  if (is_there)
    *note = first->note[first->n_taken++];
  if (first->n_taken == first->n_added) {
    notes->first = first->next;
    if (notes->first == NULL)
      notes->last = NULL;
    munmap(first, MORE_SZB);
  }
  return is_there;
}

bool pl_notes_take(pl_notes_t *notes, pl_note_t *note) {
  if (notes->n_taken != notes->n_added) {
    pl_note_t *at_hand = &notes->at_hand[notes->n_taken % PL_NOTES_AT_HAND];
    *note = *at_hand;
    at_hand->addr = 0; /* the old value must not look like a pointer of the program's */
    notes->n_taken++;
    return true;
  }
  if (notes->first == NULL)
    return false;
  sigset_t before = pl_signals_block();
  bool is_there = take_more(notes, note);
  pl_signals_restore(&before);
  return is_there;
}

/* ---- Numbers ---- */

enum { MAX_THREADS = 32768 };

static struct {
  unsigned char is_taken[MAX_THREADS]; /* by number; 0 is never given out */
  volatile uint32_t count;
  pthread_key_t key;
  void (*end)(pl_thread_t *thread);
} g_numbers;

uint32_t pl_number_take(void) {
  uint32_t number = 1;
  while (number < MAX_THREADS - 1 && g_numbers.is_taken[number])
    number++;
  g_numbers.is_taken[number] = 1;
  g_numbers.count++;
  return number;
}

void pl_number_give_back(uint32_t number) {
  g_numbers.is_taken[number] = 0;
  g_numbers.count--;
}

uint32_t pl_thread_count(void) {
  return g_numbers.count;
}

void pl_numbers_forked(const pl_thread_t *thread) {
  for (uint32_t i = 1; i < MAX_THREADS; i++)
    g_numbers.is_taken[i] = i == thread->number;
  g_numbers.count = 1;
}

/* Destructors of other keys may allocate and run after this one, so it does its work in the last
 * round. */
static void end_thread(void *rounds) {
  uintptr_t round = (uintptr_t)rounds;
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS &&
      pthread_setspecific(g_numbers.key, (void *)(round + 1)) == 0)
    return;
  g_numbers.end(pl_thread());
}

void pl_number_own(pl_thread_t *thread, uint32_t number) {
  thread->number = number;
  thread->numbered = g_start;
  pthread_setspecific(g_numbers.key, (void *)1);
}

void pl_number_assign(pl_thread_t *thread) {
  thread->number = pl_number_take();
  dmd_engine_start_thread(&g_engine, DMD_NONE, thread->number);
  pl_number_own(thread, thread->number);
}

void pl_numbers_restart(void) {
  dmd_mem_zero(g_numbers.is_taken, sizeof g_numbers.is_taken);
  g_numbers.count = 0;
}

void pl_numbers_start(void (*end)(pl_thread_t *thread)) {
  g_numbers.end = end;
  pthread_key_create(&g_numbers.key, end_thread);
  pl_number_assign(pl_thread());
}
