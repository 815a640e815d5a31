/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/intern.h"
#include "base/out.h"
#include "base/posix/posix.h"
#include "base/strbuf.h"
#include "derive/check.h"
#include "derive/model.h"
#include "derive/program/deriveoptions.h"
#include "derive/program/read.h"
#include "derive/suggest/suggest.h"
#include "derive/write.h"
#include "dmd-config.h"
#include "dmdv/graph/typedgraph.h"
#include "host/output.h"
#include "host/process.h"

/* ---- Output files. ---- */

/* The files that dmd-derive writes. */

/* True if the file has exactly this text. */
static bool is_output(const char *name, const dmd_strbuf_t *text) {
  FILE *file = fopen(name, "rb");
  if (file == NULL)
    return false;
  char bytes[4096];
  size_t n, at = 0;
  bool is_same = true;
  while (is_same && (n = fread(bytes, 1, sizeof bytes, file)) > 0) {
    is_same = n <= text->n - at && memcmp(bytes, text->text + at, n) == 0;
    at += n;
  }
  fclose(file);
  return is_same && at == text->n;
}

/* Writes the text to the file, whole or not at all; NULL: standard output. Does not touch a file
 * that already has this text, so that nothing is recompiled. False, with one line on standard
 * error, if it cannot be written. */
static bool write_file(const char *name, const dmd_strbuf_t *text) {
  if (name == NULL)
    return (fwrite(text->text, 1, text->n, stdout) == text->n && fflush(stdout) == 0) ||
           dmdv_error("standard output cannot be written");
  if (is_output(name, text))
    return true;
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, &dmdv_env, &dmd_posix_files, name);
  if (good) {
    dmd_outfile_write(&file, text->text, text->n);
    good = dmd_outfile_close(&file, true);
  }
  if (!good)
    dmdv_error("%s: cannot be written: %s", name, dmdv_file_error(file.error));
  dmd_outfile_destroy(&file);
  return good;
}

/* Adds a name to a rule for make: first the target, then its dependencies. */
static void depend(dmd_strbuf_t *rule, const char *name) {
  if (rule->n > 0)
    dmd_strbuf_str(rule, " \\\n ");
  for (; *name != '\0'; name++) {
    if (*name == ' ' || *name == '#')
      dmd_strbuf_str(rule, "\\");
    else if (*name == '$')
      dmd_strbuf_str(rule, "$");
    dmd_strbuf_bytes(rule, name, 1);
  }
}

/* ---- Suggestions. ---- */

/* Dmd-derive --suggest: proposals for a model's pointers, printed as compilers
 * print. */

typedef struct {
  dmd_out_t out;
  unsigned n;
} print_t;

static bool write_stdout(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stdout) == n;
}

/* file:line:column: DMD_OWNS char *name: evidence */
static void print(void *ctx, const dmd_derive_proposal_t *proposal) {
  print_t *p = ctx;
  const dmd_derive_member_t *member = proposal->member;
  const dmd_derive_place_t *place = member != NULL ? &member->place : &proposal->record->place;
  p->n++;
  dmd_out_safe(&p->out, place->file);
  dmd_out_str(&p->out, ":");
  dmd_out_u64(&p->out, place->line);
  dmd_out_str(&p->out, ":");
  dmd_out_u64(&p->out, place->column);
  dmd_out_str(&p->out, ": ");
  if (member == NULL)
    dmd_out_safe(&p->out, proposal->record->spelling);
  else
    dmd_out_safe(&p->out, member->name);
  dmd_out_str(&p->out, ": ");
  dmd_out_safe(&p->out, proposal->words[0] != '\0' ? proposal->words : "no proposal");
  dmd_out_str(&p->out, ": ");
  dmd_out_safe(&p->out, proposal->evidence);
  dmd_out_str(&p->out, "\n");
}

/* Prints proposals from the heap graph in this file, or of this profile (derive/suggest/suggest.h).
 * debug_dir may be NULL. Returns the exit status: 0; 1 if no pointer lacks words; 2, with the
 * reason on standard error, if the graph cannot be read. */
static int suggest_for(const dmd_derive_model_t *model, const char *graph, const char *debug_dir) {
  const dmdv_typedgraph_options_t options = {.with_types = true, .debug_dir = debug_dir};
  dmdv_typedgraph_t typed;
  print_t p = {.n = 0};
  if (!dmdv_typedgraph_open_or_say(&typed, graph, &options))
    return 2;
  dmd_out_init(&p.out, write_stdout, NULL);
  dmd_derive_suggest(model, &typed.typing, &typed.heap, print, &p);
  dmd_out_flush(&p.out);
  dmdv_typedgraph_close(&typed);
  if (p.n == 0)
    dmdv_error("no struct in these headers has a pointer without a word");
  return p.n > 0 ? 0 : 1;
}

/* ---- The program. ---- */

/* Dmd-derive: writes the functions that measure a program's structs.
 *
 * Headers are read into a model (read.h), which is checked (derive/check.h) and written as C
 * (derive/write.h). Faults in a header are reported in the format of compilers, so that editors
 * find the line, and then nothing is written. */

static bool write_stderr(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stderr) == n;
}

static void complain(void *ctx, const dmd_derive_place_t *place, const char *fault) {
  dmd_out_t out;
  (void)ctx;
  dmd_out_init(&out, write_stderr, NULL);
  dmd_out_safe(&out, place->file);
  dmd_out_str(&out, ":");
  dmd_out_u64(&out, place->line);
  dmd_out_str(&out, ":");
  dmd_out_u64(&out, place->column);
  dmd_out_str(&out, ": error: ");
  dmd_out_safe(&out, fault);
  dmd_out_str(&out, "\n");
  dmd_out_flush(&out);
}

/* The files that were read, without duplicates. */
typedef struct dependencies {
  dmd_strbuf_t *rule;
  dmd_intern_t names;
} dependencies_t;

static void hear_file(void *ctx, const char *name) {
  dependencies_t *dependencies = ctx;
  if (dmd_intern_find_str(&dependencies->names, name) != DMD_NONE)
    return;
  dmd_intern_str(&dependencies->names, name);
  depend(dependencies->rule, name);
}

/* Reads the headers, and adds all included files to the rule. */
static bool read_headers(dmd_derive_model_t *model, const dmd_derive_sources_t *sources,
                         dmd_strbuf_t *rule) {
  int here =
      open(".", O_RDONLY | O_CLOEXEC); /* clang changes to the folder of -working-directory */
  dependencies_t dependencies = {.rule = rule};
  dmd_intern_init(&dependencies.names, &dmdv_env, "dmd.derive");
  bool good = dmd_derive_read(model, sources, hear_file, &dependencies);
  dmd_intern_destroy(&dependencies.names);
  dmd_strbuf_str(rule, "\n");
  if (here < 0 || fchdir(here) != 0)
    good = dmdv_error("this folder cannot be read: %s", strerror(errno));
  if (here >= 0)
    close(here);
  return good;
}

static bool has_measured(const dmd_derive_model_t *model) {
  const dmd_derive_record_t *record = model->records;
  while (record != NULL && !(record->is_wanted && dmd_derive_is_measured(record)))
    record = record->next;
  return record != NULL;
}

/* A text and the file to write it to. A NULL file ends the list. */
typedef struct output {
  const char *name;
  dmd_strbuf_t text;
} output_t;
enum { CODE, HEADER, DEPFILE, N_OUTPUTS };

static int check_outputs(const output_t *outputs, const char *command) {
  for (int i = 0; i < DEPFILE; i++)
    if (outputs[i].name != NULL && !is_output(outputs[i].name, &outputs[i].text)) {
      dmdv_error("%s is not what the headers say; run: %s", outputs[i].name, command);
      return 1;
    }
  return 0;
}

static int write_outputs(const output_t *outputs) {
  for (int i = 0; i < N_OUTPUTS; i++)
    if ((i == CODE || outputs[i].name != NULL) && !write_file(outputs[i].name, &outputs[i].text))
      return 2;
  return 0;
}

/* Finds the headers and flags. With -p, flags come from the build system, which has headers by
 * absolute name. */
static bool find_sources(const dmd_derive_options_t *options, dmd_derive_model_t *model,
                         dmd_derive_sources_t *sources) {
  *sources = (dmd_derive_sources_t){options->headers, options->n_headers, options->flags,
                                    options->n_flags, options->suggest};
  if (options->commands == NULL)
    return true;
  const char **names = dmd_derive_new(model, (options->n_headers + 1) * sizeof *names);
  for (size_t i = 0; i < options->n_headers; i++) {
    char *name = realpath(options->headers[i], NULL);
    if (name == NULL)
      return dmdv_error("%s: %s", options->headers[i], strerror(errno));
    names[i] = dmd_derive_copy(model, name, strlen(name));
    free(name);
  }
  dmd_derive_flags_t found;
  if (!dmd_derive_database_read(model, options->commands, names[0], &found))
    return false;
  const char **flags = dmd_derive_new(model, (found.n + options->n_flags + 1) * sizeof *flags);
  for (size_t i = 0; i < found.n; i++)
    flags[i] = found.flags[i];
  for (size_t i = 0; i < options->n_flags; i++)
    flags[found.n + i] = options->flags[i];
  *sources = (dmd_derive_sources_t){names, options->n_headers, flags, found.n + options->n_flags,
                                    options->suggest};
  return true;
}

static int derive_with(const dmd_derive_options_t *options, dmd_derive_model_t *model,
                       output_t *outputs, const char *command) {
  dmd_derive_sources_t sources;
  const dmd_derive_written_t written = {command, options->headers, options->n_headers};
  if (options->depfile != NULL) {
    depend(&outputs[DEPFILE].text, options->output);
    dmd_strbuf_str(&outputs[DEPFILE].text, ":");
  }
  if (!find_sources(options, model, &sources))
    return 2;
  if (!read_headers(model, &sources, &outputs[DEPFILE].text))
    return 1;
  if (options->suggest)
    return suggest_for(model, options->graph, options->debug_dir);
  if (!has_measured(model)) {
    dmdv_error("no struct in %s has DMD_MEASURED", options->headers[0]);
    return 1;
  }
  if (dmd_derive_check(model, complain, NULL) > 0)
    return 1;
  dmd_derive_write(model, &written, &outputs[CODE].text);
  if (options->header != NULL)
    dmd_derive_write_header(model, &written, options->header, &outputs[HEADER].text);
  return options->check ? check_outputs(outputs, command) : write_outputs(outputs);
}

static int derive(const dmd_derive_options_t *options) {
  dmd_derive_model_t model;
  output_t outputs[N_OUTPUTS] = {
      {.name = options->output}, {.name = options->header}, {.name = options->depfile}};
  dmd_strbuf_t command;
  dmd_strbuf_init(&command, &dmdv_env);
  dmd_derive_options_command(options, &command);
  dmd_derive_model_init(&model, &dmdv_env);
  for (int i = 0; i < N_OUTPUTS; i++)
    dmd_strbuf_init(&outputs[i].text, &dmdv_env);
  int status = derive_with(options, &model, outputs, command.text);
  for (int i = 0; i < N_OUTPUTS; i++)
    dmd_strbuf_destroy(&outputs[i].text);
  dmd_derive_model_destroy(&model);
  dmd_strbuf_destroy(&command);
  return status;
}

int main(int argc, char **argv) {
  dmd_derive_options_t options;
  int status = 0;
  dmdv_program = "dmd-derive";
  dmdv_host_init();
  if (!dmd_derive_options_read(&options, argc, argv)) {
    status = 2;
  } else if (options.help) {
    dmd_strbuf_t text;
    dmd_strbuf_init(&text, &dmdv_env);
    dmd_derive_options_help(&text);
    fputs(text.text, stdout);
    dmd_strbuf_destroy(&text);
  } else if (options.version) {
    printf("dmd-derive %s\n", DMD_VERSION);
  } else {
    status = derive(&options);
  }
  dmd_derive_options_free(&options);
  return status;
}
