/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/monitor.h"

#include "base/str.h"
#include "record/engine/dump.h"
#include "record/engine/graphdump.h"

typedef struct {
  const char *name;
  const char *operand; /* "": no operand */
  const char *help;    /* indented lines */
  /* operand: the text after the name, without leading blanks. */
  void (*run)(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply);
} command_t;

static void run_help(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply);

/* Writes a file with this label by calling make, and appends its name to the reply. */
static void write_file(dmd_engine_t *engine, const char *operand, const char *what,
                       uint32_t (*make)(dmd_engine_t *engine, dmd_trigger_t trigger,
                                        const char *label, dmd_strbuf_t *name),
                       dmd_strbuf_t *reply) {
  const char *label = operand[0] != '\0' ? operand : NULL;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, engine->env);
  uint32_t number = make(engine, DMD_TRIGGER_MONITOR, label, &name);
  if (number == 0) {
    dmd_strbuf_str(reply, "the ");
    dmd_strbuf_str(reply, what);
    dmd_strbuf_str(reply, " could not be written; see the log\n");
  } else {
    dmd_strbuf_str(reply, what);
    dmd_strbuf_str(reply, " ");
    dmd_strbuf_u64(reply, number);
    dmd_strbuf_str(reply, " written to ");
    dmd_strbuf_str(reply, name.text);
    dmd_strbuf_str(reply, "\n");
  }
  dmd_strbuf_destroy(&name);
}

static void run_dump(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply) {
  write_file(engine, operand, "dump", dmd_engine_dump_to, reply);
}

static void run_graph(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply) {
  write_file(engine, operand, "graph", dmd_engine_graph, reply);
}

static void run_clear(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply) {
  (void)operand;
  dmd_live_clear_reports(&engine->live);
  dmd_strbuf_str(reply, "reports cleared\n");
}

static void add_count(dmd_strbuf_t *reply, uint64_t n, const char *what) {
  dmd_strbuf_u64(reply, n);
  dmd_strbuf_str(reply, what);
}

static void run_status(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply) {
  const dmd_live_t *live = &engine->live;
  dmd_totals_t totals = dmd_live_totals(live);
  (void)operand;
  dmd_strbuf_str(reply, "mode ");
  dmd_strbuf_str(reply, dmd_mode_name(live->config.mode));
  dmd_strbuf_str(reply, ", ");
  add_count(reply, totals.in_use_szB, " bytes in ");
  add_count(reply, totals.n_blocks, " blocks live, ");
  add_count(reply, totals.n_allocs, " allocs, ");
  add_count(reply, totals.n_frees, " frees, ");
  add_count(reply, dmd_intern_count(&live->reporter_names), " reporters, ");
  add_count(reply, dmd_intern_count(&live->tag_names), " tags, ");
  add_count(reply, dmd_faults_count(&live->faults), " kinds and places of faults\n");
}

static const command_t commands[] = {
    {"help", "", NULL, run_help},
    {"dump", " [<label>]",
     "        analyses the heap, prints the records and writes the profile;\n"
     "        reports are kept\n",
     run_dump},
    {"graph", " [<label>]",
     "        writes the heap graph: all blocks, and the pointers that lead to them\n", run_graph},
    {"clear", "", "        forgets memory reports, and reports except those made on allocation\n",
     run_clear},
    {"status", "", "        prints what is recorded at the moment\n", run_status},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void run_help(dmd_engine_t *engine, const char *operand, dmd_strbuf_t *reply) {
  (void)engine, (void)operand;
  dmd_strbuf_str(reply, "\ndmd monitor commands:\n");
  for (uint32_t i = 0; i < N_COMMANDS; i++) {
    if (commands[i].help == NULL)
      continue;
    dmd_strbuf_str(reply, "  ");
    dmd_strbuf_str(reply, commands[i].name);
    dmd_strbuf_str(reply, commands[i].operand);
    dmd_strbuf_str(reply, "\n");
    dmd_strbuf_str(reply, commands[i].help);
  }
  dmd_strbuf_str(reply, "\n");
}

/* The command whose name begins with these n > 0 bytes, or NULL. First letters are distinct. */
static const command_t *command_of(const char *word, size_t n) {
  for (uint32_t i = 0; i < N_COMMANDS; i++)
    if (n > 0 && dmd_str_equal_n(commands[i].name, word, n))
      return &commands[i];
  return NULL;
}

bool dmd_engine_monitor(dmd_engine_t *engine, const char *command) {
  const char *word = command + dmd_str_span(command, " ");
  size_t n = dmd_str_span_without(word, " ");
  const command_t *found = command_of(word, n);
  if (found == NULL)
    return false;
  dmd_strbuf_t reply;
  dmd_strbuf_init(&reply, engine->env);
  found->run(engine, word + n + dmd_str_span(word + n, " "), &reply);
  engine->host->reply(engine->host->ctx, reply.text);
  dmd_strbuf_destroy(&reply);
  return true;
}
