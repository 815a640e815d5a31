/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * holders.h: finds which blocks point to the unreported ones.
 *
 * All live blocks are read once, and each aligned word that is an address in an unreported block,
 * at its start or inside, counts as a pointer to it, whatever it really is (Boehm's conservative
 * view). Holders are identified by who reported them; see profile/advice.h.
 *
 * A structure that was forgotten as a whole is mostly reached through its first block: a list's
 * head, a tree's root. So what an unreported block points to counts as held by whoever holds that
 * block, as long as both were allocated at the same stack; these blocks are read again for each
 * holder. From one place to another an advice leads in two steps: the outer block's record names
 * its reporter, and the inner one's record the outer.
 *
 * What an advice rests on is counted with it: memory that is used again holds old pointers, and one
 * of them to one node makes a whole list held. Blocks of the holder are compared with those that
 * were allocated and reported as they were: a member of a structure is in many of these, an old
 * pointer in few (dmd_advice_evidence).
 *
 * Of each block DMD_MAX_BLOCK_READ bytes are read, and DMD_MAX_HEAP_READ in all. Pages that cannot
 * be read are passed over; those that were never written are read as the system's page of zeroes
 * and do not become resident. Offsets from DMD_MAX_OFFSET on, which are an array's rather than a
 * structure's, count as one, DMD_OFFSET_ANY. Of each stack the holders and offsets of most bytes
 * are kept.
 *
 * Cost: memory of a block index (blockindex.h) and 8 bytes a block, and tens of bytes for each
 * stack and each two stacks of which one holds the other, for the time of the search; time of
 * reading the heap, and of a search for each pointer.
 *
 * Concurrency: all of the live state stays as it is meanwhile; the program's threads should be
 * stopped, since its memory is read.
 */
#ifndef DMD_LIVE_HOLDERS_H
#define DMD_LIVE_HOLDERS_H

#include "live/live.h"
#include "live/memory.h"
#include "profile/translate.h"

/* Adds to `found`, which must be empty, what there is to say; its ids are those of the profile that
 * `ids` translates the live heap's to. False: there was more memory than is read. */
bool dmd_holders_find(const dmd_live_t *live, dmd_translation_t *ids, const dmd_memory_t *memory,
                      dmd_advices_t *found);

#endif
