/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/program/deriveoptions.h"

#include "base/optiontable.h"
#include "host/process.h"

#include <string.h>

#define AT(field) DMD_OPTION_AT(dmd_derive_options_t, field)

static const dmd_option_t list[] = {
    {"output", "<file>", NULL, "the .c file to write; default: standard output", DMD_OPTION_TEXT,
     AT(output), .letter = 'o', .is_file = true},
    {"header", "<file>", NULL, "a header to write that declares the functions", DMD_OPTION_TEXT,
     AT(header), .is_file = true},
    {"compile-commands", "<folder>", NULL,
     "take compiler flags from compile_commands.json in this folder; flags after -- are added",
     DMD_OPTION_TEXT, AT(commands), .letter = 'p', .is_file = true},
    {"depfile", "<file>", NULL, "a dependency file to write, for make or ninja", DMD_OPTION_TEXT,
     AT(depfile), .is_file = true},
    {"check", NULL, NULL,
     "write nothing; exit with 1 if the output would differ from the existing files",
     DMD_OPTION_SWITCH, AT(check)},
    {"suggest", NULL, NULL,
     "write no code; propose annotations for pointers that have none, from the heap graph of a run",
     DMD_OPTION_SWITCH, AT(suggest)},
    {"graph", "<file>", NULL, "the heap graph, which dmd writes with --graph=yes", DMD_OPTION_TEXT,
     AT(graph), .is_file = true},
    {"debug-dir", "<folder>", NULL,
     "for that graph, search this folder first for separate debug information, by file name and in "
     ".build-id",
     DMD_OPTION_TEXT, AT(debug_dir), .is_file = true},
    {"help", NULL, NULL, "this text", DMD_OPTION_SWITCH, AT(help), .letter = 'h'},
    {"version", NULL, NULL, "the version", DMD_OPTION_SWITCH, AT(version)},
};
static const dmd_option_table_t table = {list, sizeof list / sizeof list[0]};

void dmd_derive_options_help(dmd_strbuf_t *text) {
  dmd_strbuf_str(text,
                 "usage: dmd-derive -o OUT.c [OPTION...] HEADER... [-- FLAGS]\n\n"
                 "Writes functions that measure the structs marked with DMD_MEASURED\n"
                 "(valgrind/dmd-annotations.h) in the headers. FLAGS are the compiler's, such as\n"
                 "-I and -D.\n\n");
  dmd_options_describe(&table, 6, 33, text);
  dmd_strbuf_str(text, "\n"
                       "Exit status: 0; 1 if a header or its annotations are wrong, or if --check\n"
                       "finds a difference; 2 if the command line is wrong or a file cannot be\n"
                       "written.\n");
}

/* The option of the argument, and its value, which may be the next argument. */
static bool take(dmd_derive_options_t *options, int *i, int argc, char **argv) {
  char *argument = argv[*i];
  const dmd_option_t *option = NULL;
  const char *value = NULL;
  for (size_t o = 0; o < table.n; o++) {
    size_t n = strlen(list[o].name);
    if (argument[1] == '-' && strncmp(argument + 2, list[o].name, n) == 0 &&
        (argument[2 + n] == '=' || argument[2 + n] == '\0')) {
      option = &list[o];
      value = argument[2 + n] == '=' ? argument + 3 + n : NULL;
    } else if (argument[1] != '-' && argument[1] == list[o].letter) {
      option = &list[o];
      value = argument[2] != '\0' ? argument + 2 : NULL;
    }
  }
  if (option == NULL)
    return dmdv_error("unknown option %s; see dmd-derive --help", argument);
  if (option->values == NULL && value != NULL)
    return dmdv_error("--%s takes no value", option->name);
  if (option->values != NULL && value == NULL) {
    if (*i + 1 == argc || strcmp(argv[*i + 1], "--") == 0)
      return dmdv_error("%s needs a value", argument);
    value = argv[++*i];
  }
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_option_take(option, options, value, &why);
  if (!good)
    dmdv_error("--%s: %s", option->name, why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

static bool is_includable(const char *name) {
  return strpbrk(name, "\"\\\n\r") == NULL;
}

bool dmd_derive_options_read(dmd_derive_options_t *options, int argc, char **argv) {
  *options = (dmd_derive_options_t){0};
  dmd_options_set_defaults(&table, options, &dmdv_env);
  options->headers = dmd_env_alloc(&dmdv_env, "dmd.derive", ((size_t)argc + 1) * sizeof(char *));
  options->flags = dmd_env_alloc(&dmdv_env, "dmd.derive", ((size_t)argc + 1) * sizeof(char *));
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (argv[i][0] != '-' || argv[i][1] == '\0')
      options->headers[options->n_headers++] = argv[i];
    else if (!take(options, &i, argc, argv))
      return false;
  while (++i < argc)
    options->flags[options->n_flags++] = argv[i];
  if (options->help || options->version)
    return true;
  if (options->n_headers == 0)
    return dmdv_error("give a header; see dmd-derive --help");
  for (size_t h = 0; h < options->n_headers; h++)
    if (!is_includable(options->headers[h]))
      return dmdv_error("%s: no #include can name this file", options->headers[h]);
  if (options->suggest != (options->graph != NULL))
    return dmdv_error(options->suggest ? "--suggest needs --graph=FILE, the heap graph of a run"
                                       : "--graph works with --suggest only");
  if (options->suggest && (options->output != NULL || options->check))
    return dmdv_error("--suggest writes no code: omit %s", options->check ? "--check" : "--output");
  if ((options->check || options->depfile != NULL) && options->output == NULL)
    return dmdv_error("--%s needs --output=FILE", options->check ? "check" : "depfile");
  return true;
}

void dmd_derive_options_free(dmd_derive_options_t *options) {
  dmd_env_free(&dmdv_env, options->headers);
  dmd_env_free(&dmdv_env, options->flags);
}

static bool needs_no_quotes(const char *word) {
  return word[0] != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-+=./:,@%") == strlen(word);
}

static void add_word(dmd_strbuf_t *text, const char *before, const char *word) {
  dmd_strbuf_str(text, before);
  if (needs_no_quotes(word)) {
    dmd_strbuf_str(text, word);
    return;
  }
  dmd_strbuf_str(text, "'");
  for (; *word != '\0'; word++)
    if (*word == '\'')
      dmd_strbuf_str(text, "'\\''");
    else
      dmd_strbuf_bytes(text, word, 1);
  dmd_strbuf_str(text, "'");
}

void dmd_derive_options_command(const dmd_derive_options_t *options, dmd_strbuf_t *text) {
  dmd_strbuf_str(text, "dmd-derive");
  if (options->output != NULL)
    add_word(text, " -o ", options->output);
  if (options->header != NULL)
    add_word(text, " --header=", options->header);
  if (options->commands != NULL)
    add_word(text, " -p ", options->commands);
  for (size_t i = 0; i < options->n_headers; i++)
    add_word(text, " ", options->headers[i]);
  for (size_t i = 0; i < options->n_flags; i++)
    add_word(text, i == 0 ? " -- " : " ", options->flags[i]);
}
