/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv timeline: shows the heap over time.
 */
#include "analyse/time/when.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/text_timeline.h"

#include <stdlib.h>
#include <strings.h>

typedef struct {
  const char *output; /* NULL: standard output */
  const char *from, *to;
  bool json;
  uint32_t max_records; /* of JSON; 0: all */
  bool no_pager;
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    {"from", "WHEN", "start", "compare with this moment", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, from)},
    {"to", "WHEN", "end", "compare this moment", DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, to)},
    DMDV_JSON_OPTION(options_t, json, "print the points, the marks and the comparison as JSON"),
    DMDV_MAX_RECORDS_OF_JSON_OPTION(options_t, max_records),
    DMDV_OUTPUT_OPTION(options_t, output, NULL, DMDV_TO_FILE),
    DMDV_NO_PAGER_OPTION(options_t, no_pager),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv timeline [OPTION...] FILE\n\n"
             "Shows the size of a program's heap over time as a chart, with the peak (P) and\n"
             "the program's marks and dumps (1, 2 ...), and what changed between two moments.\n"
             "FILE is a profile of dmd; it may be gzipped; - is standard input. WHEN is start,\n"
             "peak, end, a time since the start of the program (1.5s, 300ms, 2min, 1h), the\n"
             "text of a mark, the label of a dump, or #N for the Nth of these. If the program\n"
             "ran with --time-unit=i, the axis is its instructions, and WHEN may be a number\n"
             "of them (800ki, 1.5Mi, 2Gi: thousands, millions and billions).\n\n",
     .options = &table},
    {0},
};

/* As the C library decides which locale a program gets. */
static bool is_utf8_locale(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = NULL;
  for (size_t i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++)
    locale = getenv(names[i]);
  for (; locale != NULL && *locale != '\0'; locale++)
    if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
      return true;
  return false;
}

typedef struct {
  const options_t *options;
  const dmd_profile_t *profile;
  dmd_timespan_t span;
} shown_t;

static void print(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  if (!shown->options->json) {
    dmd_timeline_print(out, shown->profile, &shown->span, is_utf8_locale());
    return;
  }
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_timeline_json(&j, shown->profile, &shown->span);
}

static bool find(const dmd_profile_t *profile, const char *option, const char *text, bool latest,
                 dmd_timepoint_t *at) {
  return dmd_when_find(profile, text, latest, at) ||
         dmdv_error("timeline: --%s=%s is neither a time nor a mark; see dmdv timeline --help",
                    option, text);
}

static bool show(const options_t *o, const dmd_profile_t *profile) {
  shown_t shown = {.options = o, .profile = profile};
  if (!dmd_timeline_is_known(&profile->timeline))
    return dmdv_error("%s has no timeline: an older dmd, --timeline=no, --peak=no, "
                      "--mode=cumulative or dmdv merge wrote it; to record one: dmdv run PROGRAM",
                      o->files.names[0]);
  if (!find(profile, "from", o->from, false, &shown.span.from) ||
      !find(profile, "to", o->to, true, &shown.span.to))
    return false;
  if (shown.span.from.alloc_szB > shown.span.to.alloc_szB)
    return dmdv_error("timeline: --from=%s comes after --to=%s", o->from, o->to);
  const char *lists = "points,marks,stacks,tags,breakdowns";
  return o->json
             ? dmdv_output_print_json(o->output, !o->no_pager, lists, o->max_records, print, &shown)
             : dmdv_output_print(o->output, !o->no_pager, print, &shown);
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_timeline_command, &o, argc, argv, &o.files);
  if (status >= 0)
    return status;
  if (o.files.n != 1) {
    dmdv_error("timeline: give one file, not %d; see dmdv timeline --help", o.files.n);
    return 2;
  }
  dmd_load_options_t load = {.moment = DMD_MOMENT_END};
  dmd_profile_t profile;
  if (!dmdv_load_or_say(&profile, o.files.names[0], &load))
    return 2;
  bool good = show(&o, &profile);
  dmd_profile_destroy(&profile);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_timeline_command = {"timeline", "show the heap over time", parts, run};
