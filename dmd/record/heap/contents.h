/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * contents.h: the words of a block's memory, for profiles of mode scan.
 *
 * Words are counted from the block's start, whatever its alignment, and have the program's word
 * size; an incomplete word at the end is left out. Pages that pages.h skips count as zeroes: to
 * read them would yield nothing, or would make memory resident that the program never used.
 */
#ifndef DMD_RECORD_HEAP_CONTENTS_H
#define DMD_RECORD_HEAP_CONTENTS_H

#include "model/profile/profile.h"
#include "record/heap/pages.h"

/* Adds the words of szB bytes at addr to the block that was added last. Fastest if blocks are added
 * in address order. */
void dmd_contents_add(dmd_scanned_t *scanned, dmd_pages_t *pages, uint64_t addr, uint64_t szB,
                      uint64_t word_szB);

#endif
