/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv run: runs a program with the native engine (native.h) or under Valgrind with dmd, and then
 * shows what matters most in the last file that it wrote, which is usually the program's own.
 *
 * Which dmd runs: a dmdv in its build folder uses the dmd of that build, through vg-in-place; any
 * other dmdv uses the dmd of the valgrind in PATH. The exit status is the program's, so failures
 * before the program runs have the statuses of shells and env(1): 127 if there is no Valgrind or no
 * dmd, or if dmdv cannot make its temporary file. A wrong command line is 2, as in every command.
 */
#include "base/posix/posix.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/run/ask.h"
#include "dmdv/run/attached.h"
#include "dmdv/run/findvalgrind.h"
#include "dmdv/run/leftovers.h"
#include "dmdv/run/native.h"
#include "dmdv/run/overview.h"
#include "dmdv/run/preloadable.h"
#include "dmdv/run/pushing.h"
#include "dmdv/run/received.h"
#include "dmdv/run/runchannel.h"
#include "dmdv/run/written.h"
#include "host/child.h"
#include "host/process.h"
#include "host/progress.h"
#include "record/engine/options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { ENGINE_AUTO, ENGINE_VALGRIND, ENGINE_NATIVE } engine_t;

typedef struct {
  engine_t engine;
  bool is_preloadable; /* known when the engine was chosen */
  bool print, json, open;
  const char *output; /* the pattern of --dmd-out-file */
  char **tool;        /* options for Valgrind and dmd */
  int n_tool;
  char **program;     /* the program with its arguments, NULL-terminated */
  bool is_short_help; /* -h */
  bool is_quiet;      /* -q */
  bool has_log;       /* --log-file, to which the engine writes the text */
  double begun;       /* when the program was started, as dmdv_seconds */
  uint32_t pid;       /* of the process to attach to; 0: none */
  bool detach;
  dmdv_ask_t *asks;
  const char *ask; /* a command; NULL: none */
  uint32_t ask_seconds;
  dmdv_push_options_t push;
  unsigned push_every;     /* seconds; 0: at the end only */
  dmdv_pushing_t *pushing; /* NULL: no store was given */
} options_t;

static bool take_expect(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_ask_add(((options_t *)target)->asks, value, why);
}

static bool take_within(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_ask_set_limit(((options_t *)target)->asks, value, why);
}

static bool take_push_every(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_pushing_take_every(&((options_t *)target)->push_every, value, why);
}

static bool take_push_label(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_push_take_label(&((options_t *)target)->push, value, why);
}

static bool take_push_header(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_push_take_header(&((options_t *)target)->push, value, why);
}

static const dmd_option_t own_options[] = {
    {"engine", "auto|valgrind|native", "auto",
     "how to watch the program: under Valgrind, or by a preloaded library, which hardly slows it "
     "down; auto: the library, unless it cannot watch this program or lacks one of the options",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, engine)},
    {"print", NULL, NULL, "at the end, print the records of each profile, not an overview",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, print)},
    {"json", NULL, NULL, "print the overview as one JSON object", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, json)},
    {"open", NULL, NULL, "at the end, open dmdv view's page of the profile in a browser",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, open)},
    DMDV_OUTPUT_OPTION(options_t, output, "dmd.out.%p.json.gz",
                       "name of the profiles, as for --dmd-out-file: %p is the process id"),
    {"pid", "PID", NULL,
     "record a process that runs already, with the native engine, from now on; dmdv returns at "
     "once. "
     "It needs gdb. dmdv dump and dmdv status work then, and blocks from before are unknown",
     DMD_OPTION_NUMBER, DMD_OPTION_AT(options_t, pid), .least = 1, .most = 1 << 22},
    {"detach", NULL, NULL,
     "end the recording of the process of --pid: write its last profile, and let it run as before",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, detach)},
    {"ask", "COMMAND", NULL,
     "while the program runs, run this command of a shell until it prints what --expect looks for; "
     "compare the numbers with a dump, and end the program. The exit status is then 0, 1 if a "
     "number is wrong, 2 if there is none",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, ask)},
    {"expect", "REGEX=SET", NULL,
     "what --ask's command prints: the number in the first parentheses is the size of heap, "
     "tag:NAME, alloc-fn:PATTERN (blocks that a matching function allocated) or resident. "
     "Repeatable",
     DMD_OPTION_OWN, .take = take_expect},
    {"expect-within", "SIZE|N%", NULL, "how far such a number may be off; otherwise 0",
     DMD_OPTION_OWN, .take = take_within},
    {"ask-timeout", "SECONDS", "60", "how long to try --ask's command", DMD_OPTION_NUMBER,
     DMD_OPTION_AT(options_t, ask_seconds), .least = 1, .most = 86400},
    {"push-every", "DURATION", NULL,
     "with the native engine, send a profile to the store of --push-to whenever so many seconds "
     "have passed, such as 60s, beside the last one; none of them is written to a file",
     DMD_OPTION_OWN, .take = take_push_every},
    DMDV_PUSH_OPTIONS(options_t, push, "push-",
                      "send the last profile to the store at this address, http:// or https://, as "
                      "dmdv push does",
                      "how long to try for each profile", take_push_label, take_push_header),
};
static const dmd_option_table_t own_table = {own_options, sizeof own_options / sizeof *own_options};

static void describe_native(dmd_strbuf_t *text) {
  dmd_options_describe(&dmd_native_option_table, 6, 27, text);
}

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv run [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
             "Runs a program with the native engine, or under Valgrind with dmd. At the end,\n"
             "standard error gets an overview of its memory and the names of the profiles.\n"
             "-q leaves out the overview; with --log-file the engine writes all records to\n"
             "that file instead. Without --ask the exit status is the program's, 128 + N if\n"
             "signal N ended it, 127 if Valgrind, dmd, the native engine or the program is\n"
             "missing, 126 if the native engine cannot watch the program. With --pid it is\n"
             "3 if the engine cannot be attached to the process, or detached.\n\n",
     .options = &own_table},
    {.options = &dmd_engine_options, .role = DMDV_OPTIONS_PASSED_ON},
    /* Includes the most useful options of Valgrind. */
    {.options = &dmd_native_option_table, .role = DMDV_OPTIONS_PASSED_ON},
    {.text = "\n"
             "All other options are those of Valgrind and dmd, such as --mode=live; they have\n"
             "the form --NAME=VALUE. See valgrind --tool=dmd --help. The native engine has\n"
             "the options of dmd and these:\n\n"},
    {.add_text = describe_native},
    {0},
};

/* ---- The command line. ---- */

/* The text in arg after this prefix; NULL if arg does not begin with it. */
static const char *after(const char *arg, const char *word) {
  size_t n = strlen(word);
  return strncmp(arg, word, n) == 0 ? arg + n : NULL;
}

static bool take_own(options_t *options, const char *arg) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  const dmd_option_t *option = dmd_option_of(&own_table, arg);
  bool good = option != NULL && dmd_option_set(option, options, arg, &why);
  if (!good)
    dmdv_error("run: %s: %s", arg, option == NULL ? "there is no such option" : why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* Parses the option at *at, and moves *at to its last word. */
static bool parse_one(options_t *options, char ***at) {
  char *arg = **at;
  const char *value;
  if (strcmp(arg, "-o") == 0 || strcmp(arg, "--output") == 0) {
    if ((*at)[1] == NULL)
      return dmdv_error("run: %s needs a value", arg);
    options->output = *++*at;
  } else if ((value = after(arg, "--output=")) != NULL ||
             (value = after(arg, "--dmd-out-file=")) != NULL ||
             (value = after(arg, "-o")) != NULL) {
    options->output = value;
  } else if (after(arg, "--engine=") != NULL || after(arg, "--ask") != NULL ||
             after(arg, "--expect") != NULL || after(arg, "--pid=") != NULL ||
             after(arg, "--push-") != NULL || strcmp(arg, "--detach") == 0 ||
             strcmp(arg, "--print") == 0 || strcmp(arg, "--json") == 0 ||
             strcmp(arg, "--open") == 0) {
    return take_own(options, arg);
  } else if ((value = after(arg, "--tool=")) != NULL) {
    if (strcmp(value, "dmd") != 0)
      return dmdv_error("run: %s: the tool is always dmd", arg);
  } else if (after(arg, "--dmd-list-file=") != NULL) {
    return dmdv_error("run: %s: dmdv uses its own list", arg);
  } else {
    options->is_quiet |= strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0;
    options->has_log |= after(arg, "--log-file=") != NULL;
    options->tool[options->n_tool++] = arg;
  }
  return true;
}

/* False, with a line on stderr, if the command line is wrong. After -h there is no program. */
static bool parse_options(options_t *options, char **argv) {
  char **at = argv + 1;
  for (; *at != NULL && (*at)[0] == '-' && strcmp(*at, "--") != 0; at++) {
    options->is_short_help = strcmp(*at, "-h") == 0;
    if (options->is_short_help || strcmp(*at, "--help") == 0)
      return true;
    if (!parse_one(options, &at))
      return false;
  }
  if (*at != NULL && strcmp(*at, "--") == 0)
    at++;
  if (options->detach && options->pid == 0)
    return dmdv_error("run: --detach needs --pid");
  if (options->pid != 0 && options->engine == ENGINE_VALGRIND)
    return dmdv_error("run: Valgrind cannot attach to a process: --pid is for the native engine");
  if (*at != NULL && options->pid != 0)
    return dmdv_error("run: give a program or --pid, not both");
  if (*at == NULL && options->pid == 0)
    return dmdv_error("run: give a program; see dmdv run --help");
  if (options->output[0] == '\0')
    return dmdv_error("run: the profile's name is empty");
  if (options->pid != 0 && (options->json || options->open))
    return dmdv_error("run: --json and --open are for the end of a program, not for --pid");
  options->program = at;
  return dmdv_pushing_check(&options->push, options->push_every, options->pid != 0);
}

/* ---- Valgrind. ---- */

/* Whether the engine must print nothing, since dmdv prints. Text for a file is the
 * engine's. */
static bool silences_engine(const options_t *options) {
  return !options->is_quiet && (options->print || !options->has_log);
}

static void attend_without_channel(void *ctx, int pidfd) {
  struct pollfd ended = {.fd = pidfd, .events = POLLIN};
  dmdv_ask_attend(ctx, dmdv_child_pid());
  poll(&ended, 1, 100);
}

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
  if (silences_engine(options))
    argv[n++] = "-q";
  for (int i = 0; i < options->n_tool; i++)
    argv[n++] = options->tool[i];
  for (size_t i = 0; i <= n_program; i++)
    argv[n++] = options->program[i];
  const dmdv_meanwhile_t meanwhile = {.ctx = options->asks, .attend = attend_without_channel};
  int error, status = dmdv_child_run(argv, NULL, false,
                                     dmdv_ask_is_on(options->asks) ? &meanwhile : NULL, &error);
  if (error != 0)
    dmdv_error("run: cannot start %s: %s", valgrind, strerror(error));
  dmd_env_free(&dmdv_env, argv);
  dmd_env_free(&dmdv_env, name);
  return status;
}

/* ---- The files. ---- */

/* Prints the overview, with the facts of this run: `native engine, 2.1 s, exit status 0`. */
static void print_overview(const options_t *options, const char *path, uint32_t n_files,
                           int status) {
  enum { SIGNALLED = 128 };
  char how[96];
  bool by_signal = status > SIGNALLED;
  snprintf(how, sizeof how, "%s, %.1f s, %s %d",
           options->engine == ENGINE_NATIVE ? "native engine" : "Valgrind",
           dmdv_seconds() - options->begun, by_signal ? "ended by signal" : "exit status",
           by_signal ? status - SIGNALLED : status);
  dmdv_overview_of_run(path, how, n_files, options->json);
}

/* n_files: see dmd_overview_t; 0: the profile gets no screen. */
static void show(const options_t *options, const char *path, uint32_t n_files, int status) {
  struct stat st;
  if (stat(path, &st) != 0)
    return;
  bool is_file = S_ISREG(st.st_mode);
  if (options->print && is_file)
    dmdv_records_of_run(path, options->n_tool, options->tool);
  else if (n_files > 0 && is_file)
    print_overview(options, path, n_files, status);
  if (!options->json)
    dmdv_note("wrote %s%s", is_file ? "" : "to ", path);
}

static bool has_option(const options_t *options, const char *option) {
  for (int i = 0; i < options->n_tool; i++)
    if (strcmp(options->tool[i], option) == 0)
      return true;
  return false;
}

#define OF_CHILDREN                                                                                \
  "; programs that a program starts or becomes are watched with --trace-children=yes"

/* Guesses why no file was written. */
static const char *guess_why(const options_t *options, int status) {
  if (has_option(options, "--dump-at-exit=no") || status > 128 ||
      has_option(options, "--trace-children=yes"))
    return "";
  return OF_CHILDREN;
}

/* Returns the exit status of dmdv. */
static int show_written(const options_t *options, const dmdv_written_t *written, size_t n,
                        const char *why_not, int status) {
  dmdv_written_join_graphs(written);
  bool has_screen = !options->print && !options->is_quiet && !options->has_log && n > 0;
  uint32_t n_files = 0;
  size_t last = has_screen ? dmdv_overview_choose(written, n, &n_files) : n - 1;
  for (size_t i = 0; i < n; i++)
    if (i != last)
      show(options, dmdv_written_path(written, i), 0, status);
  if (n > 0)
    show(options, dmdv_written_path(written, last), n_files, status);
  else
    dmdv_note("no profile was written%s", why_not);
  if (n > 0 && options->open)
    dmdv_page_of_run(dmdv_written_path(written, last));
  dmdv_pushing_end(options->pushing, n > 0 ? dmdv_written_path(written, n - 1) : NULL);
  return dmdv_ask_is_on(options->asks) ? dmdv_ask_compare(options->asks, written, n) : status;
}

/* ---- The native engine. ---- */

enum { COMM_SZB = 64 };

typedef struct {
  const options_t *options;
  dmdv_native_t native;
  dmdv_written_t *written;
  dmdv_received_t *received;
  dmdv_channel_t *channel; /* NULL: the system has no means for one */
  char first[COMM_SZB];    /* the kernel's name for the program when its engine began */
  char last[COMM_SZB];     /* the same when the program had ended; "": unknown */
} native_run_t;

/* The umask that files get. Programs started by the program may set another one from the
 * beginning. */
static bool take_mode(dmdv_native_t *native) {
  char option[64];
  snprintf(option, sizeof option, "--dmd-file-mode=%u", dmd_posix_mode(NULL));
  return strcmp(option, "--dmd-file-mode=0") == 0 || dmdv_native_take(native, option);
}

/* Hands all options to the engine. False, after a line on stderr, if one of them is wrong. With
 * --print the engine prints nothing, or the same records would be printed twice. */
static bool take_options(dmdv_native_t *native, const options_t *options) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_str(&name, "--dmd-out-file=");
  dmd_strbuf_str(&name, options->output);
  bool good = dmdv_native_take(native, name.text);
  dmd_strbuf_destroy(&name);
  if (silences_engine(options))
    good = good && dmdv_native_take(native, "-q");
  for (int i = 0; i < options->n_tool && good; i++)
    good = dmdv_native_take(native, options->tool[i]);
  return good && dmdv_native_check(native) && take_mode(native);
}

/* Reads the process's name, even that of a zombie. */
static void read_comm(pid_t pid, char comm[COMM_SZB]) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%ld/comm", (long)pid);
  FILE *file = fopen(name, "re");
  if (file == NULL || fgets(comm, COMM_SZB, file) == NULL)
    comm[0] = '\0';
  comm[strcspn(comm, "\n")] = '\0';
  if (file != NULL)
    fclose(file);
}

static bool take_packet(void *ctx, const dmd_packet_t *packet, const char *payload) {
  native_run_t *run = ctx;
  if (packet->kind == DMD_PACKET_START && (pid_t)packet->pid == dmdv_child_pid())
    snprintf(run->first, sizeof run->first, "%s", payload);
  return dmdv_received_take(run->received, packet, payload);
}

static bool is_waiting(const void *ctx) {
  return dmdv_received_is_waiting(((const native_run_t *)ctx)->received);
}

static void attend(void *ctx, int pidfd) {
  native_run_t *run = ctx;
  if (run->channel == NULL) {
    attend_without_channel(run->options->asks, pidfd);
    return;
  }
  dmdv_ask_attend(run->options->asks, dmdv_child_pid());
  dmdv_pushing_attend(run->options->pushing, dmdv_child_pid(), &run->native, run->received);
  dmdv_channel_attend(run->channel, pidfd);
}

static void look_at_end(void *ctx, pid_t pid) {
  read_comm(pid, ((native_run_t *)ctx)->last);
}

/* Appends why no file was written, from what the channel and the system know. */
static void say_why_not(const native_run_t *run, int status, dmd_strbuf_t *why) {
  dmdv_run_facts_t facts = dmdv_received_facts(run->received, (uint64_t)dmdv_child_pid());
  const char *of_children = has_option(run->options, "--trace-children=yes") ? "" : OF_CHILDREN;
  bool became_other =
      run->first[0] != '\0' && run->last[0] != '\0' && strcmp(run->first, run->last) != 0;
  if (has_option(run->options, "--dump-at-exit=no") || run->channel == NULL)
    return;
  if (facts.n_refused > 0)
    dmd_strbuf_str(why, "; what a process sent was refused");
  else if (facts.n_unfinished > 0)
    dmd_strbuf_str(why, "; one was begun, and its process ended before it was complete");
  else if (facts.n_started == 0)
    dmd_strbuf_str(why, "; the engine never began in the program");
  else if (facts.has_ended)
    dmd_strbuf_str(why, of_children);
  else if (status == 128 + SIGKILL)
    dmd_strbuf_str(why, "; where SIGKILL ends a program there is no time for it");
  else if (became_other) {
    dmd_strbuf_str(why, "; it became another program, ");
    dmd_strbuf_str(why, run->last);
    dmd_strbuf_str(why, of_children);
  } else
    dmd_strbuf_str(why,
                   "; the engine did not see its end: it ended by a system call of its own, or "
                   "became another program");
}

static int end_run(native_run_t *run, int status) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  if (run->channel != NULL)
    dmdv_channel_finish(run->channel, is_waiting);
  dmdv_received_finish(run->received);
  size_t n = dmdv_written_end(run->written);
  for (size_t i = 0; i < n; i++)
    if (dmdv_written_needs_names(run->written, i))
      dmdv_native_finish(&run->native, dmdv_written_path(run->written, i));
  say_why_not(run, status, &why);
  status = show_written(run->options, run->written, n, why.text, status);
  dmd_strbuf_destroy(&why);
  return status;
}

static int run_with_channel(native_run_t *run) {
  const dmdv_meanwhile_t meanwhile = {.ctx = run, .attend = attend, .look = look_at_end};
  bool has_run;
  run->native.log.pattern = run->native.own.log_file;
  run->received = dmdv_received_new(&run->native, &run->native.log, run->written);
  run->channel = dmdv_channel_new(take_packet, run);
  if (run->channel != NULL)
    dmd_native_add_option(&run->native.given, dmdv_channel_option(run->channel));
  int status = dmdv_native_run(
      &run->native, (const char *const *)run->options->program,
      run->channel == NULL && !dmdv_ask_is_on(run->options->asks) ? NULL : &meanwhile, &has_run);
  if (has_run)
    status = end_run(run, status);
  if (run->channel != NULL)
    dmdv_channel_free(run->channel);
  dmdv_received_free(run->received);
  return status;
}

static int run_natively(const options_t *options) {
  native_run_t run = {.options = options};
  run.written = dmdv_written_begin(options->output, false);
  dmdv_native_init(&run.native);
  run.native.is_checked = options->is_preloadable;
  int status = take_options(&run.native, options) ? run_with_channel(&run) : 2;
  dmdv_native_destroy(&run.native);
  dmdv_written_destroy(run.written);
  return status;
}

/* ---- A process that runs already. ---- */

static int attach(dmdv_native_t *native, options_t *options) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmdv_absolute_path(&name, options->output);
  options->output = name.text;
  int status = take_options(native, options)
                   ? dmdv_attached_begin(native, options->pid, options->is_quiet)
                   : 2;
  dmd_strbuf_destroy(&name);
  return status;
}

static int run_attached(options_t *options) {
  dmdv_native_t native;
  dmdv_native_init(&native);
  int status = !options->detach
                   ? attach(&native, options)
                   : dmdv_attached_end(&native, options->pid, options->print, options->is_quiet);
  dmdv_native_destroy(&native);
  return status;
}

/* ---- The command. ---- */

static int run_under_valgrind(const options_t *options) {
  char *valgrind = dmdv_find_valgrind();
  int status = dmdv_check_tool(valgrind);
  dmdv_written_t *written = status == 0 ? dmdv_written_begin(options->output, true) : NULL;
  if (written != NULL) {
    status = run_program(options, valgrind, dmdv_written_option(written));
    status = show_written(options, written, dmdv_written_end(written), guess_why(options, status),
                          status);
    dmdv_written_destroy(written);
  } else if (status == 0) {
    status = DMDV_CHILD_NOT_FOUND;
  }
  dmd_env_free(&dmdv_env, valgrind);
  return status;
}

/* Whether the native engine cannot follow an option: dmd_native_conflict says why. */
static bool needs_valgrind(const char *option) {
  return !dmdv_native_knows(option) || after(option, "--claim-fn=") != NULL ||
         strcmp(option, "--time-unit=i") == 0;
}

/* Sets an engine: the native one if it supports all options. */
static void choose_engine(options_t *options) {
  options->engine = dmdv_native_is_installed() ? ENGINE_NATIVE : ENGINE_VALGRIND;
  for (int i = 0; i < options->n_tool; i++)
    if (needs_valgrind(options->tool[i]))
      options->engine = ENGINE_VALGRIND;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  dmdv_preloadable_t is = options->engine == ENGINE_NATIVE
                              ? dmdv_preloadable_here(options->program[0], &why)
                              : DMDV_PRELOADABLE;
  options->is_preloadable = options->engine == ENGINE_NATIVE && is == DMDV_PRELOADABLE;
  if (is == DMDV_ONLY_VALGRIND || is == DMDV_BETTER_VALGRIND) {
    options->engine = ENGINE_VALGRIND;
    if (!options->is_quiet)
      dmdv_note("%s: it runs under Valgrind", why.text);
  }
  dmd_strbuf_destroy(&why);
}

static int run_with_engine(options_t *options) {
  if (options->pid != 0)
    return run_attached(options);
  if (options->engine == ENGINE_AUTO)
    choose_engine(options);
  const char *vgdb = options->engine == ENGINE_NATIVE ? NULL : "vgdb";
  if (!dmdv_ask_prepare(options->asks, options->ask, options->ask_seconds, vgdb))
    return 2;
  dmdv_remove_leftovers(options->output);
  if (options->push.url != NULL)
    options->pushing = dmdv_pushing_new(&options->push, options->push_every);
  if (options->engine == ENGINE_VALGRIND && dmdv_pushing_is_on(options->pushing)) {
    dmdv_error("run: --push-every needs the native engine, and this runs under Valgrind");
    return 2;
  }
  options->begun = dmdv_seconds();
  return options->engine == ENGINE_NATIVE ? run_natively(options) : run_under_valgrind(options);
}

static int run(int argc, char **argv) {
  /* Before what is given, which takes precedence. */
  static char graph[] = "--graph=auto", waste[] = "--waste=yes";
  options_t options = {.push = dmdv_push_options_none()};
  dmd_options_set_defaults(&own_table, &options, &dmdv_env);
  options.tool = dmd_env_alloc(&dmdv_env, "dmdv.run", ((size_t)argc + 2) * sizeof *options.tool);
  options.tool[options.n_tool++] = graph;
  options.tool[options.n_tool++] = waste;
  int status = 2;
  options.asks = dmdv_ask_new();
  if (parse_options(&options, argv)) {
    if (options.program == NULL)
      (options.is_short_help ? dmdv_print_short_help : dmdv_print_help)(&dmdv_run_command);
    status = options.program == NULL ? 0 : run_with_engine(&options);
  }
  dmdv_pushing_free(options.pushing);
  dmdv_push_options_destroy(&options.push);
  dmdv_ask_free(options.asks);
  dmd_env_free(&dmdv_env, options.tool);
  return status;
}

const dmdv_command_t dmdv_run_command = {"run", "run a program and show what dmd finds", parts,
                                         run};
