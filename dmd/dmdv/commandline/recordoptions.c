/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/recordoptions.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "analyse/limits/ignore.h"
#include "base/fail.h"
#include "base/limits.h"
#include "debuginfo/names.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/input/input.h"
#include "host/process.h"
#include "show/text/text.h"

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

/* The sections that a user can choose: those of dmd_section_t, and one more. */
enum { SECTION_MISREPORTED = 1 << (DMD_SECTION_ONCE + 1) };

static const dmd_option_t record_options[] = {
    DMDV_OUTPUT_OPTION(dmdv_options_t, output, NULL, DMDV_TO_FILE),
    DMDV_MAX_FRAMES_OPTION(dmdv_options_t, view.max_frames, DMDV_FRAMES_COMPARED),
    {"sort-by", "usable|req|slop|num-blocks|peak|allocated|temporary|lifetime", "usable",
     "order of the records, largest first; the last four, for print only: what each stack "
     "allocated in the whole run instead, by the most bytes that it had live at once, all bytes, "
     "temporary blocks or mean lifetime; the program ran with --lifetimes=yes",
     DMD_OPTION_WORD, AT(sort_by), .letter = 's'},
    DMDV_IGNORE_ALLOC_FNS_OPTION(dmdv_options_t, load.ignore_alloc_fns),
    DMDV_ALLOC_FN_OPTION(take_alloc_fn),
    DMDV_FULL_NAMES_OPTION(dmdv_options_t, load.frame_view),
    {"filter", "TEXT", NULL,
     "only records whose allocation stack contains TEXT; !TEXT: those that do not; a leading \\ "
     "protects TEXT; several filters must all match",
     DMD_OPTION_OWN, .take = take_filter},
    {"never-measured", NULL, NULL,
     "only records of stacks of which no reporter covered a block, at this dump or an earlier one "
     "of the process",
     DMD_OPTION_SWITCH, AT(never_measured)},
    DMDV_MAX_RECORDS_OPTION(dmdv_options_t, view.max_records, "records shown in each section"),
    {"section", "twice|unreported|once|misreported", NULL,
     "only this section; may be given several times", DMD_OPTION_WORD_BIT, AT(view.sections)},
    {"moment", "auto|end|peak|recent-peak", "auto",
     "the records of the dump, those of the largest heap before it, or those of the largest heap "
     "between the previous dump of the process and this one; auto: of the peak if the "
     "program ended with at most half as much memory, and no reporter ran; with --json and --by: "
     "of the dump",
     DMD_OPTION_WORD, AT(moment)},
    {"by", "record|reporter|tag|thread|function|library|file|line", "record",
     "add up by this key; function and line are those that allocated", DMD_OPTION_WORD,
     AT(view.by)},
    DMDV_JSON_OPTION(dmdv_options_t, json, "print the whole result as JSON"),
    DMDV_NO_PAGER_OPTION(dmdv_options_t, no_pager),
};
const dmd_option_table_t dmdv_record_options = {record_options,
                                                sizeof record_options / sizeof *record_options};

/* Scripts pass these options to Mozilla's script. dmd's stacks need no fixing. */
static const dmd_option_t accepted_options[] = {
    {"filter-stacks-for-testing", NULL, NULL, "", DMD_OPTION_SWITCH, AT(for_testing)},
    {"no-fix-stacks", NULL, NULL, "", DMD_OPTION_SWITCH, AT(ignored)},
};
const dmd_option_table_t dmdv_accepted_options = {accepted_options, sizeof accepted_options /
                                                                        sizeof *accepted_options};

static const dmd_option_t print_options[] = {
    {"owners", "no|auto|yes", "auto",
     "show the owners of unreported blocks, if the profile has a heap graph; auto: unless "
     "it is large",
     DMD_OPTION_WORD, AT(owners)},
    {"clamp-contents", NULL, NULL,
     "write a scan again with the words of its blocks clamped: to the start of the block that they "
     "point into, or to 0; gzipped if --output ends in .gz",
     DMD_OPTION_SWITCH, AT(clamp)},
    {"print-clamp-stats", NULL, NULL, "print how many words were clamped to what",
     DMD_OPTION_SWITCH, AT(clamp_stats)},
};
const dmd_option_table_t dmdv_print_options = {print_options,
                                               sizeof print_options / sizeof *print_options};

const dmd_moment_choice_t dmdv_moments[] = {DMD_MOMENT_AUTO, DMD_MOMENT_END, DMD_MOMENT_PEAK,
                                            DMD_MOMENT_RECENT};

int dmdv_options_read(dmdv_options_t *options, const dmdv_command_t *command, int argc,
                      char **argv) {
  *options = (dmdv_options_t){0};
  options->filters =
      dmd_env_alloc(&dmdv_env, "dmdv.filters", (size_t)argc * sizeof *options->filters);
  options->alloc_fns =
      dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *options->alloc_fns);
  options->view.max_records = DMDV_NOT_GIVEN;
  int status = dmdv_read_command_line(command, options, argc, argv, &options->files);
  options->view.max_records = dmdv_max_records(options->view.max_records, options->json);
  if (options->view.sections & SECTION_MISREPORTED)
    options->view.sections ^= SECTION_MISREPORTED | DMD_TEXT_FAULTS;
  /* Output for a comparison with Mozilla's has full names. */
  options->load.frame_view.full_names |= options->for_testing;
  options->load.moment = dmdv_moments[options->moment];
  options->shows_lifetimes = options->sort_by > DMD_SORT_NUM_BLOCKS;
  if (!options->shows_lifetimes)
    options->view.sort_by = (dmd_sort_by_t)options->sort_by;
  /* Programs that read the result expect what they got so far. */
  if (options->moment == 0 &&
      (options->json || options->view.by != DMD_BY_RECORD || options->for_testing))
    options->load.moment = DMD_MOMENT_END;
  return status;
}

void dmdv_options_destroy(dmdv_options_t *options) {
  dmd_env_free(&dmdv_env, options->alloc_fns);
  dmd_env_free(&dmdv_env, options->filters);
}

/* ---- The namer. ---- */

static dmdv_names_t *g_names; /* NULL: not needed so far */

const dmd_namer_t *dmdv_namer(void) {
  if (g_names == NULL)
    g_names = dmdv_names_new(false);
  return dmdv_names_namer(g_names);
}

const dmd_namer_t *dmdv_namer_with(const char *debug_dir) {
  const dmd_namer_t *namer = dmdv_namer();
  if (debug_dir != NULL)
    dmdv_names_search_debug(g_names, debug_dir);
  return namer;
}

void dmdv_naming_end(bool did_work) {
  if (g_names == NULL)
    return;
  if (did_work)
    dmdv_names_tell(g_names);
  dmdv_names_free(g_names);
  g_names = NULL;
}

/* ---- The file of --ignore. ---- */

/* Parses the file of patterns with this name (analyse/limits/ignore.h). False, with *fail filled in
 * and no patterns, if that fails. Destroy it either way. */
static bool ignorefile_read(dmd_ignore_t *ignore, const char *name, dmd_fail_t *fail) {
  *ignore = (dmd_ignore_t){0};
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  char *text = dmd_env_alloc(&dmdv_env, "dmdv.ignorefile", DMD_MAX_IGNORE_FILE);
  size_t n = 0, more = 0;
  const char *bytes;
  bool good;
  while ((good = dmdv_input_next(input, &bytes, &more, fail)) && more > 0) {
    if (more > DMD_MAX_IGNORE_FILE - n) {
      good = dmd_fail(fail, "the file is longer than %d bytes", DMD_MAX_IGNORE_FILE);
      break;
    }
    memcpy(text + n, bytes, more);
    n += more;
  }
  if (good) {
    uint64_t line;
    const char *why = dmd_ignore_parse(ignore, &dmdv_env, text, n, &line);
    good = why == NULL || dmd_fail(fail, "%s", why);
    if (!good)
      fail->line = line;
  }
  dmd_env_free(&dmdv_env, text);
  dmdv_input_close(input);
  return good;
}

bool dmdv_ignore_read(dmd_ignore_t *ignore, const char *name) {
  dmd_fail_t fail = {0};
  *ignore = (dmd_ignore_t){0};
  if (name == NULL || ignorefile_read(ignore, name, &fail))
    return true;
  if (fail.line > 0)
    dmdv_error("%s:%" PRIu64 ": %s", name, fail.line, fail.reason);
  else
    dmdv_error("%s: %s", name, fail.reason);
  return false;
}

void dmdv_ignore_warn(const dmd_ignore_t *ignore, const char *name) {
  for (size_t i = 0; i < ignore->n; i++)
    if (!ignore->patterns[i].used)
      dmdv_error("%s:%" PRIu64 ": warning: the pattern ignores nothing", name,
                 ignore->patterns[i].line);
}
