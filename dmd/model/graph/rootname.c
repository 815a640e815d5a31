/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/rootname.h"

#include "base/fnname.h"
#include "base/path.h"

static void append_object(const dmd_heapgraph_t *graph, uint32_t object, dmd_strbuf_t *to) {
  const char *path = object == DMD_NONE ? NULL : dmd_heapgraph_object(graph, object)->path;
  if (path == NULL)
    return;
  dmd_strbuf_str(to, " of ");
  dmd_strbuf_str(to, dmd_path_base(path));
}

static void append_thread(const dmd_graph_root_t *root, dmd_strbuf_t *to) {
  if (root->thread == 0)
    return;
  dmd_strbuf_str(to, " of thread ");
  dmd_strbuf_u64(to, root->thread);
}

/* " in main", if the frame's function is known. */
static void append_function(const dmd_heapgraph_t *graph, uint32_t code, dmd_strbuf_t *to) {
  uint32_t n_frames = code == DMD_NONE ? 0 : dmd_heapgraph_code(graph, code)->n_frames;
  if (n_frames == 0)
    return;
  /* The last frame is the function that the others are inlined into. */
  uint32_t frame = dmd_heapgraph_code_frame(graph, code, n_frames - 1);
  const char *function = dmd_frames_location(&graph->profile.frames, frame).function;
  if (function == NULL)
    return;
  dmd_strbuf_str(to, " in ");
  dmd_fnname_short(to, function, dmd_str_length(function));
}

void dmd_root_name(const dmd_heapgraph_t *graph, uint32_t node, dmd_strbuf_t *to) {
  if (node == DMD_GRAPH_ALL) {
    dmd_strbuf_str(to, "roots");
    return;
  }
  const dmd_graph_root_t *root = dmd_heapgraph_root(graph, node);
  static const char *const kinds[DMD_N_ROOT_KINDS] = {"other memory", "data", "stack", "registers",
                                                      "thread-local storage"};
  dmd_strbuf_str(to, root->name != NULL ? root->name : kinds[root->kind]);
  if (root->name == NULL && root->kind == DMD_ROOT_DATA)
    append_object(graph, root->object, to);
  else if (root->name == NULL || root->kind == DMD_ROOT_THREAD)
    append_thread(root, to);
  if (root->kind == DMD_ROOT_STACK)
    append_function(graph, root->code, to);
}
