/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/overview.h"

#include "analyse/claims/claimrules.h"
#include "analyse/waste/waste.h"
#include "base/str.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/claimfaults.h"
#include "dmdv/graph/graphbeside.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/text_overview.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

enum { FRAMES = 8, LEAST_WASTE_SZB = 4096, MOST_CLAIMS_SZB = 32 << 20 };
enum { MOST_PROFILES_SZB = 16 << 20 };

static bool load(dmd_profile_t *profile, const char *name) {
  const dmd_load_options_t options = {.moment = DMD_MOMENT_ALL};
  return dmdv_load_or_say(profile, name, &options);
}

/* ---- The heap graph. ---- */

/* What the graph of the same moment says. The struct must not move. */
typedef struct {
  dmdv_beside_t beside;
  dmd_nodekeys_t keys;
  dmd_waste_options_t limits;
  dmd_waste_t waste;
} of_graph_t;

static void of_graph_init(of_graph_t *g, const dmd_profile_t *profile, const char *name,
                          dmd_overview_t *overview) {
  dmdv_beside_part_t part = dmdv_beside_part(profile, name);
  g->beside.is_there = false;
  if (part == DMDV_BESIDE_TOO_BIG)
    overview->left_out = "The heap graph is too large for this screen: dmdv waste and dmdv leaks "
                         "read it.";
  if (part < DMDV_BESIDE_PLAIN)
    return;
  dmdv_beside_options_t wanted = {.with_types = part >= DMDV_BESIDE_TYPED,
                                  .with_owners = part == DMDV_BESIDE_ALL,
                                  .is_quiet = true,
                                  .max_frames = FRAMES};
  dmdv_beside_init(&g->beside, profile, name, &wanted);
  if (!g->beside.is_there)
    return;
  if (part == DMDV_BESIDE_PLAIN)
    overview->left_out = "Types are left out, since the heap graph is large.";
  dmd_nodekeys_init(&g->keys, &g->beside.kinds, FRAMES);
  g->limits = (dmd_waste_options_t){.kinds = ~0u, .least_szB = LEAST_WASTE_SZB};
  dmd_waste_init(&g->waste, &g->keys, &g->beside.records, &g->limits);
  overview->owners = g->beside.has_owners ? &g->beside.hint : NULL;
  overview->waste = &g->waste;
}

static void of_graph_destroy(of_graph_t *g) {
  if (!g->beside.is_there)
    return;
  dmd_waste_destroy(&g->waste);
  dmd_nodekeys_destroy(&g->keys);
  dmdv_beside_destroy(&g->beside);
}

/* ---- Claims. ---- */

/* What functions said about sizes, in all heap graphs of the run. The struct must not move. */
typedef struct {
  bool is_there;
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
} of_run_t;

static void of_run_init(of_run_t *r, dmd_profile_t *profile, const char *name,
                        dmd_overview_t *overview) {
  dmdv_claimgraphs_t graphs;
  r->is_there = false;
  if (!dmdv_claimgraphs_init(&graphs, profile, name))
    return;
  r->is_there = graphs.n > 0 && graphs.szB <= MOST_CLAIMS_SZB;
  if (r->is_there) {
    dmd_claimcases_init(&r->cases, &dmdv_env);
    dmdv_claimgraphs_add(&graphs, &r->cases, profile);
    dmd_claimrules_init(&r->rules, &r->cases);
    overview->claims = &r->rules;
  } else if (graphs.n > 0) {
    overview->left_out = "The heap graphs with claims are too large for this screen: dmdv claims "
                         "reads them.";
  }
  dmdv_claimgraphs_destroy(&graphs);
}

static void of_run_destroy(of_run_t *r) {
  if (!r->is_there)
    return;
  dmd_claimrules_destroy(&r->rules);
  dmd_claimcases_destroy(&r->cases);
}

/* ---- The screen. ---- */

static void print(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *known,
                  bool is_json) {
  of_graph_t g;
  of_run_t r;
  dmd_overview_t overview = *known;
  of_graph_init(&g, profile, known->file, &overview);
  of_run_init(&r, profile, known->file, &overview);
  (is_json ? dmd_overview_json : dmd_overview_print)(out, profile, &overview);
  of_run_destroy(&r);
  of_graph_destroy(&g);
}

static bool write_stderr(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stderr) == n;
}

/* All regular files, and together small enough to be read for their peaks. */
static bool are_readable(const dmdv_written_t *written, size_t n) {
  off_t szB = 0;
  for (size_t i = 0; i < n; i++) {
    struct stat st;
    if (stat(dmdv_written_path(written, i), &st) != 0 || !S_ISREG(st.st_mode))
      return false;
    szB += st.st_size;
  }
  return szB <= MOST_PROFILES_SZB;
}

static bool read_peak(const char *name, uint64_t *szB) {
  dmd_profile_t profile;
  if (!load(&profile, name))
    return false;
  *szB = profile.run.peak.is_known ? profile.run.peak.szB : profile.run.in_use_szB;
  dmd_profile_destroy(&profile);
  return true;
}

size_t dmdv_overview_choose(const dmdv_written_t *written, size_t n, uint32_t *n_files) {
  uint64_t most = 0, szB;
  size_t chosen = n - 1;
  *n_files = 1;
  if (n == 1 || !are_readable(written, n))
    return n - 1;
  for (size_t i = 0; i < n; i++) {
    if (!read_peak(dmdv_written_path(written, i), &szB))
      return n - 1;
    if (szB >= most) {
      most = szB;
      chosen = i;
    }
  }
  *n_files = (uint32_t)n;
  return chosen;
}

bool dmdv_overview_of_run(const char *name, const char *how, uint32_t n_files, bool is_json) {
  dmd_profile_t profile;
  dmd_out_t out;
  if (!load(&profile, name))
    return false;
  dmd_out_init(&out, write_stderr, NULL);
  if (!is_json)
    dmd_out_char(&out, '\n');
  print(&out, &profile, &(dmd_overview_t){.how = how, .file = name, .n_files = n_files}, is_json);
  dmd_out_flush(&out);
  dmd_profile_destroy(&profile);
  return true;
}

void dmdv_records_of_run(const char *name, int n_options, char **options) {
  static const char *const taken[] = {"--max-records=", "--max-frames=", "--sort-by="};
  const char **argv = dmd_env_alloc(&dmdv_env, "dmdv.run", ((size_t)n_options + 5) * sizeof *argv);
  int n = 0;
  argv[n++] = "print";
  argv[n++] = "--no-pager";
  for (int i = 0; i < n_options; i++)
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
      if (dmd_str_begins(options[i], taken[k]))
        argv[n++] = options[i];
  argv[n++] = "--";
  argv[n++] = name;
  argv[n] = NULL;
  dmdv_print_command.run(n, (char **)argv);
  dmd_env_free(&dmdv_env, argv);
}

void dmdv_page_of_run(const char *name) {
  const char *argv[] = {"view", "--open", "--", name, NULL};
  dmdv_view_command.run(4, (char **)argv);
}

typedef struct {
  dmd_profile_t *profile;
  const char *name;
  bool is_json;
} shown_t;

static void print_file(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  const dmd_run_t *run = &shown->profile->run;
  char how[96];
  snprintf(how, sizeof how, "pid %" PRIu64 ", dump %" PRIu64 ", %s", run->pid, run->dump_number,
           run->time != NULL ? run->time : "");
  const dmd_overview_t known = {.how = run->pid > 0 ? how : NULL, .file = shown->name};
  print(out, shown->profile, &known, shown->is_json);
}

int dmdv_overview_of_files(int n, char **names, bool is_json) {
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    dmd_profile_t profile;
    good = load(&profile, names[i]);
    if (!good)
      break;
    shown_t shown = {&profile, names[i], is_json};
    if (i > 0 && !is_json)
      putchar('\n');
    fflush(stdout);
    good = dmdv_output_print(NULL, false, print_file, &shown);
    dmd_profile_destroy(&profile);
  }
  return good ? 0 : 2;
}
