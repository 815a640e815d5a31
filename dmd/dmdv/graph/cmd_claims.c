/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv claims: checks what functions of a program said about the sizes of its objects.
 */
#include "analyse/claims/claimgraph.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphcommand.h"
#include "host/process.h"
#include "show/text/text_claims.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
} options_t;

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv claims [OPTION...] FILE...\n\n"
             "Checks what functions of a program said about the sizes of its objects. Run the\n"
             "program with --claim-fn=PATTERN, which keeps the results of the functions in its\n"
             "heap graphs, FILE.... For each function the rule is found that explains most\n"
             "results to the byte: the object's own block, what it owns, or all that it\n"
             "retains. Results that deviate are shown with what was left out or counted too\n"
             "much.\n\n"},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_claimrules_t rules;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  if (result->options->graph.json)
    dmd_claims_json(out, &result->rules);
  else
    dmd_claims_print(out, &result->rules, result->options->graph.max_rows);
}

/* One graph at a time is in memory. */
static bool add_files(dmd_claimcases_t *cases, options_t *o) {
  dmdv_graph_t graph;
  for (int i = 0; i < o->graph.files.n; i++) {
    if (!dmdv_graph_open(&graph, o->graph.files.names[i], &o->graph))
      return false;
    bool *picks = dmdv_graph_picks(&graph, &o->graph);
    dmd_claimcases_add_graph(cases, &graph.typed.heap, &graph.kinds, (uint32_t)i, picks);
    dmd_env_free(&dmdv_env, picks);
    dmdv_graph_close(&graph);
  }
  return o->graph.files.n > 0 || dmdv_error("claims: give a file; see dmdv claims --help");
}

static int run(int argc, char **argv) {
  options_t o = {0};
  dmd_claimcases_t cases;
  result_t result = {.options = &o};
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_claims_command, argc, argv);
  if (status < 0) {
    dmd_claimcases_init(&cases, &dmdv_env);
    status = 2;
    if (add_files(&cases, &o)) {
      dmd_claimrules_init(&result.rules, &cases);
      status = dmdv_graph_show(&o.graph, print, &result) ? 0 : 2;
      dmd_claimrules_destroy(&result.rules);
    }
    dmd_claimcases_destroy(&cases);
  }
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_claims_command = {
    "claims", "check what functions said about the sizes of objects", parts, run};
