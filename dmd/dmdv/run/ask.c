/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/run/ask.h"

#include "analyse/claims/figure.h"
#include "analyse/limits/size.h"
#include "dmdv/commandline/show.h"
#include "dmdv/run/controlled.h"
#include "host/process.h"
#include "show/text/text_figure.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_EXPECTS = 16, MAX_OUTPUT = 1 << 18, PAUSE_MS = 200, DUMP_WITHIN = 120 /* seconds */ };

static const char label[] = "ask";

typedef struct {
  char *title; /* the regular expression as given */
  const char *set;
  regex_t regex;
} expect_t;

/* What a command did. */
typedef struct {
  int status;              /* as of wait */
  uint32_t missing;        /* the first expectation that its output lacks, from 0; n: none */
  char output[MAX_OUTPUT]; /* NUL-terminated */
} answer_t;

/* What the process that asks tells this one, which may end it at any time. */
typedef struct {
  enum { NOT_ASKED, ASKED, NO_DUMP, DONE } state;
  uint32_t latest; /* of the answers: the other one may be incomplete */
  answer_t answers[2];
} told_t;

struct dmdv_ask {
  const char *command;
  const char *vgdb; /* NULL: the native engine */
  uint32_t seconds;
  expect_t expects[MAX_EXPECTS];
  uint32_t n;
  dmd_size_t limit;
  told_t *told; /* shared; NULL: not begun */
  pid_t asker;  /* 0: not begun */
};

dmdv_ask_t *dmdv_ask_new(void) {
  dmdv_ask_t *ask = dmd_env_alloc(&dmdv_env, "dmdv.ask", sizeof *ask);
  *ask = (dmdv_ask_t){.limit = {.value = 0}};
  return ask;
}

void dmdv_ask_free(dmdv_ask_t *ask) {
  for (uint32_t i = 0; i < ask->n; i++) {
    regfree(&ask->expects[i].regex);
    dmd_env_free(&dmdv_env, ask->expects[i].title);
  }
  if (ask->told != NULL)
    munmap(ask->told, sizeof *ask->told);
  dmd_env_free(&dmdv_env, ask);
}

bool dmdv_ask_is_on(const dmdv_ask_t *ask) {
  return ask->command != NULL;
}

/* ---- Expectations. ---- */

/* The last '=' behind which a set is. */
static char *find_set(char *text) {
  for (char *at = text + strlen(text); at-- > text;)
    if (*at == '=' && dmd_figure_is_set(at + 1))
      return at;
  return NULL;
}

/* \d, which people write for a digit, as POSIX does. */
static void translate(const char *regex, dmd_strbuf_t *to) {
  for (; *regex != '\0'; regex++) {
    bool is_digit = regex[0] == '\\' && regex[1] == 'd';
    bool is_escape = regex[0] == '\\' && regex[1] != '\0';
    if (is_digit)
      dmd_strbuf_str(to, "[0-9]");
    else
      dmd_strbuf_bytes(to, regex, is_escape ? 2 : 1);
    regex += is_escape;
  }
}

static bool compile(expect_t *expect, dmd_strbuf_t *why) {
  char text[256];
  dmd_strbuf_t regex;
  dmd_strbuf_init(&regex, &dmdv_env);
  translate(expect->title, &regex);
  int error = regcomp(&expect->regex, regex.text, REG_EXTENDED | REG_NEWLINE);
  dmd_strbuf_destroy(&regex);
  if (error != 0) {
    regerror(error, &expect->regex, text, sizeof text);
    dmd_strbuf_str(why, text);
    return false;
  }
  if (expect->regex.re_nsub == 0) {
    dmd_strbuf_str(why, "the regular expression has no parentheses around the number");
    regfree(&expect->regex);
  }
  return expect->regex.re_nsub > 0;
}

bool dmdv_ask_add(dmdv_ask_t *ask, const char *given, dmd_strbuf_t *why) {
  expect_t expect;
  if (ask->n == MAX_EXPECTS) {
    dmd_strbuf_str(why, "there are too many of these");
    return false;
  }
  expect.title = dmd_env_alloc(&dmdv_env, "dmdv.ask", strlen(given) + 1);
  strcpy(expect.title, given);
  char *equals = find_set(expect.title);
  if (equals == NULL)
    dmd_strbuf_str(why, "this is not REGEX=heap, REGEX=tag:NAME, REGEX=alloc-fn:PATTERN or "
                        "REGEX=resident");
  else
    *equals = '\0';
  if (equals == NULL || !compile(&expect, why)) {
    dmd_env_free(&dmdv_env, expect.title);
    return false;
  }
  expect.set = equals + 1;
  ask->expects[ask->n++] = expect;
  return true;
}

bool dmdv_ask_set_limit(dmdv_ask_t *ask, const char *value, dmd_strbuf_t *why) {
  const char *wrong = dmd_size_parse(value, &ask->limit);
  if (wrong == NULL && ask->limit.has_plus)
    wrong = "this is not a size or a percentage";
  if (wrong != NULL)
    dmd_strbuf_str(why, wrong);
  return wrong == NULL;
}

bool dmdv_ask_prepare(dmdv_ask_t *ask, const char *command, uint32_t seconds, const char *vgdb) {
  if (command != NULL && ask->n == 0)
    return dmdv_error("run: --ask needs an --expect=REGEX=SET, which finds the number in the "
                      "command's output");
  if (command == NULL && ask->n > 0)
    return dmdv_error("run: --expect needs --ask=COMMAND, which prints the number");
  ask->command = command;
  ask->seconds = seconds;
  ask->vgdb = vgdb;
  return true;
}

/* The number that the expectation finds, which may have commas. False if there is none. */
static bool find_number(const expect_t *expect, const char *output, uint64_t *number) {
  regmatch_t match[2];
  if (regexec(&expect->regex, output, 2, match, 0) != 0 || match[1].rm_so < 0)
    return false;
  const char *at = output + match[1].rm_so, *end = output + match[1].rm_eo;
  bool has_digit = false;
  *number = 0;
  for (; at < end; at++) {
    if (*at == ',')
      continue;
    if (*at < '0' || *at > '9' || *number > (UINT64_MAX - 9) / 10)
      return false;
    *number = *number * 10 + (uint64_t)(*at - '0');
    has_digit = true;
  }
  return has_digit;
}

/* ---- The process that asks. ---- */

/* Runs the command in a shell. Its errors go where its output goes: they explain a failure. */
static int run_command(const char *command, char *output) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &dmdv_env);
  dmd_strbuf_str(&line, "exec 2>&1 </dev/null\n");
  dmd_strbuf_str(&line, command);
  FILE *file = popen(line.text, "re");
  dmd_strbuf_destroy(&line);
  output[0] = '\0';
  if (file == NULL)
    return -1;
  char rest[4096];
  size_t n = fread(output, 1, MAX_OUTPUT - 1, file);
  while (fread(rest, 1, sizeof rest, file) > 0)
    continue;
  output[n] = '\0';
  return pclose(file);
}

static uint32_t first_missing(const dmdv_ask_t *ask, const char *output) {
  uint64_t number;
  uint32_t i = 0;
  while (i < ask->n && find_number(&ask->expects[i], output, &number))
    i++;
  return i;
}

static bool dump(const dmdv_ask_t *ask, pid_t program) {
  if (ask->vgdb != NULL) {
    char line[256], *output = dmd_env_alloc(&dmdv_env, "dmdv.ask", MAX_OUTPUT);
    snprintf(line, sizeof line, "%s --pid=%ld dump %s", ask->vgdb, (long)program, label);
    bool good = run_command(line, output) == 0;
    if (!good)
      dmdv_error("run: --ask: no dump by '%s': %s", line, output);
    dmd_env_free(&dmdv_env, output);
    return good;
  }
  uint64_t number;
  return dmdv_ask_for_dump("--ask", (uint32_t)program, label, false, DUMP_WITHIN, &number);
}

static void ask_until_it_answers(const dmdv_ask_t *ask, pid_t program) {
  const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
  told_t *told = ask->told;
  time_t end = time(NULL) + (time_t)ask->seconds;
  for (;;) {
    answer_t *answer = &told->answers[1 - told->latest];
    answer->status = run_command(ask->command, answer->output);
    answer->missing = first_missing(ask, answer->output);
    told->latest = 1 - told->latest;
    told->state = ASKED;
    if (answer->status == 0 && answer->missing == ask->n)
      break;
    if (time(NULL) >= end)
      return;
    nanosleep(&pause, NULL);
  }
  told->state = dump(ask, program) ? DONE : NO_DUMP;
}

static void begin(dmdv_ask_t *ask, pid_t program) {
  void *shared =
      mmap(NULL, sizeof *ask->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ask->told = shared == MAP_FAILED ? NULL : shared;
  ask->asker = ask->told == NULL ? -1 : fork();
  if (ask->asker > 0)
    setpgid(ask->asker, ask->asker);
  if (ask->asker != 0)
    return;
  static const int own[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    signal(own[i], SIG_DFL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ask_until_it_answers(ask, program);
  kill(program, SIGTERM);
  _exit(0);
}

void dmdv_ask_attend(dmdv_ask_t *ask, pid_t program) {
  if (dmdv_ask_is_on(ask) && ask->asker == 0)
    begin(ask, program);
}

static void end(dmdv_ask_t *ask) {
  if (ask->asker <= 0)
    return;
  kill(-ask->asker, SIGKILL);
  while (waitpid(ask->asker, NULL, 0) < 0 && errno == EINTR)
    continue;
  ask->asker = -1;
}

/* ---- The comparison. ---- */

static bool write_stderr(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stderr) == n;
}

/* The last line of an output, which usually says what went wrong. */
static const char *last_line(char *output) {
  size_t n = strlen(output);
  while (n > 0 && (output[n - 1] == '\n' || output[n - 1] == '\r'))
    output[--n] = '\0';
  const char *line = strrchr(output, '\n');
  return line == NULL ? output : line + 1;
}

static int say_why_not(const dmdv_ask_t *ask) {
  told_t *told = ask->told;
  if (told == NULL || told->state == NOT_ASKED) {
    dmdv_error("run: --ask: the program ended before it could be asked");
    return 2;
  }
  answer_t *answer = &told->answers[told->latest];
  bool has_succeeded = WIFEXITED(answer->status) && WEXITSTATUS(answer->status) == 0;
  if (has_succeeded && answer->missing < ask->n)
    dmdv_error("run: --ask: the output of '%s' has no number for --expect=%s=%s; its last line: %s",
               ask->command, ask->expects[answer->missing].title, ask->expects[answer->missing].set,
               last_line(answer->output));
  else if (!has_succeeded)
    dmdv_error("run: --ask: '%s' never succeeded while the program ran; its exit status is %d, its "
               "last line: %s",
               ask->command, WIFEXITED(answer->status) ? WEXITSTATUS(answer->status) : 128,
               last_line(answer->output));
  else if (told->state != NO_DUMP)
    dmdv_error("run: --ask: the program ended before its heap could be compared");
  return 2;
}

/* Prints a comparison. Returns whether the number is near enough. */
static bool compare(const dmdv_ask_t *ask, const expect_t *expect, const dmd_profile_t *profile,
                    dmd_out_t *out) {
  uint64_t number = 0;
  dmd_figure_t figure;
  find_number(expect, ask->told->answers[ask->told->latest].output, &number);
  dmd_figure_init(&figure, profile, expect->set, number);
  dmd_out_char(out, '\n');
  dmd_figure_print(out, &figure, profile, expect->title, expect->set);
  uint64_t truth = dmd_figure_truth(&figure);
  uint64_t far = number < truth ? truth - number : number - truth;
  int64_t whole = truth > INT64_MAX ? INT64_MAX : (int64_t)truth;
  bool is_near = figure.is_known && far <= (uint64_t)dmd_size_bytes(&ask->limit, whole);
  dmd_figure_destroy(&figure);
  return is_near;
}

static int compare_all(const dmdv_ask_t *ask, const dmd_profile_t *profile) {
  dmd_out_t out;
  int status = 0;
  dmd_out_init(&out, write_stderr, NULL);
  for (uint32_t i = 0; i < ask->n; i++)
    if (!compare(ask, &ask->expects[i], profile, &out))
      status = 1;
  dmd_out_flush(&out);
  return status;
}

int dmdv_ask_compare(dmdv_ask_t *ask, const dmdv_written_t *written, size_t n_written) {
  const dmd_load_options_t options = {.moment = DMD_MOMENT_END};
  end(ask);
  if (ask->told == NULL || ask->told->state != DONE)
    return say_why_not(ask);
  for (size_t i = 0; i < n_written; i++) {
    dmd_profile_t profile;
    if (!dmdv_load_or_say(&profile, dmdv_written_path(written, i), &options))
      continue;
    bool is_it = profile.run.label != NULL && strcmp(profile.run.label, label) == 0;
    int status = is_it ? compare_all(ask, &profile) : 0;
    dmd_profile_destroy(&profile);
    if (is_it)
      return status;
  }
  dmdv_error("run: --ask: the dump is not there");
  return 2;
}
