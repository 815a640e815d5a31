/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv export: a profile in the format of another program.
 */
#include "reader/command/commands.h"
#include "reader/command/show.h"
#include "reader/command/usage.h"
#include "reader/export/export.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"

#include "dmd-config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool export_collapsed_all(dmd_profile_t *profile, dmd_out_t *out) {
  return dmdv_export_collapsed(profile, out, DMD_SECTION_ALL);
}

#ifndef DMD_HAVE_PPROF
static bool dmdv_without_pprof(dmd_profile_t *profile, dmd_out_t *out) {
  (void)profile, (void)out;
  return dmdv_error("export: this dmdv was built without protobuf-c, which pprof needs");
}
#define dmdv_export_pprof dmdv_without_pprof
#endif

typedef struct {
  const char *name;
  bool (*write)(dmd_profile_t *profile, dmd_out_t *out);
  bool gzip; /* always, whatever the file is called */
  const char *what;
} format_t;

static const format_t formats[] = {
    {"pprof", dmdv_export_pprof, true, "Google's pprof: go tool pprof FILE"},
    {"collapsed", export_collapsed_all, false, "flame graphs: flamegraph.pl FILE"},
    {"speedscope", dmdv_export_speedscope, false, "speedscope.app: speedscope FILE"},
    {"dhat", dmdv_export_dhat, false, "Valgrind's dh_view.html, the Firefox Profiler"},
    {"about-memory", dmdv_export_about_memory, false, "Firefox's about:memory, its Load button"},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

typedef struct {
  const format_t *format;
  dmd_section_t section; /* DMD_N_SECTIONS: not given */
  const char *output;    /* NULL: standard output */
  dmdv_load_options_t load;
  bool help;
} options_t;

static void print_help(void) {
  printf("usage: dmdv export --format=FORMAT [OPTION...] FILE\n"
         "\n"
         "Writes a profile in the format of another program. FILE is what dmd or Firefox's\n"
         "DMD wrote, gzipped or not; - is standard input.\n"
         "\n"
         "formats:\n");
  for (int i = 0; i < N_FORMATS; i++)
    printf("  %-13s %s\n", formats[i].name, formats[i].what);
  printf("\n"
         "options:\n"
         "  -F, --format=FORMAT      one of these\n"
         "  -o, --output=FILE        write there instead of to standard output; gzipped if\n"
         "                           FILE ends in .gz, and with pprof always\n"
         "  -a, --ignore-alloc-fns   leave out allocation functions at the start of stacks\n"
         "      --section=SECTION    with collapsed: only blocks that are unreported, once\n"
         "                           or twice reported, or all [all]\n"
         "  -h, --help               this text\n");
}

enum { OPT_SECTION = 256 };

static const struct option long_options[] = {
    {"format", required_argument, NULL, 'F'},
    {"output", required_argument, NULL, 'o'},
    {"ignore-alloc-fns", no_argument, NULL, 'a'},
    {"section", required_argument, NULL, OPT_SECTION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_format(const char *value, const format_t **format) {
  const char *names[N_FORMATS];
  for (int i = 0; i < N_FORMATS; i++) {
    names[i] = formats[i].name;
    *format = &formats[i];
    if (strcmp(value, names[i]) == 0)
      return true;
  }
  const char *nearest = dmdv_nearest(value, names, N_FORMATS);
  if (nearest != NULL)
    return dmdv_error("export: there is no format '%s'; did you mean '%s'?", value, nearest);
  return dmdv_error("export: there is no format '%s'; see dmdv export --help", value);
}

static bool parse_section(const char *value, dmd_section_t *section) {
  static const char *const names[] = {[DMD_SECTION_TWICE] = "twice",
                                      [DMD_SECTION_UNREPORTED] = "unreported",
                                      [DMD_SECTION_ONCE] = "once",
                                      [DMD_SECTION_ALL] = "all"};
  for (int i = 0; i < DMD_N_SECTIONS; i++) {
    *section = i;
    if (strcmp(value, names[i]) == 0)
      return true;
  }
  return dmdv_error("--section=%s: the value is none of unreported, once, twice, all", value);
}

static bool parse_options(options_t *options, int argc, char **argv) {
  *options = (options_t){.section = DMD_N_SECTIONS};
  optind = 1;
  int opt;
  while ((opt = dmdv_next_option(argc, argv, ":F:o:ah", long_options)) != -1) {
    if (opt == '?')
      return false;
    if (opt == 'F' && !parse_format(optarg, &options->format))
      return false;
    if (opt == OPT_SECTION && !parse_section(optarg, &options->section))
      return false;
    if (opt == 'o')
      options->output = optarg;
    options->load.ignore_alloc_fns |= opt == 'a';
    options->help |= opt == 'h';
  }
  return true;
}

static bool check_options(const options_t *options, int n_files) {
  if (options->format == NULL)
    return dmdv_error("export: no --format; see dmdv export --help");
  if (options->section != DMD_N_SECTIONS && options->format->write != export_collapsed_all)
    return dmdv_error("export: --section goes with --format=collapsed only");
  if (n_files != 1)
    return dmdv_error("export: give one file, not %d; see dmdv export --help", n_files);
  if (options->format->gzip && options->output == NULL && isatty(STDOUT_FILENO))
    return dmdv_error("export: %s is not text, and this is a terminal; give -o FILE",
                      options->format->name);
  return true;
}

static bool write_profile(dmd_profile_t *profile, const options_t *options) {
  if (profile->mode != DMD_MODE_DARK_MATTER && options->section < DMD_SECTION_ALL)
    return dmdv_error("export: --section needs a profile of mode dark-matter, and this is of "
                      "mode %s",
                      dmd_mode_name(profile->mode));
  bool gzip = options->format->gzip || dmdv_outfile_is_gzip(options->output);
  dmdv_outfile_t *file = dmdv_outfile_open(options->output, gzip);
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  bool good = options->section < DMD_SECTION_ALL
                  ? dmdv_export_collapsed(profile, &out, options->section)
                  : options->format->write(profile, &out);
  if (good)
    dmd_out_flush(&out);
  return dmdv_outfile_close(file, good) && good;
}

int dmdv_cmd_export(int argc, char **argv) {
  options_t options;
  if (!parse_options(&options, argc, argv))
    return 2;
  if (options.help) {
    print_help();
    return 0;
  }
  dmd_profile_t profile;
  if (!check_options(&options, argc - optind) ||
      !dmdv_load_or_say(&profile, argv[optind], &options.load))
    return 2;
  bool good = write_profile(&profile, &options);
  dmd_profile_destroy(&profile);
  return good ? 0 : 2;
}
