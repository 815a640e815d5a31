/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/typing.h"

#include "base/bitset.h"
#include "base/fnname.h"
#include "base/mem.h"
#include "base/path.h"
#include "model/graph/heapgraph.h"

const char *dmd_type_evidence_name(dmd_type_evidence_t evidence) {
  static const char *const names[DMD_N_EVIDENCES] = {"none",      "function", "pointer", "site",
                                                     "allocator", "vtable",   "variable"};
  return names[evidence];
}

static bool is_part_of(const void *owner, uint32_t id, const void *key) {
  const dmd_typing_t *typing = owner;
  const uint32_t *node = key;
  return DMD_POOL_AT(&typing->parts, const dmd_live_part_t, id)->node == *node;
}

void dmd_typing_init(dmd_typing_t *typing, dmd_heapgraph_t *graph, dmd_types_t *types) {
  *typing = (dmd_typing_t){.graph = graph, .types = types};
  size_t szB = graph->graph.n_nodes * sizeof *typing->nodes;
  typing->nodes = dmd_env_alloc(graph->env, "dmd.typing", szB);
  dmd_mem_zero(typing->nodes, szB);
  dmd_allocfns_init(&typing->allocfns, &graph->profile);
  dmd_pool_init(&typing->allocators, graph->env, "dmd.typing", sizeof(uint32_t));
  dmd_pool_init(&typing->parts, graph->env, "dmd.typing", sizeof(dmd_live_part_t));
  dmd_table_init(&typing->parts_index, graph->env, "dmd.typing", is_part_of, typing);
}

void dmd_typing_destroy(dmd_typing_t *typing) {
  dmd_table_destroy(&typing->parts_index);
  dmd_pool_destroy(&typing->parts);
  dmd_pool_destroy(&typing->allocators);
  dmd_allocfns_destroy(&typing->allocfns);
  dmd_env_free(typing->graph->env, typing->nodes);
}

/* ---- Types. ---- */

bool dmd_typing_fits(const dmd_typing_t *typing, uint32_t node, uint32_t type, uint64_t lead) {
  if (!dmd_type_has_size(typing->types, type))
    return true;
  uint64_t szB = dmd_heapgraph_requested(typing->graph, node);
  uint64_t one = dmd_type_at(typing->types, type)->szB;
  if (szB < lead)
    return false;
  szB -= lead;
  if (szB >= one && szB % one == 0)
    return true;
  uint64_t start;
  return dmd_type_is_flexible(typing->types, type, &start, NULL) && szB >= start;
}

bool dmd_typing_set(dmd_typing_t *typing, uint32_t node, uint32_t type, uint16_t lead,
                    dmd_type_evidence_t evidence) {
  dmd_typed_t *typed = &typing->nodes[node];
  if (typed->evidence >= evidence)
    return false;
  *typed = (dmd_typed_t){.type = type, .lead = lead, .evidence = (uint8_t)evidence};
  return true;
}

uint64_t dmd_typing_count(const dmd_typing_t *typing, uint32_t node) {
  const dmd_typed_t *typed = &typing->nodes[node];
  if (!dmd_type_has_size(typing->types, typed->type))
    return 0;
  if (!dmd_heapgraph_is_block(typing->graph, node))
    return 1;
  uint64_t szB = dmd_heapgraph_requested(typing->graph, node) - typed->lead;
  uint64_t one = dmd_type_at(typing->types, typed->type)->szB;
  /* A hash table of one type has other bytes after its values. */
  bool is_array = szB >= one && (szB % one == 0 || typed->evidence == DMD_EVIDENCE_ALLOCATOR);
  /* A struct with trailing elements occurs only once in a block. */
  return is_array && !dmd_type_is_flexible(typing->types, typed->type, NULL, NULL) ? szB / one : 1;
}

uint32_t dmd_typing_find(const dmd_typing_t *typing, uint32_t node, uint64_t offset,
                         dmd_strbuf_t *path) {
  const dmd_typed_t *typed = &typing->nodes[node];
  if (typed->type == DMD_NONE || offset < typed->lead)
    return DMD_NONE;
  offset -= typed->lead;
  uint64_t count = dmd_typing_count(typing, node),
           one = dmd_type_at(typing->types, typed->type)->szB;
  if (count <= 1)
    return dmd_type_find(typing->types, typed->type, offset, path);
  size_t before = 0;
  if (path != NULL) {
    before = path->n;
    dmd_strbuf_str(path, "[");
    dmd_strbuf_u64(path, offset / one);
    dmd_strbuf_str(path, "].");
  }
  size_t with_dot = path == NULL ? 0 : path->n;
  uint32_t found = dmd_type_find(typing->types, typed->type, offset % one, path);
  if (path != NULL && found == DMD_NONE)
    dmd_strbuf_cut(path, before);
  else if (path != NULL && path->n == with_dot)
    dmd_strbuf_cut(path, with_dot - 1); /* the element itself */
  return found;
}

/* ---- Places without pointers. ---- */

static dmd_live_part_t *find_part(const dmd_typing_t *typing, uint32_t node) {
  uint32_t id =
      typing->parts.last == 0
          ? DMD_NONE
          : dmd_table_find(&typing->parts_index, dmd_table_hash(&typing->parts_index, node), &node);
  return id == DMD_NONE ? NULL : DMD_POOL_AT(&typing->parts, dmd_live_part_t, id);
}

void dmd_typing_add_part(dmd_typing_t *typing, uint32_t node, uint64_t szB) {
  dmd_live_part_t *known = find_part(typing, node);
  if (known != NULL) {
    known->szB = known->szB > szB ? known->szB : szB;
    return;
  }
  uint32_t id = dmd_pool_add(&typing->parts);
  *DMD_POOL_AT(&typing->parts, dmd_live_part_t, id) = (dmd_live_part_t){.node = node, .szB = szB};
  dmd_table_add(&typing->parts_index, dmd_table_hash(&typing->parts_index, node), id);
}

/* True if a value of this type has no pointer at an offset. */
static bool has_no_pointer(dmd_types_t *types, uint32_t type, uint64_t offset) {
  uint32_t found = dmd_type_find(types, type, offset, NULL);
  if (found == DMD_NONE)
    return offset % types->pointer_szB != 0 && offset < dmd_type_at(types, type)->szB;
  dmd_type_kind_t kind = (dmd_type_kind_t)dmd_type_at(types, found)->kind;
  bool is_number = kind == DMD_TYPE_BASE || kind == DMD_TYPE_ENUM;
  return kind == DMD_TYPE_CHARACTER ||
         (is_number && dmd_type_at(types, found)->szB < types->pointer_szB);
}

bool dmd_typing_is_blank(const dmd_typing_t *typing, uint32_t node, uint32_t edge) {
  uint64_t offset = typing->graph->graph.offset[edge];
  const dmd_live_part_t *part = find_part(typing, node);
  if (part != NULL && offset >= part->szB)
    return true;
  const dmd_typed_t *typed = &typing->nodes[node];
  if (!dmd_type_has_size(typing->types, typed->type) || offset < typed->lead)
    return false;
  offset -= typed->lead;
  if (dmd_typing_count(typing, node) > 1)
    offset %= dmd_type_at(typing->types, typed->type)->szB;
  return has_no_pointer(typing->types, typed->type, offset);
}

bool dmd_typing_doubts(const dmd_typing_t *typing, uint32_t node, uint32_t edge) {
  if (node == DMD_GRAPH_ALL)
    return false;
  if (dmd_typing_is_blank(typing, node, edge))
    return true;
  if (dmd_heapgraph_interior(typing->graph, edge) == NULL)
    return false;
  uint32_t found = dmd_typing_find(typing, node, typing->graph->graph.offset[edge], NULL);
  return !dmd_type_is(typing->types, found, DMD_TYPE_POINTER);
}

/* ---- Functions. ---- */

uint32_t dmd_typing_allocator(dmd_typing_t *typing, uint32_t node) {
  if (!dmd_heapgraph_is_block(typing->graph, node))
    return DMD_NONE;
  uint32_t stack =
      dmd_heapgraph_profile_stack(typing->graph, dmd_heapgraph_block(typing->graph, node)->stack);
  if (stack == DMD_NONE)
    return DMD_NONE;
  dmd_pool_reach(&typing->allocators, stack);
  uint32_t *frame = DMD_POOL_AT(&typing->allocators, uint32_t, stack);
  if (*frame == DMD_NONE) {
    size_t n;
    const uint32_t *frames = dmd_profile_frames(&typing->graph->profile, stack, &n);
    if (n > 0)
      *frame = frames[dmd_first_own_frame(&typing->allocfns, frames, n)];
  }
  return *frame;
}

dmd_type_evidence_t dmd_typing_evidence(dmd_typing_t *typing, uint32_t node) {
  dmd_type_evidence_t evidence = (dmd_type_evidence_t)typing->nodes[node].evidence;
  if (evidence == DMD_EVIDENCE_NONE && dmd_typing_allocator(typing, node) != DMD_NONE)
    return DMD_EVIDENCE_FUNCTION;
  return evidence;
}

/* ---- Names. ---- */

static void append_frame(const dmd_typing_t *typing, uint32_t frame, dmd_strbuf_t *to) {
  dmd_location_t at = dmd_frames_location(&typing->graph->profile.frames, frame);
  if (at.function != NULL) {
    dmd_fnname_short(to, at.function, dmd_str_length(at.function));
  } else if (at.object != NULL) {
    dmd_strbuf_str(to, dmd_path_base(at.object));
  } else
    dmd_strbuf_str(to, "an unknown place");
}

static void append_from(dmd_typing_t *typing, uint32_t node, dmd_strbuf_t *to) {
  uint32_t frame = dmd_typing_allocator(typing, node);
  dmd_strbuf_str(to, "from ");
  if (frame == DMD_NONE)
    dmd_strbuf_str(to, "an unknown place");
  else
    append_frame(typing, frame, to);
}

void dmd_typing_name(dmd_typing_t *typing, uint32_t node, dmd_strbuf_t *to) {
  uint32_t type = dmd_typing_type(typing, node);
  bool is_block = dmd_heapgraph_is_block(typing->graph, node);
  if (type == DMD_NONE && is_block)
    append_from(typing, node, to);
  else if (type == DMD_NONE)
    dmd_root_name(typing->graph, node, to);
  else {
    bool is_bytes = dmd_type_is(typing->types, type, DMD_TYPE_CHARACTER) && is_block;
    dmd_type_name(typing->types, type, to);
    if (dmd_typing_count(typing, node) > 1 || is_bytes)
      dmd_strbuf_str(to, "[]");
    if (is_bytes) {
      dmd_strbuf_str(to, " ");
      append_from(typing, node, to);
    }
    if (dmd_typed_is_part(&typing->nodes[node])) {
      dmd_strbuf_str(to, " at +0x");
      dmd_strbuf_hex(to, typing->nodes[node].lead);
    }
  }
}

/* ---- Types from types. ---- */

/* Quality of a type for a block, finer than dmd_tells_t: a type of only a part of it, such as what
 * follows a header, is better than bytes and numbers. */
enum { RANK_BYTES = 2 * DMD_TELLS_BYTES, RANK_PART = 2 * DMD_TELLS_NUMBERS + 1, RANK_TYPE };

/* Pointers according to which a block contains values of this type. */
typedef struct {
  uint32_t node, type, n_votes;
  uint16_t lead;
  uint8_t rank;
} vote_t;

typedef struct {
  dmd_typing_t *typing;
  const dmd_env_t *env;
  dmd_pool_t votes;     /* of the current round */
  dmd_table_t index;    /* index of the votes */
  uint32_t *best;       /* by node: a vote; DMD_NONE: none in this round */
  dmd_bitset_t mixed;   /* node set: parts of one type occur several times */
  dmd_bitset_t pools;   /* node set: structs with trailing elements occur several times */
  dmd_pool_t now, next; /* uint32_t: nodes typed in the previous round, and in this one */
} propagation_t;

static vote_t *vote_at(const propagation_t *p, uint32_t id) {
  return DMD_POOL_AT(&p->votes, vote_t, id);
}

static bool is_same_vote(const void *owner, uint32_t id, const void *key) {
  const vote_t *a = vote_at(owner, id), *b = key;
  return a->node == b->node && a->type == b->type && a->lead == b->lead;
}

/* ---- Votes. ---- */

static int rank_of(const propagation_t *p, uint32_t type) {
  return 2 * (int)dmd_type_tells(p->typing->types, type);
}

/* True if a type of this rank improves on the block's current one. */
static bool is_news(const propagation_t *p, uint32_t node, int rank) {
  const dmd_typed_t *typed = &p->typing->nodes[node];
  int known = dmd_typed_is_part(typed) ? RANK_PART : rank_of(p, typed->type);
  if (typed->evidence > DMD_EVIDENCE_POINTER)
    return typed->evidence == DMD_EVIDENCE_SITE && known == RANK_BYTES && rank == RANK_TYPE;
  return rank > known;
}

static void cast(propagation_t *p, uint32_t node, uint32_t type, uint16_t lead, int rank) {
  vote_t vote = {.node = node, .type = type, .n_votes = 1, .lead = lead, .rank = (uint8_t)rank};
  if (rank == 0 || !is_news(p, node, rank))
    return;
  uint64_t hash = dmd_table_hash(&p->index, (uint64_t)node << 32 | type);
  hash = dmd_hash_u64(hash ^ lead);
  uint32_t id = dmd_table_find(&p->index, hash, &vote);
  if (id != DMD_NONE) {
    vote_at(p, id)->n_votes++;
    return;
  }
  id = dmd_pool_add(&p->votes);
  *vote_at(p, id) = vote;
  dmd_table_add(&p->index, hash, id);
}

/* Votes for a pointer to a struct within a block that as a whole is something else. If the block
 * contains several such structs, as a pool does, they do not characterise it. */
static void cast_part(propagation_t *p, uint32_t node, uint32_t type, uint64_t into) {
  const dmd_types_t *types = p->typing->types;
  dmd_typed_t *typed = &p->typing->nodes[node];
  uint64_t szB = dmd_heapgraph_requested(p->typing->graph, node);
  bool is_struct =
      dmd_type_is(types, type, DMD_TYPE_STRUCT) || dmd_type_is(types, type, DMD_TYPE_UNION);
  if (!is_struct || dmd_bitset_has(&p->mixed, node) || into <= DMD_TYPING_MAX_LEAD ||
      into > UINT16_MAX || szB < into || szB - into < dmd_type_at(types, type)->szB)
    return;
  if (dmd_typed_is_part(typed) && typed->type == type && typed->lead != into) {
    dmd_bitset_add(&p->mixed, node);
    *typed = (dmd_typed_t){.type = DMD_NONE};
  } else
    cast(p, node, type, (uint16_t)into, RANK_PART);
}

/* Computes the number of bytes before the first value, given an interior pointer. False if it says
 * nothing about the rest of the block. */
static bool find_lead(const propagation_t *p, uint32_t type, const dmd_graph_interior_t *interior,
                      uint16_t *lead) {
  *lead = 0;
  if (interior == NULL || dmd_type_is(p->typing->types, type, DMD_TYPE_CHARACTER))
    return true;
  if (interior->heuristic == DMD_HEURISTIC_NEW_ARRAY) {
    *lead = (uint16_t)interior->into;
    return interior->into <= UINT16_MAX;
  }
  return interior->into % dmd_type_at(p->typing->types, type)->szB == 0;
}

/* True for a struct with trailing elements if a block is not an array of it: it is there once. */
static bool is_single(const propagation_t *p, uint32_t node, uint32_t type) {
  uint64_t szB = dmd_heapgraph_requested(p->typing->graph, node);
  return dmd_type_is_flexible(p->typing->types, type, NULL, NULL) &&
         szB % dmd_type_at(p->typing->types, type)->szB != 0;
}

/* A pointer to such a struct behind the block's start: there are several, as in a pool. It has no
 * type then, not even that of the bytes which it was allocated as: pointers in it are pointers. */
static void note_pool(propagation_t *p, uint32_t node, uint32_t type) {
  dmd_typed_t *typed = &p->typing->nodes[node];
  dmd_bitset_add(&p->pools, node);
  bool is_this = typed->evidence == DMD_EVIDENCE_POINTER && typed->type == type;
  if (is_this || rank_of(p, typed->type) == RANK_BYTES)
    *typed = (dmd_typed_t){.type = DMD_NONE};
}

static void look_at_edge(propagation_t *p, uint32_t node, uint32_t edge) {
  const dmd_heapgraph_t *graph = p->typing->graph;
  const dmd_types_t *types = p->typing->types;
  uint32_t target = graph->graph.target[edge];
  uint32_t found = dmd_typing_find(p->typing, node, graph->graph.offset[edge], NULL);
  if (!dmd_heapgraph_is_block(graph, target) || !dmd_type_is(types, found, DMD_TYPE_POINTER))
    return;
  uint32_t type = dmd_type_at(types, found)->target;
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(graph, edge);
  uint16_t lead;
  if (!dmd_type_has_size(types, type))
    return;
  if (interior != NULL && interior->heuristic == DMD_HEURISTIC_NONE && interior->into > 0 &&
      is_single(p, target, type))
    note_pool(p, target, type);
  else if (find_lead(p, type, interior, &lead) && dmd_typing_fits(p->typing, target, type, lead))
    cast(p, target, type, lead, rank_of(p, type));
  else if (interior != NULL)
    cast_part(p, target, type, interior->into);
}

static void look_at_node(propagation_t *p, uint32_t node) {
  const dmd_graph_t *graph = &p->typing->graph->graph;
  /* Bytes and numbers contain no typed pointers. */
  uint32_t type = dmd_typing_type(p->typing, node);
  if (dmd_type_tells(p->typing->types, type) != DMD_TELLS_TYPE)
    return;
  for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++)
    look_at_edge(p, node, edge);
}

/* ---- Rounds. ---- */

/* True if values of one type begin with one of the other: a pointer to the first member and one to
 * the whole have the same target. */
static bool begins_with(const propagation_t *p, uint32_t type, uint32_t first) {
  return type != first && dmd_type_find(p->typing->types, type, 0, NULL) == first;
}

static bool is_better(const propagation_t *p, const vote_t *a, const vote_t *b) {
  if (a->rank != b->rank)
    return a->rank > b->rank;
  if (begins_with(p, a->type, b->type) || begins_with(p, b->type, a->type))
    return begins_with(p, a->type, b->type);
  return a->n_votes > b->n_votes;
}

/* Finds blocks that contain several parts of one type. */
static void find_mixed(propagation_t *p) {
  for (uint32_t id = 1; id <= p->votes.last; id++) {
    const vote_t *vote = vote_at(p, id), *best = vote_at(p, p->best[vote->node]);
    if (vote != best && vote->rank == RANK_PART && best->rank == RANK_PART &&
        vote->type == best->type)
      dmd_bitset_add(&p->mixed, vote->node);
  }
}

/* Assigns the winning type to each block. */
static void settle(propagation_t *p) {
  for (uint32_t id = 1; id <= p->votes.last; id++) {
    uint32_t *best = &p->best[vote_at(p, id)->node];
    if (*best == DMD_NONE || is_better(p, vote_at(p, id), vote_at(p, *best)))
      *best = id;
  }
  find_mixed(p);
  for (uint32_t id = 1; id <= p->votes.last; id++) {
    const vote_t *vote = vote_at(p, id);
    if (p->best[vote->node] != id)
      continue;
    p->best[vote->node] = DMD_NONE;
    if (vote->rank == RANK_PART && dmd_bitset_has(&p->mixed, vote->node))
      continue;
    if (dmd_bitset_has(&p->pools, vote->node) &&
        (vote->rank == RANK_BYTES || is_single(p, vote->node, vote->type)))
      continue;
    p->typing->nodes[vote->node] =
        (dmd_typed_t){.type = vote->type, .lead = vote->lead, .evidence = DMD_EVIDENCE_POINTER};
    *(uint32_t *)dmd_pool_at(&p->next, dmd_pool_add(&p->next)) = vote->node;
  }
}

static void clear(propagation_t *p, dmd_pool_t *pool, size_t element_szB) {
  dmd_pool_destroy(pool);
  dmd_pool_init(pool, p->env, "dmd.propagate", element_szB);
}

static void start_round(propagation_t *p) {
  dmd_pool_t done = p->now;
  p->now = p->next;
  p->next = done;
  clear(p, &p->next, sizeof(uint32_t));
  clear(p, &p->votes, sizeof(vote_t));
  dmd_table_clear(&p->index);
}

void dmd_typing_propagate(dmd_typing_t *typing) {
  const dmd_env_t *env = typing->graph->env;
  uint32_t n_nodes = typing->graph->graph.n_nodes;
  propagation_t p = {.typing = typing, .env = env};
  p.best = dmd_env_alloc(env, "dmd.propagate", n_nodes * sizeof *p.best);
  dmd_mem_zero(p.best, n_nodes * sizeof *p.best);
  dmd_bitset_init(&p.mixed, env, "dmd.propagate", n_nodes);
  dmd_bitset_init(&p.pools, env, "dmd.propagate", n_nodes);
  dmd_pool_init(&p.votes, env, "dmd.propagate", sizeof(vote_t));
  dmd_pool_init(&p.now, env, "dmd.propagate", sizeof(uint32_t));
  dmd_pool_init(&p.next, env, "dmd.propagate", sizeof(uint32_t));
  dmd_table_init(&p.index, env, "dmd.propagate", is_same_vote, &p);
  for (uint32_t node = 0; node < n_nodes; node++)
    look_at_node(&p, node);
  settle(&p);
  while (p.next.last > 0) {
    start_round(&p);
    for (uint32_t i = 1; i <= p.now.last; i++)
      look_at_node(&p, *DMD_POOL_AT(&p.now, uint32_t, i));
    settle(&p);
  }
  dmd_table_destroy(&p.index);
  dmd_pool_destroy(&p.next);
  dmd_pool_destroy(&p.now);
  dmd_pool_destroy(&p.votes);
  dmd_bitset_destroy(&p.pools);
  dmd_bitset_destroy(&p.mixed);
  dmd_env_free(env, p.best);
}
