/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tree_json.h: trees of memory reports as JSON, in the shape in which text_tree.h prints them.
 *
 * {"processes": [{"name", "notes", "trees": [NODE, ...]}]}; docs/format.md describes the nodes.
 *
 * Readers of JSON limit how deep it may nest, and paths have any number of parts. So a tree nests
 * at most DMD_TREE_JSON_LEVELS deep; what a node of the last level has are its leaves, whose names
 * are the rest of their paths.
 */
#ifndef DMD_TEXT_TREE_JSON_H
#define DMD_TEXT_TREE_JSON_H

#include "analysis/processtrees.h"
#include "base/jsonout.h"

enum { DMD_TREE_JSON_LEVELS = 24 };

/* Writes settled amounts as one object. verbose: no node stands for tiny ones, and amounts as text
 * are exact. */
void dmd_tree_json(dmd_jsonout_t *j, const dmd_amounts_t *m, bool verbose);

#endif
