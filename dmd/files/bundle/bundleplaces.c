/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundleplaces.h"

/* ---- Objects. ---- */

static void write_objects(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_number(w, heap->objects.last);
  for (uint32_t id = 1; id <= heap->objects.last; id++) {
    const dmd_graph_object_t *object = dmd_heapgraph_object(heap, id);
    dmd_bundlewriter_string(w, object->path);
    dmd_bundlewriter_string(w, object->soname);
    dmd_bundlewriter_bytes(w, object->build_id, object->n_build_id);
    dmd_bundlewriter_number(w, object->bias);
    dmd_bundlewriter_number(w, object->start);
    dmd_bundlewriter_number(w, object->szB);
  }
}

static const char *read_name(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  dmd_intern_t *names = &heap->profile.names;
  uint32_t id = dmd_bundlecursor_string(c, names, false);
  return id == DMD_NONE ? NULL : dmd_intern_get_str(names, id);
}

static void read_objects(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    dmd_graph_object_t object = {.path = read_name(c, heap), .soname = read_name(c, heap)};
    object.build_id = dmd_bundlecursor_bytes(c, &object.n_build_id);
    object.bias = dmd_bundlecursor_number(c);
    object.start = dmd_bundlecursor_number(c);
    object.szB = dmd_bundlecursor_number(c);
    dmd_heapgraph_add_object(heap, &object);
  }
}

/* ---- Codes and stacks. ---- */

static void write_codes(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_number(w, heap->codes.last);
  for (uint32_t id = 1; id <= heap->codes.last; id++) {
    const dmd_graph_code_t *code = dmd_heapgraph_code(heap, id);
    dmd_bundlewriter_number(w, code->object);
    dmd_bundlewriter_number(w, code->addr);
    dmd_bundlewriter_number(w, code->n_frames);
    for (uint32_t i = 0; i < code->n_frames; i++)
      dmd_bundlewriter_number(w, dmd_heapgraph_code_frame(heap, id, i));
  }
}

/* A list of *n ids, each from 1 to most. The caller frees it. */
static uint32_t *read_ids(dmd_bundlecursor_t *c, const dmd_env_t *env, uint32_t most, uint32_t *n) {
  *n = dmd_bundlecursor_count(c);
  uint32_t *ids = dmd_env_alloc(env, "dmd.image", (*n + (size_t)1) * sizeof *ids);
  for (uint32_t i = 0; i < *n; i++) {
    ids[i] = dmd_bundlecursor_id(c, most);
    if (ids[i] == DMD_NONE)
      dmd_bundlecursor_fail(c);
  }
  return ids;
}

static void read_codes(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t object = dmd_bundlecursor_id(c, heap->objects.last), n_frames;
    uint64_t addr = dmd_bundlecursor_number(c);
    uint32_t *frames = read_ids(c, heap->env, dmd_frames_count(&heap->profile.frames), &n_frames);
    if (!c->failed)
      dmd_heapgraph_add_code(heap, object, addr, frames, n_frames);
    dmd_env_free(heap->env, frames);
  }
}

static void write_stacks(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_number(w, heap->stacks.last);
  for (uint32_t id = 1; id <= heap->stacks.last; id++) {
    uint32_t n = dmd_heapgraph_n_codes(heap, id);
    dmd_bundlewriter_number(w, n);
    for (uint32_t i = 0; i < n; i++)
      dmd_bundlewriter_number(w, dmd_heapgraph_stack_code(heap, id, i));
  }
}

/* A code may have any number of frames and be in all stacks, so a small file could describe huge
 * stacks. Limits the frames of a stack to more than any unwinder records. */
static bool is_reasonable(const dmd_heapgraph_t *heap, const uint32_t *codes, uint32_t n) {
  enum { MAX_STACK = 1 << 16 };
  uint64_t n_frames = 0;
  for (uint32_t i = 0; i < n; i++)
    n_frames += dmd_heapgraph_code(heap, codes[i])->n_frames;
  return n_frames <= MAX_STACK;
}

static void read_stacks(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  uint32_t n_known = dmd_intern_count(&heap->profile.stacks);
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t n_codes;
    uint32_t *codes = read_ids(c, heap->env, heap->codes.last, &n_codes);
    if (!c->failed && is_reasonable(heap, codes, n_codes))
      dmd_heapgraph_add_stack(heap, codes, n_codes);
    else
      dmd_bundlecursor_fail(c);
    dmd_env_free(heap->env, codes);
    /* The profile already has all stacks; a new one is an error. */
    if (dmd_intern_count(&heap->profile.stacks) != n_known)
      dmd_bundlecursor_fail(c);
  }
}

/* ---- Roots. ---- */

static void write_roots(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  for (uint32_t node = 1; node <= heap->n_roots; node++) {
    const dmd_graph_root_t *root = dmd_heapgraph_root(heap, node);
    dmd_bundlewriter_number(w, root->kind);
    dmd_bundlewriter_number(w, root->object);
    dmd_bundlewriter_number(w, root->thread);
    dmd_bundlewriter_number(w, root->code);
    dmd_bundlewriter_number(w, root->addr);
    dmd_bundlewriter_number(w, root->origin);
    dmd_bundlewriter_number(
        w, root->name == NULL ? DMD_NONE : dmd_intern_find_str(&heap->profile.names, root->name));
  }
}

static void read_roots(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  const dmd_intern_t *names = &heap->profile.names;
  for (uint32_t node = 1; node <= heap->n_roots && !c->failed; node++) {
    dmd_graph_root_t root = {.szB = heap->graph.size[node]};
    root.kind = (dmd_root_kind_t)dmd_bundlecursor_up_to(c, DMD_N_ROOT_KINDS - 1);
    root.object = dmd_bundlecursor_id(c, heap->objects.last);
    root.thread = dmd_bundlecursor_id(c, UINT32_MAX);
    root.code = dmd_bundlecursor_id(c, heap->codes.last);
    root.addr = dmd_bundlecursor_number(c);
    root.origin = dmd_bundlecursor_number(c);
    uint32_t name = dmd_bundlecursor_id(c, dmd_intern_count(names));
    root.name = name == DMD_NONE ? NULL : dmd_intern_get_str(names, name);
    if (root.addr + root.szB < root.addr)
      dmd_bundlecursor_fail(c);
    dmd_heapgraph_add_root(heap, &root);
  }
}

/* ---- All of these. ---- */

void dmd_imageplaces_write(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  write_objects(w, heap);
  write_codes(w, heap);
  write_stacks(w, heap);
  write_roots(w, heap);
}

void dmd_imageplaces_read(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  read_objects(c, heap);
  read_codes(c, heap);
  read_stacks(c, heap);
  read_roots(c, heap);
}
