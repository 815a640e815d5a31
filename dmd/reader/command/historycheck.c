/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history check and acknowledge: the steps of a history, and what people say of them.
 */
#include "reader/command/historycommands.h"
#include "reader/command/historyreport.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"

#include <string.h>

typedef struct {
  dmdv_history_options_t common;
  const char *build, *reason, *series, *source_root, *output;
  unsigned format; /* of `printers` */
} options_t;

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t check_options[] = {
    {"db", "DB", NULL, "the history: a file, or postgresql://...", DMD_OPTION_TEXT, AT(common.db),
     .is_file = true},
    {"least-change", "SIZE", NULL,
     "less is no step: bytes, or a share of the level (default: the larger of 4KB and 0.2%)",
     DMD_OPTION_TEXT, AT(common.least)},
    {"build", "ID", NULL, "only steps that may have begun with this build", DMD_OPTION_TEXT,
     AT(build)},
    {"format", "text|json|github|markdown|junit|gitlab", "text",
     "how to report: for people, for programs, for the logs of GitHub's workflows, for a job's "
     "summary or a comment, for CI servers that show tests, for GitLab's code quality",
     DMD_OPTION_WORD, AT(format)},
    {"json", NULL, NULL, "as --format=json", DMD_OPTION_SWITCH, AT(common.json)},
    {"source-root", "FOLDER", NULL,
     "the top of the repository, in which the files of frames are looked for (default: that of the "
     "checkout)",
     DMD_OPTION_TEXT, AT(source_root), .is_file = true},
    {"output", "FILE", NULL, "write the report there", DMD_OPTION_TEXT, AT(output), .letter = 'o',
     .is_file = true},
};
static const dmd_option_table_t check_table = {check_options,
                                               sizeof check_options / sizeof *check_options};

static const dmdv_part_t check_parts[] = {
    {.text = "usage: dmdv history check --db=DB [OPTION...]\n"
             "\n"
             "Finds where the level of a series changed, over all builds, and says with which\n"
             "build and which stacks. The exit status is 1 if a series went up and nobody has\n"
             "acknowledged that.\n"
             "\n",
     .options = &check_table},
    {0},
};

static const dmd_option_t acknowledge_options[] = {
    {"db", "DB", NULL, "the history: a file, or postgresql://...", DMD_OPTION_TEXT, AT(common.db),
     .is_file = true},
    {"build", "ID", NULL, "the first build of the step; must be given", DMD_OPTION_TEXT, AT(build)},
    {"reason", "TEXT", NULL, "why it may stay; must be given", DMD_OPTION_TEXT, AT(reason)},
    {"series", "SERIES", NULL, "of this series alone (default: of all that step there)",
     DMD_OPTION_TEXT, AT(series)},
    {"least-change", "SIZE", NULL, "as for check", DMD_OPTION_TEXT, AT(common.least)},
};
static const dmd_option_table_t acknowledge_table = {
    acknowledge_options, sizeof acknowledge_options / sizeof *acknowledge_options};

static const dmdv_part_t acknowledge_parts[] = {
    {.text = "usage: dmdv history acknowledge --db=DB --build=ID --reason=TEXT [OPTION...]\n"
             "\n"
             "Says that the steps which begin with a build are known: the level after them is\n"
             "the new one, and check does not refuse them any more.\n"
             "\n",
     .options = &acknowledge_table},
    {0},
};

/* ---- The report. ---- */

/* In the order of the words of --format. */
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

/* False, with the reason on stderr. */
static bool report(dmdv_alarms_t *alarms, const options_t *o, uint32_t *n_new) {
  dmdv_events_t events;
  printing_t p = {.report = {.alarms = alarms, .events = &events, .good = true},
                  .print = o->common.json ? dmdv_report_json : printers[o->format]};
  for (uint32_t i = 0; i < dmdv_alarms_count(alarms); i++)
    p.report.n_new += dmdv_alarms_at(alarms, i)->alarm.state == DMD_ALARM_NEW;
  *n_new = p.report.n_new;
  bool good = dmdv_events_find(&events, alarms, o->source_root) &&
              dmdv_outfile_print(o->output, false, print_report, &p) && p.report.good;
  dmdv_events_destroy(&events);
  return good;
}

/* ---- The commands. ---- */

static int run_check(int argc, char **argv) {
  options_t o = {0};
  dmdv_files_t words;
  dmd_steps_limits_t limits;
  int status = dmdv_read_command_line(&dmdv_history_check_command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  if (words.n != 0) {
    dmdv_error("history check: give nothing but options; see dmdv history check --help");
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
      dmdv_alarms_find_of_build(&alarms, db, limits, o.build) && report(&alarms, &o, &n_new);
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
  dmd_steps_limits_t limits;
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
    "history check", "find steps, and refuse new ones upwards", check_parts, run_check};
const dmdv_command_t dmdv_history_acknowledge_command = {
    "history acknowledge", "say why a step may stay", acknowledge_parts, run_acknowledge};
