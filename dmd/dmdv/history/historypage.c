/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history page: writes a history as one page for a browser.
 */
#include "base/format.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/history/historycommands.h"
#include "dmdv/view/htmlpage.h"
#include "files/bundle/bundlehistory.h"
#include "historydb/gather.h"
#include "host/process.h"

typedef struct {
  dmdv_history_options_t common;
  const char *output, *page;
  dmdv_gather_options_t gather;
} options_t;

static bool take_records(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  o->gather.has_records = true;
  if (!dmd_str_to_u64(value, 10, &o->gather.n_records))
    dmd_strbuf_str(why, "give a number of builds");
  return why->n == 0;
}

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t options[] = {
    DMDV_DB_OPTION(options_t, common.db),
    DMDV_OUTPUT_OPTION(options_t, output, "history.html", "write the page to FILE"),
    {"records", "N", NULL,
     "include the records of the newest N builds, and of those around each step (default: as many "
     "as fit into a page)",
     DMD_OPTION_OWN, .take = take_records},
    DMDV_LEAST_CHANGE_OPTION(options_t, common.least),
    DMDV_PAGE_OPTION(options_t, page),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history page --db=DB [OPTION...]\n\n"
             "Writes one HTML page that shows a history in a browser: its alarms, its curves\n"
             "with their steps, and the bytes of each stack in each build. It needs no server\n"
             "and no network.\n\n",
     .options = &table},
    {0},
};

static bool fill(void *ctx, dmd_write_fn write, void *write_ctx) {
  const dmd_history_t *history = ctx;
  dmd_bundle_settings_t settings = {.moment = DMD_MOMENT_AUTO};
  uint64_t frames = 0;
  dmd_bundlewriter_t writer;
  dmd_str_to_u64(DMD_FRAMES_SHOWN, 10, &frames);
  settings.max_frames = (uint32_t)frames;
  dmd_bundlewriter_init(&writer, &dmdv_env, write, write_ctx);
  dmd_bundlewriter_add_settings(&writer, &settings);
  dmd_imagehistory_write(&writer, history);
  return dmd_bundlewriter_end(&writer);
}

/* Reports how many of the builds have their records in the page, if not all of them do. */
static void note_kept(const dmd_history_t *history) {
  char kept[DMD_FORMAT_MAX], all[DMD_FORMAT_MAX];
  uint64_t n = dmd_history_measured(history);
  dmd_format_commas(kept, history->kept.last);
  dmd_format_commas(all, (int64_t)n);
  if (history->kept.last < n)
    dmdv_note("history page: it has the bytes of each stack for %s of %s builds, the newest and "
              "those around steps; --records=N changes that",
              kept, all);
}

static bool write_page(const options_t *o, dmd_history_t *history) {
  dmdv_page_t page;
  dmdv_output_t *file = NULL;
  bool good = dmdv_page_open(&page, o->page) && (file = dmdv_output_open(o->output, false)) != NULL;
  if (file != NULL) {
    good = dmdv_page_write(&page, file, dmd_history_text(history, history->name), fill, history);
    good = dmdv_output_close(file, good) && good;
  }
  dmdv_page_close(&page);
  if (good) {
    note_kept(history);
    dmdv_note("wrote %s", o->output);
  }
  return good;
}

static bool run_with(options_t *o) {
  dmdv_database_t *db = dmdv_history_open(o->common.db, "history page", DMDV_OPEN_TO_READ);
  if (db == NULL)
    return false;
  dmd_history_t history;
  dmd_history_init(&history, &dmdv_env);
  o->gather.name = dmd_path_base(dmdv_database_name(db));
  bool good = dmdv_gather(&history, db, &o->gather);
  dmdv_database_close(db);
  if (good && history.curves.last == 0)
    good = dmdv_error("%s has no builds; see dmdv history add --help", o->common.db);
  good = good && write_page(o, &history);
  dmd_history_destroy(&history);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {.output = NULL};
  dmdv_files_t words;
  int status = dmdv_read_command_line(&dmdv_history_page_command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  if (words.n != 0) {
    dmdv_error("history page: give only options; see dmdv history page --help");
    return 2;
  }
  return dmdv_history_limits(o.common.least, &o.gather.limits) && run_with(&o) ? 0 : 2;
}

const dmdv_command_t dmdv_history_page_command = {"history page", "show a history in a browser",
                                                  parts, run};
