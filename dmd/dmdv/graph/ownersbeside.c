/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/ownersbeside.h"

#include "analyse/records/sums.h"
#include "dmdv/graph/graphbeside.h"
#include "host/message.h"
#include "host/process.h"

#include <sys/stat.h>

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

/* Only profiles of mode dark-matter have reports, and thus owners. */
static bool is_of_same_moment(const dmd_profile_t *a, const dmd_profile_t *b) {
  return a->mode == DMD_MODE_DARK_MATTER &&
         dmdv_is_of_same_moment(&a->run, a->mode, &b->run, b->mode);
}

/* ---- How much it takes. ---- */

/* The profile tells how many blocks its graph has. The size of the file limits what is read of a
 * graph of another moment. */
enum { MAX_BLOCKS = 200000, MAX_FILE_SZB = 8 << 20 };

bool dmdv_owners_take_little(const dmd_profile_t *profile, const char *name) {
  dmd_heapsum_t sum = dmd_heapsum_of(profile);
  if (profile->mode != DMD_MODE_DARK_MATTER || sum.section[DMD_SECTION_UNREPORTED].num == 0)
    return false;
  dmd_strbuf_t graph;
  dmd_strbuf_init(&graph, &dmdv_env);
  struct stat status;
  bool is_there = dmdv_graph_beside(&graph, name) && stat(graph.text, &status) == 0;
  bool is_small = is_there && sum.all.num <= MAX_BLOCKS && status.st_size <= MAX_FILE_SZB;
  if (is_there && !is_small)
    dmdv_note("%s is large, so the owners of unreported blocks are left out: dmdv print "
              "--owners=yes, or dmdv owners %s, shows them",
              graph.text, graph.text);
  dmd_strbuf_destroy(&graph);
  return is_small;
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
  dmd_owner_hint_init(&beside->advice, &beside->view);
}

void dmdv_owners_beside_destroy(dmdv_owners_beside_t *beside) {
  if (!beside->is_there)
    return;
  dmd_owner_hint_destroy(&beside->advice);
  dmd_owners_destroy(&beside->owners);
  dmd_records_destroy(&beside->records);
  dmd_kinds_destroy(&beside->kinds);
  dmdv_typedgraph_close(&beside->graph);
}
