/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/claims/claimsetparts.h"

#include "base/fnname.h"
#include "base/str.h"

enum { MAX_PARTS = 64 }; /* the blocks of further ones are parts of the whole alone */

typedef struct {
  uint32_t kind, caller; /* a frame of the profile; DMD_NONE: unknown, or of no interest */
} part_key_t;

typedef struct {
  uint32_t n_parts;
  dmd_claim_part_t parts[MAX_PARTS]; /* the whole first */
  part_key_t keys[MAX_PARTS];
} set_t;

/* A set while the blocks are walked. */
typedef struct {
  dmd_claimsetparts_t *sets;
  set_t *set;
  const char *glob;    /* NULL: a tag */
  uint32_t tag;        /* of the profile */
  dmd_pool_t verdicts; /* by stack of the profile: verdict_t */
} walk_t;

typedef struct {
  enum { UNKNOWN, MATCHES, DIFFERS } is;
  uint32_t caller; /* of the matching functions: a frame */
} verdict_t;

void dmd_claimsetparts_init(dmd_claimsetparts_t *sets, dmd_claimcases_t *cases,
                            const dmd_heapgraph_t *graph, dmd_kinds_t *kinds) {
  *sets = (dmd_claimsetparts_t){.cases = cases, .graph = graph, .kinds = kinds};
  dmd_pool_init(&sets->sets, cases->env, "dmd.claimsetparts", sizeof(set_t *));
}

void dmd_claimsetparts_destroy(dmd_claimsetparts_t *sets) {
  for (uint32_t i = 1; i <= sets->sets.last; i++)
    dmd_env_free(sets->cases->env, *DMD_POOL_AT(&sets->sets, set_t *, i));
  dmd_pool_destroy(&sets->sets);
}

/* ---- Which blocks are of the set. ---- */

static bool frame_matches(const walk_t *w, uint32_t frame) {
  const char *name = dmd_frames_location(&w->sets->graph->profile.frames, frame).function;
  return name != NULL && dmd_fnname_matches(w->glob, name);
}

static verdict_t verdict_on(walk_t *w, uint32_t stack) {
  dmd_pool_reach(&w->verdicts, stack);
  verdict_t *verdict = DMD_POOL_AT(&w->verdicts, verdict_t, stack);
  if (verdict->is != UNKNOWN)
    return *verdict;
  size_t n, i = 0;
  const uint32_t *frames = dmd_profile_frames(&w->sets->graph->profile, stack, &n);
  while (i < n && !frame_matches(w, frames[i]))
    i++;
  verdict->is = i < n ? MATCHES : DIFFERS;
  while (i < n && frame_matches(w, frames[i]))
    i++;
  verdict->caller = i < n ? frames[i] : DMD_NONE;
  return *verdict;
}

/* Whether the block is of the set; *caller: who asked the matching functions for it. */
static bool is_of_set(walk_t *w, uint32_t node, uint32_t *caller) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(w->sets->graph, node);
  *caller = dmd_typing_allocator(w->sets->kinds->typing, node);
  if (w->glob == NULL)
    return w->tag != DMD_NONE && block->tag == w->tag;
  uint32_t stack = dmd_heapgraph_profile_stack(w->sets->graph, block->stack);
  if (stack == DMD_NONE)
    return false;
  verdict_t verdict = verdict_on(w, stack);
  if (verdict.caller != DMD_NONE)
    *caller = verdict.caller;
  return verdict.is == MATCHES;
}

/* ---- Parts. ---- */

/* "node", or "from the function" for a block without a type. */
static uint32_t name_part(const walk_t *w, uint32_t kind, uint32_t caller) {
  static const char from[] = "from ";
  const char *name = dmd_kinds_name(w->sets->kinds, kind);
  const dmd_frames_t *frames = &w->sets->graph->profile.frames;
  const char *function = caller == DMD_NONE ? NULL : dmd_frames_location(frames, caller).function;
  if (function == NULL || !dmd_str_begins(name, from))
    return dmd_intern_str(&w->sets->cases->names, name);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, w->sets->cases->env);
  dmd_strbuf_str(&text, from);
  dmd_fnname_short(&text, function, dmd_str_length(function));
  uint32_t id = dmd_intern_str(&w->sets->cases->names, text.text);
  dmd_strbuf_destroy(&text);
  return id;
}

/* Several callers in one function are one part, since their names are equal. */
static dmd_claim_part_t *part_for(const walk_t *w, uint32_t kind, uint32_t caller) {
  set_t *set = w->set;
  for (uint32_t i = 1; i < set->n_parts; i++)
    if (set->keys[i].kind == kind && set->keys[i].caller == caller)
      return &set->parts[i];
  uint32_t name = name_part(w, kind, caller);
  for (uint32_t i = 1; i < set->n_parts; i++)
    if (set->parts[i].name == name)
      return &set->parts[i];
  if (set->n_parts == MAX_PARTS)
    return NULL;
  uint32_t i = set->n_parts++;
  const dmd_frames_t *frames = &w->sets->graph->profile.frames;
  set->keys[i] = (part_key_t){.kind = kind, .caller = caller};
  set->parts[i] = (dmd_claim_part_t){.name = name};
  if (caller != DMD_NONE)
    set->parts[i].site = dmd_intern_str(&w->sets->cases->names, dmd_frames_text(frames, caller));
  return &set->parts[i];
}

static void add_block(walk_t *w, uint32_t node) {
  uint32_t caller;
  if (!is_of_set(w, node, &caller))
    return;
  const dmd_claim_size_t size = {.blocks = 1,
                                 .req = dmd_heapgraph_requested(w->sets->graph, node),
                                 .usable = w->sets->graph->graph.size[node]};
  dmd_claim_part_t *part = part_for(w, w->sets->kinds->of[node], caller);
  dmd_claim_size_add(&w->set->parts[0].own, &size);
  if (part != NULL)
    dmd_claim_size_add(&part->own, &size);
}

static uint32_t name_whole(const dmd_claimsetparts_t *sets, const char *text) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, sets->cases->env);
  dmd_strbuf_str(&name, "all of ");
  dmd_strbuf_str(&name, text);
  uint32_t id = dmd_intern_str(&sets->cases->names, name.text);
  dmd_strbuf_destroy(&name);
  return id;
}

/* The set with this number of claim_functions, with its parts in the graph. */
static const set_t *set_of(dmd_claimsetparts_t *sets, uint32_t number) {
  dmd_pool_reach(&sets->sets, number);
  set_t **kept = DMD_POOL_AT(&sets->sets, set_t *, number);
  if (*kept != NULL)
    return *kept;
  const char *text = dmd_intern_get_str(&sets->graph->claim_functions, number);
  const char *colon = dmd_str_find(text, ":"), *what = colon == NULL ? text : colon + 1;
  bool is_tag = dmd_str_begins(text, "tag:");
  set_t *set = dmd_env_alloc(sets->cases->env, "dmd.claimsetparts", sizeof *set);
  set->n_parts = 1;
  set->parts[0] = (dmd_claim_part_t){.name = name_whole(sets, text)};
  walk_t w = {.sets = sets, .set = set, .glob = is_tag ? NULL : what};
  if (is_tag)
    w.tag = dmd_intern_find_text(&sets->graph->profile.tags, what);
  dmd_pool_init(&w.verdicts, sets->cases->env, "dmd.claimsetparts", sizeof(verdict_t));
  for (uint32_t node = dmd_heapgraph_first_block(sets->graph); node < sets->graph->graph.n_nodes;
       node++)
    add_block(&w, node);
  dmd_pool_destroy(&w.verdicts);
  for (uint32_t i = 0; i < set->n_parts; i++)
    set->parts[i].whole = set->parts[i].own;
  *kept = set;
  return set;
}

void dmd_claimsetparts_add(dmd_claimsetparts_t *sets, const dmd_graph_claim_t *claim,
                           dmd_claim_case_t *c) {
  const set_t *set = set_of(sets, claim->set);
  dmd_claim_part_t parts[MAX_PARTS];
  const dmd_claim_size_t sum = {
      .blocks = claim->sum.blocks, .req = claim->sum.req, .usable = claim->sum.usable};
  const dmd_claim_size_t *now = &set->parts[0].own;
  bool is_same = now->blocks == sum.blocks && now->req == sum.req && now->usable == sum.usable;
  uint32_t n_parts = is_same ? set->n_parts : 1;
  dmd_mem_copy(parts, set->parts, n_parts * sizeof *parts);
  parts[0].own = parts[0].whole = sum;
  c->is_of_set = true;
  for (int scope = 0; scope < DMD_N_CLAIM_SCOPES; scope++)
    c->size[scope] = sum;
  dmd_claimcases_add(sets->cases, c, parts, n_parts);
}
