/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/typedgroups.h"

#include "model/graph/nesting.h"
#include "model/profile/translate.h"

typedef struct {
  dmd_nodekeys_t *keys;
  uint32_t *nodes; /* the blocks, sorted by type */
  uint32_t *end;   /* by type: end of its blocks; [0]: 0 */
  uint32_t n_types;
} sorted_t;

static void sort_by_type(sorted_t *s, dmd_nodekeys_t *keys) {
  const dmd_heapgraph_t *graph = keys->graph;
  uint32_t first = dmd_heapgraph_first_block(graph), n = graph->graph.n_nodes - first;
  uint32_t *types = dmd_env_alloc(graph->env, "dmd.typedgroups", ((size_t)n + 1) * sizeof *types);
  s->keys = keys;
  s->nodes = dmd_env_alloc(graph->env, "dmd.typedgroups", ((size_t)n + 1) * sizeof *s->nodes);
  for (uint32_t i = 0; i < n; i++)
    types[i] = dmd_nodekeys_value(keys, DMD_KEY_TYPE, first + i);
  s->n_types = dmd_intern_count(&keys->of[DMD_KEY_TYPE].names);
  size_t szB = ((size_t)s->n_types + 1) * sizeof *s->end;
  s->end = dmd_env_alloc(graph->env, "dmd.typedgroups", szB);
  dmd_mem_zero(s->end, szB);
  for (uint32_t i = 0; i < n; i++)
    s->end[types[i]]++;
  for (uint32_t type = 1, start = 0; type <= s->n_types; type++) {
    uint32_t n_here = s->end[type];
    s->end[type] = start; /* advances to the end below */
    start += n_here;
  }
  for (uint32_t i = 0; i < n; i++)
    s->nodes[s->end[types[i]]++] = first + i;
  dmd_env_free(graph->env, types);
}

/* Adds the groups of one type. They are not merged with equal groups of other types. */
static void add_type(const sorted_t *s, uint32_t type, const dmd_nesting_sizes_t *sizes,
                     dmd_translation_t *ids, int sign) {
  for (uint32_t i = s->end[type - 1]; i < s->end[type]; i++) {
    dmd_group_t of_graph = dmd_nesting_group(sizes, s->nodes[i]);
    dmd_group_t group = dmd_translation_group(ids, &of_graph);
    group.num = (uint64_t)sign;
    dmd_groups_add(&ids->to->groups, &group);
  }
  dmd_groups_close(&ids->to->groups);
}

void dmd_typedgroups_add(dmd_profile_t *profile, dmd_grouptypes_t *types, dmd_nodekeys_t *keys,
                         int sign) {
  const dmd_env_t *env = keys->graph->env;
  sorted_t sorted;
  dmd_nesting_sizes_t sizes;
  dmd_translation_t ids;
  sort_by_type(&sorted, keys);
  dmd_nesting_init(&sizes, keys->graph);
  dmd_translation_init_profile(&ids, profile, &keys->graph->profile, NULL, NULL);
  for (uint32_t type = 1; type <= sorted.n_types; type++) {
    uint32_t name = dmd_intern_str(&types->names, dmd_nodekeys_name(keys, DMD_KEY_TYPE, type));
    add_type(&sorted, type, &sizes, &ids, sign);
    while (types->of.last < dmd_groups_count(&profile->groups))
      dmd_grouptypes_add(types, name);
  }
  dmd_translation_destroy(&ids);
  dmd_nesting_destroy(&sizes);
  dmd_env_free(env, sorted.end);
  dmd_env_free(env, sorted.nodes);
}
