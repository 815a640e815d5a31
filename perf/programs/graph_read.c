/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graph_read: reads a heap graph with dmdv's own code, and prints how many seconds each step takes,
 * and how many MB the program took at most so far, a line each: "load 1.234 845.0".
 */
#include "analyse/graph/census.h"
#include "analyse/graph/paths.h"
#include "analyse/graph/retained.h"
#include "dmdv/input/profilefile.h"
#include "host/process.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double g_last;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void tell(const char *step) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%s %.3f %.1f\n", step, now() - g_last, (double)usage.ru_maxrss * 1024 / 1e6);
  fflush(stdout);
  g_last = now();
}

static void count(dmd_nodekeys_t *keys, const char *list) {
  dmd_census_t census;
  dmd_census_by_t by;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  if (!dmd_census_by_parse(&by, list, &why))
    dmdv_env.panic(NULL, why.text);
  dmd_strbuf_destroy(&why);
  dmd_census_init(&census, &dmdv_env, &by);
  dmd_census_add(&census, keys, NULL, 0, 1);
  dmd_census_finish(&census);
  dmd_census_destroy(&census);
  tell(list);
}

static void find_dominators(dmd_graph_t *graph) {
  dmd_dominators_t dominators;
  dmd_dominators_init_packed(&dominators, graph, NULL, 0);
  dmd_dominators_destroy(&dominators);
  tell("dominators");
}

static void find_retained(dmd_heapgraph_t *graph, const dmd_typing_t *typing, dmd_kinds_t *kinds) {
  dmd_retained_t retained;
  dmd_retainedrows_t rows;
  dmd_retained_limits_t limits = {.max_depth = 8, .min_share = 0.01};
  dmd_retained_init(&retained, graph, typing);
  dmd_retainedrows_init(&rows, &retained, kinds, limits, NULL);
  dmd_retainedrows_destroy(&rows);
  dmd_retained_destroy(&retained);
  tell("retained");
}

/* To all blocks of one kind. */
static void find_paths(const dmd_heapgraph_t *graph, dmd_kinds_t *kinds) {
  dmd_bitset_t to;
  dmd_paths_t paths;
  dmd_bitset_init(&to, &dmdv_env, "paths", graph->graph.n_nodes);
  uint32_t first = dmd_heapgraph_first_block(graph);
  for (uint32_t node = first; node < graph->graph.n_nodes; node++)
    if (kinds->of[node] == kinds->of[first])
      dmd_bitset_add(&to, node);
  dmd_paths_init(&paths, kinds, &to);
  dmd_paths_destroy(&paths);
  dmd_bitset_destroy(&to);
  tell("paths");
}

static void find_leaks(const dmd_heapgraph_t *graph) {
  dmd_leaks_t leaks;
  dmd_leaks_init(&leaks, graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_leaks_destroy(&leaks);
  tell("leaks");
}

int main(int argc, char **argv) {
  dmdv_host_init();
  if (argc != 2)
    return 2;
  dmd_heapgraph_t graph;
  const dmd_load_graph_options_t options = {0};
  dmd_fail_t fail = {0};
  if (!dmdv_load_graph(&graph, argv[1], &options, &fail))
    return dmdv_error_in(argv[1], &fail) ? 0 : 1;
  tell("load");
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
  dmd_types_init(&types, &dmdv_env, 8);
  dmd_typing_init(&typing, &graph, &types);
  dmd_kinds_init(&kinds, &typing);
  dmd_nodekeys_init(&keys, &kinds, 8);
  tell("kinds");
  count(&keys, "type");
  count(&keys, "type,stack");
  count(&keys, "root");
  dmd_nodekeys_destroy(&keys);
  find_dominators(&graph.graph);
  find_retained(&graph, &typing, &kinds);
  find_paths(&graph, &kinds);
  find_leaks(&graph);
  dmd_kinds_destroy(&kinds);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
  dmd_heapgraph_destroy(&graph);
  return 0;
}
