/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/attached.h"

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

static void show(dmdv_native_t *native, const char *path, bool print, bool is_quiet) {
  native->own.quiet = !print;
  dmdv_native_finish(native, path);
  dmdv_join_graph_beside(path);
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
