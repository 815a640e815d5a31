/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history check and acknowledge: reports the change points of a history, and acknowledges
 * them.
 */
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/history/historycommands.h"
#include "dmdv/history/historyreport.h"
#include "host/process.h"

#include <string.h>

typedef struct {
  dmdv_history_options_t common;
  const char *build, *reason, *series, *source_root, *output;
  unsigned format; /* of `printers` */
} options_t;

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t check_options[] = {
    DMDV_DB_OPTION(options_t, common.db),
    DMDV_LEAST_CHANGE_OPTION(options_t, common.least),
    {"build", "ID", NULL, "only steps that may have begun with this build", DMD_OPTION_TEXT,
     AT(build)},
    {"format", "text|json|github|markdown|junit|gitlab", "text",
     "format of the report: for people, for programs, for the logs of GitHub's workflows, for a "
     "job's summary or a comment, for CI servers that show tests, for GitLab's code quality",
     DMD_OPTION_WORD, AT(format)},
    DMDV_JSON_OPTION(options_t, common.json, "same as --format=json"),
    DMDV_MAX_RECORDS_WITH(options_t, common.max_records, "all",
                          "with --json, alarms shown; the new ones before others"),
    {"source-root", "FOLDER", NULL,
     "the root of the repository, to find the files of frames in (default: that of the checkout)",
     DMD_OPTION_TEXT, AT(source_root), .is_file = true},
    DMDV_OUTPUT_OPTION(options_t, output, NULL, DMDV_TO_FILE),
};
static const dmd_option_table_t check_table = {check_options,
                                               sizeof check_options / sizeof *check_options};

static const dmdv_part_t check_parts[] = {
    {.text = "usage: dmdv history check --db=DB [OPTION...]\n\n"
             "Finds where the level of a series changed, over all builds, and names the build\n"
             "and the stacks that changed it. The exit status is 1 if a series went up and\n"
             "nobody has acknowledged that.\n\n",
     .options = &check_table},
    {0},
};

static const dmd_option_t acknowledge_options[] = {
    DMDV_DB_OPTION(options_t, common.db),
    {"build", "ID", NULL, "the first build of the step; required", DMD_OPTION_TEXT, AT(build)},
    {"reason", "TEXT", NULL, "why the step is acceptable; required", DMD_OPTION_TEXT, AT(reason)},
    {"series", "SERIES", NULL, "only for this series (default: all that have a step there)",
     DMD_OPTION_TEXT, AT(series)},
    DMDV_LEAST_CHANGE_OPTION(options_t, common.least),
};
static const dmd_option_table_t acknowledge_table = {
    acknowledge_options, sizeof acknowledge_options / sizeof *acknowledge_options};

static const dmdv_part_t acknowledge_parts[] = {
    {.text = "usage: dmdv history acknowledge --db=DB --build=ID --reason=TEXT [OPTION...]\n\n"
             "Marks the steps that begin with a build as known: check accepts them, and the\n"
             "level after them is the new normal.\n\n",
     .options = &acknowledge_table},
    {0},
};

/* ---- The report. ---- */

/* In the order of --format's words. */
static const dmdv_report_fn printers[] = {dmdv_report_text,   dmdv_report_json,
                                          dmdv_report_github, dmdv_report_markdown,
                                          dmdv_report_junit,  dmdv_report_gitlab};

typedef struct {
  dmdv_report_t report;
  dmdv_report_fn print;
} printing_t;

static void print_report(void *ctx, dmd_out_t *out) {
  printing_t *p = ctx;
  p->print(out, &p->report);
}

/* JSON and GitLab's code quality have no place for the verdict. */
static void note_too_early(const dmdv_alarms_t *alarms, dmdv_report_fn print) {
  if (!dmdv_alarms_are_too_early(alarms) ||
      (print != dmdv_report_json && print != dmdv_report_gitlab))
    return;
  dmdv_note("history check: the newest build cannot be judged yet: there are %u of the %u builds "
            "that it takes at least to find a step",
            alarms->unjudged.n_builds, alarms->unjudged.needed);
}

/* False, with the reason on stderr. */
static bool report(dmdv_alarms_t *alarms, dmdv_database_t *db, const options_t *o,
                   uint32_t *n_new) {
  dmdv_events_t events;
  printing_t p = {.report = {.alarms = alarms,
                             .events = &events,
                             .max_alarms = o->common.max_records,
                             .good = true},
                  .print = o->common.json ? dmdv_report_json : printers[o->format]};
  for (uint32_t i = 0; i < dmdv_alarms_count(alarms); i++)
    p.report.n_new += dmdv_alarms_at(alarms, i)->alarm.state == DMD_ALARM_NEW;
  *n_new = p.report.n_new;
  note_too_early(alarms, p.print);
  bool good = dmdv_events_find(&events, alarms, o->source_root) &&
              dmdv_history_print(db, o->output, print_report, &p) && p.report.good;
  dmdv_events_destroy(&events);
  return good;
}

/* ---- The commands. ---- */

static int run_check(int argc, char **argv) {
  options_t o = {0};
  dmdv_files_t words;
  dmd_changepoints_limits_t limits;
  int status = dmdv_read_command_line(&dmdv_history_check_command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  if (words.n != 0) {
    dmdv_error("history check: give only options; see dmdv history check --help");
    return 2;
  }
  if (!dmdv_history_limits(o.common.least, &limits))
    return 2;
  dmdv_database_t *db = dmdv_history_open(o.common.db, "history check", DMDV_OPEN_TO_READ);
  if (db == NULL)
    return 2;
  dmdv_alarms_t alarms;
  uint32_t n_new = 0;
  bool good =
      dmdv_alarms_find_of_build(&alarms, db, limits, o.build) && report(&alarms, db, &o, &n_new);
  dmdv_alarms_destroy(&alarms);
  dmdv_database_close(db);
  return !good ? 2 : n_new > 0 ? 1 : 0;
}

static bool acknowledge(const options_t *o, dmdv_database_t *db, const dmdv_alarms_t *alarms) {
  uint32_t n_done = 0;
  bool good = dmdv_database_begin(db);
  for (uint32_t i = 0; good && i < dmdv_alarms_count(alarms); i++) {
    const dmdv_alarm_t *a = dmdv_alarms_at(alarms, i);
    if (a->alarm.state == DMD_ALARM_IMPROVED || strcmp(a->alarm.first_build, o->build) != 0 ||
        (o->series != NULL && strcmp(a->alarm.name, o->series) != 0))
      continue;
    good = dmdv_alarm_acknowledge(db, a, o->reason);
    n_done++;
  }
  if (!good || !dmdv_database_commit(db))
    return false;
  if (n_done == 0)
    return dmdv_error("history acknowledge: no step begins with build %s%s%s; see dmdv history "
                      "check",
                      o->build, o->series != NULL ? " in " : "",
                      o->series != NULL ? o->series : "");
  dmdv_note("build %s: %u acknowledged", o->build, n_done);
  return true;
}

static int run_acknowledge(int argc, char **argv) {
  options_t o = {0};
  dmdv_files_t words;
  dmd_changepoints_limits_t limits;
  int status = dmdv_read_command_line(&dmdv_history_acknowledge_command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  if (words.n != 0 || o.build == NULL || o.reason == NULL || o.reason[0] == '\0') {
    dmdv_error("history acknowledge: give --build=ID and --reason=TEXT; see dmdv history "
               "acknowledge --help");
    return 2;
  }
  if (!dmdv_history_limits(o.common.least, &limits))
    return 2;
  dmdv_database_t *db = dmdv_history_open(o.common.db, "history acknowledge", DMDV_OPEN_TO_WRITE);
  if (db == NULL)
    return 2;
  dmdv_alarms_t alarms;
  bool good = dmdv_alarms_find(&alarms, db, limits) && acknowledge(&o, db, &alarms);
  dmdv_alarms_destroy(&alarms);
  dmdv_database_close(db);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_history_check_command = {
    "history check", "find steps, and fail if a new one goes up", check_parts, run_check};
const dmdv_command_t dmdv_history_acknowledge_command = {
    "history acknowledge", "record why a step is acceptable", acknowledge_parts, run_acknowledge};
