/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * findings.h: findings of waste, and what adds blocks to them.
 *
 * waste.h says what the kinds are, and how they are counted. What finds one kind calls
 * dmd_waste_add for each block.
 */
#ifndef DMD_ANALYSE_WASTE_FINDINGS_H
#define DMD_ANALYSE_WASTE_FINDINGS_H

#include "analyse/graph/nodekeys.h"
#include "analyse/records/record.h"
#include "model/graph/nesting.h"
#include "model/profile/allocator.h"

/* If two save the same bytes of a block, the first counts them. */
typedef enum {
  DMD_WASTE_LOST,
  DMD_WASTE_CONSTANT,
  DMD_WASTE_DUPLICATE,
  DMD_WASTE_CONTAINER,
  DMD_WASTE_UNTOUCHED,
  DMD_WASTE_PADDING,
  DMD_WASTE_SMALL,
  DMD_WASTE_SLOP,
  DMD_WASTE_PINNED,
  DMD_N_WASTE_KINDS
} dmd_waste_kind_t;

/* The words, in order, in the form of option tables. */
#define DMD_WASTE_KIND_WORDS "lost|constant|duplicate|container|untouched|padding|small|slop|pinned"

#define DMD_WASTE_KIND_LIST                                                                        \
  "lost, constant, duplicate, container, untouched, padding, small, slop, pinned"

const char *dmd_waste_kind_name(dmd_waste_kind_t kind);

/* True if a graph shows this kind only if contents were compared. kind: its word, or NULL. */
bool dmd_waste_needs_contents(const char *kind);

/* Smaller findings are not worth a look, unless somebody asks for them. */
enum { DMD_WASTE_LEAST_SZB = 4096 };

enum { DMD_WASTE_SMALL_SZB = 32 };

/* Which part of a container's memory is in use. */
typedef enum {
  DMD_WASTE_VECTOR, /* from the first of two pointers up to the second */
  DMD_WASTE_DEQUE,  /* from the second up to the first */
  DMD_WASTE_HASH,   /* as many words as the list has elements that the second pointer leads to */
  DMD_WASTE_TEXT,   /* as many characters as a number says */
  DMD_WASTE_ARRAY   /* as many elements as a number says */
} dmd_waste_form_t;

/* One size of the blocks of a finding. For slop: the requested size; for containers: the part in
 * use. */
typedef struct dmd_waste_size {
  uint32_t finding;
  uint64_t szB;
  uint64_t usable;        /* of slop: of the blocks */
  uint64_t blocks, bytes; /* bytes: that would be saved */
} dmd_waste_size_t;

typedef struct dmd_waste_finding {
  uint32_t kind;        /* a dmd_waste_kind_t */
  uint32_t name;        /* of the blocks, an id of kinds; of lost blocks that of their leaders */
  uint32_t stack;       /* a cut stack, likewise; DMD_NONE: not recorded */
  uint32_t type;        /* of padding: the struct; else DMD_NONE */
  uint32_t example;     /* the node that saves most; of lost blocks a leader */
  uint32_t holder, way; /* of containers: what the example's container is in, an id of kinds, and
                           the member of it; DMD_NONE: unknown */
  uint64_t blocks, bytes;
  uint64_t counted;           /* of bytes: what the total counts */
  uint64_t example_szB;       /* what the example saves */
  uint64_t requested, usable; /* of all its blocks; without header */
  uint64_t values;        /* of padding: how many; of lost: definitely lost blocks; of duplicates:
                             different contents; of containers: a dmd_waste_form_t; of pinned: bytes
                             of pages on which there are no other blocks */
  uint64_t resident;      /* of constant and untouched blocks, if pages are known: how many of the
                             bytes are in memory */
  uint64_t used;          /* of containers and untouched blocks: bytes in use */
  dmd_waste_size_t usual; /* of slop: the size with most slop. blocks is 0 for other kinds */
  uint64_t lower;  /* of slop: the nearest size below that wastes nothing; 0: none, or unknown */
  uint64_t enough; /* likewise: what 95% of the blocks need */
  uint64_t only;   /* of pinned: blocks that are in no other finding */
} dmd_waste_finding_t;

typedef struct dmd_waste_options {
  unsigned kinds;     /* bits 1 << dmd_waste_kind_t */
  uint64_t least_szB; /* smaller findings are left out, and not counted in the total */
  const bool *picks;  /* by node, which blocks count; NULL: all */
} dmd_waste_options_t;

/* What resident pages consist of; their sum is `resident`. */
typedef struct dmd_pagebytes {
  uint64_t resident;
  uint64_t live, slop, free; /* of pages with blocks; slop: also what is in front of blocks */
  uint64_t empty;            /* pages between blocks on which there are none */
} dmd_pagebytes_t;

typedef struct dmd_waste {
  dmd_nodekeys_t *keys;
  const dmd_heapgraph_t *graph;
  const dmd_records_t *records;
  const dmd_waste_options_t *options;
  bool has_model; /* of the program's allocator: */
  dmd_allocator_t allocator;
  uint64_t word_szB;
  dmd_nesting_sizes_t sizes;
  dmd_pool_t paddings; /* by type: computed on demand */
  dmd_pool_t findings; /* dmd_waste_finding_t */
  dmd_pool_t by_size;  /* dmd_waste_size_t */
  dmd_table_t index, sizes_index;
  uint64_t *best;    /* by block place: most bytes that a finding saves, */
  uint32_t *best_of; /* and the finding */
  uint32_t *order;   /* n findings, largest saving first */
  uint32_t n;
  uint32_t n_less;                /* findings below the least size */
  uint64_t bytes, blocks;         /* the total: each block once */
  uint64_t of[DMD_N_WASTE_KINDS]; /* what each kind counts of it */
  uint64_t heap_szB;
  dmd_pagebytes_t pages; /* all 0 if unknown */
} dmd_waste_t;

static inline dmd_waste_size_t *dmd_waste_size(const dmd_waste_t *waste, uint32_t id) {
  return DMD_POOL_AT(&waste->by_size, dmd_waste_size_t, id);
}

/* What the allocator's model gives for a request. */
static inline uint64_t dmd_waste_usable(const dmd_waste_t *waste, uint64_t requested) {
  return dmd_allocator_usable(waste->allocator, waste->word_szB, requested, 1);
}

/* The heap, with what pinned pages have free: the total is a part of it. */
static inline uint64_t dmd_waste_whole(const dmd_waste_t *waste) {
  return waste->heap_szB + waste->of[DMD_WASTE_PINNED];
}

/* True if both blocks are of one finding if they are of one kind. */
bool dmd_waste_are_alike(const dmd_waste_t *waste, uint32_t a, uint32_t b);

/* What the block of a node would give back if it requested this many bytes less; not more than it
 * has without the blocks in it. */
uint64_t dmd_waste_saved(const dmd_waste_t *waste, uint32_t node, uint64_t less_szB);

/* True if the block comes from the program's allocator. */
bool dmd_waste_is_allocated(const dmd_waste_t *waste, uint32_t node);

static inline dmd_waste_finding_t *dmd_waste_finding(const dmd_waste_t *waste, uint32_t id) {
  return DMD_POOL_AT(&waste->findings, dmd_waste_finding_t, id);
}

/* Adds a saving of a block to a finding with the name and stack of `of`, a block: usually itself.
 * Returns the finding's id; DMD_NONE if the block or kind is not wanted, or bytes is 0. */
uint32_t dmd_waste_add(dmd_waste_t *waste, dmd_waste_kind_t kind, uint32_t node, uint32_t of,
                       uint32_t type, uint64_t bytes);

/* Counts one of the finding's blocks by size. */
void dmd_waste_add_size(dmd_waste_t *waste, uint32_t finding, uint64_t szB, uint64_t usable,
                        uint64_t bytes);

/* The pools and tables, empty. */
void dmd_waste_findings_init(dmd_waste_t *waste, dmd_nodekeys_t *keys, const dmd_records_t *records,
                             const dmd_waste_options_t *options);
void dmd_waste_findings_destroy(dmd_waste_t *waste);

#endif
