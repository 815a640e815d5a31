/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * select.h: nodes of a heap graph that somebody asks for in words.
 *
 *   unreported      blocks that nobody reported
 *   unreported:N    those of the N-th unreported record, as records are sorted (analysis/record.h)
 *   0x4c3a040       the innermost block around this address
 *   PATTERN         (base/glob.h) blocks whose kind it matches, also without "[]" and what follows;
 *                   that have a function of this name in their allocation stack; that a reporter
 *                   of this path, or below it, reported; and roots of this name
 *
 * Kinds, stacks and report sets are judged once each. Without recursion.
 */
#ifndef DMD_GRAPH_SELECT_H
#define DMD_GRAPH_SELECT_H

#include "analysis/record.h"
#include "base/bitset.h"
#include "graph/kinds.h"

/* Adds the nodes to a set that has room for all; records are the graph's profile's, for
 * unreported:N. Returns how many there are. *why is what is wrong with the text, else NULL. */
uint32_t dmd_select(dmd_bitset_t *nodes, const dmd_kinds_t *kinds, const dmd_records_t *records,
                    const char *text, const char **why);

#endif
