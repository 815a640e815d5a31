/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv dump: analyses the heap of a running program that uses the native engine.
 *
 * The engine writes the files and answers with their names. dmdv then adds names to their frames
 * and makes one file of profile and heap graph, as after dmdv run. If the program has registered
 * reporters (dmd/reporters), these run first.
 */
#include "base/jsonout.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/input/input.h"
#include "dmdv/memory/askreporters.h"
#include "dmdv/memory/systemtrees.h"
#include "dmdv/run/controlled.h"
#include "dmdv/run/leftovers.h"
#include "dmdv/run/overview.h"
#include "dmdv/run/rewrite.h"
#include "host/output.h"
#include "host/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  bool graph, clear, print, json;
  bool screen;       /* show what matters most in the profile */
  const char *label; /* NULL: not given */
  uint32_t seconds;
  dmdv_files_t operands;
} options_t;

static const dmd_option_t options[] = {
    {"graph", NULL, NULL, "also write the heap graph of the same moment", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, graph)},
    {"clear", NULL, NULL,
     "afterwards clear all reports except those on allocation, and memory reports, so that a new "
     "measurement begins",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, clear)},
    {"label", "TEXT", NULL, "label of the dump in the profile", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, label)},
    {"print", NULL, NULL, "print the records of the profile", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, print)},
    DMDV_JSON_OPTION(options_t, json, "print the answer as JSON"),
    DMDV_TIMEOUT_OPTION(options_t, seconds, "60"),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv dump [OPTION...] PID\n\n"
             "Makes a program under the native engine (dmdv run --engine=native) write a\n"
             "profile now, and prints the name of each file that it wrote. The program\n"
             "continues. dmdv --pid=PID does so and shows what matters most.\n\n"
             "The exit status is 0, or 1 if a file could not be written, 2 for a wrong\n"
             "command line, 3 if the process does not exist or cannot be reached, 4 if it\n"
             "does not answer in time.\n\n",
     .options = &table},
    {0},
};

/* ---- The files. ---- */

/* The name under which dmdv reaches a file of the process, which may have another root
 * directory. */
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

static bool name_frames_of(dmdv_rewrite_t *rewrite) {
  const dmd_load_options_t load = {
      .contents = true, .moment = DMD_MOMENT_ALL, .namer = dmdv_namer()};
  dmd_profile_t profile;
  if (!dmdv_rewrite_load(rewrite, &profile, &load))
    return false;
  bool good = dmdv_rewrite_save(rewrite, &profile);
  dmd_profile_destroy(&profile);
  return good;
}

/* Writes a profile again, with names for its frames. */
static bool name_frames(const char *name) {
  dmdv_rewrite_t rewrite;
  dmdv_rewrite_state_t state = dmdv_rewrite_open(&rewrite, name);
  bool good = state == DMDV_REWRITE_OPEN ? name_frames_of(&rewrite) : state == DMDV_REWRITE_NOTHING;
  dmdv_rewrite_close(&rewrite);
  return good;
}

static void print_records(const char *name) {
  const char *argv[] = {"print", "--no-pager", "--", name, NULL};
  dmdv_print_command.run(4, (char **)argv);
}

static void print_paths(void *ctx, dmd_out_t *out) {
  const dmd_control_dumped_t *dumped = ctx;
  const char *paths[] = {dumped->profile, dumped->graph == dumped->profile ? NULL : dumped->graph};
  for (int i = 0; i < 2; i++)
    if (paths[i] != NULL) {
      dmd_out_safe(out, paths[i]);
      dmd_out_char(out, '\n');
    }
}

static void print_json(void *dumped, dmd_out_t *out) {
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, out);
  dmd_jsonout_object(&json, DMD_JSONOUT_INLINE);
  dmd_control_write_dumped(&json, dumped);
  dmd_jsonout_end(&json);
}

/* The texts stay the answer's. */
static dmd_control_dumped_t read_dumped(const dmd_jsonvalue_t *answer) {
  dmd_control_dumped_t dumped = {
      .number = (uint64_t)dmdv_answer_number(answer, "number"),
      .cleared = dmd_jsonvalue_is(dmd_jsonvalue_get(answer, "cleared"), DMD_JSONVALUE_TRUE),
      .error = dmdv_answer_text(answer, "error")};
  DMD_JSONVALUE_EACH(file, dmd_jsonvalue_get(answer, "files")) {
    const char *kind = dmdv_answer_text(file, "kind"), *path = dmdv_answer_text(file, "path");
    if (kind != NULL && strcmp(kind, "profile") == 0)
      dumped.profile = path;
    else if (kind != NULL && strcmp(kind, "graph") == 0)
      dumped.graph = path;
  }
  return dumped;
}

static bool finish_profile(const options_t *o, uint32_t pid, dmd_control_dumped_t *dumped) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  find_file(&name, pid, dumped->profile);
  bool good = name_frames(name.text);
  if (good && dumped->graph != NULL) {
    dmdv_join_graph_beside(name.text);
    if (dmdv_input_has_graph(name.text))
      dumped->graph = dumped->profile;
  }
  dmdv_remove_leftovers_like(name.text);
  if (good && o->print)
    print_records(name.text);
  if (good && o->screen)
    good = dmdv_overview_of_files(1, &name.text, false) == 0;
  dmd_strbuf_destroy(&name);
  return good;
}

static bool finish(const options_t *o, uint32_t pid, const dmdv_answer_t *answer) {
  dmd_control_dumped_t dumped = read_dumped(answer->object);
  bool good = dumped.profile == NULL || finish_profile(o, pid, &dumped);
  dmdv_naming_end(good);
  bool is_refused = dmd_jsonvalue_get(answer->object, "files") == NULL;
  if (o->json && is_refused)
    return dmdv_output_print(NULL, false, dmdv_answer_write, (void *)answer) && good;
  if (o->json)
    return dmdv_output_print(NULL, false, print_json, &dumped) && good;
  if (!o->print && !o->screen)
    return dmdv_output_print(NULL, false, print_paths, &dumped) && good;
  if (dumped.profile != NULL)
    dmdv_note("wrote %s", dumped.profile);
  if (dumped.graph != NULL && dumped.graph != dumped.profile)
    dmdv_note("wrote %s", dumped.graph);
  return good;
}

/* ---- The command. ---- */

enum { REPORTERS_WITHIN = 10 /* seconds */ };

/* Runs the reporters of the process, which then waits until *held is closed. */
static void run_reporters(uint32_t pid, uint32_t seconds, int *held) {
  dmd_strbuf_t notes;
  *held = -1;
  if (!dmdv_system_has_library(pid))
    return;
  dmd_strbuf_init(&notes, &dmdv_env);
  dmdv_hold_reporters(pid, seconds < REPORTERS_WITHIN ? seconds : REPORTERS_WITHIN, held, &notes);
  fputs(notes.text, stderr);
  dmd_strbuf_destroy(&notes);
}

static int dump(const options_t *o, uint32_t pid, dmdv_answer_t *answer) {
  const dmd_control_t request = {.command = DMD_CONTROL_DUMP,
                                 .graph = o->graph,
                                 .clear = o->clear,
                                 .label = o->label,
                                 .n_label = o->label == NULL ? 0 : strlen(o->label)};
  int held;
  run_reporters(pid, o->seconds, &held);
  int status = dmdv_ask_process("dump", pid, &request, o->seconds, answer);
  if (held >= 0)
    close(held);
  if (status != 0)
    return status;
  bool good = finish(o, pid, answer);
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
    dmdv_error("dump: give one process id; see dmdv dump --help");
    return 2;
  }
  if (o.label != NULL && strlen(o.label) > DMD_MAX_NAME) {
    dmdv_error("dump: --label is longer than %d bytes", DMD_MAX_NAME);
    return 2;
  }
  if (o.json && o.print) {
    dmdv_error("dump: --json and --print exclude each other");
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
    "dump", "make a program under the native engine write a profile now", parts, run};

/* ---- dmdv --pid=PID ---- */

/* Makes the process write its profile and heap graph, and shows them on the screen. */
static int show_dump(uint32_t pid) {
  const options_t o = {.graph = true, .screen = true, .seconds = 60};
  dmdv_answer_t answer;
  dmdv_answer_init(&answer);
  int status = dump(&o, pid, &answer);
  dmdv_answer_destroy(&answer);
  return status;
}

int dmdv_look_at_process(const char *given) {
  char memory[] = "memory", pid_text[16];
  char *argv[] = {memory, pid_text, NULL};
  uint32_t pid = dmdv_read_pid("--pid", given);
  if (pid == 0)
    return 2;
  if (dmdv_has_engine(pid))
    return show_dump(pid);
  snprintf(pid_text, sizeof pid_text, "%u", pid);
  dmdv_note("process %u runs without dmd: this is what the system and its reporters know of it; "
            "dmdv run --pid=%u records its heap from now on, dmdv ./program from the beginning",
            pid, pid);
  return dmdv_memory_command.run(2, argv);
}
