/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/options.h"

#include "reader/host.h"
#include "reader/usage.h"

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
    "  -h, --help               this text\n";

enum { OPT_FILTER = 256, OPT_MAX_RECORDS, OPT_NO_FIX_STACKS };

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"max-frames", required_argument, NULL, 'f'},
    {"sort-by", required_argument, NULL, 's'},
    {"ignore-alloc-fns", no_argument, NULL, 'a'},
    {"filter", required_argument, NULL, OPT_FILTER},
    {"max-records", required_argument, NULL, OPT_MAX_RECORDS},
    /* Stacks need no fixing here; accepted since scripts pass it. */
    {"no-fix-stacks", no_argument, NULL, OPT_NO_FIX_STACKS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_sort_by(const char *value, dmd_sort_by_t *sort_by) {
  static const char *const names[] = {"usable", "req", "slop", "num-blocks"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(value, names[i]) == 0) {
      *sort_by = i;
      return true;
    }
  }
  return dmdv_usage_error("--sort-by=%s: the value is none of usable, req, slop, num-blocks",
                          value);
}

static bool parse_one(dmdv_options_t *options, int opt, const char *value) {
  switch (opt) {
  case 'o':
    options->output = value;
    return true;
  case 'f':
    return dmdv_parse_count("max-frames", value, &options->max_frames);
  case 's':
    return parse_sort_by(value, &options->sort_by);
  case 'a':
    options->load.ignore_alloc_fns = true;
    return true;
  case OPT_FILTER:
    options->filters[options->n_filters++] = value;
    return true;
  case OPT_MAX_RECORDS:
    options->max_records = 0;
    return strcmp(value, "all") == 0 ||
           dmdv_parse_count("max-records", value, &options->max_records);
  case 'h':
    options->help = true;
    return true;
  default:
    return opt == OPT_NO_FIX_STACKS;
  }
}

bool dmdv_options_parse(dmdv_options_t *options, int argc, char **argv) {
  *options = (dmdv_options_t){.max_frames = 8, .sort_by = DMD_SORT_USABLE};
  options->filters =
      dmd_env_alloc(&dmdv_env, "dmdv.filters", (size_t)argc * sizeof *options->filters);
  opterr = 0;
  optind = 1;
  int opt;
  while ((opt = getopt_long(argc, argv, ":o:f:s:ah", long_options, NULL)) != -1) {
    if (opt == ':')
      return dmdv_usage_error("%s: %s needs a value", argv[0], argv[optind - 1]);
    if (opt == '?')
      return dmdv_unknown_option(argv[0], argv[optind - 1], long_options);
    if (!parse_one(options, opt, optarg))
      return false;
  }
  options->files = argv + optind;
  options->n_files = argc - optind;
  return true;
}

void dmdv_options_destroy(dmdv_options_t *options) {
  dmd_env_free(&dmdv_env, options->filters);
}
