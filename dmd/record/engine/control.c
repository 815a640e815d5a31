/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/control.h"

#include "base/jsonout.h"
#include "base/str.h"
#include "record/engine/dump.h"

void dmd_control_name(dmd_strbuf_t *name, uint32_t pid, uint32_t number) {
  dmd_strbuf_str(name, "dmdv-");
  dmd_strbuf_u64(name, pid);
  dmd_strbuf_str(name, "-");
  dmd_strbuf_u64(name, number);
}

/* ---- Requests. ---- */

static const char magic[] = "dmd-control 1 ";

static const struct {
  const char *word;
  dmd_control_command_t command;
} commands[] = {{"status", DMD_CONTROL_STATUS}, {"dump", DMD_CONTROL_DUMP}};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

void dmd_control_write(dmd_strbuf_t *line, const dmd_control_t *request) {
  dmd_strbuf_str(line, magic);
  for (int i = 0; i < N_COMMANDS; i++)
    if (commands[i].command == request->command)
      dmd_strbuf_str(line, commands[i].word);
  if (request->graph)
    dmd_strbuf_str(line, " graph");
  if (request->clear)
    dmd_strbuf_str(line, " clear");
  if (request->send)
    dmd_strbuf_str(line, " send");
  if (request->label != NULL) {
    dmd_strbuf_str(line, " label ");
    for (size_t i = 0; i < request->n_label; i++)
      dmd_strbuf_bytes(line, request->label[i] == '\n' ? " " : &request->label[i], 1);
  }
  dmd_strbuf_str(line, "\n");
}

/* The rest of the line. */
typedef struct {
  const char *at;
  size_t n;
} rest_t;

/* Takes the next word; *n is its length, 0 at the end. Skips the word and one blank after it. */
static const char *take_word(rest_t *rest, size_t *n) {
  const char *word = rest->at;
  *n = 0;
  while (*n < rest->n && word[*n] != ' ')
    ++*n;
  size_t taken = *n < rest->n ? *n + 1 : *n;
  rest->at += taken;
  rest->n -= taken;
  return word;
}

static bool is_word(const char *word, size_t n, const char *wanted) {
  return n == dmd_str_length(wanted) && dmd_mem_equal(word, wanted, n);
}

static bool read_command(dmd_control_t *request, rest_t *rest) {
  size_t n;
  const char *word = take_word(rest, &n);
  for (int i = 0; i < N_COMMANDS; i++)
    if (is_word(word, n, commands[i].word)) {
      request->command = commands[i].command;
      return true;
    }
  return false;
}

/* Reads the command's operands. */
static bool read_operands(dmd_control_t *request, rest_t *rest) {
  while (rest->n > 0) {
    size_t n;
    const char *word = take_word(rest, &n);
    if (request->command != DMD_CONTROL_DUMP)
      return false;
    if (is_word(word, n, "graph")) {
      request->graph = true;
    } else if (is_word(word, n, "clear")) {
      request->clear = true;
    } else if (is_word(word, n, "send")) {
      request->send = true;
    } else if (is_word(word, n, "label")) {
      request->label = rest->at;
      request->n_label = rest->n;
      rest->n = 0;
    } else {
      return false;
    }
  }
  return true;
}

bool dmd_control_read(dmd_control_t *request, const char *line, size_t n, const char **why) {
  rest_t rest = {line, n};
  size_t n_magic = dmd_str_length(magic);
  *request = (dmd_control_t){.label = NULL};
  if (n > 0 && line[n - 1] == '\n')
    rest.n--;
  if (rest.n < n_magic || !dmd_mem_equal(line, magic, n_magic)) {
    *why = "this is not a request of dmdv, or it is from another version";
    return false;
  }
  rest.at += n_magic;
  rest.n -= n_magic;
  *why = "unknown command";
  if (!read_command(request, &rest))
    return false;
  *why = "unknown operand";
  if (!read_operands(request, &rest))
    return false;
  *why = "the label is longer than " DMD_LIMIT_TEXT(4096) " bytes";
  return request->n_label <= DMD_MAX_NAME;
}

/* ---- Status. ---- */

/* Blocks by number of reports: none; one, or shared; more. */
typedef struct {
  const dmd_live_t *live;
  struct {
    double blocks, usable; /* estimates if blocks are sampled */
  } part[3];
} reported_t;

static void add_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  reported_t *reported = ctx;
  const dmd_reports_t *reports = &reported->live->reports;
  uint32_t id = block->reports;
  int part = 0;
  (void)addr;
  if (id != DMD_NONE)
    part = dmd_reports_are_shared(reports, id) || dmd_reports_at(reports, id)->count == 1 ? 1 : 2;
  double weight = dmd_live_weight(reported->live, block);
  reported->part[part].blocks += weight;
  reported->part[part].usable += weight * (double)dmd_block_usable(block);
}

static void write_reported(dmd_engine_t *engine, dmd_jsonout_t *json) {
  static const char *const names[] = {"unreported", "once-reported", "twice-reported"};
  reported_t reported = {.live = &engine->live};
  dmd_blocks_walk(engine->live.blocks, add_block, &reported);
  dmd_jsonout_key(json, "reports");
  dmd_jsonout_object(json, DMD_JSONOUT_INLINE);
  for (int i = 0; i < 3; i++) {
    dmd_jsonout_key_any(json, names[i]);
    dmd_jsonout_object(json, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_u64(json, "blocks", (uint64_t)(reported.part[i].blocks + 0.5));
    dmd_jsonout_key_u64(json, "usable", (uint64_t)(reported.part[i].usable + 0.5));
    dmd_jsonout_end(json);
  }
  dmd_jsonout_end(json);
}

static void write_status(dmd_engine_t *engine, const dmd_control_facts_t *facts,
                         dmd_jsonout_t *json) {
  const dmd_engine_host_t *host = engine->host;
  const dmd_live_t *live = &engine->live;
  dmd_totals_t totals = dmd_live_totals(live);
  const char *program = host->argument(host->ctx, 0);
  dmd_jsonout_key_str(json, "version", host->version);
  dmd_jsonout_key_u64(json, "pid", host->pid(host->ctx));
  if (program != NULL)
    dmd_jsonout_key_str(json, "program", program);
  if (facts->start != 0)
    dmd_jsonout_key_u64(json, "start", facts->start);
  dmd_jsonout_key_str(json, "mode", dmd_mode_name(live->config.mode));
  dmd_jsonout_key_u64(json, "sampleBelow", live->config.sample_below);
  dmd_jsonout_key_u64(json, "sampleInterval", live->config.sample_interval);
  dmd_jsonout_key_u64(json, "blocks", totals.n_blocks);
  dmd_jsonout_key_u64(json, "bytes", totals.in_use_szB);
  dmd_jsonout_key_u64(json, "allocations", totals.n_allocs);
  dmd_jsonout_key_u64(json, "frees", totals.n_frees);
  if (dmd_live_keeps_reports(live))
    write_reported(engine, json);
  dmd_jsonout_key_u64(json, "reporters", dmd_intern_count(&live->reporter_names));
  dmd_jsonout_key_u64(json, "tags", dmd_intern_count(&live->tag_names));
  dmd_jsonout_key_u64(json, "faults", dmd_faults_count(&live->faults));
  dmd_jsonout_key_u64(json, "stacks", facts->n_stacks);
  dmd_jsonout_key_u64(json, "ownBytes", facts->own_szB);
  dmd_jsonout_key_u64(json, "dumps", engine->n_dumps);
}

/* ---- Dumps. ---- */

static void write_file(dmd_jsonout_t *json, const char *kind, const char *path) {
  if (path == NULL)
    return;
  dmd_jsonout_object(json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(json, "kind", kind);
  dmd_jsonout_key_str(json, "path", path);
  dmd_jsonout_end(json);
}

void dmd_control_write_dumped(dmd_jsonout_t *json, const dmd_control_dumped_t *dumped) {
  dmd_jsonout_key_u64(json, "number", dumped->number);
  dmd_jsonout_key(json, "files");
  dmd_jsonout_array(json, DMD_JSONOUT_INLINE);
  write_file(json, "profile", dumped->profile);
  write_file(json, "graph", dumped->graph);
  dmd_jsonout_end(json);
  dmd_jsonout_key_bool(json, "cleared", dumped->cleared);
  if (dumped->error != NULL)
    dmd_jsonout_key_str(json, "error", dumped->error);
}

/* The label as a NUL-terminated string, or NULL. */
static const char *label_of(dmd_strbuf_t *text, const dmd_control_t *request) {
  if (request->label == NULL)
    return NULL;
  dmd_strbuf_bytes(text, request->label, request->n_label);
  return text->text;
}

static void dump(dmd_engine_t *engine, const dmd_control_t *request, dmd_jsonout_t *json) {
  dmd_strbuf_t profile, graph, label;
  dmd_strbuf_init(&profile, engine->env);
  dmd_strbuf_init(&graph, engine->env);
  dmd_strbuf_init(&label, engine->env);
  bool has_graph = request->graph || engine->options->graph == DMD_GRAPH_YES;
  engine->sends = request->send;
  uint32_t number = dmd_engine_dump_with_graph(
      engine, DMD_TRIGGER_MONITOR, label_of(&label, request), &profile, has_graph ? &graph : NULL);
  engine->sends = false;
  if (request->clear)
    dmd_live_clear_reports(&engine->live);
  dmd_control_dumped_t dumped = {.number = engine->n_dumps,
                                 .profile = number == 0 || profile.n == 0 ? NULL : profile.text,
                                 .graph = graph.n == 0 ? NULL : graph.text,
                                 .cleared = request->clear};
  if (number == 0)
    dumped.error = "the profile could not be written; see the program's log";
  else if (has_graph && graph.n == 0)
    dumped.error = "the heap graph could not be written; see the program's log";
  dmd_control_write_dumped(json, &dumped);
  dmd_strbuf_destroy(&label);
  dmd_strbuf_destroy(&graph);
  dmd_strbuf_destroy(&profile);
}

/* ---- Answers. ---- */

void dmd_control_refuse(dmd_strbuf_t *answer, const char *why) {
  dmd_out_t out;
  dmd_jsonout_t json;
  dmd_out_init(&out, dmd_strbuf_write, answer);
  dmd_jsonout_init(&json, &out);
  dmd_jsonout_object(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&json, "error", why);
  dmd_jsonout_end(&json);
  dmd_out_flush(&out);
}

void dmd_control_answer(dmd_engine_t *engine, const dmd_control_facts_t *facts, const char *line,
                        size_t n, dmd_strbuf_t *answer) {
  dmd_control_t request;
  const char *why;
  dmd_out_t out;
  dmd_jsonout_t json;
  if (!dmd_control_read(&request, line, n, &why)) {
    dmd_control_refuse(answer, why);
    return;
  }
  dmd_out_init(&out, dmd_strbuf_write, answer);
  dmd_jsonout_init(&json, &out);
  dmd_jsonout_object(&json, DMD_JSONOUT_LINES);
  if (request.command == DMD_CONTROL_STATUS)
    write_status(engine, facts, &json);
  else
    dump(engine, &request, &json);
  dmd_jsonout_end(&json);
  dmd_out_flush(&out);
}
