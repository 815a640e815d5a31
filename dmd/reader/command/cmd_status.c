/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv status: what the native engine has recorded of a program that runs.
 */
#include "base/format.h"
#include "reader/command/commands.h"
#include "reader/command/controlled.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"
#include "text/print.h"

#include <stdio.h>

typedef struct {
  bool json;
  uint32_t seconds;
  dmdv_files_t operands;
} options_t;

static const dmd_option_t options[] = {
    {"json", NULL, NULL, "the answer as JSON", DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, json)},
    {"timeout", "SECONDS", "10", "how long to wait for the answer", DMD_OPTION_NUMBER,
     DMD_OPTION_AT(options_t, seconds), .least = 1, .most = 86400},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv status [OPTION...] PID\n"
             "\n"
             "Says what is recorded at the moment of a program that runs with the native engine\n"
             "(dmdv run --engine=native): live blocks, how many of them are reported, and what\n"
             "the engine itself takes up.\n"
             "\n"
             "The exit status is 0, or 2 for a wrong command line, 3 if there is no such process\n"
             "or it cannot be asked, 4 if it does not answer in time.\n"
             "\n",
     .options = &table},
    {0},
};

/* ---- Text. ---- */

/* Numbers of the answer are counts; what is none counts as 0. */
static uint64_t number(const dmd_value_t *object, const char *key) {
  double v = dmdv_answer_number(object, key);
  return v >= 0 && v < 9007199254740992.0 ? (uint64_t)v : 0;
}

static void begin_line(dmd_out_t *out, const char *what) {
  enum { WIDTH = 16 };
  dmd_out_str(out, "  ");
  dmd_out_left(out, what, WIDTH);
}

/* Whether blocks and bytes are estimates. */
static bool is_estimated(const dmd_value_t *answer) {
  return number(answer, "sampleInterval") > 0;
}

static void print_counts(dmd_out_t *out, bool estimated, uint64_t blocks, uint64_t bytes) {
  dmd_print_count(out, (int64_t)blocks, estimated, "block", "blocks");
  dmd_out_str(out, estimated ? ", ~" : ", ");
  dmd_print_bytes(out, bytes);
}

static void print_estimate(dmd_out_t *out, const char *what, const dmd_value_t *answer,
                           const char *key) {
  begin_line(out, what);
  dmd_out_str(out, is_estimated(answer) ? "~" : "");
  dmd_print_unsigned(out, number(answer, key));
  dmd_out_str(out, "\n");
}

static void print_number(dmd_out_t *out, const char *what, const dmd_value_t *answer,
                         const char *key) {
  begin_line(out, what);
  dmd_print_unsigned(out, number(answer, key));
  dmd_out_str(out, "\n");
}

static void print_reports(dmd_out_t *out, const dmd_value_t *answer) {
  const dmd_value_t *reports = dmd_value_get(answer, "reports");
  uint64_t all = 0;
  DMD_VALUE_EACH(part, reports)
  all += number(part, "usable");
  DMD_VALUE_EACH(part, reports) {
    uint64_t usable = number(part, "usable");
    begin_line(out, part->key);
    print_counts(out, is_estimated(answer), number(part, "blocks"), usable);
    dmd_out_str(out, " (usable), ");
    dmd_print_percent(out, (int64_t)usable, (int64_t)all);
    dmd_out_str(out, "\n");
  }
}

static void print_text(const dmd_value_t *answer, dmd_out_t *out) {
  char time[DMD_FORMAT_MAX];
  const char *program = dmdv_answer_text(answer, "program"),
             *mode = dmdv_answer_text(answer, "mode");
  dmd_out_str(out, "process ");
  dmd_out_u64(out, number(answer, "pid"));
  dmd_out_str(out, ": ");
  dmd_out_safe(out, program == NULL ? "?" : program);
  dmd_out_str(out, "\n");
  begin_line(out, "since");
  dmd_format_time(time, number(answer, "start"));
  dmd_out_str(out, time);
  dmd_out_str(out, "\n");
  begin_line(out, "mode");
  dmd_out_safe(out, mode == NULL ? "?" : mode);
  if (number(answer, "sampleBelow") > 0) {
    dmd_out_str(out, ", blocks below ");
    dmd_print_bytes(out, number(answer, "sampleBelow"));
    dmd_out_str(out, " are sampled");
  }
  if (number(answer, "sampleInterval") > 0) {
    dmd_out_str(out, ", one block is kept for ");
    dmd_print_bytes(out, number(answer, "sampleInterval"));
  }
  dmd_out_str(out, "\n");
  begin_line(out, "live");
  print_counts(out, is_estimated(answer), number(answer, "blocks"), number(answer, "bytes"));
  dmd_out_str(out, "\n");
  print_reports(out, answer);
  print_estimate(out, "allocations", answer, "allocations");
  print_estimate(out, "frees", answer, "frees");
  print_number(out, "stacks", answer, "stacks");
  print_number(out, "reporters", answer, "reporters");
  print_number(out, "tags", answer, "tags");
  print_number(out, "faults", answer, "faults");
  print_number(out, "dumps", answer, "dumps");
  begin_line(out, "dmd itself");
  dmd_print_bytes(out, number(answer, "ownBytes"));
  dmd_out_str(out, "\n");
}

static void print(void *ctx, dmd_out_t *out) {
  print_text(((const dmdv_answer_t *)ctx)->object, out);
}

/* ---- The whole. ---- */

static int ask(const options_t *o, uint32_t pid, dmdv_answer_t *answer) {
  const dmd_control_t request = {.command = DMD_CONTROL_STATUS};
  int status = dmdv_ask_process("status", pid, &request, o->seconds, answer);
  if (status != 0)
    return status;
  const char *error = dmdv_answer_text(answer->object, "error");
  if (error != NULL) {
    dmdv_error("status: process %u: %s", pid, error);
    return DMDV_NOT_ASKED;
  }
  if (o->json)
    fputs(answer->text.text, stdout);
  else
    return dmdv_outfile_print(NULL, false, print, answer) ? 0 : 2;
  return 0;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_status_command, &o, argc, argv, &o.operands);
  if (status >= 0)
    return status;
  if (o.operands.n != 1) {
    dmdv_error("status: give the number of one process; see dmdv status --help");
    return 2;
  }
  uint32_t pid = dmdv_read_pid("status", o.operands.names[0]);
  if (pid == 0)
    return 2;
  dmdv_answer_t answer;
  dmdv_answer_init(&answer);
  status = ask(&o, pid, &answer);
  dmdv_answer_destroy(&answer);
  return status;
}

const dmdv_command_t dmdv_status_command = {
    "status", "what is recorded of a program that runs with the native engine", parts, run};
