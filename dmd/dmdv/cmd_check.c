/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv check: the gate for continuous integration. Reads all files and evaluates every limit before
 * it writes anything.
 */
#include "analyse/waste/findings.h"
#include "base/limits.h"
#include "dmdv/checklimits.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/claimfaults.h"
#include "dmdv/graph/graphbeside.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/gate_output.h"
#include "show/text/text_gate.h"

#include <string.h>

typedef struct {
  dmdv_checklimits_t limits; /* first: see checklimits.h */
  dmd_load_options_t load;
  const char **alloc_fns; /* of load.frame_view, with room for as many as there are arguments */
  const char *baseline, *ignore, *output;
  unsigned format; /* dmd_gate_format_t */
  uint32_t max_frames;
  bool calibrate, each;
  dmdv_files_t files;
  dmd_gate_each_t *report; /* receives the verdicts; NULL: there is only one */
} options_t;

/* ---- Options. ---- */

static bool take_alloc_fn(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  return dmdv_add_alloc_fn(&o->load.frame_view, o->alloc_fns, value, why);
}

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t other_options[] = {
    {"baseline", "OLD", NULL, "the profile to compare with", DMD_OPTION_TEXT, AT(baseline),
     .is_file = true},
    {"ignore", "FILE", NULL,
     "patterns of stacks whose blocks count neither as unreported, nor as twice-reported, nor as "
     "leaked, and not as waste",
     DMD_OPTION_TEXT, AT(ignore), .is_file = true},
    {"each", NULL, NULL,
     "check each of several files by itself, then all together; growth is checked only together",
     DMD_OPTION_SWITCH, AT(each)},
    {"calibrate", NULL, NULL, "print how much equal runs differ, and limits that such runs keep",
     DMD_OPTION_SWITCH, AT(calibrate)},
    {"format", "text|json|junit|github", "text", "how to report", DMD_OPTION_WORD, AT(format)},
    DMDV_OUTPUT_OPTION(options_t, output, NULL,
                       "write the report to FILE, and only the verdict to standard output"),
    DMDV_MAX_FRAMES_OPTION(options_t, max_frames, "frames compared of each stack"),
    DMDV_IGNORE_ALLOC_FNS_OPTION(options_t, load.ignore_alloc_fns),
    DMDV_ALLOC_FN_OPTION(take_alloc_fn),
    DMDV_FULL_NAMES_OPTION(options_t, load.frame_view),
};
static const dmd_option_table_t other_table = {other_options,
                                               sizeof other_options / sizeof *other_options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv check [OPTION...] FILE...\n"
             "       dmdv check --calibrate [OPTION...] RUN RUN...\n\n"
             "Checks that a profile keeps limits, or that several, such as those of a\n"
             "program's processes, keep them together or, with --each, also one by one. Exit\n"
             "status 0: all limits are kept; 1: a limit is broken; 2: the check failed.\n\n"
             "limits, at least one:\n",
     .options = &dmdv_checklimit_table},
    {.text = "\n"
             "SIZE is 4096, 1.5MB (B, KB, MB, GB: powers of 1024) or 10%: of the heap or, for\n"
             "growth, of what the baseline has. Bytes are usable bytes. A value exactly at its\n"
             "limit keeps it. FILE may have memory reports, which dmdv memory --output and\n"
             "about:memory write: they can be checked with --budget, where PATH is any path of\n"
             "their trees.\n"
             "\n",
     .options = &other_table},
    {.text = "\n"
             "Each line of an ignore file has a pattern, a blank, '#' and the reason, which\n"
             "is required:\n"
             "  cJSON_*   # third party, cannot measure itself\n"
             "A pattern must match a whole frame, as dmdv print shows it after its number, or\n"
             "the whole name of its function, anywhere in the allocation stack. * matches\n"
             "anything, ? one character, \\ protects the next character. Lines that begin with\n"
             "# are comments.\n"},
    {0},
};

static void destroy_options(options_t *o) {
  dmdv_checklimits_destroy(&o->limits);
  dmd_env_free(&dmdv_env, o->alloc_fns);
}

static bool options_fit_check(const options_t *o) {
  if (o->files.n < 1)
    return dmdv_error("check: give one or more files; see dmdv check --help");
  if (o->limits.n == 0)
    return dmdv_error("check: give at least one limit, such as --max-unreported=10%%; "
                      "dmdv check --calibrate finds them; see dmdv check --help");
  for (size_t i = 0; i < o->limits.n; i++)
    if (o->limits.limits[i].growth && o->baseline == NULL)
      return dmdv_error("--%s=%s is about growth and needs --baseline=OLD",
                        o->limits.limits[i].option, o->limits.limits[i].value);
  if (o->baseline != NULL && strcmp(o->baseline, "-") == 0 && strcmp(o->files.names[0], "-") == 0)
    return dmdv_error("check: only one of the two profiles can be standard input");
  return true;
}

static bool options_fit_calibration(const options_t *o) {
  if (o->files.n < 2)
    return dmdv_error("check --calibrate: give two or more files, not %d", o->files.n);
  if (o->limits.n > 0 || o->baseline != NULL)
    return dmdv_error("check --calibrate computes limits: give neither limits nor a baseline");
  if (o->format != DMD_GATE_TEXT)
    return dmdv_error("check --calibrate supports --format=text only");
  return true;
}

/* ---- Input. ---- */

/* The subject of a profile, with its ignored blocks. count: the patterns count what they ignore. */
static dmd_subject_t subject_of(const dmd_profile_t *profile, dmd_ignore_t *ignore, bool count) {
  return (dmd_subject_t){.profile = profile,
                         .ignored_by =
                             ignore->n > 0 ? dmd_ignore_apply(ignore, profile, count) : NULL};
}

/* Loads the profile, uninitialised so far, and makes its subject. False, with nothing to destroy,
 * if that fails. */
static bool load_subject(dmd_subject_t *subject, dmd_profile_t *profile, const char *name,
                         const options_t *o, dmd_ignore_t *ignore, bool count) {
  if (!dmdv_load_or_say(profile, name, &o->load))
    return false;
  dmdv_add_claim_faults(profile, name, NULL);
  *subject = subject_of(profile, ignore, count);
  return true;
}

static void destroy_subject(dmd_subject_t *subject, dmd_profile_t *profile) {
  dmd_env_free(&dmdv_env, (void *)subject->ignored_by);
  dmd_profile_destroy(profile);
}

/* ---- Output. ---- */

static dmdv_output_t *open_output(const options_t *o, dmd_out_t *out) {
  dmdv_output_t *file = dmdv_output_open(o->output, dmdv_output_is_gzip(o->output));
  if (file != NULL)
    dmd_out_init(out, dmdv_output_write, file);
  return file;
}

static bool write_findings(const options_t *o, const dmd_verdict_t *v) {
  dmd_out_t out;
  dmdv_output_t *file = open_output(o, &out);
  if (file == NULL)
    return false;
  dmd_print_gate(&out, o->format, v);
  dmd_out_flush(&out);
  return dmdv_output_close(file, true);
}

/* Prints the verdict even if the report goes to a file: a log should show the result. */
static void print_verdict(void *ctx, dmd_out_t *out) {
  dmd_print_verdict(out, ctx);
}

static void print_verdict_on_all(void *ctx, dmd_out_t *out) {
  dmd_gate_each_verdict(ctx, out);
}

/* ---- The check. ---- */

/* False, with one line on stderr, if there is a limit that cannot be checked. */
static bool evaluate(const options_t *o, dmd_verdict_t *v) {
  const dmd_limit_t *limit;
  int which;
  const char *why = dmd_verdict_evaluate(v, o->limits.limits, o->limits.n, &limit, &which);
  return why == NULL ||
         dmdv_error("%s cannot be checked for --%s=%s: %s", which == 0 ? v->file : v->baseline,
                    limit->option, limit->value, why);
}

static int judge(const options_t *o, dmd_verdict_t *v) {
  const dmd_profile_t *now = v->now.profile, *before = v->before.profile;
  if (before != NULL && !dmdv_are_of_one_mode(v->baseline, before->mode, v->file, now->mode,
                                              "they cannot be compared"))
    return 2;
  if (before != NULL &&
      !dmdv_are_sampled_alike(v->baseline, before, v->file, now, "they cannot be compared"))
    return 2;
  int status = 2;
  if (evaluate(o, v)) {
    if (o->ignore != NULL)
      dmdv_ignore_warn(v->ignore, o->ignore);
    if (o->report != NULL)
      dmd_gate_each_add(o->report, v);
    if (o->report != NULL ||
        (write_findings(o, v) &&
         (o->output == NULL || dmdv_output_print(NULL, false, print_verdict, v))))
      status = dmd_verdict_n_broken(v) > 0 ? 1 : 0;
  }
  dmd_verdict_destroy(v);
  return status;
}

/* A limit of this kind; NULL: none. needs_contents: one on waste that contents show. */
static const dmd_limit_t *limit_of(const options_t *o, dmd_what_t what, bool needs_contents) {
  for (size_t i = 0; i < o->limits.n; i++)
    if (o->limits.limits[i].what == what &&
        (!needs_contents || dmd_waste_needs_contents(o->limits.limits[i].name)))
      return &o->limits.limits[i];
  return NULL;
}

static bool find_waste(const options_t *o, dmd_wasted_t *wasted, dmd_ignore_t *ignore) {
  const dmd_limit_t *limit = limit_of(o, DMD_WASTED, true);
  if (!dmdv_waste_find(wasted, &o->files, &o->load.frame_view, ignore, o->max_frames))
    return false;
  return limit == NULL || wasted->has_contents ||
         dmdv_error("check: --max-waste=%s needs heap graphs of a run with --waste=yes",
                    limit->value);
}

/* Finds what the limits need of the heap graphs beside the profiles. */
static bool look_beside(const options_t *o, dmdv_lost_t *lost, dmd_wasted_t *wasted,
                        dmd_ignore_t *ignore) {
  return (limit_of(o, DMD_LEAKED, false) == NULL ||
          dmdv_lost_find(lost, &o->files, &o->load.frame_view, ignore)) &&
         (limit_of(o, DMD_WASTED, false) == NULL || find_waste(o, wasted, ignore));
}

/* name: the file's, or the one for all merged files. */
static int check_profile(const options_t *o, dmd_ignore_t *ignore, const dmd_profile_t *now,
                         const char *name) {
  dmdv_lost_t lost;
  const dmd_ignore_t none = {0};
  bool is_one =
      o->report != NULL &&
      o->files.n == 1; /* with several files, the ignored blocks are reported for all together */
  dmd_verdict_t v = {.file = name,
                     .baseline = o->baseline,
                     .ignore = is_one ? &none : ignore,
                     .ignore_name = o->ignore,
                     .max_frames = o->max_frames,
                     .now = subject_of(now, ignore, !is_one)};
  dmd_wasted_t wasted;
  dmd_profile_t before;
  int status = 2;
  dmdv_lost_init(&lost);
  dmd_wasted_init(&wasted, &dmdv_env);
  v.now.lost = &lost.subject;
  v.now.wasted = &wasted;
  if (!look_beside(o, &lost, &wasted, ignore)) {
    status = 2;
  } else if (o->baseline == NULL) {
    status = judge(o, &v);
  } else if (load_subject(&v.before, &before, o->baseline, o, ignore, false)) {
    status = judge(o, &v);
    destroy_subject(&v.before, &before);
  }
  dmd_env_free(&dmdv_env, (void *)v.now.ignored_by);
  dmd_wasted_destroy(&wasted);
  dmdv_lost_destroy(&lost);
  return status;
}

/* ---- Memory reports. ---- */

static bool options_fit_reports(const options_t *o) {
  if (o->ignore != NULL)
    return dmdv_error("check: --ignore is about stacks, which memory reports do not have");
  if (o->each)
    return dmdv_error("check: --each is for profiles: check files of memory reports one by one");
  return true;
}

static bool load_reports(dmd_amounts_t *m, const char *name) {
  dmd_fail_t fail = {0};
  return dmdv_load_reports(m, name, &fail) || dmdv_error_in(name, &fail);
}

/* name: the file's, or the names of all files. */
static int check_reports(const options_t *o, const dmd_amounts_t *now, const char *name) {
  dmd_amounts_t before;
  dmd_profile_t none;
  const dmd_ignore_t nothing = {0};
  int status = 2;
  if (!options_fit_reports(o))
    return 2;
  dmd_profile_init(&none, &dmdv_env);
  dmd_amounts_init(&before, &dmdv_env, true);
  dmd_verdict_t v = {.file = name,
                     .baseline = o->baseline,
                     .ignore = &nothing,
                     .now = {.profile = &none, .amounts = now}};
  if (o->baseline == NULL) {
    status = judge(o, &v);
  } else if (load_reports(&before, o->baseline)) {
    v.before = (dmd_subject_t){.profile = &none, .amounts = &before};
    status = judge(o, &v);
  }
  dmd_amounts_destroy(&before);
  dmd_profile_destroy(&none);
  return status;
}

/* Checks all files together, as check_merged does. */
static int check_joined_reports(const options_t *o) {
  dmd_amounts_t all, one;
  dmd_strbuf_t names;
  const char *path, *why;
  bool good = true;
  dmd_strbuf_init(&names, &dmdv_env);
  dmd_amounts_init(&all, &dmdv_env, true);
  for (int i = 0; i < o->files.n && good; i++) {
    const char *name = o->files.names[i];
    dmd_strbuf_str(&names, i > 0 ? ", " : "");
    dmd_strbuf_str(&names, name);
    dmd_amounts_init(&one, &dmdv_env, true);
    good = load_reports(&one, name) && ((why = dmd_amounts_join(&all, &one, name, &path)) == NULL ||
                                        dmdv_error("%s: \"%.80s\" %s", name, path, why));
    dmd_amounts_destroy(&one);
  }
  int status = good ? check_reports(o, &all, names.text) : 2;
  dmd_amounts_destroy(&all);
  dmd_strbuf_destroy(&names);
  return status;
}

/* ---- Files. ---- */

static int check_file(const options_t *o, dmd_ignore_t *ignore) {
  const char *name = o->files.names[0];
  dmd_load_options_t load = o->load;
  dmd_profile_t profile;
  dmd_amounts_t amounts;
  dmd_fail_t fail = {0};
  bool is_profile;
  int status = 2;
  load.namer = dmdv_namer();
  dmd_profile_init(&profile, &dmdv_env);
  dmd_amounts_init(&amounts, &dmdv_env, true);
  if (!dmdv_load_either(&profile, &amounts, name, &load, &is_profile, &fail)) {
    dmdv_error_in(name, &fail);
  } else if (is_profile) {
    dmdv_add_claim_faults(&profile, name, NULL);
    status = check_profile(o, ignore, &profile, name);
  } else {
    dmd_amounts_complete(&amounts);
    status = check_reports(o, &amounts, name);
  }
  dmd_amounts_destroy(&amounts);
  dmd_profile_destroy(&profile);
  return status;
}

/* Checks all files as one profile: limits apply to all processes together. */
static int check_merged(const options_t *o, dmd_ignore_t *ignore) {
  dmd_merge_t merge;
  dmd_strbuf_t names;
  int status = 2;
  dmd_strbuf_init(&names, &dmdv_env);
  for (int i = 0; i < o->files.n; i++) {
    dmd_strbuf_str(&names, i > 0 ? ", " : "");
    dmd_strbuf_str(&names, o->files.names[i]);
  }
  if (dmdv_merge_files(&merge, &o->files, false, &o->load))
    status = check_profile(o, ignore, &merge.profile, names.text);
  dmd_merge_destroy(&merge);
  dmd_strbuf_destroy(&names);
  return status;
}

/* ---- Each file, and all together. ---- */

/* Limits on growth apply to all files together, since there is one baseline. A budget applies to
 * the process of its name. */
static int check_alone(const options_t *o, int i, dmd_ignore_t *ignore) {
  options_t one = *o;
  dmd_profile_t profile;
  if (!dmdv_load_or_say(&profile, o->files.names[i], &o->load))
    return 2;
  dmdv_add_claim_faults(&profile, o->files.names[i], NULL);
  one.baseline = one.ignore = NULL;
  one.files = (dmdv_files_t){.names = &o->files.names[i], .n = 1};
  one.limits.n = 0;
  one.limits.limits =
      dmd_env_alloc(&dmdv_env, "dmdv.limits", (o->limits.n + 1) * sizeof *one.limits.limits);
  for (const dmd_limit_t *limit = o->limits.limits; limit < o->limits.limits + o->limits.n; limit++)
    if (!limit->growth && (limit->what != DMD_NAMED || dmd_gate_has_name(&profile, limit->name)))
      one.limits.limits[one.limits.n++] = *limit;
  int status = one.limits.n == 0 ? 0 : check_profile(&one, ignore, &profile, o->files.names[i]);
  dmd_env_free(&dmdv_env, one.limits.limits);
  dmd_profile_destroy(&profile);
  return status;
}

static bool write_report(const options_t *o, const dmd_strbuf_t *text) {
  dmdv_output_t *file = dmdv_output_open(o->output, dmdv_output_is_gzip(o->output));
  if (file == NULL)
    return false;
  dmdv_output_write(file, text->text, text->n);
  return dmdv_output_close(file, true);
}

static int check_each(const options_t *o, dmd_ignore_t *ignore) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_gate_each_t each;
  options_t all = *o;
  int status = 0;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  dmd_gate_each_begin(&each, &out, o->format);
  all.report = &each;
  for (int i = 0; i < o->files.n && status < 2; i++)
    status = check_alone(&all, i, ignore);
  if (status < 2)
    status = check_merged(&all, ignore);
  dmd_gate_each_end(&each);
  dmd_out_flush(&out);
  if (status < 2)
    status = write_report(o, &text) && (o->output == NULL ||
                                        dmdv_output_print(NULL, false, print_verdict_on_all, &each))
                 ? each.n_refused > 0
                 : 2;
  dmd_strbuf_destroy(&text);
  return status;
}

/* ---- Calibration. ---- */

static bool are_of_one_mode(const options_t *o, const dmd_profile_t *profiles) {
  for (int i = 1; i < o->files.n; i++)
    if (!dmdv_are_of_one_mode(o->files.names[0], profiles[0].mode, o->files.names[i],
                              profiles[i].mode, "these are not equal runs") ||
        !dmdv_are_sampled_alike(o->files.names[0], &profiles[0], o->files.names[i], &profiles[i],
                                "these are not equal runs"))
      return false;
  return true;
}

static bool write_calibration(const options_t *o, const dmd_subject_t *runs, size_t n) {
  dmd_out_t out;
  dmdv_output_t *file = open_output(o, &out);
  if (file == NULL)
    return false;
  dmd_calibration_command_t command = {.baseline = o->files.names[0],
                                       .ignore_name = o->ignore,
                                       .ignore_alloc_fns = o->load.ignore_alloc_fns,
                                       .view = &o->load.frame_view};
  dmd_calibration_t calibration;
  dmd_calibration_init(&calibration, runs, n);
  dmd_calibration_print(&out, &calibration, &command);
  dmd_calibration_destroy(&calibration);
  dmd_out_flush(&out);
  return dmdv_output_close(file, true);
}

static int calibrate(const options_t *o, dmd_ignore_t *ignore) {
  size_t n = (size_t)o->files.n;
  dmd_profile_t *profiles = dmd_env_alloc(&dmdv_env, "dmdv.runs", n * sizeof *profiles);
  dmd_subject_t *runs = dmd_env_alloc(&dmdv_env, "dmdv.runs", n * sizeof *runs);
  size_t loaded = 0;
  while (loaded < n &&
         load_subject(&runs[loaded], &profiles[loaded], o->files.names[loaded], o, ignore, true))
    loaded++;
  bool good = loaded == n && are_of_one_mode(o, profiles);
  if (good && o->ignore != NULL)
    dmdv_ignore_warn(ignore, o->ignore);
  good = good && write_calibration(o, runs, n);
  while (loaded-- > 0)
    destroy_subject(&runs[loaded], &profiles[loaded]);
  dmd_env_free(&dmdv_env, runs);
  dmd_env_free(&dmdv_env, profiles);
  return good ? 0 : 2;
}

/* Standard input is not looked at twice: loading it tells. */
static bool files_are_of_one_kind(const options_t *o) {
  const char *first = o->files.names[0];
  if (strcmp(first, "-") == 0 || dmdv_has_reports(first))
    return true;
  for (int i = 1; i <= o->files.n; i++) {
    const char *other = i < o->files.n ? o->files.names[i] : o->baseline;
    if (other != NULL && strcmp(other, "-") != 0 && dmdv_has_reports(other))
      return dmdv_error("check: %s has memory reports, %s does not", other, first);
  }
  return true;
}

static int check_or_calibrate(const options_t *o) {
  if (!(o->calibrate ? options_fit_calibration(o) : options_fit_check(o)))
    return 2;
  if (!files_are_of_one_kind(o))
    return 2;
  if (o->files.n > 1 && dmdv_has_reports(o->files.names[0])) {
    if (!o->calibrate)
      return check_joined_reports(o);
    dmdv_error("check: --calibrate needs profiles; %s has memory reports", o->files.names[0]);
    return 2;
  }
  dmd_ignore_t ignore;
  int status = 2;
  if (dmdv_ignore_read(&ignore, o->ignore))
    status = o->calibrate      ? calibrate(o, &ignore)
             : o->files.n == 1 ? check_file(o, &ignore)
             : o->each         ? check_each(o, &ignore)
                               : check_merged(o, &ignore);
  dmd_ignore_destroy(&ignore);
  return status;
}

static int run(int argc, char **argv) {
  options_t o = {
      .alloc_fns = dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *o.alloc_fns)};
  dmdv_checklimits_init(&o.limits, argc);
  int status = dmdv_read_command_line(&dmdv_check_command, &o, argc, argv, &o.files);
  if (status < 0)
    status = check_or_calibrate(&o);
  destroy_options(&o);
  return status;
}

const dmdv_command_t dmdv_check_command = {
    "check", "check that a profile keeps limits, for continuous integration", parts, run};
