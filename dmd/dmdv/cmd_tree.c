/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv tree: shows what the reporters measured, as about:memory does.
 *
 * A file is a profile or memory reports saved by about:memory. Both are converted to memory
 * reports; after that only the notes on profiles depend on the kind of file.
 */
#include "analyse/tree/profile_amounts.h"
#include "base/strbuf.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/input/profilefile.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/text_tree.h"
#include "show/text/tree_json.h"

#include <string.h>

typedef struct {
  const char *output; /* NULL: standard output */
  bool diff;
  bool verbose;
  bool columns;
  bool json;
  bool no_pager;
  uint32_t max_records; /* of JSON; 0: all */
  unsigned moment;      /* a dmd_moment_choice_t */
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    {"diff", NULL, NULL, "show what changed from the first of two files to the second",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, diff)},
    {"verbose", NULL, NULL, "show every path, however small, and amounts in bytes",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, verbose), .letter = 'v'},
    {"columns", NULL, NULL, "show one tree of all processes, with a column for each",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, columns)},
    DMDV_END_OR_PEAK_OPTION(options_t, moment, DMDV_END_OR_PEAK),
    DMDV_JSON_OPTION(options_t, json, "print the result as JSON"),
    DMDV_MAX_RECORDS_OF_JSON_OPTION(options_t, max_records),
    DMDV_OUTPUT_OPTION(options_t, output, NULL, DMDV_TO_FILE),
    DMDV_NO_PAGER_OPTION(options_t, no_pager),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv tree [OPTION...] FILE...\n"
             "       dmdv tree --diff [OPTION...] OLD NEW\n\n"
             "Shows what the reporters of a program measured as a tree, in the notation of\n"
             "Firefox's about:memory. FILE is a profile of dmd, or a file that about:memory\n"
             "saved; it may be gzipped; - is standard input. With several FILEs, such as\n"
             "those of a program's processes, shows each process, or all side by side\n"
             "(--columns). With --diff, shows how much more (or, if negative, less) there is\n"
             "in NEW than in OLD.\n\n"
             "  --  its parts follow                ++  it has parts, all below 1%; not shown\n"
             "  ──  not divided further             (N tiny)  N parts of less than 1% each\n"
             "  heap-unclassified   what no reporter measured and no tag names\n"
             "  [2]   two reports in one            [?!]  an impossible amount\n"
             "  [+]   only in NEW                   [-]   only in OLD\n"
             "  [whole: N]   N if shared blocks counted whole, not in parts\n\n",
     .options = &table},
    {0},
};

static bool check_files(const options_t *o) {
  int n_stdin = 0;
  for (int i = 0; i < o->files.n; i++)
    n_stdin += strcmp(o->files.names[i], "-") == 0;
  if (o->columns && (o->diff || o->json))
    return dmdv_error("tree: --columns works neither with --diff nor with --json");
  if (o->diff && o->files.n != 2)
    return dmdv_error("tree: give two files to compare, not %d; see dmdv tree --help", o->files.n);
  if (o->files.n < 1)
    return dmdv_error("tree: give one or more files; see dmdv tree --help");
  if (n_stdin > 1)
    return dmdv_error("tree: only one of the files can be standard input");
  return true;
}

/* ---- Input. ---- */

/* An input file. The process is known for profiles only. */
typedef struct {
  const char *name;
  bool is_profile;
  dmd_mode_t mode;
  char *process;
  dmd_amounts_t amounts;
} source_t;

static const char *shown(const char *file) {
  return strcmp(file, "-") == 0 ? "(standard input)" : file;
}

/* Reports that an entry of a file is wrong. Cuts its path, which may be long. */
static bool say_path(const char *file, const char *path, const char *why) {
  return dmdv_error("%s: \"%.80s%s\" %s", shown(file), path, strlen(path) > 80 ? "..." : "", why);
}

static void add_notes(dmd_amounts_t *amounts, const dmd_profile_t *profile, const char *process,
                      const dmd_coverage_t *coverage, bool verbose) {
  dmd_strbuf_t notes;
  dmd_out_t out;
  dmd_strbuf_init(&notes, &dmdv_env);
  dmd_out_init(&out, dmd_strbuf_write, &notes);
  dmd_tree_print_notes(&out, profile, coverage, verbose);
  dmd_out_flush(&out);
  dmd_amounts_add_note(amounts, process, notes.text);
  dmd_strbuf_destroy(&notes);
}

/* process: overrides the profile's own one; may be NULL. */
static bool take_profile(source_t *source, const dmd_profile_t *profile, const char *process,
                         const options_t *o) {
  dmd_coverage_t coverage;
  source->mode = profile->mode;
  source->process = dmd_process_name(profile);
  const char *why = dmd_amounts_of_profile(&source->amounts, profile,
                                           process != NULL ? process : source->process, &coverage);
  if (!o->diff)
    add_notes(&source->amounts, profile, source->process, &coverage, o->verbose);
  return why == NULL || say_path(source->name, "heap-allocated", why);
}

/* Takes each process of a merged profile separately. */
static bool take_processes(source_t *source, const dmd_profile_t *profile, const options_t *o) {
  size_t n;
  dmd_profile_t *processes = dmd_processes_split(profile, &n);
  bool good = true;
  for (size_t i = 0; i < n && good; i++) {
    dmd_env_free(&dmdv_env, source->process);
    good = take_profile(source, &processes[i], NULL, o);
  }
  dmd_processes_free(processes, n);
  return good;
}

static bool has_moment(const source_t *source, const dmd_profile_t *profile, const options_t *o) {
  if (o->moment == DMD_MOMENT_END || profile->shows_peak)
    return true;
  return source->is_profile
             ? dmdv_error_no_peak(shown(source->name))
             : dmdv_error("tree: %s has memory reports, which have no peak", shown(source->name));
}

/* other: the file to compare with, or NULL. Two profiles of one process each are compared with each
 * other, whatever the processes' names. */
static bool load(source_t *source, const char *name, const source_t *other, const options_t *o) {
  *source = (source_t){.name = name};
  dmd_amounts_init(&source->amounts, &dmdv_env, o->diff);
  dmd_profile_t profile;
  dmd_profile_init(&profile, &dmdv_env);
  dmd_fail_t fail = {0};
  const dmd_load_options_t load = {.moment = (dmd_moment_choice_t)o->moment};
  bool good =
      dmdv_load_either(&profile, &source->amounts, name, &load, &source->is_profile, &fail) ||
      dmdv_error_in(name, &fail);
  good = good && has_moment(source, &profile, o);
  bool is_split = source->is_profile && dmd_intern_count(&profile.processes) > 0 && !o->diff;
  if (good && is_split)
    good = take_processes(source, &profile, o);
  else if (good && source->is_profile)
    good = take_profile(source, &profile, other != NULL ? other->process : NULL, o);
  dmd_profile_destroy(&profile);
  if (good)
    dmd_amounts_complete(&source->amounts);
  return good;
}

static void unload(source_t *source) {
  dmd_env_free(&dmdv_env, source->process);
  dmd_amounts_destroy(&source->amounts);
}

/* ---- Output. ---- */

typedef struct {
  const options_t *options;
  const dmd_amounts_t *amounts;
  const dmd_treecolumns_t *columns; /* NULL: no columns */
} shown_t;

static void print_tree(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  if (shown->options->json) {
    dmd_jsonout_t j;
    dmd_jsonout_init(&j, out);
    dmd_tree_json(&j, shown->amounts, shown->options->verbose);
    return;
  }
  bool is_empty = shown->options->diff && shown->amounts->n_order == 0;
  dmd_tree_print(out, shown->amounts, is_empty ? "no difference\n" : "", shown->options->verbose);
}

static bool write_tree(const options_t *o, dmd_amounts_t *amounts, const char *file_name) {
  const char *path, *why = dmd_amounts_settle(amounts, &path);
  if (why != NULL)
    return say_path(file_name, path, why);
  shown_t shown = {o, amounts, NULL};
  return o->json ? dmdv_output_print_json(o->output, !o->no_pager, DMD_TREE_JSON_LISTS,
                                          o->max_records, print_tree, &shown)
                 : dmdv_output_print(o->output, !o->no_pager, print_tree, &shown);
}

static void print_columns(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  dmd_tree_print_columns(out, shown->amounts, shown->columns, shown->options->verbose);
}

static bool write_columns(const options_t *o, dmd_amounts_t *amounts, const char *file_name) {
  dmd_treecolumns_t columns;
  const char *path, *why = dmd_treecolumns_init(&columns, amounts, o->verbose, &path);
  bool good = why == NULL ? dmdv_output_print(o->output, !o->no_pager, print_columns,
                                              &(shown_t){o, amounts, &columns})
                          : say_path(file_name, path, why);
  dmd_treecolumns_destroy(&columns);
  return good;
}

/* Reads the new file first, since its process is the one that is named. */
static bool show_difference(const options_t *o) {
  source_t old, new;
  const char *path, *why;
  if (!load(&new, o->files.names[1], NULL, o)) {
    unload(&new);
    return false;
  }
  bool good = load(&old, o->files.names[0], &new, o);
  if (good && new.is_profile && old.is_profile)
    good = dmdv_are_of_one_mode(shown(old.name), old.mode, shown(new.name), new.mode,
                                "they cannot be compared");
  if (good && (why = dmd_amounts_subtract(&new.amounts, &old.amounts, &path)) != NULL)
    good = say_path(new.name, path, why);
  good = good && write_tree(o, &new.amounts, new.name);
  unload(&old);
  unload(&new);
  return good;
}

static bool show_all(const options_t *o) {
  dmd_amounts_t all;
  bool good = true;
  dmd_amounts_init(&all, &dmdv_env, false);
  for (int i = 0; i < o->files.n && good; i++) {
    source_t source;
    const char *path, *why;
    good = load(&source, o->files.names[i], NULL, o);
    if (good && (why = dmd_amounts_join(&all, &source.amounts, shown(source.name), &path)) != NULL)
      good = say_path(source.name, path, why);
    unload(&source);
  }
  good = good && (o->columns ? write_columns : write_tree)(o, &all, o->files.names[o->files.n - 1]);
  dmd_amounts_destroy(&all);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_tree_command, &o, argc, argv, &o.files);
  if (status < 0)
    status = check_files(&o) && (o.diff ? show_difference(&o) : show_all(&o)) ? 0 : 2;
  return status;
}

const dmdv_command_t dmdv_tree_command = {
    "tree", "show what reporters measured, as about:memory does", parts, run};
