/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tree_json.h: trees of memory reports as JSON, with the structure that text_tree.h prints.
 *
 * {"processes": [{"name", "notes", "trees": [NODE, ...]}]}; docs/format.md describes the nodes.
 *
 * JSON parsers limit nesting, but paths may have any number of parts. So a tree nests at most
 * DMD_TREE_JSON_LEVELS deep; the children of a node of the last level are all its leaves, named by
 * the rest of their paths.
 */
#ifndef DMD_SHOW_TEXT_TREE_JSON_H
#define DMD_SHOW_TEXT_TREE_JSON_H

#include "analyse/tree/tree.h"
#include "base/jsonout.h"

enum { DMD_TREE_JSON_LEVELS = 24 };

/* The lists in it, for base/jsonlimit.h. */
#define DMD_TREE_JSON_LISTS "children,trees,processes"

/* Writes settled amounts as one object. verbose: no node stands for tiny ones, and amounts as text
 * are exact. */
void dmd_tree_json(dmd_jsonout_t *j, const dmd_amounts_t *m, bool verbose);

#endif
