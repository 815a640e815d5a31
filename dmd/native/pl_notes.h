/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_notes.h: a queue of events that happened while a thread could not enter the engine
 * (pl_event.h).
 *
 * A signal handler adds notes, perhaps while the thread itself is reading the queue; the thread
 * removes them. The thread's state has room for some, and further ones go to mappings: a thread
 * that waits for a lock may be interrupted any number of times.
 *
 * Concurrency: each thread has its own.
 */
#ifndef DMD_NATIVE_PL_NOTES_H
#define DMD_NATIVE_PL_NOTES_H

#include "native/pl_entry.h"

#include <stdbool.h>
#include <stddef.h>

/* A block was allocated, or freed; dmdv sent a request (pl_control.h); the thread is to stop
 * (pl_stop.h), or to end the program (pl_deadly.h; req: the signal); the engine ran out of memory
 * (pl_memory.h). */
typedef enum {
  PL_NOTE_ALLOC,
  PL_NOTE_FREE,
  PL_NOTE_REQUEST,
  PL_NOTE_STOP,
  PL_NOTE_END,
  PL_NOTE_SHORTAGE
} pl_note_kind_t;

typedef struct pl_note {
  pl_note_kind_t kind;
  uint64_t addr, req;
  pl_entry_t entry;
} pl_note_t;

enum { PL_NOTES_AT_HAND = 64 };

/* All zero at the start. */
typedef struct pl_notes {
  uint32_t n_added, n_taken;          /* total counts for the array, which is used as a ring */
  struct pl_notes_more *first, *last; /* notes that did not fit the array; NULL: none */
  pl_note_t at_hand[PL_NOTES_AT_HAND];
} pl_notes_t;

/* Returns false if there is no memory for it. */
bool pl_notes_add(pl_notes_t *notes, const pl_note_t *note);

/* Removes the oldest note. Returns false if the queue is empty. */
bool pl_notes_take(pl_notes_t *notes, pl_note_t *note);

static inline bool pl_notes_any(const pl_notes_t *notes) {
  return __builtin_expect(
      ((notes->n_added ^ notes->n_taken) | (uintptr_t)(const void *)notes->first) != 0, 0);
}

#endif
