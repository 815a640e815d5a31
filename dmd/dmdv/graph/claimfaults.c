/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/claimfaults.h"

#include "analyse/claims/claimgraph.h"
#include "analyse/claims/claimrules.h"
#include "base/str.h"
#include "dmdv/input/input.h"
#include "host/process.h"
#include "show/text/text_claims.h"

#include <string.h>
#include <sys/stat.h>

/* ---- The graphs. ---- */

/* The length of the name without `.N.json.gz`, where N is the dump's number. */
static size_t stem_length(const dmd_profile_t *profile, const char *name) {
  const char *slash = strrchr(name, '/'), *end = strstr(slash == NULL ? name : slash, ".json");
  size_t n = end == NULL ? strlen(name) : (size_t)(end - name), first = n;
  uint64_t number = 0, digit = 1;
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9' && digit < 1000000) {
    number += digit * (uint64_t)(name[--first] - '0');
    digit *= 10;
  }
  bool is_number = first > 1 && first < n && name[first - 1] == '.' &&
                   number == profile->run.dump_number && number != profile->run.pid;
  return is_number ? first - 1 : n;
}

/* Appends the stem with a backslash before each character that means something to glob. */
static void quote(dmd_strbuf_t *to, const char *stem, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (strchr("*?[\\", stem[i]) != NULL)
      dmd_strbuf_str(to, "\\");
    dmd_strbuf_bytes(to, stem + i, 1);
  }
}

/* A graph is in a file of its own, or appended to a profile. */
static void find_graphs(const dmd_profile_t *profile, const char *name, glob_t *found) {
  static const char *const ends[] = {".graph",           ".graph.gz", ".[0-9]*.graph",
                                     ".[0-9]*.graph.gz", ".json.gz",  ".[0-9]*.json.gz"};
  dmd_strbuf_t pattern;
  dmd_strbuf_init(&pattern, &dmdv_env);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    dmd_strbuf_cut(&pattern, 0);
    quote(&pattern, name, stem_length(profile, name));
    dmd_strbuf_str(&pattern, ends[i]);
    glob(pattern.text, i == 0 ? 0 : GLOB_APPEND, NULL, found);
  }
  dmd_strbuf_destroy(&pattern);
}

/* ---- Claims. ---- */

typedef struct {
  uint64_t pid;
  bool has_claims;
} peek_t;

/* dmd_load_graph_options_t.is_wanted, of a graph that is never loaded. */
static bool peek(void *ctx, const dmd_graph_preview_t *preview) {
  peek_t *p = ctx;
  p->has_claims = preview->n_claims > 0 && preview->run.pid == p->pid;
  return false;
}

/* Whether a graph has claims of the process, or cannot be read. Debug information is not read for
 * it. Many graphs of a run may lack claims, if it wrote them for other reasons. */
static bool has_claims(const char *name, uint64_t pid) {
  if (dmd_str_ends(name, strlen(name), ".json.gz") && !dmdv_input_has_graph(name))
    return false;
  peek_t found = {.pid = pid, .has_claims = true};
  const dmdv_typedgraph_options_t options = {.is_quiet = true, .is_wanted = peek, .ctx = &found};
  dmdv_typedgraph_t graph;
  dmd_fail_t fail = {0};
  if (dmdv_typedgraph_open(&graph, name, &options, &fail))
    dmdv_typedgraph_close(&graph);
  return found.has_claims;
}

bool dmdv_claimgraphs_init(dmdv_claimgraphs_t *graphs, const dmd_profile_t *profile,
                           const char *name) {
  struct stat status;
  *graphs = (dmdv_claimgraphs_t){.n = 0};
  if (profile->options == NULL || strstr(profile->options, "--claim-fn=") == NULL)
    return false;
  find_graphs(profile, name, &graphs->found);
  char **all = graphs->found.gl_pathv;
  for (size_t i = 0; i < graphs->found.gl_pathc; i++) {
    if (!has_claims(all[i], profile->run.pid))
      continue;
    char *wanted = all[i];
    all[i] = all[graphs->n];
    all[graphs->n++] = wanted;
    graphs->szB += stat(wanted, &status) == 0 ? status.st_size : 0;
  }
  return true;
}

void dmdv_claimgraphs_destroy(dmdv_claimgraphs_t *graphs) {
  globfree(&graphs->found);
}

bool dmdv_claims_add_graph(dmd_claimcases_t *cases, dmd_profile_t *stacks, const char *name,
                           uint32_t file, dmdv_graph_options_t *options) {
  dmdv_graph_t graph;
  if (!dmdv_graph_open(&graph, name, options))
    return false;
  uint32_t first = cases->cases.last + 1;
  bool *picks = dmdv_graph_picks(&graph, options);
  dmd_claimcases_add_graph(cases, &graph.typed.heap, &graph.kinds, file, picks);
  dmd_claimcases_move_stacks(cases, first, stacks, &graph.typed.heap.profile);
  dmd_env_free(&dmdv_env, picks);
  dmdv_graph_close(&graph);
  return true;
}

void dmdv_claimgraphs_add(const dmdv_claimgraphs_t *graphs, dmd_claimcases_t *cases,
                          dmd_profile_t *profile) {
  dmdv_graph_options_t options = {
      .typed = {.with_types = true, .is_quiet = true, .frame_view = profile->frame_view}};
  for (size_t i = 0; i < graphs->n; i++)
    dmdv_claims_add_graph(cases, profile, graphs->found.gl_pathv[i], (uint32_t)i, &options);
}

/* ---- Faults. ---- */

static void add_fault(dmd_profile_t *profile, const dmd_claimrules_t *rules, uint32_t id,
                      const dmd_claim_finding_t *finding) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(rules, id);
  const dmd_claim_case_t *c = dmd_claimcases_at(rules->cases, finding->outliers[0]);
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  dmd_claims_print_defects(&out, rules, id, finding);
  dmd_out_flush(&out);
  uint32_t name = dmd_intern_str(&profile->names, dmd_claimcases_name(rules->cases, v->function));
  dmd_faults_add(&profile->faults,
                 &(dmd_fault_t){.kind = DMD_FAULT_SIZE_FUNCTION,
                                .num = finding->count,
                                .stack = c->stack,
                                .scope = name,
                                .memory = dmd_intern_text(&profile->names, text.text),
                                .bytes = finding->bytes,
                                .claimed = c->value,
                                .measured = dmd_claim_truth(&v->rule, c)});
  dmd_strbuf_destroy(&text);
}

static void write_json(dmd_strbuf_t *json, const dmd_claimrules_t *rules,
                       const dmd_profile_t *stacks) {
  dmd_out_t out;
  if (json == NULL || rules->verdicts.last == 0)
    return;
  dmd_out_init(&out, dmd_strbuf_write, json);
  dmd_claims_json(&out, rules, stacks);
  dmd_out_flush(&out);
}

static void add_faults(dmd_profile_t *profile, const dmd_claimcases_t *cases, dmd_strbuf_t *json) {
  dmd_claimrules_t rules;
  dmd_claimrules_init(&rules, cases);
  for (uint32_t id = 1; id <= rules.verdicts.last; id++) {
    const dmd_claim_verdict_t *v = dmd_claimrules_at(&rules, id);
    for (uint32_t i = 0; i < v->n_findings; i++)
      add_fault(profile, &rules, id, dmd_claimrules_finding(&rules, v, i));
  }
  write_json(json, &rules, profile);
  dmd_claimrules_destroy(&rules);
}

void dmdv_add_claim_faults(dmd_profile_t *profile, const char *name, dmd_strbuf_t *json) {
  dmdv_claimgraphs_t graphs;
  dmd_claimcases_t cases;
  if (!dmdv_claimgraphs_init(&graphs, profile, name))
    return;
  dmd_claimcases_init(&cases, &dmdv_env);
  dmdv_claimgraphs_add(&graphs, &cases, profile);
  add_faults(profile, &cases, json);
  dmd_claimcases_destroy(&cases);
  dmdv_claimgraphs_destroy(&graphs);
}

void dmdv_claims_of_graph(dmdv_typedgraph_t *graph, dmd_strbuf_t *json) {
  dmd_kinds_t kinds;
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
  if (graph->heap.claims.last == 0)
    return;
  dmd_kinds_init(&kinds, &graph->typing);
  dmd_claimcases_init(&cases, &dmdv_env);
  dmd_claimcases_add_graph(&cases, &graph->heap, &kinds, 0, NULL);
  dmd_claimrules_init(&rules, &cases);
  write_json(json, &rules, &graph->heap.profile);
  dmd_claimrules_destroy(&rules);
  dmd_claimcases_destroy(&cases);
  dmd_kinds_destroy(&kinds);
}
