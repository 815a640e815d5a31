/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typefinder.h: finds the types of a heap graph's nodes in the debug information of the program's
 * objects.
 *
 * To be called while the graph is loaded: dmdv_typefinder_add_object for each object, in the order
 * of their ids, then dmdv_typefinder_part, which cuts data and stacks into variables; then, with
 * the graph, dmdv_typefinder_run. What it finds rests on the kinds of evidence of graph/typing.h.
 *
 * Without libdw (a build that has none), or where there is no debug information, there are no
 * types; of the latter it says so, once.
 */
#ifndef DMD_READER_TYPES_TYPEFINDER_H
#define DMD_READER_TYPES_TYPEFINDER_H

#include "graph/typing.h"
#include "graph/variables.h"

typedef struct dmdv_typefinder dmdv_typefinder_t;

/* folder: where separate debug information is searched first; NULL: only in the usual places. Both
 * must outlive the finder, which is freed with dmdv_typefinder_free. The types must be empty. */
dmdv_typefinder_t *dmdv_typefinder_new(dmd_types_t *types, const char *folder);
void dmdv_typefinder_free(dmdv_typefinder_t *finder);

void dmdv_typefinder_add_object(dmdv_typefinder_t *finder, uint32_t id,
                                const dmd_graph_object_t *object);

/* The size of the part that the rest of a root begins with (dmd_variables_part). *name: the
 * variable's, NULL where it is none. */
uint64_t dmdv_typefinder_part(dmdv_typefinder_t *finder, const dmd_uncut_t *rest,
                              const char **name);

/* Sets the types of all nodes that it finds something about. The typing's types are the finder's.
 */
void dmdv_typefinder_run(dmdv_typefinder_t *finder, dmd_typing_t *typing);

/* Appends the name of a variable or parameter of the function that has code at an address of an
 * object, or of what is inlined there, which points to this type. False: there is none. */
bool dmdv_typefinder_variable(dmdv_typefinder_t *finder, uint32_t object, uint64_t addr,
                              uint32_t type, dmd_strbuf_t *to);

#endif
