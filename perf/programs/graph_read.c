/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graph_read: reads a heap graph with dmdv's own code, and prints how many seconds each step takes,
 * a line each: "load 1.234".
 */
#include "graph/census.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/input/load_graph.h"

#include <stdio.h>
#include <time.h>

static double g_last;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void tell(const char *step) {
  printf("%s %.3f\n", step, now() - g_last);
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

int main(int argc, char **argv) {
  dmdv_host_init();
  if (argc != 2)
    return 2;
  dmd_heapgraph_t graph;
  const dmdv_load_graph_options_t options = {0};
  dmdv_fail_t fail = {0};
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
  dmd_kinds_destroy(&kinds);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
  dmd_heapgraph_destroy(&graph);
  return 0;
}
