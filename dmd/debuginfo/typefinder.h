/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typefinder.h: finds the types of a heap graph's nodes in the debug information of the program's
 * objects.
 *
 * Call it while the graph is loaded: dmdv_typefinder_add_object for each object, in the order of
 * their ids, then dmdv_typefinder_part, which cuts data and stacks into variables; then, with the
 * graph, dmdv_typefinder_run. analyse/graph/typing.h has the kinds of evidence that it uses.
 *
 * In a build without libdw, or without debug information, no types are found; missing debug
 * information is reported once.
 */
#ifndef DMD_DEBUGINFO_TYPEFINDER_H
#define DMD_DEBUGINFO_TYPEFINDER_H

#include "analyse/graph/typing.h"
#include "model/graph/types.h"

typedef struct dmdv_typefinder dmdv_typefinder_t;

/* folder: searched first for separate debug information; NULL: only the usual places. folder and
 * types must outlive the finder; the types must be empty. Free it with dmdv_typefinder_free. */
dmdv_typefinder_t *dmdv_typefinder_new(dmd_types_t *types, const char *folder);
void dmdv_typefinder_free(dmdv_typefinder_t *finder);

void dmdv_typefinder_add_object(dmdv_typefinder_t *finder, uint32_t id,
                                const dmd_graph_object_t *object);

/* The size of the part that the rest of a root begins with (dmd_variables_part). *name: the
 * variable's name, NULL if the part is not a variable. */
uint64_t dmdv_typefinder_part(dmdv_typefinder_t *finder, const dmd_uncut_t *rest,
                              const char **name);

/* Sets the types of all nodes for which there is evidence. The typing must use the finder's types.
 * is_quiet: not to report that debug information is missing. */
void dmdv_typefinder_run(dmdv_typefinder_t *finder, dmd_typing_t *typing, bool is_quiet);

/* Appends the name of a variable or parameter that points to this type, of the function with code
 * at an address of an object or of a function inlined there. False if no such variable is found. */
bool dmdv_typefinder_variable(dmdv_typefinder_t *finder, uint32_t object, uint64_t addr,
                              uint32_t type, dmd_strbuf_t *to);

#endif
