/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/scangraph.h"

#include "analyse/records/addresses.h"
#include "model/profile/translate.h"

typedef struct {
  dmd_heapgraph_t *graph;
  const dmd_profile_t *profile;
  dmd_addresses_t addresses;
  dmd_translation_t ids; /* translates the profile's ids to the graph's */
  dmd_pool_t stacks;     /* uint32_t, by stack of the graph's profile: the graph's stack */
  dmd_pool_t codes;      /* uint32_t, by frame: the graph's code */
  uint64_t word_szB;
} maker_t;

/* ---- Words. ---- */

static uint64_t word_szB_of(const dmd_profile_t *profile) {
  const uint64_t half = sizeof(uint32_t), whole = sizeof(uint64_t);
  if (profile->run.is_known && profile->run.word_szB > 0)
    return profile->run.word_szB == half ? half : whole;
  for (uint32_t id = 1; id <= profile->scanned.blocks.last; id++)
    if (dmd_scanned_of(&profile->scanned, id)->n_words >
        dmd_groups_at(&profile->groups, id)->req / whole)
      return half;
  return whole;
}

/* How many words of a block are read: limited by its size and by the range of offsets. */
static uint32_t n_words(const maker_t *m, uint32_t group) {
  const dmd_scanned_block_t *block = dmd_scanned_of(&m->profile->scanned, group);
  uint64_t n = dmd_groups_at(&m->profile->groups, group)->req / m->word_szB;
  if (n > UINT32_MAX / m->word_szB)
    n = UINT32_MAX / m->word_szB;
  return n < block->n_words ? (uint32_t)n : block->n_words;
}

static uint32_t target_of(const maker_t *m, uint32_t group, uint32_t i) {
  const dmd_scanned_t *scanned = &m->profile->scanned;
  return dmd_addresses_find(&m->addresses,
                            *dmd_scanned_word(scanned, dmd_scanned_of(scanned, group), i));
}

static uint32_t count_edges(const maker_t *m) {
  uint32_t n = 0;
  for (uint32_t place = 0; place < m->addresses.n; place++) {
    uint32_t group = dmd_addresses_group(&m->addresses, place);
    for (uint32_t i = 0; i < n_words(m, group); i++)
      n += target_of(m, group, i) != m->addresses.n;
  }
  return n;
}

static void add_edges(const maker_t *m, uint32_t group) {
  for (uint32_t i = 0; i < n_words(m, group); i++) {
    uint32_t place = target_of(m, group, i);
    if (place == m->addresses.n)
      continue;
    const dmd_scanned_t *scanned = &m->profile->scanned;
    uint64_t word = *dmd_scanned_word(scanned, dmd_scanned_of(scanned, group), i);
    uint64_t into = word - dmd_addresses_start(&m->addresses, place);
    uint32_t target = dmd_heapgraph_first_block(m->graph) + place;
    uint32_t offset = (uint32_t)(i * m->word_szB);
    if (into == 0)
      dmd_heapgraph_add_edge(m->graph, target, offset);
    else
      dmd_heapgraph_add_interior(m->graph, target, offset, into, DMD_HEURISTIC_NONE);
  }
}

/* ---- Stacks. ---- */

static uint32_t known(const dmd_pool_t *ids, uint32_t id) {
  return id <= ids->last ? *DMD_POOL_AT(ids, const uint32_t, id) : DMD_NONE;
}

static uint32_t keep(dmd_pool_t *ids, uint32_t id, uint32_t fresh) {
  dmd_pool_reach(ids, id);
  *DMD_POOL_AT(ids, uint32_t, id) = fresh;
  return fresh;
}

static uint32_t code_of(maker_t *m, uint32_t frame) {
  uint32_t code = known(&m->codes, frame);
  return code != DMD_NONE
             ? code
             : keep(&m->codes, frame, dmd_heapgraph_add_code(m->graph, DMD_NONE, 0, &frame, 1));
}

static uint32_t add_stack(maker_t *m, uint32_t in_profile) {
  const dmd_env_t *env = m->graph->env;
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&m->graph->profile, in_profile, &n);
  uint32_t *codes = dmd_env_alloc(env, "dmd.scangraph", (n + 1) * sizeof *codes);
  for (size_t i = 0; i < n; i++)
    codes[i] = code_of(m, frames[i]);
  uint32_t stack = dmd_heapgraph_add_stack(m->graph, codes, (uint32_t)n);
  dmd_env_free(env, codes);
  return keep(&m->stacks, in_profile, stack);
}

static uint32_t stack_of(maker_t *m, const dmd_group_t *group) {
  uint32_t in_profile = dmd_translation_stack(&m->ids, group->stack);
  if (in_profile == DMD_NONE)
    return DMD_NONE;
  uint32_t stack = known(&m->stacks, in_profile);
  return stack != DMD_NONE ? stack : add_stack(m, in_profile);
}

/* ---- Building the graph. ---- */

static void add_block(maker_t *m, uint32_t place) {
  uint32_t id = dmd_addresses_group(&m->addresses, place);
  const dmd_group_t *group = dmd_groups_at(&m->profile->groups, id);
  uint32_t slop = group->slop > UINT32_MAX ? UINT32_MAX : (uint32_t)group->slop;
  dmd_graph_block_t block = {.addr = dmd_addresses_start(&m->addresses, place),
                             .slop = slop,
                             .stack = stack_of(m, group),
                             .tag = (uint16_t)dmd_translation_tag(&m->ids, group->tag),
                             .thread = group->thread};
  dmd_heapgraph_add_block(m->graph, &block, group->req + slop);
  add_edges(m, id);
  dmd_heapgraph_end_node(m->graph);
}

static void fill(maker_t *m, const dmd_env_t *env) {
  dmd_heapgraph_init(m->graph, env, 0, m->addresses.n, count_edges(m));
  m->graph->profile.mode = m->profile->mode;
  dmd_pool_init(&m->stacks, env, "dmd.scangraph", sizeof(uint32_t));
  dmd_pool_init(&m->codes, env, "dmd.scangraph", sizeof(uint32_t));
  dmd_translation_init_profile(&m->ids, &m->graph->profile, m->profile, NULL, NULL);
  for (uint32_t place = 0; place < m->addresses.n; place++)
    add_block(m, place);
  dmd_translation_destroy(&m->ids);
  dmd_pool_destroy(&m->codes);
  dmd_pool_destroy(&m->stacks);
}

bool dmd_scangraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, const dmd_profile_t *profile,
                        dmd_strbuf_t *why) {
  maker_t m = {.graph = graph, .profile = profile, .word_szB = word_szB_of(profile)};
  bool good = dmd_addresses_init(&m.addresses, profile, why);
  if (good)
    fill(&m, env);
  dmd_addresses_destroy(&m.addresses);
  return good;
}
