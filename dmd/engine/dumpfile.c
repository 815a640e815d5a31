/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/dumpfile.h"

#include "base/str.h"
#include "engine/filename.h"
#include "engine/listing.h"

/* ---- Its name. ---- */

/* Whether what has this name can take one profile after the other. /dev/stdout leads to a regular
 * file where the output is redirected to one. */
static bool takes_all(const dmd_engine_host_t *host, const char *name) {
  return dmd_str_begins(name, "/dev/") || dmd_str_begins(name, "/proc/") ||
         host->file_is_stream(host->ctx, name);
}

/* The pattern's name, with the dump's number in it unless it is the one at exit. A pipe or a device
 * takes all dumps. What cannot be compressed is not called so. */
static bool name_file(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                      dmd_strbuf_t *name, dmd_strbuf_t *why) {
  const dmd_engine_host_t *host = engine->host;
  if (!dmd_filename_expand(name, engine->options->out_file, host, why))
    return false;
  bool is_stream = takes_all(host, name->text);
  if (is_stream && kind == DMD_DUMPFILE_GRAPH) {
    dmd_strbuf_str(why, "a heap graph needs a file of its own beside the profile's");
    return false;
  }
  if (trigger != DMD_TRIGGER_EXIT && !is_stream)
    dmd_filename_number(name, engine->n_dumps);
  if (kind == DMD_DUMPFILE_GRAPH)
    dmd_filename_make_graph(name);
  if (host->gzip_open == NULL && dmd_filename_ends_with(name, ".gz"))
    dmd_strbuf_cut(name, name->n - dmd_str_length(".gz"));
  return true;
}

/* ---- Its content. ---- */

static void write_gzipped(const dmd_engine_host_t *host, dmd_outfile_t *file,
                          dmd_content_fn content, void *ctx) {
  void *compressor = host->gzip_open(host->ctx, dmd_outfile_write, file);
  content(ctx, host->gzip_write, compressor);
  host->gzip_close(compressor);
}

static void say_why(const dmd_engine_host_t *host, int error, dmd_strbuf_t *why) {
  dmd_strbuf_str(why, host->file_error(host->ctx, error));
  dmd_strbuf_str(why, " (error ");
  dmd_strbuf_i64(why, error);
  dmd_strbuf_str(why, ")");
}

static bool write_content(const dmd_engine_t *engine, const dmd_strbuf_t *name,
                          dmd_content_fn content, void *ctx, dmd_strbuf_t *why) {
  const dmd_engine_host_t *host = engine->host;
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, engine->env, host->files, name->text);
  if (good && dmd_filename_ends_with(name, ".gz"))
    write_gzipped(host, &file, content, ctx);
  else if (good)
    content(ctx, dmd_outfile_write, &file);
  good = good && dmd_outfile_close(&file, true);
  if (!good)
    say_why(host, file.error, why);
  dmd_outfile_destroy(&file);
  return good;
}

/* ---- What is told. ---- */

static void say_lost(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, const char *name,
                     const char *why) {
  const dmd_engine_host_t *host = engine->host;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, "dmd: cannot write ");
  dmd_strbuf_str(&line, name);
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, why);
  host->say(host->ctx, line.text);
  dmd_strbuf_cut(&line, 0);
  dmd_strbuf_str(&line, "dmd: this dump's ");
  dmd_strbuf_str(&line, kind == DMD_DUMPFILE_GRAPH ? "heap graph" : "profile");
  dmd_strbuf_str(&line, " is lost; name another place with --dmd-out-file=<file>");
  host->say(host->ctx, line.text);
  dmd_strbuf_destroy(&line);
}

/* Who makes the text, and is told of the files, says it. */
static void say_written(const dmd_engine_t *engine, const char *name) {
  const dmd_engine_host_t *host = engine->host;
  bool is_others = host->texts_are_others && engine->options->list_file != NULL;
  if (is_others || host->is_quiet(host->ctx))
    return;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, "dmd: wrote ");
  dmd_strbuf_str(&line, name);
  host->say(host->ctx, line.text);
  dmd_strbuf_destroy(&line);
}

/* Tells the program that started us, if it wants to know. */
static void list(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, const dmd_run_t *run,
                 const char *name) {
  const dmd_engine_host_t *host = engine->host;
  if (engine->options->list_file == NULL)
    return;
  dmd_strbuf_t file, line, why;
  dmd_strbuf_init(&file, engine->env);
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_init(&why, engine->env);
  dmd_listing_write(&line, run, kind == DMD_DUMPFILE_GRAPH, name);
  if (dmd_filename_expand(&file, engine->options->list_file, host, &why))
    host->file_append(host->ctx, file.text, line.text, line.n);
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&line);
  dmd_strbuf_destroy(&file);
}

bool dmd_dumpfile_write(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                        const dmd_run_t *run, dmd_content_fn content, void *ctx,
                        dmd_strbuf_t *name) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, engine->env);
  bool good = name_file(engine, kind, trigger, name, &why) &&
              write_content(engine, name, content, ctx, &why);
  if (good) {
    list(engine, kind, run, name->text);
    say_written(engine, name->text);
  } else {
    say_lost(engine, kind, name->n == 0 ? engine->options->out_file : name->text, why.text);
  }
  dmd_strbuf_destroy(&why);
  return good;
}
