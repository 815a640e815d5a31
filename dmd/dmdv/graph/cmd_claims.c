/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv claims: checks what functions of a program said about the sizes of its objects.
 */
#include "base/sort.h"
#include "base/str.h"
#include "debuginfo/sizefunctions.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/claimfaults.h"
#include "dmdv/graph/graphcommand.h"
#include "dmdv/input/profilefile.h"
#include "host/process.h"
#include "show/text/text_claims.h"

#include <string.h>

typedef struct {
  dmdv_graph_options_t graph; /* first */
  bool has_limit;
  uint64_t max_misreports;
  bool suggest;
  uint32_t n_graphs; /* read */
} options_t;

static bool take_limit(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  o->has_limit = dmd_str_to_u64(value, 10, &o->max_misreports);
  if (!o->has_limit)
    dmd_strbuf_str(why, "this is not a whole number");
  return o->has_limit;
}

static const dmd_option_t options[] = {
    {"max-misreports", "N", NULL,
     "exit status 1 if there are more than N kinds of wrong results, or no results at all",
     DMD_OPTION_OWN, .take = take_limit},
    {"suggest", NULL, NULL,
     "list functions of programs and libraries, FILE..., whose names say that they return the size "
     "of something",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, suggest)},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv claims [OPTION...] FILE...\n"
             "       dmdv claims --suggest FILE...\n\n"
             "Checks what functions of a program said about the sizes of its objects. Run the\n"
             "program with --claim-fn=PATTERN, which keeps the results of the functions in its\n"
             "heap graphs. FILE...: some of these graphs, or a profile of the run for all of\n"
             "them. For each function the rule is found that explains most results to the\n"
             "byte: the object's own block, what it owns, or all that it retains. Results that\n"
             "deviate are shown with what was left out or counted too much.\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_profile_t stacks; /* of the cases */
  dmd_claimrules_t rules;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  if (result->options->graph.json)
    dmd_claims_json(out, &result->rules, &result->stacks);
  else
    dmd_claims_print(out, &result->rules, result->options->graph.max_rows);
}

/* ---- Suggestions. ---- */

static int compare_names(const void *ctx, uint32_t a, uint32_t b) {
  return dmd_str_compare(dmd_intern_get_str(ctx, a), dmd_intern_get_str(ctx, b));
}

static void print_names(void *ctx, dmd_out_t *out) {
  const dmd_intern_t *names = ctx;
  uint32_t n = dmd_intern_count(names), *order = dmd_sorted_ids(&dmdv_env, n, compare_names, names);
  for (uint32_t i = 0; i < n; i++) {
    dmd_out_safe(out, dmd_intern_get_str(names, order[i]));
    dmd_out_char(out, '\n');
  }
  if (n == 0)
    dmd_out_str(out, "no function has a name that says that it returns the size of something\n");
  dmd_env_free(&dmdv_env, order);
}

static bool suggest(options_t *o) {
  dmd_intern_t names;
  bool good = o->graph.files.n > 0 || dmdv_error("claims: give programs or libraries to --suggest");
  dmd_intern_init(&names, &dmdv_env, "dmdv.claims");
  o->graph.json = false;
  for (int i = 0; i < o->graph.files.n && good; i++)
    good = dmdv_size_functions(o->graph.files.names[i], &names);
  good = good && dmdv_graph_show(&o->graph, print_names, &names);
  dmd_intern_destroy(&names);
  return good;
}

/* ---- Claims. ---- */

/* The last graph, which usually has most objects, shows what debug information is missing. */
static bool add_graph(dmd_claimcases_t *cases, dmd_profile_t *stacks, options_t *o,
                      const char *name, bool is_last) {
  o->graph.typed.is_quiet = !is_last;
  return dmdv_claims_add_graph(cases, stacks, name, o->n_graphs++, &o->graph);
}

typedef enum { GRAPH_ALONE, GRAPHS_OF_RUN, NO_CLAIMS } source_t;

/* Finds the graphs of the run if the file is a profile of a run with claims. */
static source_t find_source(dmdv_claimgraphs_t *graphs, const char *name) {
  const dmd_load_options_t load = {.moment = DMD_MOMENT_END};
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  dmd_strbuf_t beside;
  source_t source = GRAPH_ALONE;
  dmd_strbuf_init(&beside, &dmdv_env);
  dmd_profile_init(&profile, &dmdv_env);
  if (strcmp(name, "-") != 0 && dmdv_load(&profile, name, &load, &fail)) {
    if (dmdv_claimgraphs_init(graphs, &profile, name))
      source = GRAPHS_OF_RUN;
    else if (!dmdv_graph_beside(&beside, name))
      source = NO_CLAIMS;
  }
  dmd_profile_destroy(&profile);
  dmd_strbuf_destroy(&beside);
  return source;
}

static bool add_run(dmd_claimcases_t *cases, dmd_profile_t *stacks, options_t *o,
                    dmdv_claimgraphs_t *graphs, bool is_last) {
  bool good = true;
  for (size_t i = 0; i < graphs->n && good; i++)
    good = add_graph(cases, stacks, o, graphs->found.gl_pathv[i], is_last && i + 1 == graphs->n);
  dmdv_claimgraphs_destroy(graphs);
  return good;
}

/* One graph at a time is in memory. */
static bool add_files(dmd_claimcases_t *cases, dmd_profile_t *stacks, options_t *o) {
  bool good = o->graph.files.n > 0 || dmdv_error("claims: give a file; see dmdv claims --help");
  for (int i = 0; i < o->graph.files.n && good; i++) {
    const char *name = o->graph.files.names[i];
    bool is_last = i + 1 == o->graph.files.n;
    dmdv_claimgraphs_t graphs;
    switch (find_source(&graphs, name)) {
    case GRAPH_ALONE:
      good = add_graph(cases, stacks, o, name, is_last);
      break;
    case GRAPHS_OF_RUN:
      good = add_run(cases, stacks, o, &graphs, is_last);
      break;
    case NO_CLAIMS:
      good = dmdv_error("%s: no function was asked for a size; to record that: dmdv run "
                        "--claim-fn=PATTERN PROGRAM",
                        name);
    }
  }
  return good;
}

/* A run whose functions were not called, or not judged, keeps no limit: it shows nothing. */
static bool keeps_limit(const options_t *o, const dmd_claimrules_t *rules) {
  uint32_t n = 0, n_cases = 0;
  if (!o->has_limit)
    return true;
  for (uint32_t id = 1; id <= rules->verdicts.last; id++) {
    n += dmd_claimrules_at(rules, id)->n_findings;
    n_cases += dmd_claimrules_at(rules, id)->n_cases;
  }
  if (n_cases == 0)
    return dmdv_error("claims: --max-misreports=%llu is not kept: no result could be judged",
                      (unsigned long long)o->max_misreports);
  return n <= o->max_misreports ||
         dmdv_error("claims: --max-misreports=%llu is not kept: wrong results of %u kind%s",
                    (unsigned long long)o->max_misreports, n, n == 1 ? "" : "s");
}

static int check(options_t *o) {
  dmd_claimcases_t cases;
  result_t result = {.options = o};
  int status = 2;
  dmd_claimcases_init(&cases, &dmdv_env);
  dmd_profile_init(&result.stacks, &dmdv_env);
  if (add_files(&cases, &result.stacks, o)) {
    dmd_claimrules_init(&result.rules, &cases);
    if (dmdv_graph_show(&o->graph, print, &result))
      status = keeps_limit(o, &result.rules) ? 0 : 1;
    dmd_claimrules_destroy(&result.rules);
  }
  dmd_profile_destroy(&result.stacks);
  dmd_claimcases_destroy(&cases);
  return status;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_claims_command, argc, argv);
  o.graph.lists = "functions,findings,defects,parts,outliers";
  if (status < 0 && o.suggest)
    status = suggest(&o) ? 0 : 2;
  else if (status < 0)
    status = check(&o);
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_claims_command = {
    "claims", "check what functions said about the sizes of objects", parts, run};
