/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv print: prints the records of one profile as text, or writes the profile again, clamped.
 */
#include "analyse/transform/reduce.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/claimfaults.h"
#include "dmdv/graph/graphbeside.h"
#include "host/process.h"
#include "show/text/text_lifetimes.h"

#include <inttypes.h>

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv print [OPTION...] FILE\n\n"
             "Prints the records of a profile, the largest first. FILE is a profile of dmd or\n"
             "of Firefox's DMD, and may be gzipped; - is standard input.\n\n",
     .options = &dmdv_record_options},
    {.options = &dmdv_print_options},
    {.options = &dmdv_accepted_options, .role = DMDV_OPTIONS_SILENT},
    {0},
};

/* JSON and tables of rows have no hints. */
static bool show(dmd_profile_t *profile, const dmdv_options_t *options, int argc, char **argv) {
  dmdv_beside_t beside = {.is_there = false};
  bool has_hint = !options->json && options->view.by == DMD_BY_RECORD && !options->for_testing;
  const char *name = options->files.names[0];
  dmdv_beside_options_t wanted = {
      .with_types = true, .with_owners = true, .max_frames = options->view.max_frames};
  if (options->owners != DMDV_OWNERS_NO && has_hint &&
      (options->owners == DMDV_OWNERS_YES || dmdv_owners_take_little(profile, name)))
    dmdv_beside_init(&beside, profile, name, &wanted);
  bool good =
      dmdv_show(profile, NULL, beside.has_owners ? &beside.hint : NULL, options, argc, argv);
  dmdv_beside_destroy(&beside);
  return good;
}

/* ---- --clamp-contents ---- */

static bool clamp(dmd_profile_t *profile, const dmdv_options_t *options) {
  dmd_fail_t fail = {0};
  dmd_clamped_t clamped;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_clamp(profile, &clamped, &why);
  if (!good) {
    dmd_fail(&fail, "%s", why.text);
    dmdv_error_in(options->files.names[0], &fail);
  } else if (options->clamp_stats) {
    dmdv_note("%" PRIu64 " words were a block's start, %" PRIu64 " in a block, %" PRIu64
              " in none, %" PRIu64 " null",
              clamped.starts, clamped.interiors, clamped.others, clamped.zeroes);
  }
  dmd_strbuf_destroy(&why);
  return good;
}

static bool write_clamped(const dmdv_options_t *options) {
  const char *name = options->files.names[0];
  dmd_load_options_t load = {
      .contents = true, .moment = DMD_MOMENT_ALL, .frame_view = options->load.frame_view};
  dmd_profile_t profile;
  if (options->json || options->view.by != DMD_BY_RECORD || options->view.sections != 0 ||
      options->n_filters > 0 || options->load.ignore_alloc_fns)
    return dmdv_error("print: --clamp-contents writes a whole profile; --json, --by, --section, "
                      "--filter and --ignore-alloc-fns do not work with it");
  if (!dmdv_load_or_say(&profile, name, &load))
    return false;
  bool good = profile.mode == DMD_MODE_SCAN ||
              dmdv_error("%s has mode %s: only a scan has contents to clamp", name,
                         dmd_mode_name(profile.mode));
  good = good && clamp(&profile, options) && dmdv_write_profile(&profile, options->output);
  dmd_profile_destroy(&profile);
  return good;
}

/* ---- Lifetimes. ---- */

typedef struct {
  const dmd_profile_t *profile;
  const dmdv_options_t *options;
} lifetimes_t;

static void print_lifetimes(void *ctx, dmd_out_t *out) {
  const lifetimes_t *shown = ctx;
  const dmdv_view_t *view = &shown->options->view;
  dmd_lifetimes_print(out, shown->profile,
                      (dmd_lifetimes_by_t)(shown->options->sort_by - DMD_SORT_NUM_BLOCKS - 1),
                      view->max_records, view->max_frames);
}

/* Names what the profile has instead. */
static bool reject_no_lifetimes(const dmd_profile_t *profile, const dmdv_options_t *options) {
  const char *instead = "";
  if (profile->mode == DMD_MODE_CUMULATIVE)
    instead = "; --sort-by=req shows what each stack allocated in the whole run";
  else if (profile->run.peak.is_known)
    instead = "; --moment=peak shows what each stack had when the heap was largest";
  return dmdv_error("%s has no lifetimes: run the program with --lifetimes=yes%s",
                    options->files.names[0], instead);
}

static bool show_lifetimes(const dmd_profile_t *profile, const dmdv_options_t *options) {
  if (options->json || options->view.by != DMD_BY_RECORD || options->view.sections != 0 ||
      options->n_filters > 0)
    return dmdv_error(
        "print: --json, --by, --section and --filter do not work with this --sort-by");
  if (!profile->lifetimes.is_known)
    return reject_no_lifetimes(profile, options);
  lifetimes_t shown = {profile, options};
  return dmdv_output_print(options->output, !options->no_pager, print_lifetimes, &shown);
}

/* ---- The command. ---- */

static int print_file(const dmdv_options_t *options, int argc, char **argv) {
  if (options->files.n != 1) {
    dmdv_error("print: give one file, not %d; see dmdv print --help", options->files.n);
    return 2;
  }
  if (options->clamp)
    return write_clamped(options) ? 0 : 2;
  dmd_profile_t profile;
  if (!dmdv_load_or_say(&profile, options->files.names[0], &options->load))
    return 2;
  dmdv_add_claim_faults(&profile, options->files.names[0], NULL);
  bool good = options->shows_lifetimes ? show_lifetimes(&profile, options)
                                       : show(&profile, options, argc, argv);
  dmd_profile_destroy(&profile);
  return good ? 0 : 2;
}

static int run(int argc, char **argv) {
  dmdv_options_t options;
  int status = dmdv_options_read(&options, &dmdv_print_command, argc, argv);
  if (status < 0)
    status = print_file(&options, argc, argv);
  dmdv_options_destroy(&options);
  return status;
}

const dmdv_command_t dmdv_print_command = {"print", "print a profile's records, the largest first",
                                           parts, run};
