/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_notes.h: what happened while a thread could not enter the engine (pl_event.h), in its order.
 *
 * A signal handler adds, perhaps in the middle of the thread's own look at what there is; the
 * thread takes away. There is room for some in the thread's state, and then in mappings of their
 * own: a thread that waits for a lock may be interrupted any number of times.
 *
 * Concurrency: each thread has its own.
 */
#ifndef DMD_PRELOAD_PL_NOTES_H
#define DMD_PRELOAD_PL_NOTES_H

#include "preload/pl_entry.h"

#include <stdbool.h>
#include <stddef.h>

/* A block was allocated, or freed; somebody asked something of the engine (pl_control.h); the
 * thread is to stop (pl_stop.h), or to end the program (pl_deadly.h; req: the signal). */
typedef enum {
  PL_NOTE_ALLOC,
  PL_NOTE_FREE,
  PL_NOTE_REQUEST,
  PL_NOTE_STOP,
  PL_NOTE_END
} pl_note_kind_t;

typedef struct pl_note {
  pl_note_kind_t kind;
  uint64_t addr, req;
  pl_entry_t entry;
} pl_note_t;

enum { PL_NOTES_AT_HAND = 64 };

/* All zero at the start. */
typedef struct pl_notes {
  uint32_t n_added, n_taken; /* of those at hand, in all: one is at its number modulo the room */
  struct pl_notes_more *first, *last; /* what came after these; NULL: nothing */
  pl_note_t at_hand[PL_NOTES_AT_HAND];
} pl_notes_t;

/* False where there is no memory for it. */
bool pl_notes_add(pl_notes_t *notes, const pl_note_t *note);

/* The first that there is, which is taken away. False: there is none. */
bool pl_notes_take(pl_notes_t *notes, pl_note_t *note);

static inline bool pl_notes_any(const pl_notes_t *notes) {
  return __builtin_expect(
      ((notes->n_added ^ notes->n_taken) | (uintptr_t)(const void *)notes->first) != 0, 0);
}

#endif
