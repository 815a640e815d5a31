/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/complete.h"

#include "record/engine/options.h"

#include <stdio.h>
#include <string.h>

/* ---- Answers. ---- */

static void answer_files(const char *word, size_t prefix) {
  printf("files %.*s\n", (int)prefix, word);
}

static void answer_program(int n) {
  printf("program %d\n", n);
}

/* Prints a word of the answer if it begins with the typed text. */
static void offer(const char *typed, const char *word, const char *meaning) {
  if (strncmp(word, typed, strlen(typed)) == 0)
    printf("%s\t%s\n", word, meaning);
}

static void offer_options(const char *typed, const dmd_option_table_t *table) {
  for (size_t i = 0; i < table->n; i++) {
    const dmd_option_t *option = &table->options[i];
    char word[64];
    snprintf(word, sizeof word, "--%s%s", option->name, option->values != NULL ? "=" : "");
    offer(typed, word, option->help != NULL ? option->help : "");
  }
}

/* Whether the word is in a comma-separated list of n bytes. */
static bool is_listed(const char *list, size_t n, const char *word, size_t n_word) {
  for (const char *end = list + n; list < end; list += strcspn(list, ",") + 1)
    if (strcspn(list, ",") == n_word && memcmp(list, word, n_word) == 0)
      return true;
  return false;
}

/* Answers with an option's values. The value typed so far begins after the first `prefix` bytes
 * of the word. In a list, only its last word is completed, with words that the list does not
 * have yet. */
static void answer_value(const dmd_option_t *option, const char *typed, size_t prefix) {
  if (option->is_file) {
    answer_files(typed, prefix);
    return;
  }
  puts("words");
  const char *value, *comma = option->joint == ',' ? strrchr(typed + prefix, ',') : NULL;
  size_t n, before = comma != NULL ? (size_t)(comma - typed) + 1 : prefix;
  for (unsigned i = 0; (value = dmd_option_word(option, i, &n)) != NULL; i++) {
    char word[256];
    if (before > sizeof word / 2 || is_listed(typed + prefix, before - prefix, value, n))
      continue;
    snprintf(word, sizeof word, "%.*s%.*s%s", (int)before, typed, (int)n, value,
             option->joint == '=' ? "=" : "");
    offer(typed, word, "");
  }
}

/* ---- The options of a command. ---- */

static const dmd_option_t *find_in(const dmd_option_table_t *table, const char *name, size_t n) {
  for (size_t i = 0; i < table->n; i++)
    if (strlen(table->options[i].name) == n && memcmp(table->options[i].name, name, n) == 0)
      return &table->options[i];
  return NULL;
}

static const dmd_option_t *find_letter(const dmdv_command_t *command, char letter) {
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    for (size_t i = 0; part->options != NULL && i < part->options->n; i++)
      if (part->options->options[i].letter == letter)
        return &part->options->options[i];
  return NULL;
}

/* The option in "--NAME" or "--NAME=VALUE". *passed_on: it belongs to another program. */
static const dmd_option_t *find(const dmdv_command_t *command, const char *word, bool *passed_on) {
  const dmd_option_t *found = NULL;
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part) && found == NULL; part++) {
    *passed_on = part->role == DMDV_OPTIONS_PASSED_ON;
    if (part->options != NULL && part->role != DMDV_OPTIONS_SILENT)
      found = find_in(part->options, word + 2, strcspn(word + 2, "="));
  }
  return found;
}

static bool runs_program(const dmdv_command_t *command) {
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    if (part->role == DMDV_OPTIONS_PASSED_ON)
      return true;
  return false;
}

/* ---- Command lines of dmdv. ---- */

/* The state after the words before the one being typed. */
typedef struct {
  const dmd_option_t *waiting; /* for its value; NULL: none */
  int program;                 /* the index of the program's name; 0: not reached yet */
  bool no_options;             /* after "--" */
} state_t;

/* The option in "-a" or "-ao" that takes the next word as its value. */
static const dmd_option_t *waiting_letter(const dmdv_command_t *command, const char *letters) {
  for (; *letters != '\0'; letters++) {
    const dmd_option_t *option = find_letter(command, *letters);
    if (option == NULL)
      return NULL;
    if (option->values != NULL)
      return letters[1] == '\0' ? option : NULL;
  }
  return NULL;
}

static const dmd_option_t *waiting(const dmdv_command_t *command, const char *word) {
  bool passed_on;
  if (strncmp(word, "--", 2) != 0)
    return waiting_letter(command, word + 1);
  const dmd_option_t *option = find(command, word, &passed_on);
  bool is_open = option != NULL && option->values != NULL && strchr(word, '=') == NULL;
  return is_open && !passed_on ? option : NULL;
}

static state_t follow(const dmdv_command_t *command, char **words, int n) {
  state_t state = {0};
  for (int i = 2; i < n - 1 && state.program == 0 && !state.no_options; i++) {
    if (state.waiting != NULL) {
      state.waiting = NULL;
    } else if (strcmp(words[i], "--") == 0) {
      state.no_options = true;
      state.program = runs_program(command) ? i + 1 : 0;
    } else if (words[i][0] == '-' && words[i][1] != '\0') {
      state.waiting = waiting(command, words[i]);
    } else if (runs_program(command)) {
      state.program = i;
    }
  }
  return state;
}

static void answer_options(const dmdv_command_t *command, const char *typed) {
  puts("words");
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    if (part->options != NULL && part->role != DMDV_OPTIONS_SILENT)
      offer_options(typed, part->options);
  offer_options(typed, &dmdv_help_option);
}

static void complete_command(const dmdv_command_t *command, char **words, int n) {
  const char *typed = words[n - 1];
  size_t prefix = strcspn(typed, "=") + 1;
  bool has_value = strncmp(typed, "--", 2) == 0 && prefix <= strlen(typed), passed_on;
  state_t state = follow(command, words, n);
  const dmd_option_t *option = has_value ? find(command, typed, &passed_on) : NULL;
  if (state.program > 0)
    answer_program(state.program);
  else if (state.waiting != NULL)
    answer_value(state.waiting, typed, 0);
  else if (state.no_options || typed[0] != '-')
    runs_program(command) ? answer_program(n - 1) : answer_files(typed, 0);
  else if (!has_value)
    answer_options(command, typed);
  else if (option != NULL)
    answer_value(option, typed, prefix);
}

/* The last word of a command's name, which differs for subcommands. */
static const char *last_word(const dmdv_command_t *command) {
  const char *blank = strrchr(command->name, ' ');
  return blank == NULL ? command->name : blank + 1;
}

static void offer_commands(const dmdv_command_t *const *commands, const char *typed) {
  for (; *commands != NULL; commands++)
    offer(typed, last_word(*commands), (*commands)->summary);
}

/* The command of this name, or NULL. */
static const dmdv_command_t *find_command(const dmdv_command_t *const *commands, const char *name) {
  while (*commands != NULL && strcmp(last_word(*commands), name) != 0)
    commands++;
  return *commands;
}

/* words[1] is the command's name. */
static void complete_word(const dmdv_command_t *command, char **words, int n) {
  const dmdv_command_t *const *own = dmdv_own_commands(command);
  if (own == NULL) {
    complete_command(command, words, n);
  } else if (n == 3) {
    answer_options(command, words[2]);
    offer_commands(own, words[2]);
  } else if (find_command(own, words[2]) != NULL) {
    complete_command(find_command(own, words[2]), words + 1, n - 1);
  }
}

static void complete_dmdv(const dmdv_command_t *const *commands, char **words, int n) {
  if (n == 2) {
    puts("words");
    offer_commands(commands, words[1]);
    offer(words[1], "help", "show a command's help");
    offer(words[1], "--help", "list the commands");
    offer(words[1], "--pid=", "show the memory of a running program");
    offer(words[1], "--version", "print the version of dmdv");
    return;
  }
  if (strcmp(words[1], "help") == 0 && n == 3) {
    puts("words");
    offer_commands(commands, words[2]);
    offer(words[2], "all", "list all commands");
    return;
  }
  const dmdv_command_t *command = find_command(commands, words[1]);
  if (command != NULL)
    complete_word(command, words, n);
}

/* ---- Command lines of valgrind. ---- */

static bool runs_dmd(char **words, int n) {
  bool is_dmd = false;
  for (int i = 1; i < n - 1; i++) {
    if (words[i][0] != '-')
      return false; /* the program; the words after it belong to it */
    is_dmd |= strcmp(words[i], "--tool=dmd") == 0;
  }
  return is_dmd;
}

static void complete_valgrind(char **words, int n) {
  const char *typed = words[n - 1];
  if (!runs_dmd(words, n) || strncmp(typed, "--", 2) != 0)
    return;
  size_t prefix = strcspn(typed, "=") + 1;
  if (prefix > strlen(typed)) {
    puts("words");
    offer_options(typed, &dmd_engine_options);
    return;
  }
  const dmd_option_t *option = find_in(&dmd_engine_options, typed + 2, prefix - 3);
  if (option != NULL)
    answer_value(option, typed, prefix);
}

void dmdv_complete(const dmdv_command_t *const *commands, char **words, int n) {
  const char *slash = strrchr(words[0], '/');
  const char *program = slash != NULL ? slash + 1 : words[0];
  if (strcmp(program, "valgrind") == 0)
    complete_valgrind(words, n);
  else if (n > 1)
    complete_dmdv(commands, words, n);
}
