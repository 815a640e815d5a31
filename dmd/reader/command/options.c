/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/options.h"
#include "reader/host/message.h"

#include "reader/command/usage.h"
#include "reader/host/host.h"
#include "text/text.h"

#include <getopt.h>
#include <string.h>

const char dmdv_options_help[] =
    "  -o, --output=FILE        write there instead of to standard output\n"
    "  -f, --max-frames=N       frames that tell stacks apart, and that are shown [8]\n"
    "  -s, --sort-by=KEY        usable, req, slop or num-blocks [usable]\n"
    "  -a, --ignore-alloc-fns   leave out allocation functions at the start of stacks\n"
    "      --filter=TEXT        only records whose allocation stack contains TEXT;\n"
    "                           !TEXT: those that do not; a leading \\ protects TEXT;\n"
    "                           several filters must all match\n"
    "      --max-records=N      records shown in each section, or all [all]\n"
    "      --section=NAME       only this section: unreported, once, twice or\n"
    "                           misreported; may be given several times\n"
    "      --by=WHAT            add up by reporter, tag, thread, function (the one\n"
    "                           that allocated) or library; record is the default\n"
    "      --json               the result as JSON\n"
    "  -h, --help               this text\n";

enum {
  OPT_FILTER = 256,
  OPT_MAX_RECORDS,
  OPT_SECTION,
  OPT_BY,
  OPT_JSON,
  OPT_CAUSAL,
  OPT_FOR_TESTING,
  OPT_CLAMP_CONTENTS,
  OPT_NO_FIX_STACKS
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"max-frames", required_argument, NULL, 'f'},
    {"sort-by", required_argument, NULL, 's'},
    {"ignore-alloc-fns", no_argument, NULL, 'a'},
    {"filter", required_argument, NULL, OPT_FILTER},
    {"max-records", required_argument, NULL, OPT_MAX_RECORDS},
    {"section", required_argument, NULL, OPT_SECTION},
    {"by", required_argument, NULL, OPT_BY},
    {"json", no_argument, NULL, OPT_JSON},
    {"causal", no_argument, NULL, OPT_CAUSAL},
    {"filter-stacks-for-testing", no_argument, NULL, OPT_FOR_TESTING},
    /* Accepted since scripts pass them to Mozilla's script: the contents of a scan's blocks are not
     * printed, so that there is nothing to clamp, and stacks need no fixing here. */
    {"clamp-contents", no_argument, NULL, OPT_CLAMP_CONTENTS},
    {"no-fix-stacks", no_argument, NULL, OPT_NO_FIX_STACKS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The index of value among the n words; -1, with one line on stderr, when it is none of them. */
static int parse_word(const char *option, const char *value, const char *const *words, int n) {
  char all[128] = "";
  for (int i = 0; i < n; i++) {
    if (strcmp(value, words[i]) == 0)
      return i;
    strcat(all, i == 0 ? "" : ", ");
    strcat(all, words[i]);
  }
  dmdv_error("--%s=%s: the value is none of %s", option, value, all);
  return -1;
}

static bool parse_sort_by(const char *value, dmd_sort_by_t *sort_by) {
  static const char *const words[] = {"usable", "req", "slop", "num-blocks"};
  int i = parse_word("sort-by", value, words, 4);
  if (i >= 0)
    *sort_by = i;
  return i >= 0;
}

static bool parse_by(const char *value, dmd_by_t *by) {
  static const char *const words[] = {"record", "reporter", "tag", "thread", "function", "library"};
  int i = parse_word("by", value, words, 6);
  if (i >= 0)
    *by = i;
  return i >= 0;
}

static bool parse_section(const char *value, unsigned *sections) {
  static const char *const words[] = {"twice", "unreported", "once", "misreported"};
  static const unsigned bits[] = {1 << DMD_SECTION_TWICE, 1 << DMD_SECTION_UNREPORTED,
                                  1 << DMD_SECTION_ONCE, DMD_TEXT_FAULTS};
  int i = parse_word("section", value, words, 4);
  if (i >= 0)
    *sections |= bits[i];
  return i >= 0;
}

static bool parse_one(dmdv_options_t *options, int opt, const char *value) {
  switch (opt) {
  case 'o':
    options->output = value;
    return true;
  case 'f':
    return dmdv_parse_count("max-frames", value, &options->view.max_frames);
  case 's':
    return parse_sort_by(value, &options->view.sort_by);
  case 'a':
    options->load.ignore_alloc_fns = true;
    return true;
  case OPT_SECTION:
    return parse_section(value, &options->view.sections);
  case OPT_BY:
    return parse_by(value, &options->view.by);
  case OPT_JSON:
    options->json = true;
    return true;
  case OPT_CAUSAL:
    options->causal = true;
    return true;
  case OPT_FOR_TESTING:
    options->for_testing = true;
    return true;
  case OPT_FILTER:
    options->filters[options->n_filters++] = value;
    return true;
  case OPT_MAX_RECORDS:
    options->view.max_records = 0;
    return strcmp(value, "all") == 0 ||
           dmdv_parse_count("max-records", value, &options->view.max_records);
  case 'h':
    options->help = true;
    return true;
  default:
    return opt == OPT_NO_FIX_STACKS || opt == OPT_CLAMP_CONTENTS;
  }
}

bool dmdv_options_parse(dmdv_options_t *options, int argc, char **argv) {
  *options = (dmdv_options_t){.view = {.max_frames = 8, .sort_by = DMD_SORT_USABLE}};
  options->filters =
      dmd_env_alloc(&dmdv_env, "dmdv.filters", (size_t)argc * sizeof *options->filters);
  optind = 1;
  int opt;
  while ((opt = dmdv_next_option(argc, argv, ":o:f:s:ah", long_options)) != -1) {
    if (opt == '?')
      return false;
    if (!parse_one(options, opt, optarg))
      return false;
  }
  if (options->json && options->view.by != DMD_BY_RECORD)
    return dmdv_error("%s: --json does not go with --by", argv[0]);
  options->files = argv + optind;
  options->n_files = argc - optind;
  return true;
}

void dmdv_options_destroy(dmdv_options_t *options) {
  dmd_env_free(&dmdv_env, options->filters);
}
