/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/dump.h"

#include "base/format.h"
#include "base/limits.h"
#include "engine/dumpfile.h"
#include "engine/graphdump.h"
#include "engine/loaded.h"
#include "engine/symbols.h"
#include "live/snapshot.h"
#include "profile/json.h"
#include "text/text.h"

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

/* ---- Mode scan. ---- */

static void say(const dmd_engine_host_t *host, dmd_strbuf_t *line) {
  host->say(host->ctx, line->text);
  dmd_strbuf_cut(line, 0);
}

static void add_commas(dmd_strbuf_t *line, uint64_t v, const char *what) {
  char text[DMD_FORMAT_MAX];
  dmd_format_commas(text, (int64_t)v);
  dmd_strbuf_str(line, text);
  dmd_strbuf_str(line, what);
}

static void say_too_large(const dmd_engine_t *engine, const dmd_totals_t *totals) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, "dmd: --mode=scan is for small heaps: it writes up to ");
  add_commas(&line, DMD_MAX_SCAN, " bytes in ");
  add_commas(&line, DMD_MAX_SCAN_BLOCKS, " blocks,");
  say(engine->host, &line);
  dmd_strbuf_str(&line, "dmd: and there are ");
  add_commas(&line, totals->in_use_szB, " in ");
  add_commas(&line, totals->n_blocks, "; this dump is as in --mode=live");
  say(engine->host, &line);
  dmd_strbuf_str(&line, "dmd: for the pointers of a heap of any size use --graph=yes instead");
  say(engine->host, &line);
  dmd_strbuf_destroy(&line);
}

/* Whether contents are written; else the user is told why not. */
static bool contents_are_wanted(const dmd_engine_t *engine) {
  if (engine->live.config.mode != DMD_MODE_SCAN)
    return false;
  dmd_totals_t totals = dmd_live_totals(&engine->live);
  bool is_small = totals.in_use_szB <= DMD_MAX_SCAN && totals.n_blocks <= DMD_MAX_SCAN_BLOCKS;
  if (!is_small)
    say_too_large(engine, &totals);
  return is_small;
}

/* ---- The profile. ---- */

static void fill(dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_engine_host_t *host = engine->host;
  dmd_memory_t memory = {.read = host->memory_read, .holds = host->memory_holds, .ctx = host->ctx};
  dmd_symbols_t symbols;
  dmd_engine_settle_allocator(engine);
  dmd_symbols_init(&symbols, host, profile);
  bool reads = advice_is_wanted(engine) || contents_are_wanted(engine);
  host->memory_begin(host->ctx);
  uint64_t in_blocks_szB = dmd_snapshot_take(&engine->live, reads ? &memory : NULL, profile,
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

/* ---- The files. ---- */

static void write_json(void *ctx, dmd_write_fn write, void *to) {
  dmd_out_t out;
  dmd_out_init(&out, write, to);
  dmd_json_write(&out, ctx);
  dmd_out_flush(&out);
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
  dmd_describe_run(engine, &profile, trigger, label);
  if (!host->texts_are_others && !host->is_quiet(host->ctx))
    print_text(engine, &profile);
  bool written = dmd_dumpfile_write(engine, DMD_DUMPFILE_PROFILE, trigger, &profile.run, write_json,
                                    &profile, name);
  if (engine->options->graph)
    dmd_graphdump_write(engine, trigger, &profile);
  dmd_profile_destroy(&profile);
  return written ? engine->n_dumps : 0;
}
