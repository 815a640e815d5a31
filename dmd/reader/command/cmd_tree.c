/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv tree: what the reporters measured, as about:memory shows it.
 *
 * Either file is a profile or memory reports of about:memory's; both become memory reports, and
 * from there on nothing knows which it was, but for the notes on profiles.
 */
#include "analysis/profile_amounts.h"
#include "base/strbuf.h"
#include "reader/command/commands.h"
#include "reader/command/show.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"
#include "reader/host/pager.h"
#include "reader/input/load.h"
#include "text/text_tree.h"

#include <string.h>

typedef struct {
  const char *output; /* NULL: standard output */
  bool verbose;
  bool no_pager;
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    {"verbose", NULL, NULL, "everything, however small, and amounts in bytes", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, verbose), .letter = 'v'},
    {"output", "FILE", NULL, "write there instead of to standard output", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, output), .letter = 'o', .is_file = true},
    {"no-pager", NULL, NULL, "on a terminal too, print at once", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, no_pager)},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv tree [OPTION...] FILE [OLD]\n"
             "\n"
             "Shows what the reporters of a program measured as a tree, in the notation of\n"
             "Firefox's about:memory. FILE is a profile of dmd's, or a file that about:memory\n"
             "saved, gzipped or not; - is standard input. With OLD, shows how much more (or, if\n"
             "negative, less) there is in FILE than in OLD.\n"
             "\n"
             "  --  its parts follow                ++  it has parts, all below 1%; not shown\n"
             "  ──  not divided further             (N tiny)  N parts of less than 1% each\n"
             "  heap-unclassified   what no reporter measured and no tag names\n"
             "  [2]   two reports in one            [?!]  an impossible amount\n"
             "  [+]   only in FILE                  [-]   only in OLD\n"
             "  [whole: N]   N if shared blocks counted whole, not in parts\n"
             "\n",
     .options = &table},
    {0},
};

static bool check_files(const dmdv_files_t *files) {
  if (files->n < 1 || files->n > 2)
    return dmdv_error("tree: give one file, or two to compare, not %d; see dmdv tree --help",
                      files->n);
  if (files->n == 2 && strcmp(files->names[0], "-") == 0 && strcmp(files->names[1], "-") == 0)
    return dmdv_error("tree: only one of the two files can be standard input");
  return true;
}

/* ---- What comes in. ---- */

/* One file. Process and notes are known for profiles only. */
typedef struct {
  const char *name;
  bool is_profile;
  dmd_mode_t mode;
  char *process;
  dmd_strbuf_t notes;
  dmd_amounts_t amounts;
} source_t;

static const char *shown(const char *file) {
  return strcmp(file, "-") == 0 ? "(standard input)" : file;
}

/* Says that a report of a file is wrong; its path may be long. */
static bool say_path(const char *file, const char *path, const char *why) {
  return dmdv_error("%s: \"%.80s%s\" %s", shown(file), path, strlen(path) > 80 ? "..." : "", why);
}

/* The process is given where the profile's own is not to be used. */
static bool take_profile(source_t *source, const dmd_profile_t *profile, const char *process,
                         bool verbose) {
  dmd_coverage_t coverage;
  source->mode = profile->mode;
  source->process = dmd_process_name(profile);
  const char *why = dmd_amounts_of_profile(&source->amounts, profile,
                                           process != NULL ? process : source->process, &coverage);
  dmd_out_t out;
  dmd_out_init(&out, dmd_strbuf_write, &source->notes);
  dmd_tree_print_notes(&out, profile, &coverage, verbose);
  dmd_out_flush(&out);
  return why == NULL || say_path(source->name, "heap-allocated", why);
}

static bool load(source_t *source, const char *name, const source_t *newer, const options_t *o) {
  *source = (source_t){.name = name};
  dmd_amounts_init(&source->amounts, &dmdv_env, o->files.n == 2);
  dmd_strbuf_init(&source->notes, &dmdv_env);
  dmd_profile_t profile;
  dmd_profile_init(&profile, &dmdv_env);
  dmdv_fail_t fail = {0};
  bool good = dmdv_load_either(&profile, &source->amounts, name, &source->is_profile, &fail) ||
              dmdv_error_in(name, &fail);
  /* Two profiles are of one process each: these are compared, whatever they are called. */
  if (good && source->is_profile)
    good = take_profile(source, &profile, newer != NULL ? newer->process : NULL, o->verbose);
  dmd_profile_destroy(&profile);
  if (good)
    dmd_amounts_complete(&source->amounts);
  return good;
}

static void unload(source_t *source) {
  dmd_env_free(&dmdv_env, source->process);
  dmd_strbuf_destroy(&source->notes);
  dmd_amounts_destroy(&source->amounts);
}

/* ---- What goes out. ---- */

static bool write_tree(const options_t *o, const source_t *source, const source_t *old) {
  const char *notes = old == NULL                    ? source->notes.text
                      : source->amounts.n_order == 0 ? "no difference\n"
                                                     : "";
  dmdv_pager_begin(o->output == NULL && !o->no_pager);
  dmdv_outfile_t *file = dmdv_outfile_open(o->output, false);
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  dmd_tree_print(&out, &source->amounts, notes, o->verbose);
  dmd_out_flush(&out);
  return dmdv_outfile_close(file, true);
}

static bool show(const options_t *o, source_t *source, const source_t *old) {
  const char *path, *why;
  if (old != NULL) {
    if (source->is_profile && old->is_profile &&
        !dmdv_are_of_one_mode(shown(old->name), old->mode, shown(source->name), source->mode,
                              "they cannot be compared"))
      return false;
    why = dmd_amounts_subtract(&source->amounts, &old->amounts, &path);
    if (why != NULL)
      return say_path(source->name, path, why);
  }
  why = dmd_amounts_settle(&source->amounts, &path);
  if (why != NULL)
    return say_path(source->name, path, why);
  return write_tree(o, source, old);
}

static int tree(const options_t *o) {
  source_t source, old;
  bool good = load(&source, o->files.names[0], NULL, o);
  if (good && o->files.n == 2) {
    good = load(&old, o->files.names[1], &source, o) && show(o, &source, &old);
    unload(&old);
  } else if (good) {
    good = show(o, &source, NULL);
  }
  unload(&source);
  return good ? 0 : 2;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_tree_command, &o, argc, argv, &o.files);
  if (status < 0)
    status = check_files(&o.files) ? tree(&o) : 2;
  return status;
}

const dmdv_command_t dmdv_tree_command = {
    "tree", "show what reporters measured, as about:memory does", parts, run};
