/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/graphdump.h"

#include "base/str.h"
#include "record/engine/dumpfile.h"
#include "record/engine/loaded.h"
#include "record/engine/roots.h"
#include "record/heap/capture.h"
#include "record/unwind/codes.h"

/* The state while one graph is written. */
typedef struct {
  dmd_engine_t *engine;
  const dmd_profile_t *profile; /* describes the run */
  dmd_memory_t memory;
  dmd_graphwriter_t file;
  dmd_roots_t roots;
  dmd_capture_t capture;
  dmd_codes_t codes;
  dmd_numbering_t numbers; /* the codes' numbers in the file */
  dmd_intern_t texts;      /* names of functions and files */
  dmd_strbuf_t functions;  /* dmd_graphwriter_function_t, for the current code */
} graphdump_t;

/* ---- Code. ---- */

static const char *keep(graphdump_t *g, const char *text) {
  return dmd_intern_get_str(&g->texts, dmd_intern_str(&g->texts, text));
}

static void add_function(void *visitor, const dmd_function_t *function) {
  graphdump_t *g = visitor;
  dmd_graphwriter_function_t added = {.name = keep(g, function->name),
                                      .file =
                                          function->file == NULL ? NULL : keep(g, function->file),
                                      .line = function->line};
  dmd_strbuf_bytes(&g->functions, (const char *)&added, sizeof added);
}

/* The object that contains the code, if it is still mapped: the code's own object may have been
 * unloaded and another mapped in its place. */
static uint32_t object_of(const graphdump_t *g, dmd_code_t code) {
  const dmd_engine_host_t *host = g->engine->host;
  uint32_t number = dmd_mappings_object(&g->roots.mappings, code.ip);
  dmd_object_t object;
  if (number == DMD_NONE || !host->object(host->ctx, code, &object) ||
      !dmd_str_equal(object.path, dmd_roots_object(&g->roots, number)->path))
    return DMD_NONE;
  return number;
}

/* Valid until the next call. */
static dmd_graphwriter_code_t look_up(graphdump_t *g, dmd_code_t code) {
  const dmd_engine_host_t *host = g->engine->host;
  dmd_graphwriter_code_t found = {.object = object_of(g, code), .addr = code.ip};
  if (found.object != DMD_NONE)
    found.addr -= dmd_mapped_object_at(&g->roots.mappings, found.object)->bias;
  dmd_strbuf_cut(&g->functions, 0);
  host->functions(host->ctx, code, add_function, g);
  found.functions = (const dmd_graphwriter_function_t *)(const void *)g->functions.text;
  found.n_functions = (uint32_t)(g->functions.n / sizeof *found.functions);
  return found;
}

/* Writes the codes of all stacks, each once, then the stacks. */
static void write_stacks(graphdump_t *g) {
  const dmd_numbering_t *stacks = &g->capture.stacks;
  dmd_strbuf_t numbers;
  uint32_t n;
  dmd_strbuf_init(&numbers, g->engine->env);
  for (uint32_t i = 1; i <= dmd_numbering_count(stacks); i++) {
    const dmd_code_t *codes = dmd_codes_shown(&g->codes, dmd_numbering_id(stacks, i), &n);
    for (uint32_t k = 0; k < n; k++)
      dmd_numbering_of(&g->numbers, dmd_codes_id(&g->codes, codes[k]));
  }
  for (uint32_t i = 1; i <= dmd_numbering_count(&g->numbers); i++) {
    dmd_graphwriter_code_t code =
        look_up(g, dmd_codes_at(&g->codes, dmd_numbering_id(&g->numbers, i)));
    dmd_graphwriter_code(&g->file, &code);
  }
  for (uint32_t i = 1; i <= dmd_numbering_count(stacks); i++) {
    const dmd_code_t *codes = dmd_codes_shown(&g->codes, dmd_numbering_id(stacks, i), &n);
    dmd_strbuf_cut(&numbers, 0);
    for (uint32_t k = 0; k < n; k++) {
      uint32_t number = dmd_numbering_of(&g->numbers, dmd_codes_id(&g->codes, codes[k]));
      dmd_strbuf_bytes(&numbers, (const char *)&number, sizeof number);
    }
    dmd_graphwriter_stack(&g->file, (const uint32_t *)(const void *)numbers.text, n);
  }
  dmd_strbuf_destroy(&numbers);
}

/* ---- Roots. ---- */

static void write_root(graphdump_t *g, const dmd_root_t *root) {
  dmd_graphwriter_code_t frame = {.object = DMD_NONE};
  bool has_frame = root->frame.ip != 0;
  if (has_frame)
    frame = look_up(g, root->frame);
  dmd_graphwriter_root(&g->file, &(dmd_graphwriter_root_t){.kind = root->kind,
                                                           .addr = root->addr,
                                                           .szB = root->szB,
                                                           .object = root->object,
                                                           .thread = root->thread,
                                                           .frame = has_frame ? &frame : NULL,
                                                           .name = root->name,
                                                           .origin = root->origin});
}

static void write_roots(graphdump_t *g) {
  for (uint32_t i = 1; i <= g->roots.objects.last; i++)
    dmd_graphwriter_object(&g->file, dmd_roots_object(&g->roots, i));
  for (uint32_t i = 1; i <= dmd_roots_count(&g->roots); i++)
    write_root(g, dmd_roots_at(&g->roots, i));
  for (uint32_t i = 1; i <= dmd_roots_count(&g->roots); i++) {
    const dmd_root_t *root = dmd_roots_at(&g->roots, i);
    if (root->kind == DMD_ROOT_REGISTERS)
      dmd_capture_words(&g->capture, &g->roots.words, root->first_word, root->n_words);
    else
      dmd_capture_root(&g->capture, root->addr, root->szB);
  }
}

/* ---- The whole. ---- */

static void write_graph(void *ctx, dmd_write_fn write, void *to) {
  graphdump_t *g = ctx;
  dmd_engine_t *engine = g->engine;
  const dmd_engine_host_t *host = engine->host;
  const dmd_env_t *env = engine->env;
  g->memory =
      (dmd_memory_t){.read = host->memory_read, .holds = host->memory_holds, .ctx = host->ctx};
  dmd_graphwriter_init(&g->file, env, write, to);
  dmd_codes_init(&g->codes, host, env);
  dmd_numbering_init(&g->numbers, env, "dmd.graphdump.codes");
  dmd_intern_init(&g->texts, env, "dmd.graphdump.texts");
  dmd_strbuf_init(&g->functions, env);
  if (host->stop != NULL) {
    dmd_blocks_hold_all(engine->live.blocks);
    host->stop(host->ctx);
  }
  host->memory_begin(host->ctx);
  dmd_roots_init(&g->roots, host, env, &g->memory);
  dmd_capture_init(&g->capture, &engine->live, &g->memory, &g->roots.mappings, &g->file,
                   engine->options->waste);
  dmd_graphwriter_header(&g->file, g->profile, g->capture.compares,
                         engine->options->fill ? DMD_FILL : 0);
  write_roots(g);
  dmd_capture_blocks(&g->capture);
  if (engine->options->waste && host->heap_alloc == NULL)
    dmd_capture_residents(&g->capture);
  host->memory_end(host->ctx);
  if (host->go_on != NULL)
    host->go_on(host->ctx);
  dmd_claimfns_number(&engine->claimfns, &g->capture.stacks);
  write_stacks(g);
  dmd_capture_reports(&g->capture);
  dmd_claimfns_write(&engine->claimfns, &g->capture.stacks, &g->file);
  dmd_graphwriter_end(&g->file);
  dmd_capture_destroy(&g->capture);
  dmd_roots_destroy(&g->roots);
  dmd_strbuf_destroy(&g->functions);
  dmd_intern_destroy(&g->texts);
  dmd_numbering_destroy(&g->numbers);
  dmd_codes_destroy(&g->codes);
  dmd_graphwriter_destroy(&g->file);
}

static bool write_named(dmd_engine_t *engine, dmd_trigger_t trigger, const dmd_profile_t *profile,
                        dmd_strbuf_t *name) {
  graphdump_t *g = dmd_env_alloc(engine->env, "dmd.graphdump", sizeof *g);
  g->engine = engine;
  g->profile = profile;
  bool written =
      dmd_dumpfile_write(engine, DMD_DUMPFILE_GRAPH, trigger, &profile->run, write_graph, g, name);
  dmd_env_free(engine->env, g);
  return written;
}

/* False, after telling the user, if no graph can be written. */
static bool is_possible(const dmd_engine_t *engine) {
  const dmd_engine_host_t *host = engine->host;
  const char *why = NULL;
  if (engine->options->sample_interval > 0)
    why = "dmd: no heap graph with --sample-interval, which records few blocks";
  else if (dmd_host_is_confined(host))
    why = "dmd: there is no heap graph of a process that has given up system calls (seccomp): its "
          "memory cannot be searched for pointers";
  if (why != NULL)
    host->say(host->ctx, why);
  return why == NULL;
}

void dmd_graphdump_write(dmd_engine_t *engine, dmd_trigger_t trigger, const dmd_profile_t *profile,
                         dmd_strbuf_t *name) {
  if (!is_possible(engine) || !write_named(engine, trigger, profile, name))
    dmd_strbuf_cut(name, 0);
}

void dmd_engine_keep_claims(dmd_engine_t *engine) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, engine->env);
  dmd_claimfns_note_graph(&engine->claimfns);
  dmd_engine_graph(engine, DMD_TRIGGER_REQUEST, "claims", &name);
  dmd_strbuf_destroy(&name);
}

uint32_t dmd_engine_graph(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                          dmd_strbuf_t *name) {
  dmd_profile_t profile;
  if (!is_possible(engine))
    return 0;
  engine->n_dumps++;
  dmd_engine_settle_allocator(engine);
  dmd_profile_init(&profile, engine->env);
  profile.mode = engine->live.config.mode;
  profile.run.word_szB = engine->live.config.word_szB;
  profile.run.allocator = dmd_allocator_name(engine->live.config.allocator);
  dmd_describe_run(engine, &profile, trigger, label);
  bool written = write_named(engine, trigger, &profile, name);
  dmd_profile_destroy(&profile);
  return written ? engine->n_dumps : 0;
}
