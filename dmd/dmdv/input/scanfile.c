/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/input/scanfile.h"

#include "analyse/graph/scangraph.h"
#include "dmdv/input/profilefile.h"
#include "files/graph/graphwriter.h"
#include "host/process.h"

static bool make_graph(dmd_heapgraph_t *graph, const dmd_profile_t *profile, dmd_fail_t *fail) {
  dmd_strbuf_t why;
  if (profile->mode != DMD_MODE_SCAN)
    return dmd_fail(fail,
                    "is a profile of mode %s: only a scan (--mode=scan) and a heap graph "
                    "(--graph=yes) contain pointers",
                    dmd_mode_name(profile->mode));
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_scangraph_init(graph, &dmdv_env, profile, &why);
  if (!good)
    dmd_fail(fail, "%s", why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

static bool load_scan(dmd_heapgraph_t *graph, dmdv_input_t *input,
                      const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  dmd_load_options_t load = {
      .contents = true, .frame_view = options->frame_view, .namer = options->namer};
  dmd_profile_t profile;
  dmd_profile_init(&profile, &dmdv_env);
  bool good = dmdv_load_input(&profile, input, &load, fail) && make_graph(graph, &profile, fail);
  dmd_profile_destroy(&profile);
  return good;
}

bool dmdv_load_graph_or_scan(dmd_heapgraph_t *graph, const char *name,
                             const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  const char *bytes;
  size_t n;
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_input_keep(input, fail) && dmdv_input_peek(input, &bytes, &n, fail);
  if (good)
    good = dmd_graphwriter_is(bytes, n) ? dmdv_load_graph_input(graph, input, options, fail)
                                        : load_scan(graph, input, options, fail);
  dmdv_input_close(input);
  return good;
}
