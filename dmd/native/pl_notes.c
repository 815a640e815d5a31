/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_notes.h"
#include "native/pl_kernel.h"

#include <sys/mman.h>

enum { MORE_SZB = 64 * 1024 };

/* A mapping with further notes; it has this size. */
struct pl_notes_more {
  struct pl_notes_more *next;
  uint32_t n_added, n_taken;
  pl_note_t note[];
};

enum { ROOM = (MORE_SZB - sizeof(struct pl_notes_more)) / sizeof(pl_note_t) };

/* ---- Adding ---- */

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
bool pl_notes_add(pl_notes_t *notes, const pl_note_t *note) {
  sigset_t before = pl_signals_block();
  bool is_added = add(notes, note);
  pl_signals_restore(&before);
  return is_added;
}

/* ---- Taking ---- */

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
