/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv diff: shows what changed between two profiles, as records of the difference; between two
 * heap graphs, as a census of the difference.
 */
#include "analyse/transform/merge.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/graphcommand.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/print.h"
#include "show/text/text_rows.h"

#include <string.h>

static const dmd_option_t diff_options[] = {
    {"causal", NULL, NULL,
     "show instead which allocation stacks are new, gone, grown or shrunk, or have changed their "
     "report state; stacks that differ only in line numbers are the same",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(dmdv_options_t, causal)},
};
static const dmd_option_table_t diff_table = {diff_options,
                                              sizeof diff_options / sizeof *diff_options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv diff [OPTION...] OLD NEW\n\n"
             "Prints what changed from the profile OLD to the profile NEW, as records: sizes\n"
             "of blocks that are gone are negative, and the largest changes come first. For\n"
             "two heap graphs, prints what changed by type and by what points to it.\n\n",
     .options = &diff_table},
    {.options = &dmdv_record_options},
    {.options = &dmdv_accepted_options, .role = DMDV_OPTIONS_SILENT},
    {.options = &dmdv_print_options, .role = DMDV_OPTIONS_SILENT},
    {0},
};

typedef struct {
  const dmd_profile_t *old, *new;
  const dmdv_options_t *options;
} compared_t;

static void print_changes(void *ctx, dmd_out_t *out) {
  const compared_t *c = ctx;
  dmd_changes_t changes;
  dmd_changes_init(&changes, c->old, c->new, c->options->view.max_frames);
  dmd_print_run(out, " 1", c->old);
  dmd_print_run(out, " 2", c->new);
  dmd_changes_print(out, &changes, c->options->view.max_records);
  dmd_changes_destroy(&changes);
}

static bool diff_profiles(dmd_profile_t *old, dmd_profile_t *new, const dmdv_options_t *options,
                          int argc, char **argv) {
  if (!dmdv_are_of_one_mode(options->files.names[0], old->mode, options->files.names[1], new->mode,
                            "they cannot be compared") ||
      !dmdv_are_sampled_alike(options->files.names[0], old, options->files.names[1], new,
                              "they cannot be compared"))
    return false;
  if (options->causal)
    return dmdv_output_print(options->output, !options->no_pager, print_changes,
                             &(compared_t){old, new, options});
  dmd_profile_t difference;
  dmd_profile_init(&difference, &dmdv_env);
  difference.mode = new->mode;
  difference.shows_peak = new->shows_peak;
  difference.options = dmd_profile_keep(&difference, new->options);
  dmd_difference(&difference, old, new);
  const dmd_profile_t *const compared[2] = {old, new};
  bool good = dmdv_show(&difference, compared, NULL, options, argc, argv);
  dmd_profile_destroy(&difference);
  return good;
}

/* Compares two heap graphs by type, and within each type by the referrer of its blocks. */
static bool diff_graphs(const dmdv_options_t *options) {
  static const dmd_census_by_t by = {.keys = {DMD_KEY_TYPE, DMD_KEY_REFERRER}, .n = 2};
  if (options->causal || options->view.by != DMD_BY_RECORD || options->view.sections != 0 ||
      options->view.sort_by != DMD_SORT_USABLE || options->load.ignore_alloc_fns)
    return dmdv_error("diff: --causal, --by, --section, --sort-by and --ignore-alloc-fns do not "
                      "work with heap graphs; see dmdv census --help");
  dmdv_graph_options_t graph = {
      .output = options->output,
      .max_rows = options->view.max_records,
      .lists = "rows",
      .max_frames = options->view.max_frames,
      .json = options->json,
      .no_pager = options->no_pager,
      .typed = {.with_types = true, .frame_view = options->load.frame_view},
      .files = options->files};
  graph.filters = dmd_env_alloc(&dmdv_env, "dmdv.filters",
                                ((size_t)options->n_filters + 1) * sizeof *graph.filters);
  while ((int)graph.n_filters < options->n_filters) {
    dmd_nodefilter_init(&graph.filters[graph.n_filters], &dmdv_env,
                        options->filters[graph.n_filters]);
    graph.n_filters++;
  }
  bool good = dmdv_graph_census(&graph, &by);
  dmdv_graph_options_destroy(&graph);
  return good;
}

/* Two peaks or two dumps. */
static void choose_moment(dmd_profile_t *old, dmd_profile_t *new, dmd_moment_choice_t moment) {
  if (moment == DMD_MOMENT_AUTO)
    moment = dmd_peak_matters(old) && dmd_peak_matters(new) ? DMD_MOMENT_PEAK : DMD_MOMENT_END;
  dmd_moment_choose(old, moment);
  dmd_moment_choose(new, moment);
}

static bool have_moment(const dmd_profile_t *old, const dmd_profile_t *new,
                        const dmdv_options_t *options) {
  if (!dmd_moment_is_a_peak(options->load.moment) || (old->has_peak && new->has_peak))
    return true;
  return dmdv_error_no_peak(options->files.names[old->has_peak ? 1 : 0]);
}

static int diff_files(const dmdv_options_t *options, int argc, char **argv) {
  if (options->files.n != 2) {
    dmdv_error("diff: give two files, not %d; see dmdv diff --help", options->files.n);
    return 2;
  }
  if (strcmp(options->files.names[0], "-") == 0 && strcmp(options->files.names[1], "-") == 0) {
    dmdv_error("diff: only one of the files can be standard input");
    return 2;
  }
  if (dmdv_is_graph_file(options->files.names[0]) || dmdv_is_graph_file(options->files.names[1]))
    return diff_graphs(options) ? 0 : 2;
  bool with_records = options->json || options->view.by != DMD_BY_RECORD ||
                      options->view.sections != 0 || options->n_filters > 0;
  if (options->causal && with_records) {
    dmdv_error("diff: --causal does not work with --json, --by, --section or --filter");
    return 2;
  }
  if (options->shows_lifetimes) {
    dmdv_error("diff: --sort-by=usable, req, slop or num-blocks");
    return 2;
  }
  dmd_profile_t old, new;
  dmd_load_options_t load = options->load;
  load.moment = DMD_MOMENT_ALL;
  if (!dmdv_load_or_say(&old, options->files.names[0], &load))
    return 2;
  bool good = dmdv_load_or_say(&new, options->files.names[1], &load);
  if (good) {
    good = have_moment(&old, &new, options);
    choose_moment(&old, &new, options->load.moment);
    good = good && diff_profiles(&old, &new, options, argc, argv);
    dmd_profile_destroy(&new);
  }
  dmd_profile_destroy(&old);
  return good ? 0 : 2;
}

static int run(int argc, char **argv) {
  dmdv_options_t options;
  int status = dmdv_options_read(&options, &dmdv_diff_command, argc, argv);
  if (status < 0)
    status = diff_files(&options, argc, argv);
  dmdv_options_destroy(&options);
  return status;
}

const dmdv_command_t dmdv_diff_command = {"diff", "print what changed between two profiles", parts,
                                          run};
