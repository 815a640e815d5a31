/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/options.h"

#include "reader/host.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
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

bool dmdv_usage_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("dmdv: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return false;
}

/* How many letters must be put in, left out or changed to make b of a (Levenshtein); words are
 * shorter than 32 letters. */
static unsigned distance(const char *a, const char *b) {
  enum { MAX = 32 };
  unsigned row[MAX + 1];
  size_t n = strlen(b);
  if (n > MAX || strlen(a) > MAX)
    return MAX;
  for (size_t j = 0; j <= n; j++)
    row[j] = (unsigned)j;
  for (size_t i = 0; a[i] != '\0'; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i + 1;
    for (size_t j = 0; j < n; j++) {
      unsigned change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      unsigned least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
      row[j + 1] = change < least ? change : least;
    }
  }
  return row[n];
}

const char *dmdv_nearest(const char *word, const char *const *words, int n) {
  const char *nearest = NULL;
  unsigned least = 4;
  for (int i = 0; i < n; i++) {
    unsigned d = distance(word, words[i]);
    if (d < least && d < strlen(words[i])) {
      least = d;
      nearest = words[i];
    }
  }
  return nearest;
}

static bool unknown_option(const char *command, const char *arg) {
  enum { N = sizeof long_options / sizeof long_options[0] - 1 };
  const char *names[N];
  for (int i = 0; i < N; i++)
    names[i] = long_options[i].name;
  char word[64] = "";
  if (strncmp(arg, "--", 2) == 0) {
    size_t n = strcspn(arg + 2, "=");
    memcpy(word, arg + 2, n < sizeof word - 1 ? n : sizeof word - 1);
  }
  const char *nearest = dmdv_nearest(word, names, N);
  if (nearest != NULL)
    return dmdv_usage_error("%s: there is no option %s; did you mean --%s?", command, arg, nearest);
  return dmdv_usage_error("%s: there is no option %s; see dmdv %s --help", command, arg, command);
}

static bool parse_count(const char *what, const char *value, uint32_t *count) {
  char *end;
  unsigned long n = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || n < 1 || n > 1000000000)
    return dmdv_usage_error("--%s=%s: the value is not a number from 1 to 1000000000", what, value);
  *count = (uint32_t)n;
  return true;
}

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
    return parse_count("max-frames", value, &options->max_frames);
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
    return strcmp(value, "all") == 0 || parse_count("max-records", value, &options->max_records);
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
      return unknown_option(argv[0], argv[optind - 1]);
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
