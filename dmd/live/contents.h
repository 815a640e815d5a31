/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * contents.h: the words of a block's memory, for a profile of mode scan.
 *
 * Words count from the block's start, wherever that is, and have the program's size; bytes at the
 * end that are no whole word are left out. Pages that pages.h passes over are zeroes: reading them
 * would tell nothing, or make memory of them that the program never had.
 *
 * Concurrency: that of memory.h.
 */
#ifndef DMD_LIVE_CONTENTS_H
#define DMD_LIVE_CONTENTS_H

#include "live/pages.h"
#include "profile/scanned.h"

/* Adds the words of szB bytes at an address to the block that was added last. The pages are read in
 * order, as they are best. */
void dmd_contents_add(dmd_scanned_t *scanned, dmd_pages_t *pages, uint64_t addr, uint64_t szB,
                      uint64_t word_szB);

#endif
