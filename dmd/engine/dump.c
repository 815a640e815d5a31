/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/dump.h"

#include "base/format.h"
#include "base/str.h"
#include "engine/filename.h"
#include "engine/listing.h"
#include "engine/loaded.h"
#include "engine/replacednew.h"
#include "engine/symbols.h"
#include "live/snapshot.h"
#include "profile/json.h"
#include "text/text.h"

/* ---- What to say about the run. ---- */

/* The arguments, and their text for people: as they are, with blanks in between. */
static void describe_command(const dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_engine_host_t *host = engine->host;
  const char *argument;
  dmd_strbuf_t command;
  dmd_strbuf_init(&command, engine->env);
  for (uint32_t i = 0; (argument = host->argument(host->ctx, i)) != NULL; i++) {
    dmd_profile_add_argument(profile, argument);
    dmd_strbuf_str(&command, i > 0 ? " " : "");
    dmd_strbuf_str(&command, argument);
  }
  profile->run.command = dmd_profile_keep(profile, command.text);
  dmd_strbuf_destroy(&command);
}

static void describe_time(const dmd_engine_t *engine, dmd_profile_t *profile) {
  char text[DMD_FORMAT_MAX];
  uint64_t seconds = engine->host->time(engine->host->ctx);
  dmd_format_time(text, seconds);
  profile->run.time = dmd_profile_keep(profile, seconds > 0 ? text : NULL);
}

static void describe_run(const dmd_engine_t *engine, dmd_profile_t *profile, dmd_trigger_t trigger,
                         const char *label) {
  static const char *const triggers[] = {"exit", "request", "monitor"};
  const dmd_engine_host_t *host = engine->host;
  const dmd_strbuf_t *given = &engine->options->given;
  profile->options = given->n == 0 ? NULL : dmd_profile_keep(profile, given->text);
  profile->run.version = host->version;
  profile->run.valgrind_version = host->valgrind_version;
  describe_command(engine, profile);
  describe_time(engine, profile);
  profile->run.folder = dmd_profile_keep(profile, host->start_folder(host->ctx));
  profile->run.host = dmd_profile_keep(profile, host->host_name(host->ctx));
  profile->run.replaced_new = dmd_engine_find_replaced_new(host, profile);
  profile->run.label = dmd_profile_keep(profile, label);
  profile->run.trigger = triggers[trigger];
  profile->run.pid = host->pid(host->ctx);
  profile->run.dump_number = engine->n_dumps;
}

/* ---- Advice. ---- */

/* Live blocks from which on no holders are looked for unless the user asks for it. */
enum { MANY_BLOCKS = 1000000 };

/* Without reports there is nobody to whom advice could be given. */
static bool advice_is_wanted(const dmd_engine_t *engine) {
  dmd_auto_t advice = engine->options->advice;
  if (!dmd_live_keeps_reports(&engine->live) || advice == DMD_NO)
    return false;
  return advice == DMD_YES || (dmd_live_totals(&engine->live).n_blocks < MANY_BLOCKS &&
                               engine->live.reports.pool.last > 0);
}

/* ---- The profile. ---- */

static void fill(dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_engine_host_t *host = engine->host;
  dmd_memory_t memory = {.read = host->memory_read, .ctx = host->ctx};
  dmd_symbols_t symbols;
  dmd_engine_settle_allocator(engine);
  dmd_symbols_init(&symbols, host, profile);
  host->memory_begin(host->ctx);
  uint64_t in_blocks_szB =
      dmd_snapshot_take(&engine->live, advice_is_wanted(engine) ? &memory : NULL, profile,
                        dmd_symbols_resolve, &symbols);
  host->memory_end(host->ctx);
  dmd_symbols_destroy(&symbols);
  host->measure(host->ctx, &profile->memory, in_blocks_szB);
}

/* ---- Text. ---- */

/* Text on its way to the user, in whole lines. */
typedef struct {
  const dmd_engine_host_t *host;
  dmd_strbuf_t line; /* the part of the current line that is there */
} lines_t;

static bool write_lines(void *ctx, const char *bytes, size_t n) {
  lines_t *lines = ctx;
  while (n > 0) {
    size_t part = 0;
    while (part < n && bytes[part] != '\n')
      part++;
    dmd_strbuf_bytes(&lines->line, bytes, part);
    if (part < n) {
      lines->host->say(lines->host->ctx, lines->line.text);
      dmd_strbuf_cut(&lines->line, 0);
      part++;
    }
    bytes += part;
    n -= part;
  }
  return true;
}

/* "dmd 1.0: dump 2 "loaded" of ./app -x (pid 123)" */
static void write_title(dmd_strbuf_t *title, const dmd_run_t *run) {
  dmd_strbuf_str(title, "dmd ");
  dmd_strbuf_str(title, run->version);
  dmd_strbuf_str(title, ": dump ");
  dmd_strbuf_u64(title, run->dump_number);
  if (run->label != NULL) {
    dmd_strbuf_str(title, " \"");
    dmd_strbuf_str(title, run->label);
    dmd_strbuf_str(title, "\"");
  }
  dmd_strbuf_str(title, " of ");
  dmd_strbuf_str(title, run->command);
  dmd_strbuf_str(title, " (pid ");
  dmd_strbuf_u64(title, run->pid);
  dmd_strbuf_str(title, ")");
}

static void print_text(const dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_options_t *options = engine->options;
  dmd_strbuf_t title;
  dmd_strbuf_init(&title, engine->env);
  write_title(&title, &profile->run);
  dmd_text_options_t text_options = {.title = title.text, .max_records = options->max_records};
  lines_t lines = {.host = engine->host};
  dmd_strbuf_init(&lines.line, engine->env);
  dmd_records_t records;
  dmd_out_t out;
  dmd_records_init(&records, profile, options->max_frames, options->sort_by);
  dmd_out_init(&out, write_lines, &lines);
  dmd_text_print(&out, &records, &text_options);
  dmd_out_flush(&out);
  dmd_records_destroy(&records);
  dmd_strbuf_destroy(&lines.line);
  dmd_strbuf_destroy(&title);
}

/* ---- The file. ---- */

/* Whether what has this name can take one profile after the other. /dev/stdout leads to a regular
 * file where the output is redirected to one. */
static bool takes_all(const dmd_engine_host_t *host, const char *name) {
  return dmd_str_begins(name, "/dev/") || dmd_str_begins(name, "/proc/") ||
         host->file_is_stream(host->ctx, name);
}

/* The pattern's name, with the dump's number in it unless it is the one at exit. A pipe or a device
 * takes all dumps. What cannot be compressed is not called so. */
static bool name_file(const dmd_engine_t *engine, dmd_trigger_t trigger, dmd_strbuf_t *name,
                      dmd_strbuf_t *why) {
  const dmd_engine_host_t *host = engine->host;
  if (!dmd_filename_expand(name, engine->options->out_file, host, why))
    return false;
  if (trigger != DMD_TRIGGER_EXIT && !takes_all(host, name->text))
    dmd_filename_number(name, engine->n_dumps);
  if (host->gzip_open == NULL && dmd_filename_ends_with(name, ".gz"))
    dmd_strbuf_cut(name, name->n - dmd_str_length(".gz"));
  return true;
}

static void write_json(dmd_write_fn write, void *to, const dmd_profile_t *profile) {
  dmd_out_t out;
  dmd_out_init(&out, write, to);
  dmd_json_write(&out, profile);
  dmd_out_flush(&out);
}

static void write_gzipped(const dmd_engine_host_t *host, dmd_outfile_t *file,
                          const dmd_profile_t *profile) {
  void *compressor = host->gzip_open(host->ctx, dmd_outfile_write, file);
  write_json(host->gzip_write, compressor, profile);
  host->gzip_close(compressor);
}

static void say_why(const dmd_engine_host_t *host, int error, dmd_strbuf_t *why) {
  dmd_strbuf_str(why, host->file_error(host->ctx, error));
  dmd_strbuf_str(why, " (error ");
  dmd_strbuf_i64(why, error);
  dmd_strbuf_str(why, ")");
}

static bool write_profile(const dmd_engine_t *engine, const dmd_profile_t *profile,
                          const dmd_strbuf_t *name, dmd_strbuf_t *why) {
  const dmd_engine_host_t *host = engine->host;
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, engine->env, host->files, name->text);
  if (good && dmd_filename_ends_with(name, ".gz"))
    write_gzipped(host, &file, profile);
  else if (good)
    write_json(dmd_outfile_write, &file, profile);
  good = good && dmd_outfile_close(&file, true);
  if (!good)
    say_why(host, file.error, why);
  dmd_outfile_destroy(&file);
  return good;
}

static void say_lost(const dmd_engine_t *engine, const char *name, const char *why) {
  const dmd_engine_host_t *host = engine->host;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, "dmd: cannot write ");
  dmd_strbuf_str(&line, name);
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, why);
  host->say(host->ctx, line.text);
  dmd_strbuf_destroy(&line);
  host->say(host->ctx, "dmd: this dump's profile is lost; name another place with "
                       "--dmd-out-file=<file>");
}

static void say_written(const dmd_engine_t *engine, const char *name) {
  const dmd_engine_host_t *host = engine->host;
  if (host->is_quiet(host->ctx))
    return;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, "dmd: wrote ");
  dmd_strbuf_str(&line, name);
  host->say(host->ctx, line.text);
  dmd_strbuf_destroy(&line);
}

/* Tells the program that started us, if it wants to know. */
static void list(const dmd_engine_t *engine, const dmd_run_t *run, const char *name) {
  const dmd_engine_host_t *host = engine->host;
  if (engine->options->list_file == NULL)
    return;
  dmd_strbuf_t file, line, why;
  dmd_strbuf_init(&file, engine->env);
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_init(&why, engine->env);
  dmd_listing_write(&line, run, name);
  if (dmd_filename_expand(&file, engine->options->list_file, host, &why))
    host->file_append(host->ctx, file.text, line.text, line.n);
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&line);
  dmd_strbuf_destroy(&file);
}

/* Appends the file's name to an empty buffer. */
static bool write_file(const dmd_engine_t *engine, const dmd_profile_t *profile,
                       dmd_trigger_t trigger, dmd_strbuf_t *name) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, engine->env);
  bool good = name_file(engine, trigger, name, &why) && write_profile(engine, profile, name, &why);
  if (good) {
    list(engine, &profile->run, name->text);
    say_written(engine, name->text);
  } else {
    say_lost(engine, name->n == 0 ? engine->options->out_file : name->text, why.text);
  }
  dmd_strbuf_destroy(&why);
  return good;
}

uint32_t dmd_engine_dump(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, engine->env);
  uint32_t number = dmd_engine_dump_to(engine, trigger, label, &name);
  dmd_strbuf_destroy(&name);
  return number;
}

uint32_t dmd_engine_dump_to(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                            dmd_strbuf_t *name) {
  const dmd_engine_host_t *host = engine->host;
  engine->n_dumps++;
  if (trigger == DMD_TRIGGER_REQUEST)
    engine->n_requested_dumps++;
  dmd_profile_t profile;
  dmd_profile_init(&profile, engine->env);
  profile.frame_view = engine->options->frame_view;
  fill(engine, &profile);
  describe_run(engine, &profile, trigger, label);
  if (!host->is_quiet(host->ctx))
    print_text(engine, &profile);
  bool written = write_file(engine, &profile, trigger, name);
  dmd_profile_destroy(&profile);
  return written ? engine->n_dumps : 0;
}
