/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/options.h"

#include "base/limits.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "text/text.h"

/* filters has room for as many as there are arguments. */
static bool take_filter(void *target, const char *value, dmd_strbuf_t *why) {
  dmdv_options_t *options = target;
  (void)why;
  options->filters[options->n_filters++] = value;
  return true;
}

bool dmdv_add_alloc_fn(dmd_frame_view_t *view, const char **alloc_fns, const char *value,
                       dmd_strbuf_t *why) {
  if (value[0] == '\0') {
    dmd_strbuf_str(why, "the pattern is empty");
    return false;
  }
  view->alloc_fns = alloc_fns;
  alloc_fns[view->n_alloc_fns++] = value;
  return true;
}

static bool take_alloc_fn(void *target, const char *value, dmd_strbuf_t *why) {
  dmdv_options_t *options = target;
  return dmdv_add_alloc_fn(&options->load.frame_view, options->alloc_fns, value, why);
}

#define AT(field) DMD_OPTION_AT(dmdv_options_t, field)

/* The words of sections are those of dmd_section_t that a user may ask for, and one more. */
enum { SECTION_MISREPORTED = 1 << (DMD_SECTION_ONCE + 1) };

static const dmd_option_t record_options[] = {
    {"output", "FILE", NULL, "write there instead of to standard output", DMD_OPTION_TEXT,
     AT(output), .letter = 'o', .is_file = true},
    {"max-frames", "N", DMD_FRAMES_SHOWN, "frames that tell stacks apart, and that are shown",
     DMD_OPTION_NUMBER, AT(view.max_frames), .letter = 'f', .least = 1, .most = DMD_MAX_SHOWN},
    {"sort-by", "usable|req|slop|num-blocks", "usable", "order of the records, largest first",
     DMD_OPTION_WORD, AT(view.sort_by), .letter = 's'},
    {"ignore-alloc-fns", NULL, NULL, "leave out allocation functions at the start of stacks",
     DMD_OPTION_SWITCH, AT(load.ignore_alloc_fns), .letter = 'a'},
    {"alloc-fn", "PATTERN", NULL,
     "a function that matches only allocates for its callers; may be given several times",
     DMD_OPTION_OWN, .take = take_alloc_fn},
    {"full-names", NULL, NULL, "names of functions as they are, however long", DMD_OPTION_SWITCH,
     AT(load.frame_view.full_names)},
    {"filter", "TEXT", NULL,
     "only records whose allocation stack contains TEXT; !TEXT: those that do not; a leading \\ "
     "protects TEXT; several filters must all match",
     DMD_OPTION_OWN, .take = take_filter},
    {"max-records", "N|all", "10", "records shown in each section", DMD_OPTION_NUMBER_OR_ALL,
     AT(view.max_records), .least = 1, .most = DMD_MAX_SHOWN},
    {"section", "twice|unreported|once|misreported", NULL,
     "only this section; may be given several times", DMD_OPTION_WORD_BIT, AT(view.sections)},
    {"by", "record|reporter|tag|thread|function|library|file", "record",
     "add up by this; function is the one that allocated", DMD_OPTION_WORD, AT(view.by)},
    {"json", NULL, NULL, "the result as JSON, all of it", DMD_OPTION_SWITCH, AT(json)},
    {"no-pager", NULL, NULL, "on a terminal too, print at once", DMD_OPTION_SWITCH, AT(no_pager)},
};
const dmd_option_table_t dmdv_record_options = {record_options,
                                                sizeof record_options / sizeof *record_options};

/* Scripts pass these to Mozilla's script. Stacks need no fixing here. */
static const dmd_option_t accepted_options[] = {
    {"filter-stacks-for-testing", NULL, NULL, "", DMD_OPTION_SWITCH, AT(for_testing)},
    {"no-fix-stacks", NULL, NULL, "", DMD_OPTION_SWITCH, AT(ignored)},
};
const dmd_option_table_t dmdv_accepted_options = {accepted_options, sizeof accepted_options /
                                                                        sizeof *accepted_options};

static const dmd_option_t print_options[] = {
    {"owners", "no|yes", "yes",
     "say who owns unreported blocks, where a heap graph lies beside the profile", DMD_OPTION_WORD,
     AT(owners)},
    {"clamp-contents", NULL, NULL,
     "of a scan: write the profile again, its blocks' words clamped to the starts of blocks, and "
     "to "
     "0 where they are in none; gzipped if --output ends in .gz",
     DMD_OPTION_SWITCH, AT(clamp)},
    {"print-clamp-stats", NULL, NULL, "say how many words were clamped to what", DMD_OPTION_SWITCH,
     AT(clamp_stats)},
};
const dmd_option_table_t dmdv_print_options = {print_options,
                                               sizeof print_options / sizeof *print_options};

int dmdv_options_read(dmdv_options_t *options, const dmdv_command_t *command, int argc,
                      char **argv) {
  *options = (dmdv_options_t){0};
  options->filters =
      dmd_env_alloc(&dmdv_env, "dmdv.filters", (size_t)argc * sizeof *options->filters);
  options->alloc_fns =
      dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *options->alloc_fns);
  int status = dmdv_read_command_line(command, options, argc, argv, &options->files);
  if (options->view.sections & SECTION_MISREPORTED)
    options->view.sections ^= SECTION_MISREPORTED | DMD_TEXT_FAULTS;
  /* What is to be compared with Mozilla's output has names as they are. */
  options->load.frame_view.full_names |= options->for_testing;
  return status;
}

void dmdv_options_destroy(dmdv_options_t *options) {
  dmd_env_free(&dmdv_env, options->alloc_fns);
  dmd_env_free(&dmdv_env, options->filters);
}
