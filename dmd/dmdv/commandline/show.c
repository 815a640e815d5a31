/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/show.h"

#include "analyse/records/filter.h"
#include "dmdv/commandline/recordoptions.h"
#include "files/profile/profilewriter.h"
#include "host/output.h"
#include "host/process.h"
#include "model/profile/profile.h"
#include "show/text/pieces.h"
#include "show/text/text.h"
#include "show/text/text_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dmd_mode_t as_printed(dmd_mode_t mode) {
  return mode == DMD_MODE_SCAN ? DMD_MODE_LIVE : mode;
}

bool dmdv_are_of_one_mode(const char *name, dmd_mode_t mode, const char *other_name,
                          dmd_mode_t other_mode, const char *meaning) {
  return as_printed(mode) == as_printed(other_mode) ||
         dmdv_error("%s has mode %s and %s has mode %s: %s", name, dmd_mode_name(mode), other_name,
                    dmd_mode_name(other_mode), meaning);
}

/* Appends text such as "by --sample-interval=524288". */
static void describe_sampling(const dmd_run_t *run, char *text, size_t szB) {
  bool by_interval = run->sample_interval > 0;
  snprintf(text, szB, "by --sample-%s=%" PRIu64, by_interval ? "interval" : "below",
           by_interval ? run->sample_interval : run->sample_below);
}

bool dmdv_are_sampled_alike(const char *name, const dmd_profile_t *profile, const char *other_name,
                            const dmd_profile_t *other, const char *meaning) {
  char how[64], other_how[64];
  describe_sampling(&profile->run, how, sizeof how);
  describe_sampling(&other->run, other_how, sizeof other_how);
  return dmd_sampled_alike(profile, other) ||
         dmdv_error("%s is sampled %s and %s %s: %s", name, how, other_name, other_how, meaning);
}

bool dmdv_write_profile_to(const dmd_profile_t *profile, dmdv_output_t *file) {
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_output_write, file);
  dmd_profilewriter_write(&out, profile);
  dmd_out_flush(&out);
  return dmdv_output_close(file, true);
}

bool dmdv_write_profile(const dmd_profile_t *profile, const char *output) {
  return dmdv_write_profile_to(profile, dmdv_output_open(output, dmdv_output_is_gzip(output)));
}

bool dmdv_error_no_peak(const char *name) {
  return dmdv_error("%s does not have the records of its peak: an older dmd, --peak=no, "
                    "--mode=cumulative or dmdv merge wrote it",
                    name);
}

bool dmdv_load_or_say(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options) {
  dmd_fail_t fail = {0};
  dmd_load_options_t load = *options;
  load.namer = dmdv_namer();
  dmd_profile_init(profile, &dmdv_env);
  bool good = dmdv_load(profile, name, &load, &fail) || dmdv_error_in(name, &fail);
  if (good && dmd_moment_is_a_peak(load.moment) && !profile->shows_peak)
    good = dmdv_error_no_peak(name);
  if (!good)
    dmd_profile_destroy(profile);
  return good;
}

/* "dmdv print --max-frames=3 file.json": names lose their folders, as in Mozilla's script. */
static char *title_of(int argc, char **argv) {
  size_t szB = sizeof "dmdv";
  for (int i = 0; i < argc; i++)
    szB += 1 + strlen(argv[i]);
  char *title = dmd_env_alloc(&dmdv_env, "dmdv.title", szB);
  strcpy(title, "dmdv");
  for (int i = 0; i < argc; i++) {
    const char *slash = strrchr(argv[i], '/');
    strcat(title, " ");
    strcat(title, slash != NULL ? slash + 1 : argv[i]);
  }
  return title;
}

/* See no-color.org: any non-empty value of NO_COLOR turns colours off. */
static bool colour_is_wanted(void) {
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return (no_color == NULL || no_color[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

static void print_rows(dmd_out_t *out, const dmd_records_t *records,
                       const dmdv_options_t *options) {
  dmd_rows_t rows;
  dmd_rows_init(&rows, records, options->view.by, options->view.sections);
  if (options->json)
    dmd_rows_json(out, &rows, options->view.max_records);
  else
    dmd_rows_print(out, &rows, options->view.max_records);
  dmd_rows_destroy(&rows);
}

/* What to show, and what was found while filtering. */
typedef struct {
  dmd_profile_t *profile;
  const dmd_profile_t *const *compared; /* NULL: not a difference */
  const dmd_owner_hint_t *owners;
  const dmdv_options_t *options;
  char *title;
  bool *found; /* by filter, whether its text occurred */
} shown_t;

static void print_records(dmd_out_t *out, const dmd_records_t *records, const shown_t *shown) {
  const dmdv_options_t *options = shown->options;
  const dmd_profile_t *const *compared = shown->compared;
  const dmd_profile_t *const alone[2] = {records->profile, NULL};
  bool is_terminal = options->output == NULL && dmdv_is_terminal();
  dmd_text_options_t text = {.title = shown->title,
                             .old = compared != NULL ? compared[0] : NULL,
                             .new = compared != NULL ? compared[1] : NULL,
                             .with_run = true,
                             .max_records = options->view.max_records,
                             .only = options->view.sections,
                             .colour = is_terminal &&colour_is_wanted(),
                             .columns = is_terminal ? dmdv_terminal_columns() : 0,
                             .owners = shown->owners,
                             .for_testing = options->for_testing};
  if (options->view.by != DMD_BY_RECORD)
    print_rows(out, records, options);
  else if (options->json)
    dmd_records_json(out, records, compared != NULL ? compared : alone, options->view.sections,
                     options->view.max_records);
  else
    dmd_text_print(out, records, &text);
}

/* For dmd_records_filter. */
static bool was_never_measured(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  bool never = true;
  (void)ctx;
  for (uint32_t i = 0; i < r->n_groups; i++)
    never &= dmd_record_group(records, r, i)->never_measured;
  return never;
}

/* Keeps the records that match all filters. found: sets, for each filter, whether its text
 * occurred. */
static void filter_records(dmd_records_t *records, const dmd_profile_t *profile,
                           const dmdv_options_t *options, bool *found) {
  if (options->never_measured)
    dmd_records_filter(records, was_never_measured, NULL);
  for (int i = 0; i < options->n_filters; i++) {
    dmd_filter_t filter;
    dmd_filter_init(&filter, profile, options->filters[i]);
    dmd_records_filter(records, dmd_filter_passes, &filter);
    found[i] = filter.found;
    dmd_filter_destroy(&filter);
  }
}

/* Printed last, so that it is noticed. */
static void tell_unfound(const dmdv_options_t *options, const bool *found) {
  for (int i = 0; i < options->n_filters; i++)
    if (!found[i])
      dmdv_note("--filter=%s: no allocation stack contains this text", options->filters[i]);
}

static void print(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  const dmdv_view_t *view = &shown->options->view;
  dmd_records_t records;
  dmd_records_init(&records, shown->profile, view->max_frames, view->sort_by);
  if (shown->compared != NULL)
    dmd_records_drop_unchanged(&records);
  filter_records(&records, shown->profile, shown->options, shown->found);
  print_records(out, &records, shown);
  dmd_records_destroy(&records);
}

bool dmdv_show(dmd_profile_t *profile, const dmd_profile_t *const compared[2],
               const dmd_owner_hint_t *owners, const dmdv_options_t *options, int argc,
               char **argv) {
  size_t n_filters = (size_t)options->n_filters;
  shown_t shown = {.profile = profile,
                   .compared = compared,
                   .owners = owners,
                   .options = options,
                   .title = title_of(argc, argv),
                   .found = dmd_env_alloc(&dmdv_env, "dmdv.filters", n_filters + 1)};
  memset(shown.found, true, n_filters);
  bool good = dmdv_output_print(options->output, !options->no_pager, print, &shown);
  tell_unfound(options, shown.found);
  dmd_env_free(&dmdv_env, shown.found);
  dmd_env_free(&dmdv_env, shown.title);
  return good;
}
