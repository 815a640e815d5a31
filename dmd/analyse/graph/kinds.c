/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/kinds.h"

#include "model/graph/heapgraph.h"

/* ---- Names of edges. ---- */

/* Appends the member's name in the node's type: "db", "[17].key"; "" if the whole value is the
 * pointer; "+0x10" if no member is known. */
static void append_member(const dmd_typing_t *typing, uint32_t node, uint32_t edge,
                          dmd_strbuf_t *to) {
  uint64_t offset = typing->graph->graph.offset[edge];
  if (dmd_typing_find(typing, node, offset, to) != DMD_NONE)
    return;
  dmd_strbuf_str(to, "+0x");
  dmd_strbuf_hex(to, offset);
}

static bool is_variable(const dmd_typing_t *typing, uint32_t node) {
  return node != DMD_GRAPH_ALL && !dmd_heapgraph_is_block(typing->graph, node) &&
         dmd_heapgraph_root(typing->graph, node)->name != NULL;
}

/* Appends a member, preceded by `joint` if it begins with a name. */
static void join(const dmd_typing_t *typing, uint32_t node, uint32_t edge, const char *joint,
                 dmd_strbuf_t *to) {
  dmd_strbuf_t member;
  dmd_strbuf_init(&member, to->env);
  append_member(typing, node, edge, &member);
  if (member.n > 0 && member.text[0] != '[' && member.text[0] != '+')
    dmd_strbuf_str(to, joint);
  dmd_strbuf_bytes(to, member.text, member.n);
  dmd_strbuf_destroy(&member);
}

void dmd_edge_name(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to) {
  if (node == DMD_GRAPH_ALL)
    dmd_root_name(typing->graph, typing->graph->graph.target[edge], to);
  else if (is_variable(typing, node)) {
    dmd_strbuf_str(to, dmd_heapgraph_root(typing->graph, node)->name);
    join(typing, node, edge, ".", to);
  } else {
    size_t before = to->n;
    append_member(typing, node, edge, to);
    if (to->n == before)
      dmd_strbuf_str(to, "[0]"); /* the block is a single pointer */
  }
}

void dmd_edge_follow(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to) {
  if (to->n == 0 || node == DMD_GRAPH_ALL)
    dmd_edge_name(typing, node, edge, to);
  else
    join(typing, node, edge, is_variable(typing, node) ? "." : "->", to);
}

/* ---- Kinds. ---- */

/* A node of unknown type with more pointers than this is treated as an array. */
enum { STRUCTURE_POINTERS = 16 };

typedef enum { KEY_ROOT, KEY_BLOCK, KEY_WAY, KEY_WAY_OF_ROOT } key_use_t;

/* What a name depends on; unused fields are 0. Hashed and compared as bytes, so it has no
 * padding. */
typedef struct {
  uint32_t use;  /* a key_use_t */
  uint32_t node; /* for a root */
  uint32_t type, many;
  uint32_t stack, lead;
  uint64_t offset;
} name_key_t;

static uint32_t *name_of_key(dmd_kinds_t *kinds, const name_key_t *key) {
  uint32_t id = dmd_intern_bytes(&kinds->keys, key, sizeof *key);
  dmd_pool_reach(&kinds->names_of_keys, id);
  return DMD_POOL_AT(&kinds->names_of_keys, uint32_t, id);
}

/* ---- Kinds. ---- */

static name_key_t key_of_node(const dmd_kinds_t *kinds, uint32_t node) {
  const dmd_heapgraph_t *graph = kinds->typing->graph;
  if (!dmd_heapgraph_is_block(graph, node))
    return (name_key_t){.use = KEY_ROOT, .node = node};
  const dmd_typed_t *typed = &kinds->typing->nodes[node];
  return (name_key_t){
      .use = KEY_BLOCK,
      .lead = dmd_typed_is_part(typed) ? typed->lead : 0,
      .type = dmd_typing_type(kinds->typing, node),
      .many = dmd_typing_count(kinds->typing, node) > 1,
      .stack = dmd_heapgraph_profile_stack(graph, dmd_heapgraph_block(graph, node)->stack)};
}

/* The entry for the name of a node. For bytes the name also contains who allocated them, and for a
 * part of a block where it begins. */
static uint32_t *name_of_node(dmd_kinds_t *kinds, const name_key_t *key) {
  dmd_pool_t *names = key->type == DMD_NONE ? &kinds->names_of_stacks : &kinds->names_of_types;
  uint32_t place = key->type == DMD_NONE ? key->stack + 1 : 2 * key->type + key->many;
  if (key->use == KEY_ROOT || key->lead > 0 ||
      dmd_type_is(kinds->typing->types, key->type, DMD_TYPE_CHARACTER))
    return name_of_key(kinds, key);
  if (place > names->last)
    dmd_pool_reach(names, place);
  return DMD_POOL_AT(names, uint32_t, place);
}

static uint32_t kind_of_node(dmd_kinds_t *kinds, uint32_t node, dmd_strbuf_t *buf) {
  name_key_t key = key_of_node(kinds, node);
  uint32_t *name = name_of_node(kinds, &key);
  if (*name != DMD_NONE)
    return *name;
  dmd_strbuf_cut(buf, 0);
  if (key.use == KEY_ROOT)
    dmd_root_name(kinds->typing->graph, node, buf);
  else
    dmd_typing_name(kinds->typing, node, buf);
  *name = dmd_intern_text(&kinds->names, buf->text);
  dmd_pool_reach(&kinds->examples, *name);
  uint32_t *example = DMD_POOL_AT(&kinds->examples, uint32_t, *name);
  if (*example == DMD_NONE || (key.use == KEY_BLOCK && *example <= kinds->typing->graph->n_roots))
    *example = node; /* a variable may have the same name as a type */
  return *name;
}

void dmd_kinds_init(dmd_kinds_t *kinds, dmd_typing_t *typing) {
  const dmd_env_t *env = typing->graph->env;
  uint32_t n = typing->graph->graph.n_nodes;
  *kinds = (dmd_kinds_t){.typing = typing};
  dmd_intern_init(&kinds->names, env, "dmd.kinds");
  dmd_intern_init(&kinds->keys, env, "dmd.kinds");
  dmd_pool_init(&kinds->examples, env, "dmd.kinds", sizeof(uint32_t));
  dmd_pool_init(&kinds->names_of_keys, env, "dmd.kinds", sizeof(uint32_t));
  dmd_pool_init(&kinds->names_of_types, env, "dmd.kinds", sizeof(uint32_t));
  dmd_pool_init(&kinds->names_of_stacks, env, "dmd.kinds", sizeof(uint32_t));
  kinds->of = dmd_env_alloc(env, "dmd.kinds", n * sizeof *kinds->of);
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, env);
  for (uint32_t node = 0; node < n; node++) {
    dmd_env_tell(env, "names of blocks", node, n);
    kinds->of[node] = kind_of_node(kinds, node, &buf);
  }
  dmd_strbuf_destroy(&buf);
}

void dmd_kinds_destroy(dmd_kinds_t *kinds) {
  dmd_env_free(kinds->typing->graph->env, kinds->of);
  dmd_pool_destroy(&kinds->names_of_stacks);
  dmd_pool_destroy(&kinds->names_of_types);
  dmd_pool_destroy(&kinds->names_of_keys);
  dmd_pool_destroy(&kinds->examples);
  dmd_intern_destroy(&kinds->keys);
  dmd_intern_destroy(&kinds->names);
}

const char *dmd_kinds_evidence(dmd_kinds_t *kinds, uint32_t kind) {
  uint32_t node = *DMD_POOL_AT(&kinds->examples, uint32_t, kind);
  return dmd_type_evidence_name(dmd_typing_evidence(kinds->typing, node));
}

bool dmd_kinds_alike(const dmd_kinds_t *kinds, uint32_t a, uint32_t b) {
  const dmd_heapgraph_t *graph = kinds->typing->graph;
  return kinds->of[a] == kinds->of[b] && dmd_heapgraph_is_block(graph, a) &&
         dmd_heapgraph_is_block(graph, b) &&
         (dmd_typing_type(kinds->typing, a) != DMD_NONE ||
          dmd_heapgraph_requested(graph, a) == dmd_heapgraph_requested(graph, b));
}

/* ---- Edge labels. ---- */

static name_key_t key_of_edge(const dmd_kinds_t *kinds, uint32_t node, uint32_t edge) {
  const dmd_graph_t *g = &kinds->typing->graph->graph;
  const dmd_typed_t *typed = &kinds->typing->nodes[node];
  name_key_t key = {.use = KEY_WAY, .type = typed->type, .lead = typed->lead};
  key.offset = g->offset[edge];
  if (!dmd_heapgraph_is_block(kinds->typing->graph, node)) {
    key.use = KEY_WAY_OF_ROOT;
    key.node = node;
  } else if (typed->type == DMD_NONE) {
    key.many = g->first[node + 1] - g->first[node] > STRUCTURE_POINTERS;
    key.offset = key.many ? 0 : key.offset;
  } else if (dmd_typing_count(kinds->typing, node) > 1 && key.offset >= typed->lead) {
    key.many = 1;
    key.offset = (key.offset - typed->lead) % dmd_type_at(kinds->typing->types, typed->type)->szB;
  }
  return key;
}

/* "ht_table[17][3].key" becomes "ht_table[][].key". */
static void drop_numbers(dmd_strbuf_t *name) {
  size_t n = 0;
  bool in_brackets = false;
  for (size_t i = 0; i < name->n; i++) {
    char c = name->text[i];
    if (in_brackets && c >= '0' && c <= '9')
      continue;
    in_brackets = c == '[';
    name->text[n++] = c;
  }
  dmd_strbuf_cut(name, n);
}

uint32_t dmd_kinds_way(dmd_kinds_t *kinds, uint32_t node, uint32_t edge) {
  name_key_t key = key_of_edge(kinds, node, edge);
  uint32_t *name = name_of_key(kinds, &key);
  if (*name != DMD_NONE)
    return *name;
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, kinds->names.env);
  if (key.use == KEY_WAY && key.type == DMD_NONE && key.many)
    dmd_strbuf_str(&buf, DMD_WAY_OF_MANY);
  else
    dmd_edge_name(kinds->typing, node, edge, &buf);
  drop_numbers(&buf);
  *name = dmd_intern_text(&kinds->names, buf.text);
  dmd_strbuf_destroy(&buf);
  return *name;
}
