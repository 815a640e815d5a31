/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typing.h: the type of each node of a heap graph, and the evidence for it.
 *
 * A block contains one value of its type or several in a row, the last of which may be a struct
 * with trailing elements. A few other bytes may come first (`lead`), such as the number of elements
 * that C++ stores before an array. With a longer lead only the part behind it is known, such as a
 * descriptor at the end of a block that begins with a page of a file. A root that is a variable
 * contains one value.
 *
 * Types are set with dmd_typing_set; the best evidence wins, and among equal evidence the first.
 * Without evidence a block is known by the function that allocated it (analyse/records/allocfns.h),
 * which is looked up when its name is needed.
 *
 * Memory: 8 bytes a node, and the types. Queries cache their results.
 */
#ifndef DMD_ANALYSE_GRAPH_TYPING_H
#define DMD_ANALYSE_GRAPH_TYPING_H

#include "analyse/records/allocfns.h"
#include "model/graph/heapgraph.h"
#include "model/graph/types.h"

/* Better evidence has a larger number. */
typedef enum {
  DMD_EVIDENCE_NONE,
  DMD_EVIDENCE_FUNCTION,  /* the allocating function; no type is known */
  DMD_EVIDENCE_POINTER,   /* a typed pointer leads to it */
  DMD_EVIDENCE_SITE,      /* the variable that its address was assigned to where it was allocated */
  DMD_EVIDENCE_ALLOCATOR, /* an allocator specific to one type */
  DMD_EVIDENCE_VTABLE,    /* its first word is the address of a class's virtual function table */
  DMD_EVIDENCE_VARIABLE,  /* for roots: the declaration */
  DMD_N_EVIDENCES
} dmd_type_evidence_t;

/* The word in JSON and text, such as "site". */
const char *dmd_type_evidence_name(dmd_type_evidence_t evidence);

typedef struct dmd_typed {
  uint32_t type; /* DMD_NONE: unknown */
  uint16_t lead; /* bytes before the first element */
  uint8_t evidence;
  uint8_t padding;
} dmd_typed_t;

_Static_assert(sizeof(dmd_typed_t) == 8, "what a node's type costs");

/* Maximum of what C++ stores before an array. */
enum { DMD_TYPING_MAX_LEAD = 16 };

/* True if only a part of the block is known, from the lead on. */
static inline bool dmd_typed_is_part(const dmd_typed_t *typed) {
  return typed->lead > DMD_TYPING_MAX_LEAD;
}

typedef struct dmd_typing {
  dmd_heapgraph_t *graph; /* analyses take edges out of it for a while (edgemask.h) */
  dmd_types_t *types;
  dmd_typed_t *nodes;
  dmd_allocfns_t allocfns;
  dmd_pool_t allocators; /* by the profile's stack: uint32_t, the frame that allocated; 0: not
                            looked up yet */
  dmd_pool_t parts;      /* dmd_live_part_t */
  dmd_table_t parts_index;
} dmd_typing_t;

/* A block of which only the beginning is in use (stale.h). */
typedef struct dmd_live_part {
  uint32_t node;
  uint64_t szB;
} dmd_live_part_t;

/* Initially all types are unknown. Graph and types must outlive the typing, which must not move. */
void dmd_typing_init(dmd_typing_t *typing, dmd_heapgraph_t *graph, dmd_types_t *types);
void dmd_typing_destroy(dmd_typing_t *typing);

/* True if a block may contain values of this type behind this many bytes: they fill its requested
 * bytes, or it is one value with trailing elements. Always true for a type without a size. */
bool dmd_typing_fits(const dmd_typing_t *typing, uint32_t node, uint32_t type, uint64_t lead);

/* Sets a node's type. Returns false, and does nothing, if there already is evidence at least as
 * good. */
bool dmd_typing_set(dmd_typing_t *typing, uint32_t node, uint32_t type, uint16_t lead,
                    dmd_type_evidence_t evidence);

/* The frame that allocated a block, cached by the profile's stack; DMD_NONE: unknown. */
uint32_t dmd_typing_allocator(dmd_typing_t *typing, uint32_t node);

/* DMD_EVIDENCE_FUNCTION for a block without better evidence if the allocating function is known. */
dmd_type_evidence_t dmd_typing_evidence(dmd_typing_t *typing, uint32_t node);

/* DMD_NONE: unknown. */
static inline uint32_t dmd_typing_type(const dmd_typing_t *typing, uint32_t node) {
  return typing->nodes[node].type;
}

/* Number of values of its type in a node; 0 if unknown. */
uint64_t dmd_typing_count(const dmd_typing_t *typing, uint32_t node);

/* Appends the readable name of a node: "dictEntry", "posting[]" for several values, and, if it is
 * untyped or bytes, with the allocating function: "char[] from lpNew", "from lpNew". For a root
 * without a type: its location ("stack of thread 1"). All nodes of one kind have the same name. */
void dmd_typing_name(dmd_typing_t *typing, uint32_t node, dmd_strbuf_t *to);

/* The type of the member or element at an offset; DMD_NONE: unknown. Appends its path to `path`,
 * unless that is NULL (dmd_type_find), preceded by the element if a node contains several:
 * "[17].key". */
uint32_t dmd_typing_find(const dmd_typing_t *typing, uint32_t node, uint64_t offset,
                         dmd_strbuf_t *path);

/* Notes that pointers may be only in this many bytes at a block's start; of several numbers for one
 * block the largest counts. */
void dmd_typing_add_part(dmd_typing_t *typing, uint32_t node, uint64_t szB);

/* True if no pointer can be where this edge begins, in a node other than DMD_GRAPH_ALL: it is a
 * character, or a number smaller than a pointer, or not aligned as anything of the type; or it is
 * behind the part of the block that is in use. The word there is left from earlier. False if that
 * is unknown. */
bool dmd_typing_is_blank(const dmd_typing_t *typing, uint32_t node, uint32_t edge);

/* True if this edge is doubtful, i.e. may not be a pointer: it begins where no pointer can be; or
 * the type of its node has no pointer there, and it leads into the middle of its target. If no
 * types are known, interior pointers with a heuristic (dmd_heuristic_t) are doubtful, too. */
bool dmd_typing_doubts(const dmd_typing_t *typing, uint32_t node, uint32_t edge);

/* ---- Types from types. ----
 *
 * Type propagation: the target of a typed pointer has the type that it points to.
 *
 * It proceeds in rounds from typed nodes to the blocks they point to, until a round finds nothing.
 * In each round every pointer votes; the more informative type wins, and among equal ones the one
 * with most votes. Better evidence is kept, unless it only says that a block contains bytes. In
 * later rounds a type is only replaced by a more informative one, so each block is assigned at most
 * three types, and the process ends.
 *
 * Memory while it runs: 4 bytes a node, and 32 for each candidate type of a block in a round. */

void dmd_typing_propagate(dmd_typing_t *typing);

#endif
