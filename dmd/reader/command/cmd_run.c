/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv run: a program under Valgrind with dmd, or with the native engine (native.h), and what it
 * wrote.
 *
 * Which dmd: where dmdv stands in the folder that it was built in, the one that was built with it,
 * through vg-in-place; otherwise the one of the valgrind in PATH. The exit status is the program's,
 * so what goes wrong before the program runs has the statuses that shells and env(1) give: 127
 * when there is no Valgrind or no dmd, or dmdv cannot make its temporary file. A wrong command line
 * is 2, as in every command.
 */
#include "engine/options.h"
#include "reader/command/child.h"
#include "reader/command/commands.h"
#include "reader/command/native.h"
#include "reader/command/written.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { ENGINE_VALGRIND, ENGINE_NATIVE } engine_t;

typedef struct {
  engine_t engine;
  bool print;
  const char *output; /* the pattern of --dmd-out-file */
  char **tool;        /* options for Valgrind and dmd, */
  int n_tool;
  char **program; /* and the program with its arguments, NULL at the end */
} options_t;

static const dmd_option_t own_options[] = {
    {"engine", "valgrind|native", "valgrind",
     "what watches the program: Valgrind, or a library in it, with which it keeps its speed",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, engine)},
    {"print", NULL, NULL, "at the end, print the records of each profile", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, print)},
    {"output", "FILE", "dmd.out.%p.json.gz",
     "name of the profiles, as in --dmd-out-file: %p is the process id", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, output), .letter = 'o', .is_file = true},
};
static const dmd_option_table_t own_table = {own_options, sizeof own_options / sizeof *own_options};

static void describe_native(dmd_strbuf_t *text) {
  dmd_options_describe(&dmd_native_option_table, 6, 27, text);
}

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
             "\n"
             "Runs a program under Valgrind with dmd, or with the native engine, and says at\n"
             "the end, on standard error, which profiles were written. The exit status is the\n"
             "program's, 128 + N if signal N ended it, 127 if there is no Valgrind, no dmd, no\n"
             "native engine or no such program, 126 if the native engine cannot watch it.\n"
             "\n",
     .options = &own_table},
    {.options = &dmd_engine_options, .role = DMDV_OPTIONS_PASSED_ON},
    /* Those of Valgrind that are most often of use, too. */
    {.options = &dmd_native_option_table, .role = DMDV_OPTIONS_PASSED_ON},
    {.text = "\n"
             "All other options are Valgrind's and dmd's, such as --mode=live; they have the\n"
             "form --NAME=VALUE. See valgrind --tool=dmd --help. The native engine has those of\n"
             "dmd and the following.\n"
             "\n"},
    {.add_text = describe_native},
    {0},
};

/* ---- The command line. ---- */

/* What follows the word in arg; NULL where arg begins otherwise. */
static const char *after(const char *arg, const char *word) {
  size_t n = strlen(word);
  return strncmp(arg, word, n) == 0 ? arg + n : NULL;
}

static bool take_engine(options_t *options, const char *arg) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_option_set(dmd_option_of(&own_table, arg), options, arg, &why);
  if (!good)
    dmdv_error("run: %s: %s", arg, why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* One option at *at, which moves to the last word of it. */
static bool parse_one(options_t *options, char ***at) {
  char *arg = **at;
  const char *value;
  if (strcmp(arg, "--print") == 0) {
    options->print = true;
  } else if (strcmp(arg, "-o") == 0 || strcmp(arg, "--output") == 0) {
    if ((*at)[1] == NULL)
      return dmdv_error("run: %s needs a value", arg);
    options->output = *++*at;
  } else if ((value = after(arg, "--output=")) != NULL ||
             (value = after(arg, "--dmd-out-file=")) != NULL ||
             (value = after(arg, "-o")) != NULL) {
    options->output = value;
  } else if (after(arg, "--engine=") != NULL) {
    return take_engine(options, arg);
  } else if ((value = after(arg, "--tool=")) != NULL) {
    if (strcmp(value, "dmd") != 0)
      return dmdv_error("run: %s: the tool is dmd", arg);
  } else if (after(arg, "--dmd-list-file=") != NULL) {
    return dmdv_error("run: %s: dmdv has a list of its own", arg);
  } else {
    options->tool[options->n_tool++] = arg;
  }
  return true;
}

/* False, with a line on stderr, when it is wrong. After -h there is no program. */
static bool parse_options(options_t *options, char **argv) {
  char **at = argv + 1;
  for (; *at != NULL && (*at)[0] == '-' && strcmp(*at, "--") != 0; at++) {
    if (strcmp(*at, "-h") == 0 || strcmp(*at, "--help") == 0)
      return true;
    if (!parse_one(options, &at))
      return false;
  }
  if (*at != NULL && strcmp(*at, "--") == 0)
    at++;
  if (*at == NULL)
    return dmdv_error("run: which program? See dmdv run --help");
  if (options->output[0] == '\0')
    return dmdv_error("run: the profile's name is empty");
  options->program = at;
  return true;
}

/* ---- Valgrind. ---- */

/* What to start: vg-in-place beside dmdv, which the caller frees, or "valgrind". */
static char *find_valgrind(void) {
  enum { MAX_PATH = 4096 };
  static const char *const in_place = "vg-in-place", *const tools = ".in_place";
  char *path = dmd_env_alloc(&dmdv_env, "dmdv.run", MAX_PATH + 32);
  ssize_t n = readlink("/proc/self/exe", path, MAX_PATH);
  path[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash != NULL) {
    strcpy(slash + 1, tools);
    bool built = access(path, F_OK) == 0;
    strcpy(slash + 1, in_place);
    if (built && access(path, X_OK) == 0)
      return path;
  }
  strcpy(path, "valgrind");
  return path;
}

/* Whether Valgrind finds dmd: asked for its version, it starts the tool. 0, or the exit status,
 * after a line on stderr. */
static int check_tool(const char *valgrind) {
  const char *argv[] = {valgrind, "--tool=dmd", "--version", NULL};
  int error, status = dmdv_child_run(argv, NULL, true, &error);
  if (error == ENOENT)
    dmdv_error("run: there is no valgrind in PATH: install Valgrind");
  else if (error != 0)
    dmdv_error("run: cannot start %s: %s", valgrind, strerror(error));
  else if (status != 0)
    dmdv_error("run: %s has no tool dmd: install dmd for this Valgrind, or use the dmdv of "
               "the folder that it was built in",
               valgrind);
  return status == 0 ? 0 : DMDV_CHILD_NOT_FOUND;
}

/* With --print, Valgrind is told to be quiet: dmd would print the same records. */
static int run_program(const options_t *options, const char *valgrind, const char *list_option) {
  size_t n_program = 0, n = 0, szB = strlen(options->output) + 32;
  while (options->program[n_program] != NULL)
    n_program++;
  char *name = dmd_env_alloc(&dmdv_env, "dmdv.run", szB);
  snprintf(name, szB, "--dmd-out-file=%s", options->output);
  const char **argv = dmd_env_alloc(&dmdv_env, "dmdv.run",
                                    ((size_t)options->n_tool + n_program + 6) * sizeof *argv);
  argv[n++] = valgrind;
  argv[n++] = "--tool=dmd";
  argv[n++] = name;
  argv[n++] = list_option;
  if (options->print)
    argv[n++] = "-q";
  for (int i = 0; i < options->n_tool; i++)
    argv[n++] = options->tool[i];
  for (size_t i = 0; i <= n_program; i++)
    argv[n++] = options->program[i];
  int error, status = dmdv_child_run(argv, NULL, false, &error);
  if (error != 0)
    dmdv_error("run: cannot start %s: %s", valgrind, strerror(error));
  dmd_env_free(&dmdv_env, argv);
  dmd_env_free(&dmdv_env, name);
  return status;
}

/* ---- What was written. ---- */

/* Prints records as dmd would have, with its options. */
static void print_records(const options_t *options, const char *path) {
  const char **argv =
      dmd_env_alloc(&dmdv_env, "dmdv.run", ((size_t)options->n_tool + 5) * sizeof *argv);
  int n = 0;
  argv[n++] = "print";
  argv[n++] = "--no-pager";
  for (int i = 0; i < options->n_tool; i++)
    if (after(options->tool[i], "--max-records=") || after(options->tool[i], "--max-frames=") ||
        after(options->tool[i], "--sort-by="))
      argv[n++] = options->tool[i];
  argv[n++] = "--";
  argv[n++] = path;
  argv[n] = NULL;
  dmdv_print_command.run(n, (char **)argv);
  dmd_env_free(&dmdv_env, argv);
}

static void show(const options_t *options, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0)
    return;
  if (options->print && S_ISREG(st.st_mode))
    print_records(options, path);
  dmdv_note("wrote %s%s", S_ISREG(st.st_mode) ? "" : "to ", path);
}

static bool has_option(const options_t *options, const char *option) {
  for (int i = 0; i < options->n_tool; i++)
    if (strcmp(options->tool[i], option) == 0)
      return true;
  return false;
}

#define OF_CHILDREN                                                                                \
  "; programs that a program starts or becomes are watched with --trace-children=yes"

/* Why nothing was written, where that can be guessed. */
static const char *guess_why(const options_t *options, int status) {
  if (has_option(options, "--dump-at-exit=no"))
    return "";
  if (options->engine == ENGINE_NATIVE && status == 128 + SIGKILL)
    return "; where SIGKILL ends a program there is no time for it";
  if (options->engine != ENGINE_NATIVE && status > 128)
    return "";
  if (has_option(options, "--trace-children=yes"))
    return "";
  if (options->engine == ENGINE_NATIVE)
    return OF_CHILDREN ", and one that shuts itself off from files (Landlock) can write none";
  return OF_CHILDREN;
}

static void show_written(const options_t *options, const dmdv_written_t *written, size_t n,
                         int status) {
  for (size_t i = 0; i < n; i++)
    show(options, dmdv_written_path(written, i));
  if (n == 0)
    dmdv_note("no profile was written%s", guess_why(options, status));
}

/* ---- The native engine. ---- */

/* Hands over all options; false, after a line on stderr, when one of them is wrong. With --print
 * the same records would be printed twice. */
static bool take_options(dmdv_native_t *native, const options_t *options, const char *list_option) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_str(&name, "--dmd-out-file=");
  dmd_strbuf_str(&name, options->output);
  bool good = dmdv_native_take(native, name.text);
  dmd_strbuf_destroy(&name);
  if (options->print)
    good = good && dmdv_native_take(native, "-q");
  for (int i = 0; i < options->n_tool && good; i++)
    good = dmdv_native_take(native, options->tool[i]);
  return good && dmdv_native_check(native) && dmdv_native_take(native, list_option);
}

static int run_natively(const options_t *options) {
  dmdv_native_t native;
  dmdv_written_t *written = dmdv_written_begin(options->output);
  if (written == NULL)
    return DMDV_CHILD_NOT_FOUND;
  dmdv_native_init(&native);
  int status = 2;
  if (take_options(&native, options, dmdv_written_option(written))) {
    bool has_run;
    status = dmdv_native_run(&native, (const char *const *)options->program, &has_run);
    size_t n = has_run ? dmdv_written_end(written) : 0;
    for (size_t i = 0; i < n; i++)
      dmdv_native_finish(&native, dmdv_written_path(written, i));
    if (has_run)
      show_written(options, written, n, status);
  }
  dmdv_native_destroy(&native);
  dmdv_written_destroy(written);
  return status;
}

/* ---- The whole. ---- */

static int run_under_valgrind(const options_t *options) {
  char *valgrind = find_valgrind();
  int status = check_tool(valgrind);
  dmdv_written_t *written = status == 0 ? dmdv_written_begin(options->output) : NULL;
  if (written != NULL) {
    status = run_program(options, valgrind, dmdv_written_option(written));
    show_written(options, written, dmdv_written_end(written), status);
    dmdv_written_destroy(written);
  } else if (status == 0) {
    status = DMDV_CHILD_NOT_FOUND;
  }
  dmd_env_free(&dmdv_env, valgrind);
  return status;
}

static int run(int argc, char **argv) {
  options_t options = {0};
  dmd_options_set_defaults(&own_table, &options, &dmdv_env);
  options.tool = dmd_env_alloc(&dmdv_env, "dmdv.run", (size_t)argc * sizeof *options.tool);
  int status = 2;
  if (parse_options(&options, argv)) {
    if (options.program == NULL)
      dmdv_print_help(&dmdv_run_command);
    status = options.program == NULL           ? 0
             : options.engine == ENGINE_NATIVE ? run_natively(&options)
                                               : run_under_valgrind(&options);
  }
  dmd_env_free(&dmdv_env, options.tool);
  return status;
}

const dmdv_command_t dmdv_run_command = {"run", "run a program and see what dmd finds", parts, run};
