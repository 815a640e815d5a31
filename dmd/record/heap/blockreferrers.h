/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blockreferrers.h: finds which blocks point to unreported blocks (their referrers).
 *
 * Reads all live blocks once. Each aligned word that is an address in an unreported block, at its
 * start or inside, counts as a pointer to it, whatever it really is (Boehm's conservative view).
 * Referrers are identified by who reported them; see model/profile/hint.h. Each hint carries its
 * evidence (dmd_hint_evidence).
 *
 * Limits: reads DMD_MAX_BLOCK_READ bytes of each block and DMD_MAX_HEAP_READ in all. Pages that
 * cannot be read are skipped; pages never written are read as the system's zero page and do not
 * become resident. Offsets from DMD_MAX_OFFSET on (arrays rather than structures) are merged into
 * DMD_OFFSET_ANY. For each stack only the referrers and offsets with the most bytes are kept.
 *
 * Cost: memory for a block index (blockindex.h), 8 bytes a block, and tens of bytes for each stack
 * and each pair of stacks with pointers, during the search; time to read the heap and to search for
 * each pointer.
 *
 * Concurrency: the live state must not change meanwhile, and the program's threads should be
 * stopped, since their memory is read.
 */
#ifndef DMD_RECORD_HEAP_BLOCKREFERRERS_H
#define DMD_RECORD_HEAP_BLOCKREFERRERS_H

#include "model/profile/translate.h"
#include "record/heap/live.h"
#include "record/heap/pages.h"

/* Adds the hints to `found`, which must be empty, with the ids of the profile that `ids` translates
 * to. Returns false if there was more memory than is read. */
bool dmd_blockreferrers_find(const dmd_live_t *live, dmd_translation_t *ids,
                             const dmd_memory_t *memory, dmd_hints_t *found);

#endif
