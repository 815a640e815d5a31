/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typing.h: of which type each node of a heap graph is, and what that rests on.
 *
 * A block holds one value of its type or several in a row, the last of which may be a struct with
 * trailing elements. In front there may be a few bytes of something else: `lead`, as the number of
 * elements that C++ keeps before an array. Behind a longer lead is all that is known of a block: of
 * one that begins with a page of a file, say, the structure that describes it at its end. A root
 * that is a variable holds one value.
 *
 * Whoever has evidence says so with dmd_typing_set; the best evidence wins, of equal evidence the
 * first. Where there is none, a block is known by the function that allocated it
 * (analysis/allocfns.h), which is looked up when somebody asks for its name.
 *
 * Memory: 8 bytes a node, and the types.
 *
 * Concurrency: nothing locks. Questions may remember what they found out.
 */
#ifndef DMD_GRAPH_TYPING_H
#define DMD_GRAPH_TYPING_H

#include "analysis/allocfns.h"
#include "graph/heapgraph.h"
#include "graph/types.h"

/* Better evidence has a larger number. */
typedef enum {
  DMD_EVIDENCE_NONE,
  DMD_EVIDENCE_FUNCTION,  /* who allocated; no type is known */
  DMD_EVIDENCE_POINTER,   /* a typed pointer leads to it */
  DMD_EVIDENCE_SITE,      /* the variable that its address was put into where it was allocated */
  DMD_EVIDENCE_ALLOCATOR, /* an allocator that is made for one type */
  DMD_EVIDENCE_VTABLE,    /* its first word is the address of a class's virtual table */
  DMD_EVIDENCE_VARIABLE,  /* of roots: its declaration */
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

/* What C++ keeps before an array takes no more. */
enum { DMD_TYPING_MAX_LEAD = 16 };

/* Whether only a part of the block is known, from the lead on. */
static inline bool dmd_typed_is_part(const dmd_typed_t *typed) {
  return typed->lead > DMD_TYPING_MAX_LEAD;
}

typedef struct dmd_typing {
  const dmd_heapgraph_t *graph;
  dmd_types_t *types;
  dmd_typed_t *nodes;
  dmd_allocfns_t allocfns;
  dmd_pool_t allocators; /* by the profile's stack: uint32_t, the frame that allocated; 0: not yet
                            looked for */
} dmd_typing_t;

/* Nothing is known at first. Graph and types must outlive the typing, which must stay where it is.
 */
void dmd_typing_init(dmd_typing_t *typing, const dmd_heapgraph_t *graph, dmd_types_t *types);
void dmd_typing_destroy(dmd_typing_t *typing);

/* Whether a block may hold values of this type behind so many bytes: they fill its requested bytes,
 * or it is one with trailing elements. Always true of a type without a size. */
bool dmd_typing_fits(const dmd_typing_t *typing, uint32_t node, uint32_t type, uint64_t lead);

/* Says of a node that it holds values of this type. Ignored where as good or better evidence was
 * given. Returns whether it was not. */
bool dmd_typing_set(dmd_typing_t *typing, uint32_t node, uint32_t type, uint16_t lead,
                    dmd_type_evidence_t evidence);

/* DMD_EVIDENCE_FUNCTION for a block of which nothing better is known, if somebody is known to have
 * allocated it. */
dmd_type_evidence_t dmd_typing_evidence(dmd_typing_t *typing, uint32_t node);

/* DMD_NONE: unknown. */
static inline uint32_t dmd_typing_type(const dmd_typing_t *typing, uint32_t node) {
  return typing->nodes[node].type;
}

/* How many values of its type a node holds; 0 where that is not known. */
uint64_t dmd_typing_count(const dmd_typing_t *typing, uint32_t node);

/* Appends what people know a node by: "dictEntry", "posting[]" of more than one, and where bytes
 * are all that is known also who allocated them: "char[] from lpNew", "from lpNew". Of a root
 * without a type: where it is ("stack of thread 1"). The same text for all nodes of one kind. */
void dmd_typing_name(dmd_typing_t *typing, uint32_t node, dmd_strbuf_t *to);

/* The type of the member or element where an edge starts; DMD_NONE: unknown. Appends to path,
 * unless it is NULL, how that is written (dmd_type_find), with the element before it where a node
 * holds several: "[17].key". */
uint32_t dmd_typing_find(const dmd_typing_t *typing, uint32_t node, uint64_t offset,
                         dmd_strbuf_t *path);

/* Whether this edge may be no pointer: it does not start where the type of its node has one, and
 * leads into the middle of its target. Where nothing is typed, a pointer to the text of a string
 * and the like (dmd_heuristic_t) is doubtful as well. */
bool dmd_typing_doubts(const dmd_typing_t *typing, uint32_t node, uint32_t edge);

#endif
