/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history check and acknowledge: the steps of a history, and what people say of them.
 */
#include "base/jsonout.h"
#include "reader/command/historycommands.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"
#include "text/print.h"
#include "text/text_history.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  dmdv_history_options_t common;
  const char *build, *reason, *series;
  const char *output;
} options_t;

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t check_options[] = {
    {"db", "DB", NULL, "the history: a file, or postgresql://...", DMD_OPTION_TEXT, AT(common.db),
     .is_file = true},
    {"least-change", "SIZE", NULL,
     "less is no step: bytes, or a share of the level (default: the larger of 4KB and 0.2%)",
     DMD_OPTION_TEXT, AT(common.least)},
    {"json", NULL, NULL, "as JSON, with acknowledged steps and improvements", DMD_OPTION_SWITCH,
     AT(common.json)},
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

typedef struct {
  dmdv_database_t *db;
  const dmdv_alarms_t *alarms;
  bool json, good;
  uint32_t n_new;
  dmd_out_t *out;
  dmd_jsonout_t writer;
  bool any_record;
} report_t;

static void write_record_json(void *ctx, const char *frames, int64_t delta) {
  report_t *r = ctx;
  dmd_json_alarm_record(&r->writer, &dmdv_env, frames, delta);
}

static void write_alarm_json(report_t *r, const dmdv_alarm_t *a) {
  dmd_jsonout_t *json = &r->writer;
  dmd_jsonout_object(json, DMD_JSONOUT_LINES);
  dmd_json_alarm(json, &a->alarm);
  dmd_jsonout_key(json, "records");
  dmd_jsonout_array(json, DMD_JSONOUT_LINES);
  r->good = r->good && dmdv_alarm_records(r->db, a, DMDV_ALARM_RECORDS, write_record_json, r);
  dmd_jsonout_end(json);
  dmd_jsonout_end(json);
}

static void write_record(void *ctx, const char *frames, int64_t delta) {
  report_t *r = ctx;
  if (!r->any_record)
    dmd_out_str(r->out, "  The stacks that changed most:\n");
  r->any_record = true;
  dmd_out_str(r->out, "    ");
  dmd_out_str(r->out, delta > 0 ? "+" : "");
  dmd_print_number(r->out, delta, false);
  dmd_out_str(r->out, " bytes\n");
  for (const char *line = frames; *line != '\0';) {
    size_t n = strcspn(line, "\n");
    dmd_out_str(r->out, "      ");
    dmd_out_safe_n(r->out, line, n);
    dmd_out_char(r->out, '\n');
    line += n + (line[n] == '\n');
  }
}

/* What happened at one build; which others it may be; and in which series. */
static uint32_t write_event(report_t *r, uint32_t i) {
  uint32_t n = dmdv_alarms_count(r->alarms);
  const dmd_alarm_t *first = &dmdv_alarms_at(r->alarms, i)->alarm;
  dmd_text_event(r->out, first);
  dmd_out_char(r->out, '\n');
  if (!dmd_alarm_is_certain(first)) {
    dmd_out_str(r->out, "  ");
    dmd_text_bracket(r->out, first);
    dmd_out_char(r->out, '\n');
  }
  for (; i < n && dmd_alarm_is_one_event(first, &dmdv_alarms_at(r->alarms, i)->alarm); i++) {
    dmd_out_str(r->out, "  ");
    dmd_text_alarm(r->out, &dmdv_alarms_at(r->alarms, i)->alarm);
    dmd_out_char(r->out, '\n');
  }
  return i;
}

static void write_text(report_t *r) {
  for (uint32_t i = 0; i < dmdv_alarms_count(r->alarms) && r->good;) {
    const dmdv_alarm_t *first = dmdv_alarms_at(r->alarms, i);
    i = write_event(r, i);
    r->any_record = false;
    r->good = dmdv_alarm_records(r->db, first, DMDV_ALARM_RECORDS, write_record, r);
    dmd_out_char(r->out, '\n');
  }
  dmd_text_alarms_verdict(r->out, r->n_new, r->alarms->n_curves);
  dmd_out_char(r->out, '\n');
}

static void write_report(void *ctx, dmd_out_t *out) {
  report_t *r = ctx;
  r->out = out;
  if (!r->json) {
    write_text(r);
    return;
  }
  dmd_jsonout_init(&r->writer, out);
  dmd_jsonout_object(&r->writer, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&r->writer, "alarms");
  dmd_jsonout_array(&r->writer, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmdv_alarms_count(r->alarms); i++)
    write_alarm_json(r, dmdv_alarms_at(r->alarms, i));
  dmd_jsonout_end(&r->writer);
  dmd_jsonout_end(&r->writer);
  dmd_out_char(out, '\n');
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
  report_t r = {.db = db, .alarms = &alarms, .json = o.common.json, .good = true};
  bool good = dmdv_alarms_find(&alarms, db, limits);
  for (uint32_t i = 0; i < dmdv_alarms_count(&alarms); i++)
    r.n_new += dmdv_alarms_at(&alarms, i)->alarm.state == DMD_ALARM_NEW;
  good = good && dmdv_outfile_print(o.output, false, write_report, &r) && r.good;
  dmdv_alarms_destroy(&alarms);
  dmdv_database_close(db);
  return !good ? 2 : r.n_new > 0 ? 1 : 0;
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
