/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_slots.h: connects objects that make requests to the engine, through slots that their notes
 * describe.
 *
 * Each object whose code was compiled with dmd.h has a variable, its slot, that holds a pointer to
 * the function which answers requests, and a note that locates the slot. So the object need not be
 * linked against that function. The note's owner is "DMD" and its type 1. Its content is a signed
 * 32-bit number: the slot's address minus the content's own address.
 */
#ifndef DMD_NATIVE_PL_SLOTS_H
#define DMD_NATIVE_PL_SLOTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called with a note's content, n bytes. */
typedef void (*pl_note_fn)(void *ctx, const char *owner, uint32_t type, const void *bytes,
                           uint32_t n);

/* Visits all notes of an object that are in its loaded segments. */
void pl_notes_visit(const struct dl_phdr_info *info, pl_note_fn visit, void *ctx);

/* Stores our function in an object's slots. */
void pl_slots_fill(const struct dl_phdr_info *info);

#endif
