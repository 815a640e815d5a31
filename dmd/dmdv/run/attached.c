/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/attached.h"

#include "dmdv/graph/typedgraph.h"
#include "dmdv/input/profilefile.h"
#include "dmdv/run/attach.h"
#include "dmdv/run/controlled.h"
#include "dmdv/run/overview.h"
#include "dmdv/run/rewrite.h"
#include "host/process.h"

int dmdv_attached_begin(dmdv_native_t *native, uint32_t pid, bool is_quiet) {
  dmd_strbuf_t library;
  dmd_strbuf_init(&library, &dmdv_env);
  int status = dmdv_native_find(&library) ? dmdv_attach(pid, library.text, native->given.text)
                                          : DMDV_NOT_ASKED;
  dmd_strbuf_destroy(&library);
  if (status == 0 && !is_quiet)
    dmdv_note("recording process %u from now on; dmdv run --pid=%u --detach ends it", pid, pid);
  return status;
}

/* dmd_load_graph_options_t.is_wanted, of a graph that is never loaded. */
static bool look(void *run, const dmd_graph_preview_t *preview) {
  *(dmd_run_t *)run = preview->run;
  return false;
}

/* Puts the graph behind the profile, unless an earlier run left it. */
static void join_graph(const char *path) {
  dmd_run_t run = {0};
  dmd_heapgraph_t graph;
  const dmd_load_graph_options_t peek = {.is_wanted = look, .ctx = &run};
  const dmd_load_options_t load = {.moment = DMD_MOMENT_END};
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  dmd_strbuf_t beside;
  dmd_strbuf_init(&beside, &dmdv_env);
  dmd_profile_init(&profile, &dmdv_env);
  if (dmdv_graph_beside(&beside, path) && !dmdv_load_graph(&graph, beside.text, &peek, &fail) &&
      dmdv_load(&profile, path, &load, &fail) && run.is_known && run.pid == profile.run.pid &&
      run.dump_number == profile.run.dump_number)
    dmdv_join_graph(path, beside.text);
  dmd_profile_destroy(&profile);
  dmd_strbuf_destroy(&beside);
}

static void show(dmdv_native_t *native, const char *path, bool print, bool is_quiet) {
  native->own.quiet = !print;
  dmdv_native_finish(native, path);
  join_graph(path);
  if (!print && !is_quiet)
    dmdv_overview_of_run(path, "native engine, attached", 0, false);
  dmdv_note("wrote %s", path);
}

int dmdv_attached_end(dmdv_native_t *native, uint32_t pid, bool print, bool is_quiet) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  int status = dmdv_detach(pid, &path);
  if (status == 0 && path.n == 0)
    dmdv_note("no profile was written");
  else if (status == 0 && (status = dmdv_become_user_of("run", pid)) == 0)
    show(native, path.text, print, is_quiet);
  dmd_strbuf_destroy(&path);
  return status;
}
