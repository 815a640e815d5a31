/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/propagate.h"

#include "base/bitset.h"

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
  if (find_lead(p, type, interior, &lead) && dmd_typing_fits(p->typing, target, type, lead))
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
  dmd_bitset_destroy(&p.mixed);
  dmd_env_free(env, p.best);
}
