/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * select.h: selects nodes of a heap graph by a text from the user.
 *
 *   unreported      blocks that no reporter reported
 *   unreported:N    those of the N-th unreported record, in record order (analyse/records/record.h)
 *   0x4c3a040       the innermost block around this address
 *   PATTERN         (base/str.h) blocks whose kind matches, with or without "[]" and what
 *                   follows; that have a function of this name in their allocation stack; or
 *                   that a reporter with this path, or below it, reported; and roots of this name
 *
 * Kinds, stacks and report sets are judged once each. No recursion.
 */
#ifndef DMD_ANALYSE_GRAPH_SELECT_H
#define DMD_ANALYSE_GRAPH_SELECT_H

#include "analyse/graph/kinds.h"
#include "analyse/records/record.h"
#include "base/bitset.h"

/* Adds the nodes to a set with room for all; records: those of the graph's profile, for
 * unreported:N. Returns their number. *why gets the reason if the text is invalid, else NULL. */
uint32_t dmd_select(dmd_bitset_t *nodes, const dmd_kinds_t *kinds, const dmd_records_t *records,
                    const char *text, const char **why);

#endif
