/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_tree.h: trees of memory reports as text, in the notation of about:memory.
 *
 *   24.85 MB (100.0%) -- explicit
 *   ├──12.61 MB (50.76%) -- catalog
 *   │  ├───7.17 MB (28.87%) ── products
 *   │  └───5.44 MB (21.89%) ++ index
 *   └──12.24 MB (49.24%) ── heap-unclassified [?!]
 *
 * " -- " marks a node whose children follow, " ++ " a node whose children are not shown, " ── " a
 * leaf. Values are right-aligned with their parent's: a shorter value is indented further. A name
 * is followed by [?!] for an impossible amount, [2] for the sum of two reports of this path, and
 * [+] or [-] for a path that only the newer or older file has.
 */
#ifndef DMD_SHOW_TEXT_TEXT_TREE_H
#define DMD_SHOW_TEXT_TEXT_TREE_H

#include "analyse/tree/profile_amounts.h"
#include "analyse/tree/treecolumns.h"
#include "base/out.h"
#include "model/profile/memreports.h"

/* ---- Amounts. ----
 *
 * Amounts of memory reports as text, as about:memory shows them.
 *
 * Halves are rounded away from zero. */

/* Buffer size for any amount or share. */
enum { DMD_AMOUNT_MAX = 64 };

/* An amount for people, e.g. "1,234.56 MB"; verbose: "1,294,526,055 B". Amounts that would be 0.00
 * MB are in KB, and those that would be 0.00 KB in bytes, so that only zero looks like zero.
 * Returns the length. */
size_t dmd_format_amount(char buf[DMD_AMOUNT_MAX], int64_t amount, dmd_memreport_units_t units,
                         bool verbose);

/* A part of a whole: "05.40%"; "100.0%" from 99.995% on or if the whole is 0. */
void dmd_format_share(char buf[DMD_AMOUNT_MAX], int64_t part, int64_t whole);

/* ---- Trees. ---- */

/* Prints completed amounts, one section per process: the main process first, then by resident
 * memory. notes are complete lines, printed below the name of the first process; each process's own
 * notes come below its name. verbose shows every path and exact amounts. */
void dmd_tree_print(dmd_out_t *out, const dmd_amounts_t *m, const char *notes, bool verbose);

/* Prints one tree of all processes: before each line come the amounts of each process, "-" for
 * nothing. m: the completed amounts that the columns were made of. */
void dmd_tree_print_columns(dmd_out_t *out, const dmd_amounts_t *m,
                            const dmd_treecolumns_t *columns, bool verbose);

/* Prints lines for the notes: facts that prevent misreading a profile's tree. */
void dmd_tree_print_notes(dmd_out_t *out, const dmd_profile_t *profile,
                          const dmd_coverage_t *coverage, bool verbose);

#endif
