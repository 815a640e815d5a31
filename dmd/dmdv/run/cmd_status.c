/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv status: what the native engine has recorded of a program that runs.
 */
#include "base/format.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/run/controlled.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/print.h"

#include <string.h>

typedef struct {
  bool json;
  uint32_t seconds;
  dmdv_files_t operands;
} options_t;

static const dmd_option_t options[] = {
    DMDV_JSON_OPTION(options_t, json, "print the answer as JSON"),
    DMDV_TIMEOUT_OPTION(options_t, seconds, "10"),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv status [OPTION...] PID\n\n"
             "Prints what has been recorded of a program under the native engine (dmdv run\n"
             "--engine=native): live blocks, how many of them are reported, and the memory\n"
             "that the engine itself uses. dmdv --pid=PID shows what its heap is made of.\n\n"
             "The exit status is 0, or 2 for a wrong command line, 3 if the process does not\n"
             "exist or cannot be reached, 4 if it does not answer in time.\n\n",
     .options = &table},
    {0},
};

/* ---- Text. ---- */

/* A count in the answer; 0 if it is missing. */
static uint64_t number(const dmd_jsonvalue_t *object, const char *key) {
  double v = dmdv_answer_number(object, key);
  return v >= 0 && v < 9007199254740992.0 ? (uint64_t)v : 0;
}

/* The text may come from the process. */
static void begin_line(dmd_out_t *out, const char *what) {
  enum { WIDTH = 16 };
  dmd_out_str(out, "  ");
  dmd_out_safe(out, what);
  for (size_t n = strlen(what); n < WIDTH; n++)
    dmd_out_char(out, ' ');
}

/* Whether blocks and bytes are estimates. */
static bool is_estimated(const dmd_jsonvalue_t *answer) {
  return number(answer, "sampleInterval") > 0;
}

static void print_counts(dmd_out_t *out, bool estimated, uint64_t blocks, uint64_t bytes) {
  dmd_print_count(out, (int64_t)blocks, estimated, "block", "blocks");
  dmd_out_str(out, estimated ? ", ~" : ", ");
  dmd_print_bytes(out, bytes);
}

static void print_estimate(dmd_out_t *out, const char *what, const dmd_jsonvalue_t *answer,
                           const char *key) {
  begin_line(out, what);
  dmd_out_str(out, is_estimated(answer) ? "~" : "");
  dmd_print_unsigned(out, number(answer, key));
  dmd_out_str(out, "\n");
}

static void print_number(dmd_out_t *out, const char *what, const dmd_jsonvalue_t *answer,
                         const char *key) {
  begin_line(out, what);
  dmd_print_unsigned(out, number(answer, key));
  dmd_out_str(out, "\n");
}

static void print_reports(dmd_out_t *out, const dmd_jsonvalue_t *answer) {
  const dmd_jsonvalue_t *reports = dmd_jsonvalue_get(answer, "reports");
  uint64_t all = 0;
  DMD_JSONVALUE_EACH(part, reports)
  all += number(part, "usable");
  DMD_JSONVALUE_EACH(part, reports) {
    uint64_t usable = number(part, "usable");
    begin_line(out, part->key);
    print_counts(out, is_estimated(answer), number(part, "blocks"), usable);
    dmd_out_str(out, " (usable), ");
    dmd_print_percent(out, (int64_t)usable, (int64_t)all);
    dmd_out_str(out, "\n");
  }
}

static void print_text(const dmd_jsonvalue_t *answer, dmd_out_t *out) {
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

/* ---- The command. ---- */

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
  return dmdv_output_print(NULL, false, o->json ? dmdv_answer_write : print, answer) ? 0 : 2;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_status_command, &o, argc, argv, &o.operands);
  if (status >= 0)
    return status;
  if (o.operands.n != 1) {
    dmdv_error("status: give one process id; see dmdv status --help");
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
    "status", "show what has been recorded of a program under the native engine", parts, run};
