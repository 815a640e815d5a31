/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pinned.h: free bytes that stay in memory because blocks lie on their pages.
 *
 * A graph of the native engine says which pages between blocks are in memory. An allocator returns
 * these to the system in units: glibc single pages, other allocators the slab that a block is in.
 * A unit at least half of which is free is pinned by its blocks, which share the free bytes
 * equally.
 *
 * Nested blocks are parts of those around them. Time: proportional to blocks and pages.
 */
#ifndef DMD_ANALYSE_WASTE_PINNED_H
#define DMD_ANALYSE_WASTE_PINNED_H

#include "analyse/waste/findings.h"

/* Bytes in memory between two addresses. *run: 1 at first; no later call is about lower addresses
 * than `from`. */
uint64_t dmd_resident_between(const dmd_heapgraph_t *graph, uint32_t *run, uint64_t from,
                              uint64_t to);

/* What the resident pages of a heap consist of; all 0 if that is unknown. */
dmd_pagebytes_t dmd_pagebytes_of(const dmd_heapgraph_t *graph);

/* Also sets the waste's `pages`. */
void dmd_waste_find_pinned(dmd_waste_t *waste);

#endif
