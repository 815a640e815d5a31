/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/nodekeys.h"

#include "analyse/graph/dominators.h"
#include "analyse/graph/stale.h"
#include "analyse/records/plain.h"
#include "analyse/records/record.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "model/graph/heapgraph.h"
#include "model/graph/nesting.h"
#include "model/profile/translate.h"

/* ---- Referrers. ---- */

/* The components of a referrer's name. */
typedef struct {
  uint32_t is_reached; /* 0 for all unreached nodes, else 1 */
  uint32_t is_root;    /* the node is a root */
  uint32_t kind;       /* of the node; DMD_NONE: no single node dominates the block */
  uint32_t way;        /* edge label; DMD_NONE: no edge leads from the node to the block */
} referrer_t;

static uint32_t find_referrer(dmd_node_referrers_t *h, const dmd_dominators_t *dominators,
                              uint32_t node) {
  uint32_t by = dominators->idom[node];
  referrer_t referrer = {.is_reached = by != DMD_NO_DOMINATOR};
  if (by != DMD_NO_DOMINATOR && by != DMD_GRAPH_ALL) {
    referrer.is_root = !dmd_heapgraph_is_block(h->kinds->typing->graph, by);
    referrer.kind = h->kinds->of[by];
  }
  return dmd_intern_bytes(&h->referrers, &referrer, sizeof referrer);
}

/* Labels the blocks that a node dominates and points to with the first such edge. */
static void note_ways(dmd_node_referrers_t *h, const dmd_dominators_t *dominators, uint32_t node) {
  const dmd_heapgraph_t *graph = h->kinds->typing->graph;
  const dmd_graph_t *g = &graph->graph;
  for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
    uint32_t target = g->target[edge];
    if (dominators->idom[target] != node || h->of[target] != DMD_NONE)
      continue;
    referrer_t referrer = {.is_reached = 1,
                           .is_root = !dmd_heapgraph_is_block(graph, node),
                           .kind = h->kinds->of[node],
                           .way = dmd_kinds_way(h->kinds, node, edge)};
    h->of[target] = dmd_intern_bytes(&h->referrers, &referrer, sizeof referrer);
  }
}

void dmd_node_referrers_init(dmd_node_referrers_t *h, dmd_kinds_t *kinds) {
  dmd_graph_t *g = &kinds->typing->graph->graph;
  dmd_dominators_t dominators;
  dmd_edgemask_t mask;
  *h = (dmd_node_referrers_t){.kinds = kinds};
  dmd_intern_init(&h->referrers, g->env, "dmd.heldby");
  h->of = dmd_env_alloc(g->env, "dmd.heldby", g->n_nodes * sizeof *h->of);
  dmd_mem_zero(h->of, g->n_nodes * sizeof *h->of);
  dmd_edgemask_init(&mask, g);
  dmd_edgemask_take_stale(&mask, kinds->typing);
  dmd_dominators_init(&dominators, g, NULL, 0);
  for (uint32_t node = 1; node < g->n_nodes; node++)
    note_ways(h, &dominators, node);
  for (uint32_t node = 1; node < g->n_nodes; node++)
    if (h->of[node] == DMD_NONE)
      h->of[node] = find_referrer(h, &dominators, node);
  dmd_dominators_destroy(&dominators);
  dmd_edgemask_destroy(&mask);
}

void dmd_node_referrers_destroy(dmd_node_referrers_t *h) {
  dmd_env_free(h->referrers.env, h->of);
  dmd_intern_destroy(&h->referrers);
}

/* "term" and "postings" give "term.postings"; "jar[]" and "[].lid" give "jar[].lid". */
static void append_way(const char *kind, const char *way, dmd_strbuf_t *to) {
  size_t n = dmd_str_length(kind);
  if (way[0] == '[' && n > 2 && dmd_str_equal(kind + n - 2, "[]"))
    n -= 2;
  dmd_strbuf_bytes(to, kind, n);
  if (way[0] == '+')
    dmd_strbuf_str(to, " ");
  else if (way[0] != '[')
    dmd_strbuf_str(to, ".");
  dmd_strbuf_str(to, way);
}

void dmd_node_referrers_name(const dmd_node_referrers_t *h, uint32_t id, dmd_strbuf_t *to) {
  size_t n;
  const referrer_t *referrer = dmd_intern_get(&h->referrers, id, &n);
  const char *kind = referrer->kind != DMD_NONE ? dmd_kinds_name(h->kinds, referrer->kind) : NULL;
  const char *way = referrer->way != DMD_NONE ? dmd_kinds_name(h->kinds, referrer->way) : NULL;
  if (kind == NULL) {
    dmd_strbuf_str(to, referrer->is_reached ? "(several roots)" : "(lost)");
  } else if (way == NULL) {
    dmd_strbuf_str(to, kind);
    dmd_strbuf_str(to, " (in several ways)");
  } else if (referrer->is_root && way[0] != '+') {
    dmd_strbuf_str(to, way); /* the label begins with the variable's name */
  } else {
    append_way(kind, way, to);
  }
}

/* ---- Keys. ---- */

static const char *const words[DMD_N_KEYS] = {"type",    "stack",    "function", "file",
                                              "library", "reporter", "state",    "tag",
                                              "thread",  "size",     "root",     "holder"};

const char *dmd_nodekey_name(dmd_nodekey_t key) {
  return words[key];
}

dmd_nodekey_t dmd_nodekey_of(const char *word, size_t n) {
  int key = 0;
  while (key < DMD_N_KEYS &&
         (dmd_str_length(words[key]) != n || !dmd_mem_equal(words[key], word, n)))
    key++;
  return (dmd_nodekey_t)key;
}

void dmd_nodekeys_init(dmd_nodekeys_t *keys, dmd_kinds_t *kinds, uint32_t max_frames) {
  const dmd_heapgraph_t *graph = kinds->typing->graph;
  *keys = (dmd_nodekeys_t){.graph = graph, .kinds = kinds, .max_frames = max_frames};
  dmd_places_init(&keys->places, &graph->profile);
  for (int key = 0; key < DMD_N_KEYS; key++) {
    dmd_intern_init(&keys->of[key].names, graph->env, "dmd.nodekeys");
    dmd_pool_init(&keys->of[key].values, graph->env, "dmd.nodekeys", sizeof(uint32_t));
  }
}

void dmd_nodekeys_destroy(dmd_nodekeys_t *keys) {
  for (int key = 0; key < DMD_N_KEYS; key++) {
    dmd_pool_destroy(&keys->of[key].values);
    dmd_intern_destroy(&keys->of[key].names);
  }
  dmd_env_free(keys->graph->env, keys->nearest);
  if (keys->node_referrers != NULL)
    dmd_node_referrers_destroy(keys->node_referrers);
  dmd_env_free(keys->graph->env, keys->node_referrers);
  dmd_places_destroy(&keys->places);
}

/* ---- Sources of names. ---- */

/* n for sizes from 2^(n-1) + 1 to 2^n; 0 for 0 and 1. */
static uint32_t size_class(uint64_t szB) {
  return szB <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(szB - 1);
}

static uint32_t referrer_of(dmd_nodekeys_t *keys, uint32_t node) {
  if (keys->node_referrers == NULL) {
    keys->node_referrers =
        dmd_env_alloc(keys->graph->env, "dmd.nodekeys", sizeof *keys->node_referrers);
    dmd_node_referrers_init(keys->node_referrers, keys->kinds);
  }
  return keys->node_referrers->of[node];
}

/* The nearest root of each node, without stale edges. */
static uint32_t *nearest_roots(const dmd_typing_t *typing) {
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &typing->graph->graph);
  dmd_edgemask_take_stale(&mask, typing);
  uint32_t *nearest = dmd_nearest_roots(typing->graph);
  dmd_edgemask_destroy(&mask);
  return nearest;
}

static uint32_t source_of(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(keys->graph, node);
  switch (key) {
  case DMD_KEY_TYPE:
    return keys->kinds->of[node];
  case DMD_KEY_STACK:
  case DMD_KEY_FUNCTION:
  case DMD_KEY_FILE:
  case DMD_KEY_LIBRARY:
    return dmd_heapgraph_profile_stack(keys->graph, block->stack);
  case DMD_KEY_REPORTER:
  case DMD_KEY_STATE:
    return block->reports;
  case DMD_KEY_TAG:
    return block->tag;
  case DMD_KEY_THREAD:
    return block->thread;
  case DMD_KEY_SIZE:
    return size_class(keys->graph->graph.size[node]);
  case DMD_KEY_REFERRER:
    return referrer_of(keys, node);
  default:
    if (keys->nearest == NULL)
      keys->nearest = nearest_roots(keys->kinds->typing);
    return keys->nearest[node];
  }
}

/* ---- Names. ---- */

static void append_stack(const dmd_nodekeys_t *keys, uint32_t stack, dmd_strbuf_t *to) {
  const dmd_profile_t *profile = &keys->graph->profile;
  size_t n = 0;
  const uint32_t *frames = stack == DMD_NONE ? NULL : dmd_profile_frames(profile, stack, &n);
  for (size_t i = 0; i < n && i < keys->max_frames; i++) {
    dmd_strbuf_str(to, i > 0 ? "\n" : "");
    if (profile->frame_view.full_names)
      dmd_strbuf_str(to, dmd_frames_text(&profile->frames, frames[i]));
    else
      dmd_frame_shown(to, &profile->frames, frames[i]);
  }
  if (n == 0)
    dmd_strbuf_str(to, "(no stack recorded)");
}

static const char *reporter_name(const dmd_nodekeys_t *keys, uint32_t name) {
  return name == DMD_NONE ? "(no reporter named)"
                          : dmd_intern_get_str(&keys->graph->profile.names, name);
}

static int compare_reporters(const void *ctx, uint32_t a, uint32_t b) {
  return dmd_str_compare(reporter_name(ctx, a), reporter_name(ctx, b));
}

/* In alphabetical order without duplicates: the order of reports makes no difference. */
static void append_reporters(const dmd_nodekeys_t *keys, uint32_t reports, dmd_strbuf_t *to) {
  enum { SHOWN = 4 };
  const dmd_reports_t *sets = &keys->graph->profile.reports;
  if (reports == DMD_NONE) {
    dmd_strbuf_str(to, "(unreported)");
    return;
  }
  uint32_t n = 0;
  uint32_t *names = dmd_env_alloc(keys->graph->env, "dmd.nodekeys",
                                  dmd_reports_n_kept(sets, reports) * sizeof *names);
  dmd_report_walk_t walk = dmd_reports_walk(sets, reports);
  while (dmd_reports_next(&walk))
    if (!walk.is_again)
      names[n++] = walk.report->reporter;
  dmd_sort(keys->graph->env, names, n, compare_reporters, keys);
  for (uint32_t i = 0; i < n && i < SHOWN; i++) {
    dmd_strbuf_str(to, i > 0 ? " and " : "");
    dmd_strbuf_str(to, reporter_name(keys, names[i]));
  }
  if (n > SHOWN) {
    dmd_strbuf_str(to, " and ");
    dmd_strbuf_u64(to, n - SHOWN);
    dmd_strbuf_str(to, " more");
  }
  dmd_env_free(keys->graph->env, names);
}

static const char *state_name(const dmd_nodekeys_t *keys, uint32_t reports) {
  const dmd_profile_t *profile = &keys->graph->profile;
  switch (dmd_section_of_group(profile, &(dmd_group_t){.reports = reports})) {
  case DMD_SECTION_TWICE:
    return "twice";
  case DMD_SECTION_UNREPORTED:
    return "unreported";
  case DMD_SECTION_ONCE:
    return "once";
  default:
    return dmd_mode_name(profile->mode);
  }
}

static void append_size(uint32_t class, dmd_strbuf_t *to) {
  uint64_t most = class < 64 ? UINT64_C(1) << class : UINT64_MAX;
  dmd_strbuf_u64(to, class == 0 ? 0 : most / 2 + 1);
  if (class != 1) {
    dmd_strbuf_str(to, " to ");
    dmd_strbuf_u64(to, most);
  }
  dmd_strbuf_str(to, " bytes");
}

static void append_place(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t stack,
                         dmd_strbuf_t *to) {
  uint32_t frame = dmd_places_own_frame(&keys->places, stack);
  if (key == DMD_KEY_FUNCTION)
    dmd_places_function(&keys->places, frame, to);
  else if (key == DMD_KEY_FILE)
    dmd_places_file(&keys->places, frame, to);
  else
    dmd_places_library(&keys->places, frame, to);
}

static void append_name(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t source,
                        dmd_strbuf_t *to) {
  const dmd_intern_t *tags = &keys->graph->profile.tags;
  switch (key) {
  case DMD_KEY_TYPE:
    dmd_strbuf_str(to, dmd_kinds_name(keys->kinds, source));
    break;
  case DMD_KEY_STACK:
    append_stack(keys, source, to);
    break;
  case DMD_KEY_REPORTER:
    append_reporters(keys, source, to);
    break;
  case DMD_KEY_STATE:
    dmd_strbuf_str(to, state_name(keys, source));
    break;
  case DMD_KEY_TAG:
    dmd_strbuf_str(to, source == DMD_NONE ? "(no tag)" : dmd_intern_get_str(tags, source));
    break;
  case DMD_KEY_THREAD:
    dmd_strbuf_str(to, "thread ");
    dmd_strbuf_u64(to, source);
    break;
  case DMD_KEY_SIZE:
    append_size(source, to);
    break;
  case DMD_KEY_ROOT:
    if (source == DMD_GRAPH_ALL)
      dmd_strbuf_str(to, "(lost)");
    else
      dmd_root_name(keys->graph, source, to);
    break;
  case DMD_KEY_REFERRER:
    dmd_node_referrers_name(keys->node_referrers, source, to);
    break;
  default:
    append_place(keys, key, source, to);
  }
}

static uint32_t make_value(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t source) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, keys->graph->env);
  append_name(keys, key, source, &name);
  uint32_t value = dmd_intern_text(&keys->of[key].names, name.text);
  dmd_strbuf_destroy(&name);
  return value;
}

uint32_t dmd_nodekeys_value(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t node) {
  uint32_t source = source_of(keys, key, node);
  dmd_pool_t *values = &keys->of[key].values;
  if (source >= values->last)
    dmd_pool_reach(values, source + 1);
  uint32_t *value = DMD_POOL_AT(values, uint32_t, source + 1);
  if (*value == DMD_NONE)
    *value = make_value(keys, key, source);
  return *value;
}

/* ---- Filters. ---- */

/* Values in `judged`; 0: not judged yet. */
enum { CONTAINS = 1, LACKS = 2 };

void dmd_nodefilter_init(dmd_nodefilter_t *filter, const dmd_env_t *env, const char *given) {
  *filter = (dmd_nodefilter_t){.given = given, .key = DMD_KEY_STACK, .negated = given[0] == '!'};
  filter->text = given + filter->negated;
  const char *equals = dmd_str_find_char(filter->text, '=');
  dmd_nodekey_t key = DMD_N_KEYS;
  if (equals != NULL)
    key = dmd_nodekey_of(filter->text, (size_t)(equals - filter->text));
  if (key != DMD_N_KEYS) {
    filter->key = key;
    filter->text = equals + 1;
  } else if (!filter->negated && filter->text[0] == '\\') {
    filter->text++; /* an escape, so that a text may begin with '!' */
  }
  dmd_pool_init(&filter->judged, env, "dmd.nodefilter", sizeof(uint32_t));
}

void dmd_nodefilter_destroy(dmd_nodefilter_t *filter) {
  dmd_pool_destroy(&filter->judged);
}

void dmd_nodefilters_forget(dmd_nodefilter_t *filters, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    dmd_pool_t *judged = &filters[i].judged;
    const dmd_env_t *env = judged->env;
    dmd_pool_destroy(judged);
    dmd_pool_init(judged, env, "dmd.nodefilter", sizeof(uint32_t));
  }
}

bool dmd_nodefilter_passes(dmd_nodefilter_t *filter, dmd_nodekeys_t *keys, uint32_t node) {
  uint32_t value = dmd_nodekeys_value(keys, filter->key, node);
  if (value > filter->judged.last)
    dmd_pool_reach(&filter->judged, value);
  uint32_t *judged = DMD_POOL_AT(&filter->judged, uint32_t, value);
  if (*judged == 0) {
    const char *name = dmd_nodekeys_name(keys, filter->key, value);
    *judged = dmd_str_find(name, filter->text) != NULL ? CONTAINS : LACKS;
    filter->found = filter->found || *judged == CONTAINS;
  }
  return (*judged == CONTAINS) != filter->negated;
}

/* ---- Groups by type. ---- */

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
