/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "randomgraph.h"

#include "spell.h"

static void number(dmd_out_t *out, const char *what, uint64_t n) {
  dmd_out_str(out, what);
  dmd_out_u64(out, n);
}

static void text(dmd_out_t *out, const char *what, const char *s) {
  dmd_out_str(out, what);
  dmd_out_str(out, s != NULL ? s : "(none)");
}

static void spell_run(dmd_out_t *out, const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  text(out, "mode ", dmd_mode_name(profile->mode));
  text(out, ", dmd ", run->version);
  text(out, ", folder ", run->folder);
  text(out, ", label ", run->label);
  text(out, ", trigger ", run->trigger);
  number(out, ", pid ", run->pid);
  number(out, ", dump ", run->dump_number);
  number(out, ", words of ", run->word_szB);
  for (uint32_t i = 0; i < dmd_profile_n_arguments(profile); i++)
    text(out, ", argument ", dmd_profile_argument(profile, i));
  dmd_out_char(out, '\n');
}

static void spell_object(dmd_out_t *out, const dmd_graph_object_t *object) {
  text(out, "object ", object->path);
  text(out, ", soname ", object->soname);
  number(out, ", bias ", object->bias);
  number(out, ", start ", object->start);
  number(out, ", bytes ", object->szB);
  dmd_out_str(out, ", build id");
  for (size_t i = 0; i < object->n_build_id; i++)
    number(out, " ", (unsigned char)object->build_id[i]);
  dmd_out_char(out, '\n');
}

static void spell_code(dmd_out_t *out, const dmd_heapgraph_t *graph, uint32_t id) {
  if (id == DMD_NONE) {
    dmd_out_str(out, "(none)");
    return;
  }
  const dmd_graph_code_t *code = dmd_heapgraph_code(graph, id);
  number(out, "{object ", code->object);
  number(out, " at ", code->addr);
  for (uint32_t i = 0; i < code->n_frames; i++) {
    dmd_location_t location =
        dmd_frames_location(&graph->profile.frames, dmd_heapgraph_code_frame(graph, id, i));
    text(out, " ", location.function);
    text(out, " ", location.file);
    number(out, ":", location.line);
    text(out, " ", location.object);
    number(out, " +", location.offset);
  }
  dmd_out_char(out, '}');
}

static void spell_edges(dmd_out_t *out, const dmd_heapgraph_t *graph, uint32_t node) {
  const dmd_graph_t *g = &graph->graph;
  for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
    const dmd_graph_interior_t *interior = dmd_heapgraph_interior(graph, e);
    number(out, "  +", g->offset[e]);
    number(out, " -> ", g->target[e]);
    if (interior != NULL) {
      number(out, " +", interior->into);
      number(out, " heuristic ", interior->heuristic);
    }
    dmd_out_char(out, '\n');
  }
}

static void spell_root(dmd_out_t *out, const dmd_heapgraph_t *graph, uint32_t node) {
  const dmd_graph_root_t *root = dmd_heapgraph_root(graph, node);
  number(out, "root of kind ", root->kind);
  number(out, ", object ", root->object);
  number(out, ", thread ", root->thread);
  number(out, ", at ", root->addr);
  number(out, ", bytes ", root->szB);
  if (root->origin != 0)
    number(out, ", origin ", root->origin);
  text(out, ", name ", root->name);
  dmd_out_str(out, ", code ");
  spell_code(out, graph, root->code);
  dmd_out_char(out, '\n');
  spell_edges(out, graph, node);
}

static void spell_block(dmd_out_t *out, const dmd_heapgraph_t *graph, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(graph, node);
  const dmd_graph_first_word_t *word = dmd_heapgraph_first_word(graph, node);
  uint64_t req = dmd_heapgraph_requested(graph, node);
  number(out, "block at ", block->addr);
  number(out, ", outer ", block->outer);
  number(out, ", flags ", block->flags);
  if (word != NULL) {
    number(out, ", first word in object ", word->object);
    number(out, " at ", word->addr);
  }
  const dmd_graph_contents_t *contents = dmd_heapgraph_contents(graph, node);
  if (contents != NULL) {
    number(out, ", contents as ", contents->same);
    number(out, ", tail ", contents->tail);
    number(out, " of ", contents->byte);
  }
  for (uint32_t i = 0; i < dmd_heapgraph_n_codes(graph, block->stack); i++)
    spell_code(out, graph, dmd_heapgraph_stack_code(graph, block->stack, i));
  dmd_out_str(out, "\n  ");
  spell_group(out, &graph->profile,
              &(dmd_group_t){.num = 1,
                             .req = req,
                             .slop = block->slop,
                             .thread = block->thread,
                             .stack = dmd_heapgraph_profile_stack(graph, block->stack),
                             .tag = block->tag,
                             .reports = block->reports});
  spell_edges(out, graph, node);
}

void spell_graph(dmd_out_t *out, const dmd_heapgraph_t *graph) {
  spell_run(out, &graph->profile);
  number(out, ", contents ", graph->has_contents);
  number(out, ", fill ", graph->fill);
  for (uint32_t i = 1; i <= graph->numbers.last; i++) {
    const dmd_graph_number_t *one = DMD_POOL_AT(&graph->numbers, dmd_graph_number_t, i);
    number(out, "\nnumber in ", one->node);
    number(out, " +", one->offset);
    number(out, ": ", one->value);
  }
  for (uint32_t i = 1; i <= graph->residents.last; i++) {
    number(out, "\nresident ", DMD_POOL_AT(&graph->residents, dmd_graph_resident_t, i)->addr);
    number(out, ", ", DMD_POOL_AT(&graph->residents, dmd_graph_resident_t, i)->szB);
  }
  for (uint32_t id = 1; id <= graph->objects.last; id++)
    spell_object(out, dmd_heapgraph_object(graph, id));
  spell_edges(out, graph, DMD_GRAPH_ALL);
  for (uint32_t node = 1; node < graph->graph.n_nodes; node++) {
    if (dmd_heapgraph_is_block(graph, node))
      spell_block(out, graph, node);
    else
      spell_root(out, graph, node);
  }
  spell_frames(out, &graph->profile);
}
