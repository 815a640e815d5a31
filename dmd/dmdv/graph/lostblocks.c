/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/lostblocks.h"

#include "analyse/graph/lostprofile.h"
#include "dmdv/commandline/namer.h"
#include "dmdv/graph/graphbeside.h"
#include "dmdv/input/profilefile.h"
#include "host/message.h"
#include "host/process.h"

void dmdv_lost_init(dmdv_lost_t *lost) {
  *lost = (dmdv_lost_t){.subject = {.profile = &lost->profile}};
  dmd_profile_init(&lost->profile, &dmdv_env);
}

void dmdv_lost_destroy(dmdv_lost_t *lost) {
  dmd_env_free(&dmdv_env, (void *)lost->subject.ignored_by);
  dmd_profile_destroy(&lost->profile);
}

static bool add_graph(dmdv_lost_t *lost, const char *name) {
  const dmd_load_graph_options_t load = {.frame_view = lost->profile.frame_view,
                                         .namer = dmdv_namer()};
  dmd_fail_t fail = {0};
  dmd_heapgraph_t graph;
  dmd_leaks_t leaks;
  if (!dmdv_load_graph(&graph, name, &load, &fail))
    return dmdv_error_in(name, &fail);
  dmd_leaks_init(&leaks, &graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_leaks_add_lost(&lost->profile, &leaks);
  dmd_leaks_destroy(&leaks);
  dmd_heapgraph_destroy(&graph);
  return true;
}

static bool add_beside(dmdv_lost_t *lost, const char *profile) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  bool good = dmdv_graph_beside(&name, profile)
                  ? add_graph(lost, name.text)
                  : dmdv_error("%s: --max-leaked needs the heap graph next to it, which dmd writes "
                               "with --graph=yes",
                               profile);
  dmd_strbuf_destroy(&name);
  return good;
}

bool dmdv_lost_find(dmdv_lost_t *lost, const dmdv_files_t *profiles, const dmd_frame_view_t *view,
                    dmd_ignore_t *ignore) {
  lost->profile.frame_view = *view;
  lost->profile.mode = DMD_MODE_DARK_MATTER;
  for (int i = 0; i < profiles->n; i++)
    if (!add_beside(lost, profiles->names[i]))
      return false;
  if (ignore->n > 0)
    lost->subject.ignored_by = dmd_ignore_apply(ignore, &lost->profile, true);
  return true;
}
