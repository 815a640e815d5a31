/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/commandline.h"

#include "host/process.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 40, NAME_COLUMN = 6, HELP_COLUMN = 27, COLUMNS = 80 };

/* Options that few people need: --help explains them, completion offers them. */
static const char *const rare[] = {"alloc-fn",
                                   "full-names",
                                   "no-pager",
                                   "clamp-contents",
                                   "print-clamp-stats",
                                   "types",
                                   "debug-dir",
                                   "max-frames",
                                   "timeout",
                                   "never-measured",
                                   "causal",
                                   "label",
                                   "root",
                                   "max-nodes",
                                   "page",
                                   "page-only",
                                   "source",
                                   "graphs",
                                   "owners",
                                   "each",
                                   "columns",
                                   "keep-processes",
                                   "child-silent-after-fork"};

static bool is_rare(const dmd_option_t *option) {
  for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
    if (strcmp(option->name, rare[i]) == 0)
      return true;
  return false;
}

static int count_lines(const char *text, size_t n) {
  int lines = 0;
  for (size_t i = 0; i < n; i++)
    lines += text[i] == '\n';
  return lines;
}

/* The length of a text's first two paragraphs: the usage, and what the command does. */
static size_t opening(const char *text) {
  const char *end = strstr(text, "\n\n");
  end = end == NULL ? NULL : strstr(end + 2, "\n\n");
  return end == NULL ? strlen(text) : (size_t)(end + 1 - text);
}

/* The length of the first clause of an option's help, of what fits into one line. */
static int clause(const char *help) {
  size_t n = strcspn(help, ";:"), room = COLUMNS - HELP_COLUMN;
  if (n > room)
    for (n = room - 3; n > 0 && help[n] != ' ';)
      n--;
  return (int)n;
}

/* Returns the number of lines. */
static int print_option(const dmd_option_t *option) {
  enum { NAME_SZB = 64, WIDTH = HELP_COLUMN - NAME_COLUMN };
  char name[NAME_SZB], letter[] = {'-', option->letter, ',', ' ', '\0'};
  const char *values = option->values;
  if (values != NULL && strlen(option->name) + strlen(values) + 3 >= WIDTH)
    values = "...";
  snprintf(name, sizeof name, "--%s%s%s", option->name, values == NULL ? "" : "=",
           values == NULL ? "" : values);
  bool is_long = strlen(name) >= WIDTH;
  int n = clause(option->help);
  printf("  %4s%-*s", option->letter == '\0' ? "" : letter, WIDTH, name);
  if (is_long)
    printf("\n%*s", HELP_COLUMN, "");
  printf("%.*s%s\n", n, option->help, option->help[n] == ' ' ? "..." : "");
  return 1 + is_long;
}

void dmdv_print_short_help(const dmdv_command_t *command) {
  const char *text = command->parts->text != NULL ? command->parts->text : "";
  size_t n = opening(text);
  int lines = count_lines(text, n) + 3, n_left_out = 0; /* a blank line, and two at the end */
  printf("%.*s\n", (int)n, text);
  for (const dmdv_part_t *part = command->parts; !dmdv_is_last(part); part++)
    for (size_t i = 0; part->options != NULL && i < part->options->n; i++) {
      const dmd_option_t *option = &part->options->options[i];
      if (part->role == DMDV_OPTIONS_OWN && !is_rare(option) && lines + 2 <= LINES) {
        lines += print_option(option);
      } else if (part->role != DMDV_OPTIONS_SILENT) {
        n_left_out++;
      }
    }
  if (n_left_out > 0)
    printf("\ndmdv help %s explains them, and %d more options.\n", command->name, n_left_out);
  else
    printf("\ndmdv help %s explains them.\n", command->name);
}
