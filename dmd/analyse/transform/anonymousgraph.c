/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/transform/anonymousgraph.h"

/* ---- The graph's profile, and references to it. ---- */

static void change_frames(dmd_heapgraph_t *heap, dmd_translation_t *ids) {
  for (uint32_t i = 1; i <= heap->code_frames.last; i++) {
    uint32_t *frame = DMD_POOL_AT(&heap->code_frames, uint32_t, i);
    *frame = dmd_translation_frame(ids, *frame);
  }
  for (uint32_t i = 1; i <= heap->stacks.last; i++) {
    dmd_graph_stack_t *stack = DMD_POOL_AT(&heap->stacks, dmd_graph_stack_t, i);
    stack->in_profile = dmd_translation_stack(ids, stack->in_profile);
  }
}

static void change_blocks(dmd_heapgraph_t *heap, dmd_translation_t *ids) {
  for (uint32_t i = 1; i <= heap->blocks.last; i++) {
    dmd_graph_block_t *block = DMD_POOL_AT(&heap->blocks, dmd_graph_block_t, i);
    block->reports = dmd_translation_reports(ids, block->reports);
    block->tag = (uint16_t)dmd_translation_tag(ids, block->tag);
  }
}

static void change_strings(dmd_heapgraph_t *heap, dmd_anonymizer_t *a) {
  dmd_profile_t *profile = &heap->profile;
  for (uint32_t i = 1; i <= heap->objects.last; i++) {
    dmd_graph_object_t *object = DMD_POOL_AT(&heap->objects, dmd_graph_object_t, i);
    object->path = dmd_profile_keep(profile, dmd_anonymous(a, DMD_NAME_OBJECT, object->path));
    object->soname = dmd_profile_keep(profile, dmd_anonymous(a, DMD_NAME_OBJECT, object->soname));
    object->build_id = NULL;
    object->n_build_id = 0;
  }
  for (uint32_t i = 1; i <= heap->roots.last; i++) {
    dmd_graph_root_t *root = DMD_POOL_AT(&heap->roots, dmd_graph_root_t, i);
    root->name = dmd_profile_keep(profile, dmd_anonymous(a, DMD_NAME_VARIABLE, root->name));
  }
}

/* Names in the old profile stay valid until it is destroyed. It is only read, never looked up
 * in. */
static void change_profile(dmd_heapgraph_t *heap, dmd_anonymizer_t *a) {
  dmd_profile_t old = heap->profile;
  dmd_anonymous_ids_t ids;
  dmd_profile_init(&heap->profile, old.env);
  dmd_anonymize_begin(&ids, a, &heap->profile, &old);
  change_frames(heap, &ids.translation);
  change_blocks(heap, &ids.translation);
  dmd_translation_destroy(&ids.translation);
  change_strings(heap, a);
  dmd_profile_destroy(&old);
}

/* ---- Types. ---- */

/* By name id: the kind of thing it names. DMD_N_NAME_KINDS if it names base types only, and is
 * kept. Some names name nothing here, such as those of namespaces. */
static uint8_t *kinds_of_names(const dmd_types_t *types) {
  size_t szB = dmd_intern_count(&types->names) + (size_t)1;
  uint8_t *kinds = dmd_env_alloc(types->env, "dmd.anonymizer", szB);
  __builtin_memset(kinds, DMD_NAME_MEMBER, szB);
  for (uint32_t id = 1; id <= types->pool.last; id++) {
    const dmd_type_t *type = dmd_type_at(types, id);
    bool is_base = type->kind == DMD_TYPE_BASE || type->kind == DMD_TYPE_CHARACTER;
    if (!is_base)
      kinds[type->name] = DMD_NAME_TYPE;
    else if (kinds[type->name] == DMD_NAME_MEMBER)
      kinds[type->name] = DMD_N_NAME_KINDS;
  }
  for (uint32_t i = 1; i <= types->members.last; i++) {
    uint32_t name = DMD_POOL_AT(&types->members, const dmd_type_member_t, i)->name;
    if (kinds[name] == DMD_N_NAME_KINDS)
      kinds[name] = DMD_NAME_MEMBER;
  }
  return kinds;
}

/* Adds a word for a name; a private one stays recognisable, since proposals leave such members out.
 * In the unlikely case that two names get the same word, makes it unique. */
static void add_name(dmd_intern_t *names, uint32_t id, const char *name, bool is_private) {
  dmd_strbuf_t word;
  dmd_strbuf_init(&word, names->env);
  dmd_strbuf_str(&word, is_private ? "_M_" : "");
  dmd_strbuf_str(&word, name);
  while (dmd_intern_str(names, word.text) != id)
    dmd_strbuf_str(&word, "_");
  dmd_strbuf_destroy(&word);
}

static void change_types(dmd_types_t *types, dmd_anonymizer_t *a) {
  uint8_t *kinds = kinds_of_names(types);
  dmd_intern_t old = types->names;
  dmd_intern_init(&types->names, types->env, "dmd.types");
  for (uint32_t id = 1; id <= dmd_intern_count(&old); id++) {
    const char *name = dmd_intern_get_str(&old, id);
    bool stays = kinds[id] == DMD_N_NAME_KINDS;
    bool is_private = kinds[id] == DMD_NAME_MEMBER && dmd_type_is_private(name);
    add_name(&types->names, id, stays ? name : dmd_anonymous(a, (dmd_name_kind_t)kinds[id], name),
             is_private);
  }
  dmd_intern_destroy(&old);
  dmd_env_free(types->env, kinds);
}

void dmd_anonymize_graph(dmd_anonymizer_t *a, dmd_heapgraph_t *heap, dmd_types_t *types) {
  types->source = (dmd_type_source_t){.read_members = NULL};
  change_profile(heap, a);
  change_types(types, a);
}
