/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/graphbeside.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a folder that others can write, anybody may put a file beside a profile, or a pipe that would
 * block dmdv. */
static bool is_of_same_owner(const char *profile, const char *graph) {
  struct stat of_profile, of_graph;
  if (stat(profile, &of_profile) != 0 || stat(graph, &of_graph) != 0 ||
      !S_ISREG(of_graph.st_mode) || access(graph, R_OK) != 0)
    return false;
  return of_graph.st_uid == of_profile.st_uid || of_graph.st_uid == geteuid() ||
         of_graph.st_uid == 0;
}

bool dmdv_graph_beside(dmd_strbuf_t *to, const char *profile) {
  static const char *const endings[] = {".json.gz", ".json"};
  size_t n = strlen(profile), before = to->n;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (n <= ending || strcmp(profile + n - ending, endings[i]) != 0)
      continue;
    dmd_strbuf_bytes(to, profile, n - ending);
    dmd_strbuf_str(to, ".graph.gz");
    return is_of_same_owner(profile, to->text + before);
  }
  return false;
}

bool dmdv_is_of_same_moment(const dmd_run_t *a, dmd_mode_t a_mode, const dmd_run_t *b,
                            dmd_mode_t b_mode) {
  return a->is_known && a_mode == b_mode && a->pid == b->pid && a->dump_number == b->dump_number;
}
