/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/commandline.h"

#include "host/process.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* ---- Suggestions for misspelt words. ---- */

/* Levenshtein distance of two words, which must be shorter than 32 letters. */
static unsigned distance(const char *a, const char *b) {
  enum { MAX = 32 };
  unsigned row[MAX + 1];
  size_t n = strlen(b);
  if (n > MAX || strlen(a) > MAX)
    return MAX;
  for (size_t j = 0; j <= n; j++)
    row[j] = (unsigned)j;
  for (size_t i = 0; a[i] != '\0'; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i + 1;
    for (size_t j = 0; j < n; j++) {
      unsigned change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      unsigned least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
      row[j + 1] = change < least ? change : least;
    }
  }
  return row[n];
}

const char *dmdv_nearest(const char *word, const char *const *words, int n) {
  const char *nearest = NULL;
  unsigned least = 4;
  for (int i = 0; i < n; i++) {
    unsigned d = distance(word, words[i]);
    if (d < least && d < strlen(words[i])) {
      least = d;
      nearest = words[i];
    }
  }
  return nearest;
}

/* ---- The options of a command. ---- */

static const dmd_option_t help_option[] = {
    {"help", NULL, NULL, "this text", DMD_OPTION_SWITCH, .szB = 1, .letter = 'h'}};
const dmd_option_table_t dmdv_help_option = {help_option, 1};

enum { MAX_OPTIONS = 64, FIRST_LONG = 256 };

/* All options that a command reads, in getopt_long's form too: the `val` of an option is its index
 * here plus FIRST_LONG. */
typedef struct {
  const dmd_option_t *options[MAX_OPTIONS];
  struct option longs[2 * MAX_OPTIONS + 1];
  char letters[2 * MAX_OPTIONS + 2];
  int n, n_longs;
} known_t;

static void add_option(known_t *known, const dmd_option_t *option) {
  int argument = option->values == NULL ? no_argument : required_argument;
  const char *names[] = {option->name, option->also};
  for (size_t i = 0; i < 2 && names[i] != NULL; i++)
    known->longs[known->n_longs++] =
        (struct option){names[i], argument, NULL, FIRST_LONG + known->n};
  known->options[known->n++] = option;
  if (option->letter != '\0') {
    char *end = known->letters + strlen(known->letters);
    *end++ = option->letter;
    if (argument == required_argument)
      *end = ':';
  }
}

static void add_table(known_t *known, const dmd_option_table_t *table) {
  for (size_t i = 0; i < table->n; i++)
    add_option(known, &table->options[i]);
}

bool dmdv_is_last(const dmdv_part_t *part) {
  return part->text == NULL && part->add_text == NULL && part->options == NULL;
}

const dmdv_command_t *const *dmdv_own_commands(const dmdv_command_t *command) {
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    if (part->commands != NULL)
      return part->commands;
  return NULL;
}

static void find_options(known_t *known, const dmdv_command_t *command) {
  *known = (known_t){.letters = ":"};
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    if (part->options != NULL && part->role != DMDV_OPTIONS_PASSED_ON)
      add_table(known, part->options);
  add_table(known, &dmdv_help_option);
}

static const dmd_option_t *option_of(const known_t *known, int opt) {
  if (opt >= FIRST_LONG)
    return known->options[opt - FIRST_LONG];
  int i = 0;
  while (known->options[i]->letter != opt)
    i++;
  return known->options[i];
}

/* ---- Reading. ---- */

static bool unknown_option(const char *command, const char *arg, const known_t *known) {
  const char *names[MAX_OPTIONS];
  for (int i = 0; i < known->n; i++)
    names[i] = known->options[i]->name;
  char word[64] = "";
  if (strncmp(arg, "--", 2) == 0) {
    size_t length = strcspn(arg + 2, "=");
    memcpy(word, arg + 2, length < sizeof word - 1 ? length : sizeof word - 1);
  }
  const char *nearest = dmdv_nearest(word, names, known->n);
  if (nearest != NULL)
    return dmdv_error("%s: unknown option %s; did you mean --%s?", command, arg, nearest);
  return dmdv_error("%s: unknown option %s; see dmdv %s --help", command, arg, command);
}

static bool take_value(const dmd_option_t *option, void *target, const char *value) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_option_take(option, target, value, &why);
  if (!good)
    dmdv_error("--%s=%s: %s", option->name, value, why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* Reads each option with its value. *help: 'h' or, for the long form, another character if help is
 * requested. */
static bool read_options(const known_t *known, void *target, int argc, char **argv, int *help) {
  int opt;
  opterr = 0;
  optind = 1;
  while ((opt = getopt_long(argc, argv, known->letters, known->longs, NULL)) != -1) {
    if (opt == ':')
      return dmdv_error("%s: %s needs a value", argv[0], argv[optind - 1]);
    if (opt == '?')
      return unknown_option(argv[0], argv[optind - 1], known);
    const dmd_option_t *option = option_of(known, opt);
    if (option == help_option)
      *help = opt;
    else if (!take_value(option, target, optarg))
      return false;
  }
  return true;
}

/* Whether the output will be JSON, so that errors are, too, also those of the command line: --json,
 * or
 * --format=json of dmdv check. A command without that option may pass it to a program. */
static bool wants_json(const dmdv_command_t *command, const known_t *known, int argc, char **argv) {
  bool has_json = strcmp(command->name, "check") == 0;
  const char *wanted = has_json ? "--format=json" : "--json";
  for (int i = 0; i < known->n && !has_json; i++)
    has_json = strcmp(known->options[i]->name, "json") == 0;
  for (int i = 1; i < argc && has_json && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], wanted) == 0)
      return true;
  return false;
}

int dmdv_read_command_line(const dmdv_command_t *command, void *target, int argc, char **argv,
                           dmdv_files_t *files) {
  known_t known;
  int help = 0;
  find_options(&known, command);
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    if (part->options != NULL && part->role == DMDV_OPTIONS_OWN)
      dmd_options_set_defaults(part->options, target, &dmdv_env);
  if (wants_json(command, &known, argc, argv))
    dmdv_errors_as_json();
  if (!read_options(&known, target, argc, argv, &help))
    return 2;
  *files = (dmdv_files_t){argv + optind, argc - optind};
  if (help == 'h')
    dmdv_print_short_help(command);
  else if (help != 0)
    dmdv_print_help(command);
  return help != 0 ? 0 : -1;
}

/* ---- Help. ---- */

void dmdv_print_help(const dmdv_command_t *command) {
  enum { NAME_COLUMN = 6, HELP_COLUMN = 27 };
  /* --help is listed after the last options. */
  const dmdv_part_t *last = NULL;
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    if (part->options != NULL && part->role == DMDV_OPTIONS_OWN)
      last = part;
  dmd_strbuf_t help;
  dmd_strbuf_init(&help, &dmdv_env);
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++) {
    if (part->text != NULL)
      dmd_strbuf_str(&help, part->text);
    if (part->add_text != NULL)
      part->add_text(&help);
    if (part->options != NULL && part->role == DMDV_OPTIONS_OWN)
      dmd_options_describe(part->options, NAME_COLUMN, HELP_COLUMN, &help);
    if (part == last)
      dmd_options_describe(&dmdv_help_option, NAME_COLUMN, HELP_COLUMN, &help);
  }
  fputs(help.text, stdout);
  dmd_strbuf_destroy(&help);
}
