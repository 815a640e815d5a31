/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_tree.h: trees of memory reports as text, in about:memory's notation.
 *
 *   24.85 MB (100.0%) -- explicit
 *   ├──12.61 MB (50.76%) -- catalog
 *   │  ├───7.17 MB (28.87%) ── products
 *   │  └───5.44 MB (21.89%) ++ index
 *   └──12.24 MB (49.24%) ── heap-unclassified [?!]
 *
 * " -- " is a node whose children follow, " ++ " one whose children are not shown, " ── " a leaf.
 * Values are aligned with their parent's at the right end: a shorter value is indented further.
 * Behind a name stand [?!] for an impossible amount, [2] for the sum of two reports of this path,
 * and [+] or [-] for a path that only the newer or older file has.
 */
#ifndef DMD_TEXT_TEXT_TREE_H
#define DMD_TEXT_TEXT_TREE_H

#include "analysis/profile_amounts.h"
#include "analysis/treecolumns.h"
#include "base/out.h"

/* Prints settled amounts, one section a process: the main process first, then by their resident
 * memory. notes, lines that end in line ends, stand below the name of the first, and each process
 * has its own below its name. verbose shows every path and exact amounts. */
void dmd_tree_print(dmd_out_t *out, const dmd_amounts_t *m, const char *notes, bool verbose);

/* Prints one tree of all processes together: before each line is what each process has of it, "-"
 * where that is nothing. m: the settled amounts that the columns were made of. */
void dmd_tree_print_columns(dmd_out_t *out, const dmd_amounts_t *m,
                            const dmd_treecolumns_t *columns, bool verbose);

/* Lines for the notes: what readers of a profile's tree should know, so as not to misread it. */
void dmd_tree_print_notes(dmd_out_t *out, const dmd_profile_t *profile,
                          const dmd_coverage_t *coverage, bool verbose);

#endif
