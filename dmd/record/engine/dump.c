/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/dump.h"

#include "base/format.h"
#include "base/limits.h"
#include "base/str.h"
#include "files/profile/profilewriter.h"
#include "record/engine/dumpfile.h"
#include "record/engine/graphdump.h"
#include "record/engine/loaded.h"
#include "record/engine/symbols.h"
#include "record/heap/snapshot.h"
#include "show/text/text.h"

/* ---- Hints. ---- */

/* From this many live blocks on, referrers are not searched for unless the user requests it. */
enum { MANY_BLOCKS = 1000000 };

/* Without reports there is no reporter that hints could name. */
static bool hint_is_wanted(const dmd_engine_t *engine) {
  dmd_auto_t hint = engine->options->hint;
  if (dmd_host_is_confined(engine->host))
    return false;
  if (!dmd_live_keeps_reports(&engine->live) || hint == DMD_NO ||
      engine->options->sample_interval > 0)
    return false;
  return hint == DMD_YES || (dmd_live_totals(&engine->live).n_blocks < MANY_BLOCKS &&
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
  add_commas(&line, DMD_MAX_SCAN_BLOCKS, " blocks;");
  say(engine->host, &line);
  dmd_strbuf_str(&line, "dmd: this heap has ");
  add_commas(&line, totals->in_use_szB, " bytes in ");
  add_commas(&line, totals->n_blocks, " blocks, so this dump is as in --mode=live");
  say(engine->host, &line);
  dmd_strbuf_str(&line, "dmd: for the pointers of larger heaps use --graph=yes instead");
  say(engine->host, &line);
  dmd_strbuf_destroy(&line);
}

/* True if contents are to be written; if they are too large, tells the user. */
static bool contents_are_wanted(const dmd_engine_t *engine) {
  if (engine->live.config.mode != DMD_MODE_SCAN)
    return false;
  dmd_totals_t totals = dmd_live_totals(&engine->live);
  if (dmd_host_is_confined(engine->host))
    return false;
  bool is_small = totals.in_use_szB <= DMD_MAX_SCAN && totals.n_blocks <= DMD_MAX_SCAN_BLOCKS;
  if (!is_small)
    say_too_large(engine, &totals);
  return is_small;
}

/* ---- Memory use. ---- */

static uint64_t most_of_process(const dmd_engine_t *engine) {
  const dmd_engine_host_t *host = engine->host;
  return host->most_resident == NULL ? DMD_MEMORY_UNKNOWN : host->most_resident(host->ctx);
}

static void raise(uint64_t *most, uint64_t szB) {
  if (szB != DMD_MEMORY_UNKNOWN && szB > *most)
    *most = szB;
}

/* The kernel's maximum is that of program and engine together. If it is a new one since the last
 * dump, so that it does not come from dumping, the engine's memory is taken off. */
static dmd_physical_t measure(dmd_engine_t *engine) {
  dmd_physical_t now = engine->host->measure(engine->host->ctx);
  uint64_t most = most_of_process(engine);
  raise(&engine->most_resident_szB, now.resident);
  raise(&engine->most_resident_szB, dmd_blocks_most_resident(engine->live.blocks));
  if (most != DMD_MEMORY_UNKNOWN && now.own != DMD_MEMORY_UNKNOWN && most > now.own &&
      most > engine->most_after_szB)
    raise(&engine->most_resident_szB, most - now.own);
  return now;
}

static void tell_memory(const dmd_engine_t *engine, const dmd_physical_t *now,
                        uint64_t in_blocks_szB, dmd_profile_t *profile) {
  profile->memory.resident = now->resident;
  profile->memory.resident_unique = now->unique;
  if (now->arena != DMD_MEMORY_UNKNOWN && now->arena >= in_blocks_szB)
    profile->memory.heap_overhead = now->arena - in_blocks_szB;
  profile->run.most_resident_szB = engine->most_resident_szB;
  if (dmd_timeline_is_known(&profile->timeline))
    dmd_timeline_point(&profile->timeline, profile->timeline.points.last)->resident_szB =
        now->resident;
}

/* ---- The profile. ---- */

static void fill(dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_engine_host_t *host = engine->host;
  dmd_memory_t memory = {.read = host->memory_read, .holds = host->memory_holds, .ctx = host->ctx};
  dmd_symbols_t symbols;
  dmd_engine_settle_allocator(engine);
  const dmd_physical_t now = measure(engine);
  dmd_symbols_init(&symbols, host, profile);
  bool reads = hint_is_wanted(engine) || contents_are_wanted(engine);
  host->memory_begin(host->ctx);
  uint64_t in_blocks_szB = dmd_snapshot_take(&engine->live, reads ? &memory : NULL, profile,
                                             dmd_symbols_resolve, &symbols);
  host->memory_end(host->ctx);
  dmd_symbols_destroy(&symbols);
  tell_memory(engine, &now, in_blocks_szB, profile);
}

static void print_text(const dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_options_t *options = engine->options;
  const dmd_text_dump_options_t text = {.sort_by = options->sort_by,
                                        .max_records = options->max_records,
                                        .max_frames = options->max_frames};
  dmd_text_dump(profile, &text, engine->host->say, engine->host->ctx);
}

/* ---- The files. ---- */

static void write_json(void *ctx, dmd_write_fn write, void *to) {
  dmd_out_t out;
  dmd_out_init(&out, write, to);
  dmd_profilewriter_write(&out, ctx);
  dmd_out_flush(&out);
}

uint32_t dmd_engine_dump(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, engine->env);
  uint32_t number = dmd_engine_dump_to(engine, trigger, label, &name);
  dmd_strbuf_destroy(&name);
  return number;
}

/* The user did not ask for it. So failures are not worth a message, and a graph of so many blocks
 * that it takes seconds and a gigabyte is not worth it. */
static bool graph_is_worthwhile(const dmd_engine_t *engine, dmd_trigger_t trigger) {
  enum { MOST_BLOCKS = 3000000 };
  dmd_mode_t mode = engine->live.config.mode;
  return (dmd_trigger_is_last(trigger) || trigger == DMD_TRIGGER_REQUEST) &&
         (mode == DMD_MODE_DARK_MATTER || mode == DMD_MODE_LIVE) &&
         engine->options->sample_interval == 0 && !dmd_host_is_confined(engine->host) &&
         dmd_live_totals(&engine->live).n_blocks <= MOST_BLOCKS && dmd_dumpfile_takes_graph(engine);
}

static bool graph_is_wanted(const dmd_engine_t *engine, dmd_trigger_t trigger) {
  dmd_graph_when_t when = engine->options->graph;
  return when == DMD_GRAPH_YES || (when == DMD_GRAPH_AUTO && graph_is_worthwhile(engine, trigger));
}

/* graph: receives the name of the heap graph; NULL: do not write one. */
static uint32_t dump(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                     dmd_strbuf_t *name, dmd_strbuf_t *graph) {
  const dmd_engine_host_t *host = engine->host;
  engine->n_dumps++;
  if (trigger == DMD_TRIGGER_REQUEST)
    engine->n_requested_dumps++;
  dmd_profile_t profile;
  dmd_profile_init(&profile, engine->env);
  profile.frame_view = engine->options->frame_view;
  fill(engine, &profile);
  dmd_blocks_mark(engine->live.blocks, label, engine->n_dumps);
  dmd_describe_run(engine, &profile, trigger, label);
  if (!host->texts_are_others && !host->is_quiet(host->ctx))
    print_text(engine, &profile);
  bool written = dmd_dumpfile_write(engine, DMD_DUMPFILE_PROFILE, trigger, &profile.run, write_json,
                                    &profile, name);
  if (graph != NULL)
    dmd_graphdump_write(engine, trigger, &profile, graph);
  if (!dmd_trigger_is_last(trigger))
    dmd_blocks_begin_peak(engine->live.blocks);
  dmd_profile_destroy(&profile);
  uint64_t most = most_of_process(engine);
  engine->most_after_szB = most == DMD_MEMORY_UNKNOWN ? 0 : most;
  return written ? engine->n_dumps : 0;
}

uint32_t dmd_engine_dump_to(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                            dmd_strbuf_t *name) {
  dmd_strbuf_t graph;
  dmd_strbuf_init(&graph, engine->env);
  uint32_t number =
      dump(engine, trigger, label, name, graph_is_wanted(engine, trigger) ? &graph : NULL);
  dmd_strbuf_destroy(&graph);
  return number;
}

uint32_t dmd_engine_dump_with_graph(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                                    dmd_strbuf_t *name, dmd_strbuf_t *graph) {
  return dump(engine, trigger, label, name, graph);
}

/* The fault tells where, since no block of the profile does. Returns whether it is the first one
 * there, and appends the dump's label. */
static bool take_failure(dmd_engine_t *engine, dmd_strbuf_t *label) {
  const dmd_engine_host_t *host = engine->host;
  const dmd_failure_t *failure = &engine->failure;
  dmd_strbuf_str(label, ": ");
  add_commas(label, failure->szB, " bytes");
  if (!dmd_live_fault(&engine->live, DMD_FAULT_ALLOCATION_FAILED, failure->thread, failure->stack))
    return false;
  if (!host->is_quiet(host->ctx)) {
    dmd_strbuf_t line;
    dmd_strbuf_init(&line, engine->env);
    dmd_strbuf_str(&line, dmd_fault_text(DMD_FAULT_ALLOCATION_FAILED));
    dmd_strbuf_str(&line, ": ");
    add_commas(&line, failure->szB, " bytes");
    say(host, &line);
    host->say_stack(host->ctx, failure->stack);
    host->say(host->ctx, "");
    dmd_strbuf_destroy(&line);
  }
  return true;
}

void dmd_engine_dump_due(dmd_engine_t *engine) {
  const char *due = engine->due;
  engine->due = NULL;
  if (due == NULL)
    return;
  dmd_strbuf_t label;
  dmd_strbuf_init(&label, engine->env);
  dmd_strbuf_str(&label, due);
  bool is_failure = dmd_str_compare(due, DMD_DUE_AT_FAILURE) == 0;
  if ((!is_failure || take_failure(engine, &label)) &&
      engine->n_automatic_dumps < engine->options->max_dumps) {
    engine->n_automatic_dumps++;
    dmd_engine_dump(engine, DMD_TRIGGER_AUTOMATIC, label.text);
  }
  dmd_strbuf_destroy(&label);
}

static void end(dmd_engine_t *engine, dmd_trigger_t trigger, dmd_strbuf_t *name) {
  dmd_live_end_all(&engine->live);
  dmd_auto_t when = engine->options->dump_at_exit;
  bool is_wanted = when == DMD_YES || (when == DMD_AUTO && engine->n_requested_dumps == 0);
  if (is_wanted)
    dmd_engine_dump_to(engine, trigger, NULL, name);
  if (!engine->host->is_quiet(engine->host->ctx)) {
    dmd_rules_say_unused(&engine->rules);
    dmd_claimfns_say_unused(&engine->claimfns);
  }
}

void dmd_engine_exit(dmd_engine_t *engine) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, engine->env);
  end(engine, DMD_TRIGGER_EXIT, &name);
  dmd_strbuf_destroy(&name);
}

void dmd_engine_detach(dmd_engine_t *engine, dmd_strbuf_t *name) {
  end(engine, DMD_TRIGGER_DETACH, name);
}
