/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/proposal.h"

#include "analyse/graph/kinds.h"
#include "base/fnname.h"
#include "base/str.h"

typedef struct {
  const dmd_owners_t *owners;
  const dmd_ownership_t *o;
  const dmd_variable_namer_t *namer;
  uint32_t measuring; /* index of the measuring function's frame in the report's stack */
  uint32_t frame;     /* that frame */
} work_t;

/* ---- The report's stack. ---- */

static const char *function_of(const work_t *w, uint32_t frame) {
  return dmd_frames_location(&w->owners->graph->profile.frames, frame).function;
}

/* A stack of the graph with the report's frames; there may be several, and any will do. */
static uint32_t graph_stack(const work_t *w) {
  uint32_t stack = w->owners->graph->stacks.last;
  while (stack != DMD_NONE && dmd_heapgraph_profile_stack(w->owners->graph, stack) != w->o->stack)
    stack--;
  return stack;
}

/* The code of the graph for the measuring function's frame; DMD_NONE: unknown. */
static uint32_t measuring_code(const work_t *w) {
  const dmd_heapgraph_t *graph = w->owners->graph;
  uint32_t stack = graph_stack(w), left = w->measuring;
  for (uint32_t i = 0; i < dmd_heapgraph_n_codes(graph, stack); i++) {
    uint32_t code = dmd_heapgraph_stack_code(graph, stack, i);
    uint32_t n_frames = dmd_heapgraph_code(graph, code)->n_frames;
    if (left < n_frames)
      return code;
    left -= n_frames;
  }
  return DMD_NONE;
}

/* ---- The expression. ---- */

/* Appends a variable of the measuring function that points to blocks of this node's type. */
static bool append_variable(const work_t *w, uint32_t node, dmd_strbuf_t *to) {
  uint32_t type = dmd_typing_type(w->owners->kinds->typing, node);
  uint32_t code = measuring_code(w);
  if (w->namer == NULL || type == DMD_NONE || code == DMD_NONE)
    return false;
  const dmd_graph_code_t *at = dmd_heapgraph_code(w->owners->graph, code);
  return w->namer->name(w->namer->ctx, at->object, at->addr, type, to);
}

/* True if a function of this code has the name of the measuring function. */
static bool is_of_measuring(const work_t *w, uint32_t code_id) {
  const dmd_heapgraph_t *graph = w->owners->graph;
  const char *measuring = function_of(w, w->frame);
  if (code_id == DMD_NONE || measuring == NULL)
    return false;
  const dmd_graph_code_t *code = dmd_heapgraph_code(graph, code_id);
  for (uint32_t i = 1; i <= code->n_frames; i++) {
    uint32_t frame = *DMD_POOL_AT(&graph->code_frames, const uint32_t, code->first + i);
    const char *function = function_of(w, frame);
    if (function != NULL && dmd_str_equal(function, measuring))
      return true;
  }
  return false;
}

/* True if a node is a variable that the measuring function can name: not a local one of another
 * function. */
static bool is_variable(const work_t *w, uint32_t node) {
  if (node == DMD_GRAPH_ALL || dmd_heapgraph_is_block(w->owners->graph, node))
    return false;
  const dmd_graph_root_t *root = dmd_heapgraph_root(w->owners->graph, node);
  return root->name != NULL && (root->kind != DMD_ROOT_STACK || is_of_measuring(w, root->code));
}

static bool is_array(const work_t *w, uint32_t node) {
  return dmd_typing_count(w->owners->kinds->typing, node) > 1;
}

/* Appends an expression for the pointer to the referrer from the node above it. A pointer variable
 * may point to any element of an array, so it does not name an array. */
static bool append_above(const work_t *w, dmd_strbuf_t *to) {
  uint32_t above = w->o->above, edge = w->o->above_edge;
  if (above == DMD_GRAPH_ALL || dmd_heapgraph_interior(w->owners->graph, edge) != NULL)
    return false;
  if (!is_variable(w, above) && (is_array(w, above) || !append_variable(w, above, to)))
    return false;
  dmd_edge_follow(w->owners->kinds->typing, above, edge, to);
  return true;
}

/* Appends an expression for the block that points to the forgotten ones. False if there is none. */
static bool append_referrer(const work_t *w, dmd_strbuf_t *to) {
  const dmd_typing_t *typing = w->owners->kinds->typing;
  uint32_t type = dmd_typing_type(typing, w->o->referrer);
  bool array = is_array(w, w->o->referrer);
  if (!array && append_variable(w, w->o->referrer, to))
    return true;
  if (append_above(w, to))
    return true;
  bool is_struct = dmd_type_is(typing->types, type, DMD_TYPE_STRUCT) ||
                   dmd_type_is(typing->types, type, DMD_TYPE_UNION);
  if (!is_struct || (array && append_variable(w, w->o->referrer, to)))
    return false;
  dmd_type_name(typing->types, type, to);
  return true;
}

/* "[17].key" becomes "[i].key". */
static void number_by_i(dmd_strbuf_t *buf) {
  size_t n = 0;
  for (size_t i = 0; i < buf->n; i++) {
    buf->text[n++] = buf->text[i];
    if (buf->text[i] != '[' || i + 1 == buf->n || buf->text[i + 1] < '0' || buf->text[i + 1] > '9')
      continue;
    while (i + 1 < buf->n && buf->text[i + 1] >= '0' && buf->text[i + 1] <= '9')
      i++;
    buf->text[n++] = 'i';
  }
  dmd_strbuf_cut(buf, n);
}

/* True if an expression has a member that is private to the C++ library. */
static bool has_private(const dmd_strbuf_t *expression) {
  for (size_t i = 1; i < expression->n; i++) {
    const char *at = expression->text + i;
    bool begins = at[-1] == '.' || (at[-1] == '>' && i > 1 && at[-2] == '-');
    if (begins && dmd_type_is_private(at))
      return true;
  }
  return false;
}

/* Appends `term->postings` or, if no member is known, `*(void **)(block + 0x10)`. False if there is
 * no such expression that the program could use. */
static bool append_pointer(const work_t *w, dmd_strbuf_t *to) {
  const dmd_typing_t *typing = w->owners->kinds->typing;
  uint64_t offset = typing->graph->graph.offset[w->o->edge];
  if (dmd_typing_find(typing, w->o->referrer, offset, NULL) == DMD_NONE) {
    dmd_strbuf_str(to, "*(void **)(block + 0x");
    dmd_strbuf_hex(to, offset);
    dmd_strbuf_str(to, ")");
    return true;
  }
  dmd_strbuf_t referrer;
  dmd_strbuf_init(&referrer, to->env);
  bool good = append_referrer(w, &referrer);
  size_t n = referrer.n;
  if (good)
    dmd_edge_follow(typing, w->o->referrer, w->o->edge, &referrer);
  if (referrer.n == n) /* the block is a single pointer */
    dmd_strbuf_str(to, "*");
  dmd_strbuf_bytes(to, referrer.text, referrer.n);
  dmd_strbuf_destroy(&referrer);
  number_by_i(to);
  return good && !has_private(to);
}

static bool append_line(const work_t *w, const char *size_of, dmd_strbuf_t *to) {
  dmd_strbuf_t expression;
  dmd_strbuf_init(&expression, to->env);
  bool good = append_pointer(w, &expression);
  if (size_of != NULL) {
    dmd_fnname_t plain = dmd_fnname_plain(size_of, dmd_str_length(size_of));
    dmd_strbuf_str(to, "size += ");
    dmd_strbuf_bytes(to, plain.at, plain.n);
  } else {
    dmd_strbuf_str(to, "DMD_REPORT");
  }
  dmd_strbuf_str(to, "(");
  dmd_strbuf_bytes(to, expression.text, expression.n);
  dmd_strbuf_str(to, ");");
  dmd_strbuf_destroy(&expression);
  return good;
}

void dmd_proposal_init(dmd_proposal_t *proposal, const dmd_owners_t *owners,
                       const dmd_ownership_t *ownership, const dmd_variable_namer_t *namer) {
  proposal->frame = DMD_NONE;
  dmd_strbuf_init(&proposal->line, owners->graph->env);
  if (ownership->owned > DMD_OWNED_BY_POINTER || ownership->way == DMD_NONE ||
      dmd_heapgraph_interior(owners->graph, ownership->edge) != NULL)
    return;
  work_t w = {.owners = owners, .o = ownership, .namer = namer};
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&owners->graph->profile, ownership->stack, &n);
  if (n == 0)
    return;
  const char *innermost = function_of(&w, frames[0]);
  bool has_size = n > 1 && innermost != NULL && dmd_fnname_says_size(innermost);
  w.measuring = has_size;
  w.frame = frames[w.measuring];
  if (append_line(&w, has_size ? innermost : NULL, &proposal->line))
    proposal->frame = w.frame;
}

void dmd_proposal_destroy(dmd_proposal_t *proposal) {
  dmd_strbuf_destroy(&proposal->line);
}

/* ---- Known variables. ---- */

static bool is_same(const void *owner, uint32_t id, const void *key) {
  const dmd_known_variable_t *a = dmd_knownvariables_at(owner, id), *b = key;
  return a->addr == b->addr && a->object == b->object && a->type == b->type;
}

static uint64_t hash_of(const dmd_knownvariables_t *known, const dmd_known_variable_t *key) {
  uint64_t h = dmd_table_hash(&known->index, key->addr);
  return dmd_hash_u64(h ^ key->object ^ (uint64_t)key->type << 32);
}

/* dmd_variable_namer_t.name */
static bool name_known(void *ctx, uint32_t object, uint64_t addr, uint32_t type, dmd_strbuf_t *to) {
  const dmd_knownvariables_t *known = ctx;
  const dmd_known_variable_t key = {.addr = addr, .object = object, .type = type};
  uint32_t id = dmd_table_find(&known->index, hash_of(known, &key), &key);
  if (id != DMD_NONE)
    dmd_strbuf_str(to, dmd_intern_get_str(&known->names, dmd_knownvariables_at(known, id)->name));
  return id != DMD_NONE;
}

void dmd_knownvariables_init(dmd_knownvariables_t *known, const dmd_env_t *env) {
  dmd_intern_init(&known->names, env, "dmd.knownvariables");
  dmd_pool_init(&known->variables, env, "dmd.knownvariables", sizeof(dmd_known_variable_t));
  dmd_table_init(&known->index, env, "dmd.knownvariables", is_same, known);
  known->namer = (dmd_variable_namer_t){.name = name_known, .ctx = known};
}

void dmd_knownvariables_destroy(dmd_knownvariables_t *known) {
  dmd_table_destroy(&known->index);
  dmd_pool_destroy(&known->variables);
  dmd_intern_destroy(&known->names);
}

void dmd_knownvariables_add(dmd_knownvariables_t *known, uint32_t object, uint64_t addr,
                            uint32_t type, const char *name) {
  dmd_known_variable_t variable = {.addr = addr, .object = object, .type = type};
  uint64_t hash = hash_of(known, &variable);
  if (dmd_table_find(&known->index, hash, &variable) != DMD_NONE)
    return;
  variable.name = dmd_intern_str(&known->names, name);
  uint32_t id = dmd_pool_add(&known->variables);
  *DMD_POOL_AT(&known->variables, dmd_known_variable_t, id) = variable;
  dmd_table_add(&known->index, hash, id);
}

/* ---- Collecting. ---- */

typedef struct {
  dmd_knownvariables_t *known;
  const dmd_variable_namer_t *asked;
} collector_t;

/* dmd_variable_namer_t.name: queries another namer, and keeps the answer. */
static bool name_and_keep(void *ctx, uint32_t object, uint64_t addr, uint32_t type,
                          dmd_strbuf_t *to) {
  const collector_t *c = ctx;
  size_t before = to->n;
  if (!c->asked->name(c->asked->ctx, object, addr, type, to))
    return false;
  dmd_knownvariables_add(c->known, object, addr, type, to->text + before);
  return true;
}

void dmd_knownvariables_collect(dmd_knownvariables_t *known, const dmd_owners_t *owners,
                                const dmd_variable_namer_t *asked) {
  collector_t collector = {.known = known, .asked = asked};
  const dmd_variable_namer_t namer = {.name = name_and_keep, .ctx = &collector};
  for (uint32_t id = 1; id <= owners->pool.last; id++) {
    dmd_proposal_t proposal;
    dmd_proposal_init(&proposal, owners, DMD_POOL_AT(&owners->pool, const dmd_ownership_t, id),
                      &namer);
    dmd_proposal_destroy(&proposal);
  }
}
