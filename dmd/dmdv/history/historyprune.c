/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history prune: removes old builds, or all but some of them and of their runs.
 */
#include "base/out.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/history/historycommands.h"
#include "historydb/prune.h"
#include "host/process.h"
#include "show/text/print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  const char *db, *branch, *age;
  int64_t keep;   /* NOT_GIVEN: any number */
  int64_t runs;   /* 0: not given */
  unsigned every; /* of `periods` */
} options_t;

#define AT(field) DMD_OPTION_AT(options_t, field)

enum { NOT_GIVEN = -1 };

/* In the order of --every's words. */
static const int64_t periods_s[] = {0, 3600, 86400, 7 * 86400};

static const dmd_option_t options[] = {
    DMDV_DB_OPTION(options_t, db),
    {"keep", "N", NULL, "keep the last N builds of each branch", DMD_OPTION_NUMBER, AT(keep),
     .most = INT32_MAX},
    {"older-than", "TIME", NULL,
     "only builds that are older than this: a number of days, as 90d, or a time, as for add's "
     "--time",
     DMD_OPTION_TEXT, AT(age)},
    {"branch", "NAME", NULL,
     "only builds of this branch; without --keep and --older-than all of them, even acknowledged "
     "ones",
     DMD_OPTION_TEXT, AT(branch)},
    {"every", "no|hour|day|week", "no",
     "of these builds keep the last one of each hour, day or week, in UTC, of each branch",
     DMD_OPTION_WORD, AT(every)},
    {"runs", "N", NULL,
     "do not delete these builds, but all except N runs of each, for each moment and environment: "
     "a "
     "random sample, the one that check reads",
     DMD_OPTION_NUMBER, AT(runs), .least = 1, .most = INT32_MAX},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history prune --db=DB [--keep=N] [--older-than=TIME] [--branch=NAME]\n"
             "                          [--every=PERIOD] [--runs=N]\n\n"
             "Deletes the builds that match all of --keep, --older-than and --branch, with the\n"
             "stacks and records that only they needed, and shrinks the file. With --every or\n"
             "--runs, some of them stay. Builds at which an acknowledged step begins stay.\n\n",
     .options = &table},
    {0},
};

/* Parses a number of days before now, or a time. */
static bool parse_age(const char *text, int64_t *before) {
  const int64_t day_s = 86400, most_days = 100000;
  char *end;
  long long days = strtoll(text, &end, 10);
  if (end == text || strcmp(end, "d") != 0)
    return dmdv_parse_time(text, before) || dmdv_error("history prune: --older-than=%s: give days, "
                                                       "such as 90d, or a time such as 2026-11-23",
                                                       text);
  if (days < 0 || days > most_days)
    return dmdv_error("history prune: --older-than=%s: give 0d to %dd", text, (int)most_days);
  *before = (int64_t)time(NULL) - days * day_s;
  return true;
}

static void write_result(dmd_out_t *out, const dmdv_pruned_t *pruned, bool is_compact) {
  dmd_print_number(out, pruned->n_dropped, false);
  dmd_out_str(out, " of ");
  dmd_print_count(out, pruned->n_builds, false, "build", "builds");
  dmd_out_str(out, " dropped");
  if (pruned->n_runs > 0) {
    dmd_out_str(out, ", ");
    dmd_print_count(out, pruned->n_runs, false, "run", "runs");
    dmd_out_str(out, " of others dropped");
  }
  if (pruned->n_acknowledged > 0) {
    dmd_out_str(out, ", ");
    dmd_print_number(out, pruned->n_acknowledged, false);
    dmd_out_str(out, " kept for acknowledged steps");
  }
  if (!is_compact)
    return;
  dmd_out_str(out, "; ");
  dmd_print_number(out, pruned->before_szB - pruned->now_szB, false);
  dmd_out_str(out, " of ");
  dmd_print_number(out, pruned->before_szB, false);
  dmd_out_str(out, " bytes freed");
}

static void tell(const dmdv_pruned_t *pruned, bool is_compact) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  write_result(&out, pruned, is_compact);
  dmd_out_flush(&out);
  dmdv_note("%s", text.text);
  dmd_strbuf_destroy(&text);
}

static int run(int argc, char **argv) {
  options_t o = {.keep = NOT_GIVEN};
  dmdv_files_t words;
  int status = dmdv_read_command_line(&dmdv_history_prune_command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  bool is_thinned = o.every != 0 || o.runs != 0;
  if (words.n != 0 || (o.keep == NOT_GIVEN && o.age == NULL && o.branch == NULL && !is_thinned)) {
    dmdv_error("history prune: give %s; see dmdv history prune --help",
               words.n != 0 ? "only options" : "--keep, --older-than, --branch, --every or --runs");
    return 2;
  }
  dmdv_prune_t which = {.branch = o.branch,
                        .keep = o.keep == NOT_GIVEN ? 0 : (uint32_t)o.keep,
                        .before = INT64_MAX,
                        .acknowledged = o.keep == NOT_GIVEN && o.age == NULL && !is_thinned,
                        .every_s = periods_s[o.every],
                        .runs = (uint32_t)o.runs};
  if (o.age != NULL && !parse_age(o.age, &which.before))
    return 2;
  dmdv_database_t *db = dmdv_history_open(o.db, "history prune", DMDV_OPEN_TO_WRITE);
  if (db == NULL)
    return 2;
  dmdv_pruned_t pruned;
  bool good = dmdv_history_prune(db, &which, &pruned);
  if (good || pruned.n_dropped > 0 || pruned.n_runs > 0)
    tell(&pruned, good);
  dmdv_database_close(db);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_history_prune_command = {"history prune", "delete old builds", parts,
                                                   run};
