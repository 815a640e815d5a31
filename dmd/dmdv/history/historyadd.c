/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history add: adds the profiles of a build.
 */
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/graphbeside.h"
#include "dmdv/history/historycommands.h"
#include "dmdv/input/profilefile.h"
#include "historydb/add.h"
#include "historydb/origin.h"
#include "host/process.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OWN = 32 };

typedef struct {
  const char *db, *build, *branch, *time, *moment, *run, *process;
  const char *own[MAX_OWN]; /* KEY=VALUE */
  size_t n_own;
  dmdv_files_t files;
} options_t;

static bool take_environment(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  if (value[0] == '=' || strchr(value, '=') == NULL || strpbrk(value, "\r\n") != NULL ||
      strlen(value) > 200) {
    dmd_strbuf_str(why, "give KEY=VALUE, a line of at most 200 bytes");
    return false;
  }
  if (o->n_own == MAX_OWN) {
    dmd_strbuf_str(why, "there are too many of these");
    return false;
  }
  o->own[o->n_own++] = value;
  return true;
}

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t options[] = {
    DMDV_DB_OPTION(options_t, db),
    {"build", "ID", NULL, "the build's name (default: the commit, from CI or git)", DMD_OPTION_TEXT,
     AT(build)},
    {"branch", "NAME", NULL, "its branch (default: from CI or git)", DMD_OPTION_TEXT, AT(branch)},
    {"time", "TIME", NULL,
     "the build's time, in seconds since 1970 or as 2026-11-23T02:00:00Z (default: the commit's)",
     DMD_OPTION_TEXT, AT(time)},
    {"moment", "LABEL", NULL,
     "what was measured (default: the label of each profile's dump; \"exit\" without one)",
     DMD_OPTION_TEXT, AT(moment)},
    {"run", "ID", NULL,
     "the run of the program: files of one run are its processes, which are summed (default: the "
     "n-th file of each process belongs to the n-th run)",
     DMD_OPTION_TEXT, AT(run)},
    {"process", "NAME", NULL, "the process (default: the name of each profile's program)",
     DMD_OPTION_TEXT, AT(process)},
    {"env", "KEY=VALUE", NULL,
     "what else the metrics depend on; KEY= leaves out what dmdv finds. May be given several times",
     DMD_OPTION_OWN, .take = take_environment},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history add --db=DB [OPTION...] PROFILE...\n\n"
             "Adds the profiles of a build to a history. Several profiles with one label are\n"
             "repetitions, which show how much the metrics vary. Profiles of different\n"
             "programs are processes of one run: the history has their sum and each process\n"
             "by itself. Profiles that it already has are skipped.\n\n"
             "A PROFILE may also be a file of memory reports, which dmdv memory --output and\n"
             "about:memory write. The history then has the paths of its trees as reporters.\n\n",
     .options = &table},
    {0},
};

/* What the blocks of the heap graph beside a profile waste; negative without one. */
static int64_t waste_beside(const dmd_profile_t *profile, const char *name) {
  dmd_wasted_t wasted;
  dmd_wasted_init(&wasted, &dmdv_env);
  int64_t waste = dmdv_waste_beside(&wasted, profile, name) ? wasted.total.bytes : -1;
  dmd_wasted_destroy(&wasted);
  return waste;
}

/* Adds each process of a file of memory reports. Processes of one name count as one. */
static bool add_reports(dmdv_database_t *db, const dmdv_build_t *build, const dmdv_origin_t *origin,
                        dmd_amounts_t *m, bool *is_new) {
  dmd_pool_t is_done; /* by the processes' strings */
  bool good = true;
  dmd_pool_init(&is_done, &dmdv_env, "dmdv.processes", sizeof(bool));
  dmd_amounts_complete(m);
  for (uint32_t id = 1; id <= m->pool.last && good; id++) {
    uint32_t process = dmd_amounts_at(m, id)->process;
    bool is_new_too = false;
    dmd_pool_reach(&is_done, process);
    bool *done = DMD_POOL_AT(&is_done, bool, process);
    if (*done)
      continue;
    *done = true;
    good = dmdv_history_add_reports(db, build, origin, m, process, &is_new_too);
    *is_new = *is_new || is_new_too;
  }
  dmd_pool_destroy(&is_done);
  return good;
}

static bool add_file(dmdv_database_t *db, const options_t *o, const dmdv_build_t *build,
                     const char *name, int *n_new) {
  dmd_profile_t profile;
  dmd_amounts_t amounts;
  dmd_strbuf_t environment;
  dmd_fail_t fail = {0};
  bool is_profile, is_new = false;
  dmd_strbuf_init(&environment, &dmdv_env);
  dmd_profile_init(&profile, &dmdv_env);
  dmd_amounts_init(&amounts, &dmdv_env, true);
  const dmd_load_options_t load = {.namer = dmdv_namer()};
  bool good = dmdv_load_either(&profile, &amounts, name, &load, &is_profile, &fail) ||
              dmdv_error_in(name, &fail);
  if (good) {
    dmdv_origin_environment(&environment, &profile, o->own, o->n_own);
    const dmdv_origin_t origin = {o->moment, o->process, o->run, environment.text,
                                  is_profile ? waste_beside(&profile, name) : -1};
    good = is_profile ? dmdv_history_add(db, build, &origin, &profile, &is_new)
                      : add_reports(db, build, &origin, &amounts, &is_new);
  }
  *n_new += good && is_new;
  dmd_amounts_destroy(&amounts);
  dmd_profile_destroy(&profile);
  dmd_strbuf_destroy(&environment);
  return good;
}

static bool add_files(const options_t *o, const dmdv_build_t *build) {
  dmdv_database_t *db = dmdv_history_open(o->db, "history add", DMDV_OPEN_OR_CREATE);
  if (db == NULL)
    return false;
  int n_new = 0;
  bool good = true;
  for (int i = 0; i < o->files.n && good; i++)
    good = add_file(db, o, build, o->files.names[i], &n_new);
  dmdv_database_close(db);
  if (n_new > 0)
    dmdv_note("build %s (%s): %d of %d added", build->name, build->branch, n_new, o->files.n);
  else if (good)
    dmdv_note("build %s (%s): the history already has all of them", build->name, build->branch);
  return good;
}

/* Fills in the parts of the build that the options do not give. */
static bool find_build(const options_t *o, dmd_strbuf_t *name, dmd_strbuf_t *branch,
                       dmdv_build_t *build) {
  if (o->build != NULL)
    dmd_strbuf_str(name, o->build);
  else
    dmdv_origin_build(name);
  if (name->n == 0)
    return dmdv_error(
        "history add: this is not a git checkout, and no CI names the commit: give --build=ID");
  if (o->branch != NULL)
    dmd_strbuf_str(branch, o->branch);
  else
    dmdv_origin_branch(branch);
  if (branch->n == 0)
    dmd_strbuf_str(branch, "main");
  *build = (dmdv_build_t){.name = name->text, .branch = branch->text};
  if (o->time == NULL)
    build->time = dmdv_origin_time(name->text);
  else if (!dmdv_parse_time(o->time, &build->time))
    return dmdv_error(
        "history add: --time=%s: give seconds since 1970 or a time such as 2026-11-23T02:00:00Z",
        o->time);
  return true;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_history_add_command, &o, argc, argv, &o.files);
  if (status >= 0)
    return status;
  if (o.db == NULL || o.files.n == 0) {
    dmdv_error("history add: give %s; see dmdv history add --help",
               o.db == NULL ? "the history, --db=DB" : "the profiles to add");
    return 2;
  }
  dmd_strbuf_t name, branch;
  dmdv_build_t build;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_init(&branch, &dmdv_env);
  bool good = find_build(&o, &name, &branch, &build) && add_files(&o, &build);
  dmd_strbuf_destroy(&branch);
  dmd_strbuf_destroy(&name);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_history_add_command = {"history add", "add the profiles of a build",
                                                 parts, run};
