/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_slots.h: how requests get here: the notes of objects, and the slots in them.
 *
 * Each object whose code was compiled with dmd.h has a variable, its slot, for a function that
 * answers requests, and a note that says where it is; so it need not know whether there is such a
 * function. The note's owner is "DMD", its type 1, and its content the slot's address less the
 * content's own, a signed number of 32 bits.
 */
#ifndef DMD_PRELOAD_PL_SLOTS_H
#define DMD_PRELOAD_PL_SLOTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n bytes of a note. */
typedef void (*pl_note_fn)(void *ctx, const char *owner, uint32_t type, const void *bytes,
                           uint32_t n);

/* Visits all notes of an object that are loaded with it. */
void pl_notes_visit(const struct dl_phdr_info *info, pl_note_fn visit, void *ctx);

/* Stores our function in the slots of an object. */
void pl_slots_fill(const struct dl_phdr_info *info);

/* Whether an object has any: it was compiled with a dmd.h that knows of them. */
bool pl_slots_has(const struct dl_phdr_info *info);

#endif
