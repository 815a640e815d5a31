/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/dumpfile.h"

#include "base/str.h"
#include "record/engine/filename.h"
#include "record/engine/listing.h"
#include "show/text/escape.h"

/* ---- File names. ---- */

/* True if the file can take several profiles in a row. /dev/stdout resolves to a regular file if
 * the output is redirected to one. */
static bool takes_all(const dmd_engine_host_t *host, const char *name) {
  return dmd_str_begins(name, "/dev/") || dmd_str_begins(name, "/proc/") ||
         host->file_is_stream(host->ctx, name);
}

/* Adds to the name of the profile at exit what makes it that of another dump, or of its graph. What
 * cannot be compressed is not called so. */
static void finish_name(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, bool has_number,
                        dmd_strbuf_t *name) {
  if (has_number)
    dmd_filename_number(name, engine->n_dumps);
  if (kind == DMD_DUMPFILE_GRAPH)
    dmd_filename_make_graph(name);
  if (engine->host->gzip_open == NULL && dmd_str_ends(name->text, name->n, ".gz"))
    dmd_strbuf_cut(name, name->n - dmd_str_length(".gz"));
}

/* The pattern's name, with the dump's number in it unless it is the last one. A pipe or a device
 * takes all dumps. */
static bool name_file(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                      dmd_strbuf_t *name, bool *is_stream, dmd_strbuf_t *why) {
  const dmd_engine_host_t *host = engine->host;
  *is_stream = false;
  if (!dmd_filename_expand(name, engine->options->out_file, host, why))
    return false;
  *is_stream = takes_all(host, name->text);
  if (*is_stream && kind == DMD_DUMPFILE_GRAPH) {
    dmd_strbuf_str(why, "a heap graph needs a file of its own beside the profile's");
    return false;
  }
  finish_name(engine, kind, !dmd_trigger_is_last(trigger) && !*is_stream, name);
  return true;
}

bool dmd_dumpfile_takes_graph(const dmd_engine_t *engine) {
  dmd_strbuf_t name, why;
  bool is_stream;
  dmd_strbuf_init(&name, engine->env);
  dmd_strbuf_init(&why, engine->env);
  bool good = name_file(engine, DMD_DUMPFILE_GRAPH, DMD_TRIGGER_EXIT, &name, &is_stream, &why);
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&name);
  return good;
}

/* ---- Contents. ---- */

/* Where it goes. */
typedef struct {
  dmd_write_fn write;
  void *to;
} sink_t;

static void write_all(const dmd_engine_host_t *host, const dmd_strbuf_t *name, sink_t sink,
                      dmd_content_fn content, void *ctx) {
  if (!dmd_str_ends(name->text, name->n, ".gz")) {
    content(ctx, sink.write, sink.to);
    return;
  }
  void *compressor = host->gzip_open(host->ctx, sink.write, sink.to);
  content(ctx, host->gzip_write, compressor);
  host->gzip_close(compressor);
}

static bool write_content(const dmd_engine_t *engine, const dmd_strbuf_t *name,
                          dmd_content_fn content, void *ctx, dmd_strbuf_t *why) {
  const dmd_engine_host_t *host = engine->host;
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, engine->env, host->files, name->text);
  if (engine->options->file_mode != 0)
    file.mode &= engine->options->file_mode;
  if (good)
    write_all(host, name, (sink_t){dmd_outfile_write, &file}, content, ctx);
  good = good && dmd_outfile_close(&file, true);
  if (!good)
    dmd_lostfile_why(why, file.error, host->file_error(host->ctx, file.error));
  dmd_outfile_destroy(&file);
  return good;
}

/* ---- Handing it over. ---- */

static bool has_receiver(const dmd_engine_host_t *host) {
  return host->receiver != NULL && host->receiver->is_there(host->receiver->ctx);
}

/* Under the pattern's name: the receiver has its own folder for one that is not absolute. */
static bool hand_over(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                      const dmd_run_t *run, dmd_content_fn content, void *ctx) {
  const dmd_receiver_t *receiver = engine->host->receiver;
  if (!has_receiver(engine->host))
    return false;
  dmd_strbuf_t name, line, why;
  dmd_strbuf_init(&name, engine->env);
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_init(&why, engine->env);
  bool good = dmd_filename_fill_in(&name, engine->options->out_file, engine->host, &why);
  if (good) {
    finish_name(engine, kind, !dmd_trigger_is_last(trigger), &name);
    dmd_listing_write(&line, run, kind == DMD_DUMPFILE_GRAPH, name.text);
    good = receiver->open(receiver->ctx, line.text, line.n);
  }
  if (good) {
    write_all(engine->host, &name, (sink_t){receiver->write, receiver->ctx}, content, ctx);
    good = receiver->close(receiver->ctx, true);
  }
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&line);
  dmd_strbuf_destroy(&name);
  return good;
}

/* ---- Messages. ---- */

/* Silent if another program makes the texts and has the list of files: it logs the name itself. */
static void say_written(const dmd_engine_t *engine, const char *name) {
  const dmd_engine_host_t *host = engine->host;
  bool is_others =
      host->texts_are_others && (engine->options->list_file != NULL || has_receiver(host));
  if (is_others || host->is_quiet(host->ctx))
    return;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, "dmd: wrote ");
  dmd_escape_append(&line, name);
  host->say(host->ctx, line.text);
  dmd_strbuf_destroy(&line);
}

/* Announces the file to the program that started us, if it wants to know. */
static void list(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, const dmd_run_t *run,
                 const char *name) {
  const dmd_engine_host_t *host = engine->host;
  bool is_received = has_receiver(host);
  if (engine->options->list_file == NULL && !is_received)
    return;
  dmd_strbuf_t file, line, why;
  dmd_strbuf_init(&file, engine->env);
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_init(&why, engine->env);
  dmd_listing_write(&line, run, kind == DMD_DUMPFILE_GRAPH, name);
  if (is_received)
    host->receiver->wrote(host->receiver->ctx, line.text, line.n);
  else if (dmd_filename_expand(&file, engine->options->list_file, host, &why))
    host->file_append(host->ctx, file.text, line.text, line.n);
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&line);
  dmd_strbuf_destroy(&file);
}

/* The file at exit is handed over where that is possible, since a process that ends may have given
 * up its rights. Other files are requested, and whoever requested one looks for it at once: the
 * process writes these itself if it can. */
bool dmd_dumpfile_write(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                        const dmd_run_t *run, dmd_content_fn content, void *ctx,
                        dmd_strbuf_t *name) {
  dmd_strbuf_t why;
  bool is_stream;
  dmd_strbuf_init(&why, engine->env);
  bool good = name_file(engine, kind, trigger, name, &is_stream, &why);
  is_stream = is_stream || (good && engine->host->file_is_stream(engine->host->ctx, name->text));
  bool is_first = engine->sends || (dmd_trigger_is_last(trigger) && !is_stream);
  bool is_over = is_first && hand_over(engine, kind, trigger, run, content, ctx);
  if (engine->sends && !is_over)
    dmd_strbuf_str(&why, "dmdv run did not take it");
  bool is_own =
      !is_over && !engine->sends && good && write_content(engine, name, content, ctx, &why);
  if (!is_over && !is_own && !is_first && !is_stream)
    is_over = hand_over(engine, kind, trigger, run, content, ctx);
  if (is_own) {
    list(engine, kind, run, name->text);
    say_written(engine, name->text);
  } else if (!is_over) {
    dmd_lostfile_say(engine->env, name->n == 0 ? engine->options->out_file : name->text,
                     kind == DMD_DUMPFILE_GRAPH, why.text, engine->host->say, engine->host->ctx);
  }
  dmd_strbuf_destroy(&why);
  return is_own || is_over;
}
