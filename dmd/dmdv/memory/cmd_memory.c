/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv memory: the memory of programs that run, as their reporters and the system know it.
 */
#include "base/strbuf.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/input/profilefile.h"
#include "dmdv/memory/askreporters.h"
#include "dmdv/memory/systemtrees.h"
#include "dmdv/run/controlled.h"
#include "host/output.h"
#include "host/process.h"
#include "show/export/export.h"
#include "show/text/text_tree.h"
#include "show/text/tree_json.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_PROCESSES = 4096 };

typedef struct {
  const char *output; /* NULL: print */
  const char *old;    /* file to compare with; NULL: none */
  bool children, anonymize, verbose, json, no_pager;
  uint32_t seconds;
  dmdv_files_t operands;
} options_t;

static const dmd_option_t options[] = {
    {"output", "FILE", NULL,
     "write a file that about:memory and dmdv tree read; gzipped if FILE ends in .gz",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, output), .letter = 'o', .is_file = true},
    {"diff", "FILE", NULL, "show what changed since FILE, which --output wrote", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, old), .is_file = true},
    DMDV_SWITCH(options_t, children, "children", "also show the processes' children, and theirs"),
    DMDV_SWITCH(options_t, anonymize, "anonymize",
                "leave out private strings, such as the names of files"),
    {"verbose", NULL, NULL, "show every path, however small, and amounts in bytes",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, verbose), .letter = 'v'},
    DMDV_JSON_OPTION(options_t, json, "print the trees as JSON"),
    {"timeout", "SECONDS", "10", "how long to wait for each process's reporters", DMD_OPTION_NUMBER,
     DMD_OPTION_AT(options_t, seconds), .least = 1, .most = 86400},
    DMDV_NO_PAGER_OPTION(options_t, no_pager),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv memory [OPTION...] PID...\n\n"
             "Shows the memory of programs that run as trees, in the notation of Firefox's\n"
             "about:memory: what their memory reporters measure just now, if they use the\n"
             "library dmd-reporters, and what the system knows of every process: resident\n"
             "memory, and the trees size, rss, pss and swap of its mappings.\n\n"
             "The exit status is 0, or 2 for a wrong command line or file, 3 if a process does\n"
             "not exist or the system denies access to it, 4 if a process's reporters do not\n"
             "answer in time. What is known is shown in any case.\n\n",
     .options = &table},
    {0},
};

/* ---- Processes. ---- */

typedef struct {
  uint32_t pids[MAX_PROCESSES];
  uint32_t n;
} processes_t;

/* False: a number is wrong. */
static bool read_processes(const options_t *o, processes_t *processes) {
  processes->n = 0;
  for (int i = 0; i < o->operands.n && processes->n < MAX_PROCESSES; i++) {
    uint32_t pid = dmdv_read_pid("memory", o->operands.names[i]);
    if (pid == 0)
      return false;
    bool is_known = false;
    for (uint32_t k = 0; k < processes->n; k++)
      is_known = is_known || processes->pids[k] == pid;
    if (!is_known)
      processes->pids[processes->n++] = pid;
  }
  if (o->children)
    processes->n = dmdv_system_descendants(processes->pids, processes->n, MAX_PROCESSES);
  return true;
}

/* Returns the exit status. */
static int add_process(dmd_amounts_t *m, uint32_t pid, const options_t *o) {
  char *process = dmdv_system_name(pid);
  bool has_library;
  int status = 0;
  dmd_strbuf_t notes;
  if (process == NULL) {
    dmdv_error("memory: process %" PRIu32 " does not exist", pid);
    return DMDV_NOT_ASKED;
  }
  dmd_strbuf_init(&notes, &dmdv_env);
  if (!dmdv_system_add(m, pid, process, o->anonymize, &has_library)) {
    dmdv_error("memory: the system denies access to the mappings of process %" PRIu32, pid);
    status = DMDV_NOT_ASKED;
  } else if (!has_library) {
    dmd_strbuf_str(&notes, "note: the program has no reporters that can be asked: it does not use "
                           "the library dmd-reporters, or has not started it\n");
  } else {
    dmdv_asked_t asked = dmdv_ask_reporters(m, pid, process, o->anonymize, o->seconds, &notes);
    status = asked == DMDV_ASKED_TOO_SLOW ? DMDV_NO_ANSWER : 0;
  }
  dmd_amounts_add_note(m, process, notes.text);
  dmd_strbuf_destroy(&notes);
  dmd_env_free(&dmdv_env, process);
  return status;
}

/* ---- Output. ---- */

typedef struct {
  const options_t *options;
  const dmd_amounts_t *amounts;
} shown_t;

static void print(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  if (shown->options->json) {
    dmd_jsonout_t j;
    dmd_jsonout_init(&j, out);
    dmd_tree_json(&j, shown->amounts, shown->options->verbose);
    return;
  }
  bool is_empty = shown->options->old != NULL && shown->amounts->n_order == 0;
  dmd_tree_print(out, shown->amounts, is_empty ? "no difference\n" : "", shown->options->verbose);
}

static bool write_file(const char *name, const dmd_amounts_t *m) {
  dmdv_output_t *file = dmdv_output_open(name, dmdv_output_is_gzip(name));
  dmd_out_t out;
  if (file == NULL)
    return false;
  dmd_out_init(&out, dmdv_output_write, file);
  dmd_export_amounts(m, &out);
  dmd_out_flush(&out);
  return dmdv_output_close(file, true);
}

static bool say_path(const char *path, const char *why) {
  return dmdv_error("memory: \"%.80s%s\" %s", path, strlen(path) > 80 ? "..." : "", why);
}

/* Subtracts the values in the file. */
static bool subtract(dmd_amounts_t *m, const char *name) {
  dmd_amounts_t old;
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  const char *path, *why;
  bool is_profile;
  dmd_amounts_init(&old, &dmdv_env, true);
  dmd_profile_init(&profile, &dmdv_env);
  bool good = dmdv_load_either(&profile, &old, name, DMD_MOMENT_END, &is_profile, &fail) ||
              dmdv_error_in(name, &fail);
  if (good && is_profile)
    good = dmdv_error("memory: %s is a profile; --diff needs a file that --output wrote", name);
  if (good) {
    dmd_amounts_complete(&old);
    good = (why = dmd_amounts_subtract(m, &old, &path)) == NULL || say_path(path, why);
  }
  dmd_profile_destroy(&profile);
  dmd_amounts_destroy(&old);
  return good;
}

/* Readers of the file compute heap-unclassified themselves. */
static bool show(dmd_amounts_t *m, const options_t *o) {
  const char *path, *why;
  if (o->output == NULL || o->old != NULL)
    dmd_amounts_complete(m);
  if (o->old != NULL && !subtract(m, o->old))
    return false;
  if ((why = dmd_amounts_settle(m, &path)) != NULL)
    return say_path(path, why);
  if (o->output != NULL)
    return write_file(o->output, m);
  return dmdv_output_print(NULL, !o->no_pager, print, &(shown_t){o, m});
}

static int show_processes(const options_t *o) {
  static processes_t processes;
  dmd_amounts_t m;
  int status = 0;
  uint32_t n_shown = 0;
  if (!read_processes(o, &processes))
    return 2;
  dmd_amounts_init(&m, &dmdv_env, o->old != NULL);
  for (uint32_t i = 0; i < processes.n; i++) {
    int result = add_process(&m, processes.pids[i], o);
    n_shown += result != DMDV_NOT_ASKED;
    status = result > status ? result : status;
  }
  if (n_shown > 0 && !show(&m, o))
    status = 2;
  dmd_amounts_destroy(&m);
  return status;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_memory_command, &o, argc, argv, &o.operands);
  if (status >= 0)
    return status;
  if (o.operands.n < 1) {
    dmdv_error("memory: give one or more process ids; see dmdv memory --help");
    return 2;
  }
  if (o.output != NULL && (o.old != NULL || o.json)) {
    dmdv_error("memory: --output works neither with --diff nor with --json");
    return 2;
  }
  return show_processes(&o);
}

const dmdv_command_t dmdv_memory_command = {
    "memory", "show the memory of programs that run, as about:memory does", parts, run};
