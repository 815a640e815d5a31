/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/show.h"

#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"
#include "reader/report/by.h"
#include "reader/report/records_json.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool dmdv_load_or_say(dmd_profile_t *profile, const char *name,
                      const dmdv_load_options_t *options) {
  dmdv_fail_t fail = {0};
  dmd_profile_init(profile, &dmdv_env);
  if (dmdv_load(profile, name, options, &fail))
    return true;
  dmd_profile_destroy(profile);
  return dmdv_error_in(name, &fail);
}

/* Whether one of the printed lines of the record's allocation stack, number included, contains the
 * text. */
static bool stack_contains(const dmd_records_t *records, const dmd_record_t *r, const char *text) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
  bool found = false;
  for (size_t i = 0; i < n && !found; i++) {
    const char *frame = dmd_intern_get_str(&records->profile->frames, frames[i]);
    size_t szB = strlen(frame) + 32;
    char *line = dmd_env_alloc(&dmdv_env, "dmdv.line", szB);
    snprintf(line, szB, "    #%02zu: %s", i + 1, frame);
    found = strstr(line, text) != NULL;
    dmd_env_free(&dmdv_env, line);
  }
  return found;
}

bool dmdv_filter_passes(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  const char *filter = ctx;
  if (filter[0] == '!')
    return !stack_contains(records, r, filter + 1);
  return stack_contains(records, r, filter[0] == '\\' ? filter + 1 : filter);
}

/* "dmdv print --max-frames=3 file.json": folders are left out, as Mozilla's script does. */
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

/* See no-color.org: any value of NO_COLOR but an empty one says no. */
static bool colour_is_wanted(void) {
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return (no_color == NULL || no_color[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

static uint32_t terminal_columns(void) {
  struct winsize size;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

static void print(dmdv_outfile_t *file, const dmd_records_t *records, const dmd_profile_t *old,
                  const dmdv_options_t *options, const char *title) {
  bool is_terminal = options->output == NULL && isatty(STDOUT_FILENO);
  dmd_text_options_t text = {.title = title,
                             .old = old,
                             .max_records = options->view.max_records,
                             .only = options->view.sections,
                             .colour = is_terminal && colour_is_wanted(),
                             .columns = is_terminal ? terminal_columns() : 0,
                             .for_testing = options->for_testing};
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  if (options->json)
    dmdv_records_json(&out, records, &options->view);
  else if (options->view.by != DMD_BY_RECORD)
    dmdv_by_print(&out, records, &options->view);
  else
    dmd_text_print(&out, records, &text);
  dmd_out_flush(&out);
}

bool dmdv_show(dmd_profile_t *profile, const dmd_profile_t *old, const dmdv_options_t *options,
               int argc, char **argv) {
  dmdv_outfile_t *file = dmdv_outfile_open(options->output, false);
  if (file == NULL)
    return false;
  dmd_records_t records;
  dmd_records_init(&records, profile, options->view.max_frames, options->view.sort_by);
  if (old != NULL)
    dmd_records_drop_unchanged(&records);
  for (int i = 0; i < options->n_filters; i++)
    dmd_records_filter(&records, dmdv_filter_passes, (void *)options->filters[i]);
  char *title = title_of(argc, argv);
  print(file, &records, old, options, title);
  dmd_env_free(&dmdv_env, title);
  dmd_records_destroy(&records);
  return dmdv_outfile_close(file, true);
}
