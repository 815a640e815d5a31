/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports Chrome's heap snapshots: columns of numbers, some of which are indices into the list of
 * strings, which comes last.
 *
 * As in V8, node 0 is the root and leads only to "(GC roots)", which leads to the roots: tools
 * count the distances that they show from there. So all other nodes have an index one higher than
 * in the snapshot. Array elements are edges with a number, members edges with a string. Node and
 * edge types with a special meaning to the tools are avoided: weak and shortcut edges, which retain
 * nothing, and hidden nodes and arrays, whose sizes are added to their owners.
 *
 * The tree of stacks has a root, call 1, without a function, so call ids are one higher than in
 * heapsnapshot.h. The format's functions are frames of the profile; 0 is the root's.
 *
 * Tokens are not separated by blanks, because memlab searches for "nodes": and the like.
 */
#include "show/export/heapsnapshot.h"

#include "base/jsonout.h"

/* Indices in the lists of types below. */
enum { NODE_NATIVE = 8, NODE_SYNTHETIC = 9 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2 };

/* Numbers per node; edges refer to nodes by index times this. */
enum { NODE_FIELDS = 7 };

static const char meta[] =
    "{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_id\","
    "\"detachedness\"],"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\","
    "\"number\",\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\","
    "\"bigint\"],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\","
    "\"weak\"],\"string_or_number\",\"node\"],"
    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\","
    "\"line\",\"column\"],"
    "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"],"
    "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]}";

/* Limit on the frames of a stack, which is also the most that Valgrind records. */
enum { MAX_FRAMES = 500 };

/* New strings are left out beyond this total, since the file must stay below 512 MiB. */
enum { MAX_STRINGS_SZB = 96 << 20 };
#define LEFT_OUT "(...)"

typedef struct {
  dmd_heapsnapshot_t *s;
  dmd_out_t *out;
  dmd_calltree_t calls;
  dmd_intern_t strings; /* the index of a string is its id minus 1 */
  size_t strings_szB;
  dmd_strbuf_t name; /* scratch */
  uint32_t *n_edges; /* by number */
} writer_t;

/* ---- Numbers and strings. ---- */

/* Writes numbers separated by commas; is_first: no comma before the first. */
static void put(writer_t *w, bool is_first, const uint64_t *numbers, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (!is_first || i > 0)
      dmd_out_char(w->out, ',');
    dmd_out_u64(w->out, numbers[i]);
  }
}

static uint32_t string_index(writer_t *w, const char *s) {
  if (w->strings_szB > MAX_STRINGS_SZB) {
    uint32_t id = dmd_intern_find_str(&w->strings, s);
    return (id != DMD_NONE ? id : dmd_intern_str(&w->strings, LEFT_OUT)) - 1;
  }
  uint32_t n = dmd_intern_count(&w->strings), id = dmd_intern_str(&w->strings, s);
  if (id > n)
    w->strings_szB += dmd_str_length(s);
  return id - 1;
}

/* The index of the string in w->name, which becomes empty. */
static uint32_t name_index(writer_t *w) {
  uint32_t index = string_index(w, w->name.text);
  dmd_strbuf_cut(&w->name, 0);
  return index;
}

static void put_strings(writer_t *w) {
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, w->out);
  dmd_jsonout_array(&json, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_intern_count(&w->strings); id++)
    dmd_jsonout_str(&json, dmd_intern_get_str(&w->strings, id));
  dmd_jsonout_end(&json);
}

/* ---- Nodes. ---- */

static uint64_t count_edges(writer_t *w) {
  dmd_condensed_t *shown = &w->s->shown;
  uint64_t all = 1; /* from the root to "(GC roots)" */
  for (uint32_t i = 0; i < shown->n_nodes; i++) {
    dmd_edge_walk_t walk;
    w->n_edges[i] = 0;
    dmd_condensed_walk(shown, i, &walk);
    while (dmd_condensed_next(shown, &walk))
      w->n_edges[i]++;
    all += w->n_edges[i];
  }
  return all;
}

/* Adds the block to its call in the tree and returns the call's id; 0: none. */
static uint32_t count_call(writer_t *w, uint32_t number, uint64_t szB) {
  uint32_t id = dmd_calltree_stack(&w->calls, dmd_heapsnapshot_stack(w->s, number));
  if (id == DMD_NONE)
    return 0;
  dmd_call_t *call = dmd_calltree_at(&w->calls, id);
  call->n_blocks++;
  call->szB += szB;
  return id + 1;
}

/* Ids are odd, as in V8. */
static void put_node(writer_t *w, uint32_t number) {
  uint64_t szB = dmd_condensed_size(&w->s->shown, number);
  uint32_t call = count_call(w, number, szB);
  if (szB > UINT32_MAX) {
    szB = UINT32_MAX;
    w->s->n_too_large++;
  }
  dmd_heapsnapshot_name(w->s, number, &w->name);
  uint64_t id = 2 * (uint64_t)number + 3;
  uint64_t numbers[NODE_FIELDS] = {NODE_NATIVE,        name_index(w), id, szB,
                                   w->n_edges[number], call,          0};
  dmd_out_char(w->out, '\n');
  put(w, false, numbers, NODE_FIELDS);
}

static void put_nodes(writer_t *w) {
  uint64_t root[NODE_FIELDS] = {NODE_SYNTHETIC, string_index(w, ""), 1, 0, 1, 0, 0};
  uint64_t roots[NODE_FIELDS] = {
      NODE_SYNTHETIC, string_index(w, "(GC roots)"), 3, 0, w->n_edges[0], 0, 0};
  put(w, true, root, NODE_FIELDS);
  dmd_out_char(w->out, '\n');
  put(w, false, roots, NODE_FIELDS);
  for (uint32_t i = 1; i < w->s->shown.n_nodes; i++)
    put_node(w, i);
}

/* ---- Edges. ---- */

/* True if a name is that of an array element, "[17]"; *number is then the index. */
static bool is_element(const char *name, uint64_t *number) {
  const char *at = name + 1;
  if (name[0] != '[')
    return false;
  for (*number = 0; *at >= '0' && *at <= '9' && *number < UINT32_MAX / 10; at++)
    *number = *number * 10 + (uint64_t)(*at - '0');
  return at > name + 1 && at[0] == ']' && at[1] == '\0';
}

static void put_edge(writer_t *w, const dmd_edge_walk_t *walk) {
  uint64_t target = walk->target + UINT64_C(1), name;
  dmd_heapsnapshot_edge_name(w->s, walk, &w->name);
  bool element = is_element(w->name.text, &name);
  uint32_t index = element ? 0 : name_index(w);
  dmd_strbuf_cut(&w->name, 0);
  uint64_t numbers[] = {element ? EDGE_ELEMENT : EDGE_PROPERTY, element ? name : index,
                        target * NODE_FIELDS};
  put(w, false, numbers, 3);
}

static void put_edges(writer_t *w) {
  dmd_condensed_t *shown = &w->s->shown;
  uint64_t to_roots[] = {EDGE_ELEMENT, 1, NODE_FIELDS};
  put(w, true, to_roots, 3);
  for (uint32_t i = 0; i < shown->n_nodes; i++) {
    dmd_edge_walk_t walk;
    dmd_out_char(w->out, '\n');
    dmd_condensed_walk(shown, i, &walk);
    while (dmd_condensed_next(shown, &walk))
      put_edge(w, &walk);
  }
}

/* ---- Stacks. ---- */

static void put_functions(writer_t *w) {
  const dmd_frames_t *frames = &w->s->graph->profile.frames;
  uint32_t empty = string_index(w, "");
  uint64_t root[] = {0, string_index(w, "(root)"), empty, 0, 0, 0};
  put(w, true, root, 6);
  for (uint32_t id = 1; id <= dmd_frames_count(frames); id++) {
    dmd_location_t l = dmd_frames_location(frames, id);
    const char *file = l.file != NULL ? l.file : l.object != NULL ? l.object : "";
    uint64_t line = l.line < UINT32_MAX ? l.line : 0;
    uint64_t numbers[] = {
        id,
        string_index(w, l.function != NULL ? l.function : dmd_frames_text(frames, id)),
        string_index(w, file),
        0,
        line,
        0};
    put(w, false, numbers, 6);
  }
}

static void open_call(writer_t *w, uint32_t id) {
  const dmd_call_t *call = dmd_calltree_at(&w->calls, id);
  uint64_t numbers[] = {id + UINT64_C(1), call->frame, call->n_blocks, call->szB};
  put(w, true, numbers, 4);
  dmd_out_str(w->out, ",[");
}

/* A call has five elements, the last of which is the list of its callees' elements. */
static void put_calls(writer_t *w) {
  dmd_out_str(w->out, "1,0,0,0,[");
  uint32_t id = w->calls.outermost;
  while (id != DMD_NONE) {
    open_call(w, id);
    const dmd_call_t *call = dmd_calltree_at(&w->calls, id);
    id = call->callee;
    while (id == DMD_NONE) {
      dmd_out_char(w->out, ']');
      if (call->next != DMD_NONE) {
        dmd_out_char(w->out, ',');
        id = call->next;
      } else if (call->caller != DMD_NONE) {
        call = dmd_calltree_at(&w->calls, call->caller);
      } else {
        break;
      }
    }
  }
  dmd_out_char(w->out, ']');
}

/* ---- The file. ---- */

static void put_head(writer_t *w, uint64_t n_edges) {
  dmd_out_str(w->out, "{\"snapshot\":{\"meta\":");
  dmd_out_str(w->out, meta);
  dmd_out_str(w->out, ",\"node_count\":");
  dmd_out_u64(w->out, w->s->shown.n_nodes + UINT64_C(1));
  dmd_out_str(w->out, ",\"edge_count\":");
  dmd_out_u64(w->out, n_edges);
  dmd_out_str(w->out, ",\"trace_function_count\":");
  dmd_out_u64(w->out, dmd_frames_count(&w->s->graph->profile.frames) + UINT64_C(1));
  dmd_out_str(w->out, "}");
}

static void put_list(writer_t *w, const char *key, void (*put_elements)(writer_t *w)) {
  dmd_out_str(w->out, ",\n\"");
  dmd_out_str(w->out, key);
  dmd_out_str(w->out, "\":[");
  if (put_elements != NULL)
    put_elements(w);
  dmd_out_char(w->out, ']');
}

void dmd_export_heapsnapshot(dmd_heapsnapshot_t *snapshot, dmd_out_t *out) {
  const dmd_env_t *env = snapshot->graph->env;
  writer_t w = {.s = snapshot, .out = out};
  dmd_intern_init(&w.strings, env, "dmd.heapsnapshot");
  dmd_calltree_init(&w.calls, &snapshot->graph->profile, MAX_FRAMES);
  dmd_strbuf_init(&w.name, env);
  w.n_edges = dmd_env_alloc(env, "dmd.heapsnapshot", snapshot->shown.n_nodes * sizeof *w.n_edges);
  put_head(&w, count_edges(&w));
  put_list(&w, "nodes", put_nodes);
  put_list(&w, "edges", put_edges);
  put_list(&w, "trace_function_infos", put_functions);
  put_list(&w, "trace_tree", put_calls);
  put_list(&w, "samples", NULL);
  put_list(&w, "locations", NULL);
  dmd_out_str(out, ",\n\"strings\":");
  put_strings(&w);
  dmd_out_str(out, "}\n");
  dmd_env_free(env, w.n_edges);
  dmd_strbuf_destroy(&w.name);
  dmd_calltree_destroy(&w.calls);
  dmd_intern_destroy(&w.strings);
}
