/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/lostfile.h"

#include "base/files.h"
#include "show/text/escape.h"

void dmd_lostfile_why(dmd_strbuf_t *why, int error, const char *text) {
  const char *ours = dmd_files_error(error);
  dmd_strbuf_str(why, ours != NULL ? ours : text);
  if (ours != NULL)
    return;
  dmd_strbuf_str(why, " (error ");
  dmd_strbuf_i64(why, error);
  dmd_strbuf_str(why, ")");
}

void dmd_lostfile_say(const dmd_env_t *env, const char *name, bool is_graph, const char *why,
                      void (*say)(void *ctx, const char *line), void *ctx) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, env);
  dmd_strbuf_str(&line, "dmd: cannot write ");
  dmd_escape_append(&line, name);
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, why);
  say(ctx, line.text);
  dmd_strbuf_cut(&line, 0);
  dmd_strbuf_str(&line, "dmd: this dump's ");
  dmd_strbuf_str(&line, is_graph ? "heap graph" : "profile");
  dmd_strbuf_str(&line, " is lost; name another place with --dmd-out-file=<file>");
  say(ctx, line.text);
  dmd_strbuf_destroy(&line);
}
