/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tree_text.h: trees of memory reports as text, in about:memory's notation.
 *
 *   24.85 MB (100.0%) -- explicit
 *   ├──12.61 MB (50.76%) -- catalog
 *   │  ├───7.17 MB (28.87%) ── products
 *   │  └───5.44 MB (21.89%) ++ index
 *   └──12.24 MB (49.24%) ── heap-unclassified [?!]
 *
 * " -- " is a node whose children follow, " ++ " one whose children are not shown, " ── " a leaf.
 * A line is as far to the right as its parent's, and further by what its value is shorter. Behind a
 * name stand [?!] for an amount that cannot be, [2] for two reports of this path in one, and [+] or
 * [-] for a path that only the newer or older file has. Halves are rounded away from zero.
 */
#ifndef DMD_READER_REPORT_TREE_TEXT_H
#define DMD_READER_REPORT_TREE_TEXT_H

#include "analysis/amounts.h"
#include "base/out.h"

#include <stdbool.h>

/* Room for any value or percentage. */
enum { DMDV_VALUE_MAX = 64 };

/* An amount as it is shown, e.g. "1,234.56 MB"; verbose: "1,294,526,055 B". Returns the length. */
size_t dmdv_format_amount(char buf[DMDV_VALUE_MAX], int64_t amount, dmd_memreport_units_t units,
                          bool verbose);

/* A part of a whole: "05.40%", from 99.995% on "100.0%"; of a whole that is 0, "100.0%". */
void dmdv_format_share(char buf[DMDV_VALUE_MAX], int64_t part, int64_t whole);

/* Prints settled memory reports, one section a process: the main process first, then by their
 * resident memory. notes, lines that end in line ends, stand below the name of the first. verbose
 * shows every path and exact amounts. */
void dmdv_tree_print(dmd_out_t *out, const dmd_amounts_t *m, const char *notes, bool verbose);

#endif
