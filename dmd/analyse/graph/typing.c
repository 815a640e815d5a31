/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/typing.h"

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
  bool is_array = szB >= one && szB % one == 0;
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

/* The frame that allocated a block, cached by the profile's stack; DMD_NONE: unknown. */
static uint32_t allocator_of(dmd_typing_t *typing, uint32_t node) {
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
  if (evidence == DMD_EVIDENCE_NONE && allocator_of(typing, node) != DMD_NONE)
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
  uint32_t frame = allocator_of(typing, node);
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
