/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/ownersbeside.h"

#include "reader/command/graphbeside.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

static bool name_variable(void *ctx, uint32_t object, uint64_t addr, uint32_t type,
                          dmd_strbuf_t *to) {
  return ctx != NULL && dmdv_typefinder_variable(ctx, object, addr, type, to);
}

dmd_variable_namer_t dmdv_variable_namer(const dmdv_typedgraph_t *graph) {
  return (dmd_variable_namer_t){.name = name_variable, .ctx = graph->finder};
}

static bool open_graph(dmdv_typedgraph_t *graph, const dmd_profile_t *profile, const char *name) {
  dmd_fail_t fail = {0};
  dmdv_typedgraph_options_t options = {.with_types = true, .frame_view = profile->frame_view};
  dmd_strbuf_t beside;
  dmd_strbuf_init(&beside, &dmdv_env);
  bool good = dmdv_graph_beside(&beside, name);
  if (good && !dmdv_typedgraph_open(graph, beside.text, &options, &fail))
    good = dmdv_error_in(beside.text, &fail);
  dmd_strbuf_destroy(&beside);
  return good;
}

/* Only there are reports, and owners. */
static bool is_of_same_moment(const dmd_profile_t *a, const dmd_profile_t *b) {
  return a->mode == DMD_MODE_DARK_MATTER &&
         dmdv_is_of_same_moment(&a->run, a->mode, &b->run, b->mode);
}

void dmdv_owners_beside_init(dmdv_owners_beside_t *beside, const dmd_profile_t *profile,
                             const char *name, uint32_t max_frames) {
  beside->is_there = open_graph(&beside->graph, profile, name);
  dmd_heapgraph_t *heap = &beside->graph.heap;
  if (beside->is_there && !is_of_same_moment(profile, &heap->profile)) {
    dmdv_typedgraph_close(&beside->graph);
    beside->is_there = false;
  }
  if (!beside->is_there)
    return;
  dmd_kinds_init(&beside->kinds, &beside->graph.typing);
  dmd_heapgraph_add_groups(heap, NULL);
  dmd_records_init(&beside->records, &heap->profile, max_frames, DMD_SORT_USABLE);
  dmd_owners_init(&beside->owners, heap, &beside->kinds, &beside->records, NULL);
  beside->namer = dmdv_variable_namer(&beside->graph);
  beside->view = (dmd_owners_view_t){.owners = &beside->owners, .namer = &beside->namer};
  dmd_owner_advice_init(&beside->advice, &beside->view);
}

void dmdv_owners_beside_destroy(dmdv_owners_beside_t *beside) {
  if (!beside->is_there)
    return;
  dmd_owner_advice_destroy(&beside->advice);
  dmd_owners_destroy(&beside->owners);
  dmd_records_destroy(&beside->records);
  dmd_kinds_destroy(&beside->kinds);
  dmdv_typedgraph_close(&beside->graph);
}
