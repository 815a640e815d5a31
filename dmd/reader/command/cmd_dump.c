/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv dump: an analysis of the heap of a program that runs with the native engine, now.
 *
 * The engine writes files, and answers which. Their frames get names here, as after dmdv run.
 */
#include "reader/command/commands.h"
#include "reader/command/controlled.h"
#include "reader/command/naming.h"
#include "reader/command/show.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  bool graph, clear, print, json;
  const char *label; /* NULL: none */
  uint32_t seconds;
  dmdv_files_t operands;
} options_t;

static const dmd_option_t options[] = {
    {"graph", NULL, NULL, "write the heap graph as well, of the same moment", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, graph)},
    {"clear", NULL, NULL,
     "then forget all reports except those on allocation, and memory reports: what is reported "
     "from now on is a new measurement",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, clear)},
    {"label", "TEXT", NULL, "what the profile says the dump is", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, label)},
    {"print", NULL, NULL, "print the records of the profile", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, print)},
    {"json", NULL, NULL, "the answer as JSON", DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, json)},
    {"timeout", "SECONDS", "60", "how long to wait for the answer", DMD_OPTION_NUMBER,
     DMD_OPTION_AT(options_t, seconds), .least = 1, .most = 86400},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv dump [OPTION...] PID\n"
             "\n"
             "Has a program that runs with the native engine (dmdv run --engine=native) write a\n"
             "profile now, and prints the name of each file that it wrote. The program goes on.\n"
             "\n"
             "The exit status is 0, or 1 if a file could not be written, 2 for a wrong command\n"
             "line, 3 if there is no such process or it cannot be asked, 4 if it does not answer\n"
             "in time.\n"
             "\n",
     .options = &table},
    {0},
};

/* ---- What was written. ---- */

/* The name under which dmdv reaches a file of the process, which may have another root. */
static void find_file(dmd_strbuf_t *name, uint32_t pid, const char *path) {
  dmd_strbuf_str(name, "/proc/");
  dmd_strbuf_u64(name, pid);
  dmd_strbuf_str(name, "/root");
  dmd_strbuf_str(name, path);
  struct stat st, in_root;
  if (stat(name->text, &in_root) == 0 &&
      (stat(path, &st) != 0 || st.st_dev != in_root.st_dev || st.st_ino != in_root.st_ino))
    return;
  dmd_strbuf_cut(name, 0);
  dmd_strbuf_str(name, path);
}

/* Writes a profile again, with names. What is no regular file stays as it is. */
static bool name_frames(const char *name) {
  struct stat st;
  dmd_profile_t profile;
  if (stat(name, &st) != 0 || !S_ISREG(st.st_mode))
    return true;
  bool good = dmdv_load_or_say(&profile, name, &(dmd_load_options_t){.contents = true});
  if (!good)
    return false;
  good = dmdv_write_named(&profile, name);
  dmd_profile_destroy(&profile);
  return good;
}

static void print_records(const char *name) {
  const char *argv[] = {"print", "--no-pager", "--", name, NULL};
  dmdv_print_command.run(4, (char **)argv);
}

static bool finish(const options_t *o, uint32_t pid, const char *kind, const char *path) {
  bool good = true;
  if (strcmp(kind, "profile") == 0) {
    dmd_strbuf_t name;
    dmd_strbuf_init(&name, &dmdv_env);
    find_file(&name, pid, path);
    good = name_frames(name.text);
    if (good && o->print)
      print_records(name.text);
    dmd_strbuf_destroy(&name);
  }
  if (o->print)
    dmdv_note("wrote %s", path);
  else if (!o->json)
    printf("%s\n", path);
  return good;
}

static bool finish_all(const options_t *o, uint32_t pid, const dmd_value_t *answer) {
  bool good = true;
  DMD_VALUE_EACH(file, dmd_value_get(answer, "files")) {
    const char *kind = dmdv_answer_text(file, "kind"), *path = dmdv_answer_text(file, "path");
    if (kind != NULL && path != NULL)
      good = finish(o, pid, kind, path) && good;
  }
  dmdv_naming_end(good);
  return good;
}

/* ---- The whole. ---- */

static int dump(const options_t *o, uint32_t pid, dmdv_answer_t *answer) {
  const dmd_control_t request = {.command = DMD_CONTROL_DUMP,
                                 .graph = o->graph,
                                 .clear = o->clear,
                                 .label = o->label,
                                 .n_label = o->label == NULL ? 0 : strlen(o->label)};
  int status = dmdv_ask_process("dump", pid, &request, o->seconds, answer);
  if (status != 0)
    return status;
  bool good = finish_all(o, pid, answer->object);
  if (o->json)
    fputs(answer->text.text, stdout);
  const char *error = dmdv_answer_text(answer->object, "error");
  if (error != NULL)
    dmdv_error("dump: process %u: %s", pid, error);
  return good && error == NULL ? 0 : 1;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_dump_command, &o, argc, argv, &o.operands);
  if (status >= 0)
    return status;
  if (o.operands.n != 1) {
    dmdv_error("dump: give the number of one process; see dmdv dump --help");
    return 2;
  }
  if (o.label != NULL && strlen(o.label) > DMD_MAX_NAME) {
    dmdv_error("dump: --label: it is longer than %d bytes", DMD_MAX_NAME);
    return 2;
  }
  if (o.json && o.print) {
    dmdv_error("dump: --json and --print do not go together");
    return 2;
  }
  uint32_t pid = dmdv_read_pid("dump", o.operands.names[0]);
  if (pid == 0)
    return 2;
  dmdv_answer_t answer;
  dmdv_answer_init(&answer);
  status = dump(&o, pid, &answer);
  dmdv_answer_destroy(&answer);
  return status;
}

const dmdv_command_t dmdv_dump_command = {
    "dump", "have a program that runs with the native engine write a profile now", parts, run};
