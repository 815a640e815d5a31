/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv check: the gate for continuous integration. Options, and what is done in which order: all
 * files are read and every limit is evaluated before anything is written.
 */
#include "reader/command/commands.h"
#include "reader/command/show.h"
#include "reader/command/usage.h"
#include "reader/gate/calibrate.h"
#include "reader/gate/gate_output.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help_text[] =
    "usage: dmdv check [OPTION...] FILE\n"
    "       dmdv check --calibrate [OPTION...] RUN RUN...\n"
    "\n"
    "Checks that a profile keeps limits. Exit status 0: it does; 1: it breaks one;\n"
    "2: that could not be found out.\n"
    "\n"
    "limits, at least one:\n"
    "      --max-unreported=SIZE      unreported bytes\n"
    "      --max-twice-reported=SIZE  bytes reported twice or more\n"
    "      --max-misreports=N         reports and claims that are wrong\n"
    "      --max-growth=SIZE          growth against the baseline, of all bytes and\n"
    "                                 of the unreported ones\n"
    "      --budget PATH=SIZE         bytes reported by the reporter PATH and those\n"
    "                                 below it, or bearing the tag PATH; with +SIZE\n"
    "                                 or N%, growth against the baseline; repeatable\n"
    "\n"
    "SIZE is 4096, 1.5MB (B, KB, MB, GB: powers of 1024) or 10%: of the heap or, for\n"
    "growth, of what the baseline has. Bytes are usable bytes. A value exactly at its\n"
    "limit keeps it.\n"
    "\n"
    "      --baseline=OLD       the profile to compare with\n"
    "      --ignore=FILE        stacks that count neither as unreported nor as twice\n"
    "      --calibrate          print the noise of equal runs and the limits for it\n"
    "      --format=FORMAT      text, json, junit or github [text]\n"
    "  -o, --output=FILE        write there; only the verdict on standard output\n"
    "  -f, --max-frames=N       frames that tell stacks apart [8]\n"
    "  -a, --ignore-alloc-fns   leave out allocation functions at the start of stacks\n"
    "  -h, --help               this text\n"
    "\n"
    "An ignore file has one pattern a line, then a blank, '#' and the reason, which\n"
    "must be there:\n"
    "  cJSON_*   # third party, cannot measure itself\n"
    "A pattern must match a whole frame, as dmdv print shows it after its number, or\n"
    "the whole name of its function, anywhere in the allocation stack. * stands for\n"
    "anything, ? for one character, \\ protects the next one. Lines that begin with #\n"
    "are comments.\n";

typedef struct {
  dmd_limit_t *limits;
  size_t n_limits;
  dmdv_load_options_t load;
  const char *baseline, *ignore, *output;
  dmdv_gate_print_fn print;
  uint32_t max_frames;
  bool calibrate, help;
  char **files;
  int n_files;
} options_t;

/* ---- Options. ---- */

enum {
  OPT_UNREPORTED = 256,
  OPT_TWICE,
  OPT_MISREPORTS,
  OPT_GROWTH,
  OPT_BUDGET,
  OPT_BASELINE,
  OPT_IGNORE,
  OPT_CALIBRATE,
  OPT_FORMAT
};

static const struct option long_options[] = {
    {"max-unreported", required_argument, NULL, OPT_UNREPORTED},
    {"max-twice-reported", required_argument, NULL, OPT_TWICE},
    {"max-misreports", required_argument, NULL, OPT_MISREPORTS},
    {"max-growth", required_argument, NULL, OPT_GROWTH},
    {"budget", required_argument, NULL, OPT_BUDGET},
    {"baseline", required_argument, NULL, OPT_BASELINE},
    {"ignore", required_argument, NULL, OPT_IGNORE},
    {"calibrate", no_argument, NULL, OPT_CALIBRATE},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"max-frames", required_argument, NULL, 'f'},
    {"ignore-alloc-fns", no_argument, NULL, 'a'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool bad_value(const char *option, const char *value, const char *why) {
  return dmdv_error("--%s=%s: %s", option, value, why);
}

static dmd_limit_t *add_limit(options_t *o, dmd_what_t what, const char *option,
                              const char *value) {
  dmd_limit_t *limit = &o->limits[o->n_limits++];
  *limit = (dmd_limit_t){.what = what, .option = option, .value = value};
  return limit;
}

static bool parse_share(options_t *o, dmd_what_t what, const char *option, const char *value) {
  dmd_limit_t *limit = add_limit(o, what, option, value);
  const char *why = dmd_size_parse(value, &limit->size);
  if (why == NULL && limit->size.has_plus)
    why = "a + is for growth, and this is a limit by itself";
  return why == NULL || bad_value(option, value, why);
}

static bool parse_misreports(options_t *o, const char *value) {
  dmd_limit_t *limit = add_limit(o, DMD_MISREPORTS, "max-misreports", value);
  bool is_number = *value != '\0' && value[strspn(value, "0123456789")] == '\0';
  return (is_number && dmd_size_parse(value, &limit->size) == NULL) ||
         bad_value("max-misreports", value, "this is not a whole number");
}

static bool parse_growth(options_t *o, const char *value) {
  dmd_limit_t *total = add_limit(o, DMD_TOTAL, "max-growth", value);
  total->growth = true;
  const char *why = dmd_size_parse(value, &total->size);
  *add_limit(o, DMD_UNREPORTED, "max-growth", value) = *total;
  o->limits[o->n_limits - 1].what = DMD_UNREPORTED;
  return why == NULL || bad_value("max-growth", value, why);
}

/* A path may itself contain '='; a size does not. */
static bool parse_budget(options_t *o, const char *value) {
  const char *equals = strrchr(value, '=');
  if (equals == NULL || equals == value)
    return bad_value("budget", value, "this is not PATH=SIZE");
  dmd_limit_t *limit = add_limit(o, DMD_NAMED, "budget", value);
  char *name = dmd_env_alloc(&dmdv_env, "dmdv.budget", (size_t)(equals - value) + 1);
  memcpy(name, value, (size_t)(equals - value));
  name[equals - value] = '\0';
  limit->name = name;
  const char *why = dmd_size_parse(equals + 1, &limit->size);
  limit->growth = limit->size.has_plus || limit->size.is_percent;
  return why == NULL || bad_value("budget", value, why);
}

static bool parse_format(options_t *o, const char *value) {
  static const struct {
    const char *name;
    dmdv_gate_print_fn print;
  } formats[] = {{"text", dmdv_print_gate_text},
                 {"json", dmdv_print_gate_json},
                 {"junit", dmdv_print_gate_junit},
                 {"github", dmdv_print_gate_github}};
  for (int i = 0; i < 4; i++) {
    if (strcmp(value, formats[i].name) == 0) {
      o->print = formats[i].print;
      return true;
    }
  }
  return bad_value("format", value, "the format is none of text, json, junit, github");
}

static bool parse_one(options_t *o, int opt, const char *value) {
  switch (opt) {
  case OPT_UNREPORTED:
    return parse_share(o, DMD_UNREPORTED, "max-unreported", value);
  case OPT_TWICE:
    return parse_share(o, DMD_TWICE, "max-twice-reported", value);
  case OPT_MISREPORTS:
    return parse_misreports(o, value);
  case OPT_GROWTH:
    return parse_growth(o, value);
  case OPT_BUDGET:
    return parse_budget(o, value);
  case OPT_FORMAT:
    return parse_format(o, value);
  case OPT_BASELINE:
    o->baseline = value;
    return true;
  case OPT_IGNORE:
    o->ignore = value;
    return true;
  case OPT_CALIBRATE:
    o->calibrate = true;
    return true;
  case 'o':
    o->output = value;
    return true;
  case 'f':
    return dmdv_parse_count("max-frames", value, &o->max_frames);
  case 'a':
    o->load.ignore_alloc_fns = true;
    return true;
  default:
    o->help = true;
    return opt == 'h';
  }
}

static bool parse_options(options_t *o, int argc, char **argv) {
  *o = (options_t){.max_frames = 8, .print = dmdv_print_gate_text};
  /* --max-growth makes two limits. */
  o->limits = dmd_env_alloc(&dmdv_env, "dmdv.limits", 2 * (size_t)argc * sizeof *o->limits);
  optind = 1;
  int opt;
  while ((opt = dmdv_next_option(argc, argv, ":o:f:ah", long_options)) != -1) {
    if (opt == '?')
      return false;
    if (!parse_one(o, opt, optarg))
      return false;
  }
  o->files = argv + optind;
  o->n_files = argc - optind;
  return true;
}

static void destroy_options(options_t *o) {
  for (size_t i = 0; i < o->n_limits; i++)
    dmd_env_free(&dmdv_env, (void *)o->limits[i].name);
  dmd_env_free(&dmdv_env, o->limits);
}

static bool options_fit_check(const options_t *o) {
  if (o->n_files != 1)
    return dmdv_error("check: give one file, not %d; see dmdv check --help", o->n_files);
  if (o->n_limits == 0)
    return dmdv_error("check: give at least one limit, such as --max-unreported=10%%; "
                      "dmdv check --calibrate finds them; see dmdv check --help");
  for (size_t i = 0; i < o->n_limits; i++)
    if (o->limits[i].growth && o->baseline == NULL)
      return dmdv_error("--%s=%s is about growth and needs --baseline=OLD", o->limits[i].option,
                        o->limits[i].value);
  if (o->baseline != NULL && strcmp(o->baseline, "-") == 0 && strcmp(o->files[0], "-") == 0)
    return dmdv_error("check: only one of the two profiles can be standard input");
  return true;
}

static bool options_fit_calibration(const options_t *o) {
  if (o->n_files < 2)
    return dmdv_error("check --calibrate: give two or more files, not %d", o->n_files);
  if (o->n_limits > 0 || o->baseline != NULL)
    return dmdv_error("check --calibrate: it works out limits; give none, and no baseline");
  if (o->print != dmdv_print_gate_text)
    return dmdv_error("check --calibrate: there is only --format=text");
  return true;
}

/* ---- Files in. ---- */

static bool read_ignorefile(dmdv_ignorefile_t *file, const char *name) {
  dmdv_fail_t fail = {0};
  *file = (dmdv_ignorefile_t){0};
  if (name == NULL || dmdv_ignorefile_read(file, name, &fail))
    return true;
  if (fail.line > 0)
    dmdv_error("%s:%" PRIu64 ": %s", name, fail.line, fail.reason);
  else
    dmdv_error("%s: %s", name, fail.reason);
  return false;
}

/* Fills an uninitialised profile and the subject that it is. False with nothing to destroy. */
static bool load_subject(dmd_subject_t *subject, dmd_profile_t *profile, const char *name,
                         const options_t *o, dmdv_ignorefile_t *ignore, bool count) {
  if (!dmdv_load_or_say(profile, name, &o->load))
    return false;
  *subject = (dmd_subject_t){.profile = profile};
  if (ignore->n > 0)
    subject->ignored_by = dmdv_ignorefile_apply(ignore, profile, count);
  return true;
}

static void destroy_subject(dmd_subject_t *subject, dmd_profile_t *profile) {
  dmd_env_free(&dmdv_env, (void *)subject->ignored_by);
  dmd_profile_destroy(profile);
}

static void warn_of_unused_patterns(const dmdv_ignorefile_t *ignore, const char *name) {
  for (size_t i = 0; i < ignore->n; i++)
    if (!ignore->patterns[i].used)
      dmdv_error("%s:%" PRIu64 ": warning: the pattern ignores nothing", name,
                 ignore->patterns[i].line);
}

/* A name that is nowhere is more likely a wrong one than one without blocks. */
static void warn_of_unknown_names(const options_t *o, const dmdv_verdict_t *v) {
  for (size_t i = 0; i < o->n_limits; i++) {
    const char *name = o->limits[i].name;
    if (name != NULL && !dmd_gate_has_name(v->now.profile, name) &&
        (v->baseline == NULL || !dmd_gate_has_name(v->before.profile, name)))
      dmdv_error("--budget=%s: warning: there is no reporter and no tag of this name",
                 o->limits[i].value);
  }
}

/* ---- Results out. ---- */

/* Prints one of the two to where the options say. */
static bool write_output(const options_t *o, const dmdv_verdict_t *v, const dmdv_calibration_t *c) {
  dmdv_outfile_t *file = dmdv_outfile_open(o->output, dmdv_outfile_is_gzip(o->output));
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  if (v != NULL)
    o->print(&out, v);
  else
    dmdv_print_calibration(&out, c);
  dmd_out_flush(&out);
  return dmdv_outfile_close(file, true);
}

/* A log should say how it went even where the report is in a file. */
static bool write_verdict(const dmdv_verdict_t *v) {
  dmdv_outfile_t *file = dmdv_outfile_open(NULL, false);
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  dmdv_print_verdict(&out, v);
  dmd_out_flush(&out);
  return dmdv_outfile_close(file, true);
}

/* ---- The check. ---- */

/* Evaluates the limits that the profiles know about. False where there is one that they must, but
 * do not, know about. */
static bool evaluate(const options_t *o, dmdv_verdict_t *v, dmd_finding_t *findings) {
  const dmd_profile_t *now = v->now.profile, *before = v->before.profile;
  if (before != NULL && before->mode != now->mode)
    return dmdv_error("%s is of mode %s and %s of mode %s: they cannot be compared", v->baseline,
                      dmd_mode_name(before->mode), v->file, dmd_mode_name(now->mode));
  for (size_t i = 0; i < o->n_limits; i++) {
    const dmd_limit_t *limit = &o->limits[i];
    /* The half of --max-growth that is about reports is for profiles that have them. */
    if (limit->growth && limit->what == DMD_UNREPORTED && now->mode != DMD_MODE_DARK_MATTER)
      continue;
    int which;
    const char *why = dmd_gate_why_not(limit, now, before, &which);
    if (why != NULL)
      return dmdv_error("%s cannot be checked for --%s: %s", which == 0 ? v->file : v->baseline,
                        limit->option, why);
    dmd_gate_evaluate(&findings[v->n++], limit, &v->now, &v->before);
  }
  return true;
}

static int judge(const options_t *o, dmdv_verdict_t *v) {
  dmd_finding_t *findings =
      dmd_env_alloc(&dmdv_env, "dmdv.findings", o->n_limits * sizeof *findings);
  v->findings = findings;
  int status = 2;
  if (evaluate(o, v, findings)) {
    if (o->ignore != NULL)
      warn_of_unused_patterns(v->ignore, o->ignore);
    warn_of_unknown_names(o, v);
    if (write_output(o, v, NULL) && (o->output == NULL || write_verdict(v)))
      status = dmdv_verdict_n_broken(v) > 0 ? 1 : 0;
  }
  dmd_env_free(&dmdv_env, findings);
  return status;
}

static int check_file(const options_t *o, dmdv_ignorefile_t *ignore) {
  dmdv_verdict_t v = {.file = o->files[0],
                      .baseline = o->baseline,
                      .ignore = ignore,
                      .ignore_name = o->ignore,
                      .max_frames = o->max_frames};
  dmd_profile_t now, before;
  if (!load_subject(&v.now, &now, o->files[0], o, ignore, true))
    return 2;
  int status = 2;
  if (o->baseline == NULL) {
    status = judge(o, &v);
  } else if (load_subject(&v.before, &before, o->baseline, o, ignore, false)) {
    status = judge(o, &v);
    destroy_subject(&v.before, &before);
  }
  destroy_subject(&v.now, &now);
  return status;
}

/* ---- Calibration. ---- */

static bool are_of_one_mode(const options_t *o, const dmd_profile_t *profiles) {
  for (int i = 1; i < o->n_files; i++)
    if (profiles[i].mode != profiles[0].mode)
      return dmdv_error("%s is of mode %s and %s of mode %s: these are not equal runs", o->files[0],
                        dmd_mode_name(profiles[0].mode), o->files[i],
                        dmd_mode_name(profiles[i].mode));
  return true;
}

static int calibrate(const options_t *o, dmdv_ignorefile_t *ignore) {
  size_t n = (size_t)o->n_files;
  dmd_profile_t *profiles = dmd_env_alloc(&dmdv_env, "dmdv.runs", n * sizeof *profiles);
  dmd_subject_t *runs = dmd_env_alloc(&dmdv_env, "dmdv.runs", n * sizeof *runs);
  size_t loaded = 0;
  while (loaded < n &&
         load_subject(&runs[loaded], &profiles[loaded], o->files[loaded], o, ignore, true))
    loaded++;
  dmdv_calibration_t c = {.runs = runs,
                          .files = o->files,
                          .n = n,
                          .ignore_name = o->ignore,
                          .ignore_alloc_fns = o->load.ignore_alloc_fns};
  bool good = loaded == n && are_of_one_mode(o, profiles);
  if (good && o->ignore != NULL)
    warn_of_unused_patterns(ignore, o->ignore);
  good = good && write_output(o, NULL, &c);
  while (loaded-- > 0)
    destroy_subject(&runs[loaded], &profiles[loaded]);
  dmd_env_free(&dmdv_env, runs);
  dmd_env_free(&dmdv_env, profiles);
  return good ? 0 : 2;
}

int dmdv_cmd_check(int argc, char **argv) {
  options_t o;
  int status = 2;
  if (!parse_options(&o, argc, argv)) {
    destroy_options(&o);
    return status;
  }
  dmdv_ignorefile_t ignore = {0};
  if (o.help) {
    fputs(help_text, stdout);
    status = 0;
  } else if (o.calibrate ? options_fit_calibration(&o) : options_fit_check(&o)) {
    if (read_ignorefile(&ignore, o.ignore))
      status = o.calibrate ? calibrate(&o, &ignore) : check_file(&o, &ignore);
    dmdv_ignorefile_destroy(&ignore);
  }
  destroy_options(&o);
  return status;
}
