/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/run/native.h"

#include "dmdv/commandline/commandline.h"
#include "dmdv/input/profilefile.h"
#include "dmdv/run/preloadable.h"
#include "dmdv/run/rewrite.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* A program inherits the filters of dmdv, such as those of a container. */
static void add_filters(dmd_strbuf_t *given) {
  uint64_t n = dmdv_process_status(0, "Seccomp_filters", 10);
  char option[64];
  snprintf(option, sizeof option, "--dmd-seccomp-filters=%" PRIu64, n);
  if (n > 0)
    dmd_native_add_option(given, option);
}

void dmdv_native_init(dmdv_native_t *native) {
  *native = (dmdv_native_t){.names = NULL};
  dmd_options_init(&native->options, &dmdv_env);
  dmd_options_set_defaults(&dmd_native_option_table, &native->own, &dmdv_env);
  dmd_strbuf_init(&native->given, &dmdv_env);
  add_filters(&native->given);
  dmdv_runlog_init(&native->log, NULL);
}

void dmdv_native_destroy(dmdv_native_t *native) {
  if (native->names != NULL) {
    dmdv_names_tell(native->names);
    dmdv_names_free(native->names);
  }
  dmdv_runlog_destroy(&native->log);
  dmd_strbuf_destroy(&native->given);
  dmd_options_destroy(&native->options);
}

/* ---- Options. ---- */

static const dmd_option_table_t *const tables[] = {&dmd_engine_options, &dmd_starter_options,
                                                   &dmd_native_option_table};
enum { N_TABLES = sizeof tables / sizeof *tables, MAX_OPTIONS = 64 };

bool dmdv_native_knows(const char *option) {
  bool is_known = false;
  for (int i = 0; i < N_TABLES; i++)
    is_known |= dmd_option_of(tables[i], option) != NULL;
  return is_known;
}

static bool unknown_option(const char *option) {
  const char *names[MAX_OPTIONS];
  int n = 0;
  char word[64];
  for (int i = 0; i < N_TABLES; i++)
    for (size_t k = 0; k < tables[i]->n && n < MAX_OPTIONS; k++)
      names[n++] = tables[i]->options[k].name;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(option, "="), option);
  const char *nearest = strncmp(word, "--", 2) == 0 ? dmdv_nearest(word + 2, names, n) : NULL;
  if (nearest != NULL && strcmp(nearest, word + 2) == 0)
    return dmdv_error("run: %s: write it like --%s", option, nearest);
  if (nearest != NULL)
    return dmdv_error("run: the native engine has no option %s; did you mean --%s?", option,
                      nearest);
  return dmdv_error("run: the native engine has no option %s; see dmdv run --help", option);
}

bool dmdv_native_take(dmdv_native_t *native, const char *option) {
  void *const targets[N_TABLES] = {&native->options, &native->options, &native->own};
  for (int i = 0; i < N_TABLES; i++) {
    const dmd_option_t *known = dmd_option_of(tables[i], option);
    if (known == NULL)
      continue;
    dmd_strbuf_t why;
    dmd_strbuf_init(&why, &dmdv_env);
    bool good = dmd_option_set(known, targets[i], option, &why);
    if (good)
      dmd_native_add_option(&native->given, option);
    else
      dmdv_error("run: %s: %s", option, why.text);
    dmd_strbuf_destroy(&why);
    return good;
  }
  return unknown_option(option);
}

bool dmdv_native_check(const dmdv_native_t *native) {
  dmd_conflict_t conflict = dmd_native_conflict(&native->options);
  return conflict.why == NULL || dmdv_error("run: %s: %s", conflict.option, conflict.why);
}

/* ---- Running. ---- */

static bool find_library(dmd_strbuf_t *path) {
  static const char name[] = "libdmd.so", installed[] = DMD_NATIVE_DIR "/libdmd.so";
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(self, '/');
  if (slash != NULL) {
    dmd_strbuf_bytes(path, self, (size_t)(slash + 1 - self));
    dmd_strbuf_str(path, name);
    if (access(path->text, R_OK) == 0)
      return true;
  }
  dmd_strbuf_cut(path, 0);
  dmd_strbuf_str(path, installed);
  return access(path->text, R_OK) == 0;
}

bool dmdv_native_find(dmd_strbuf_t *path) {
  return find_library(path) ||
         dmdv_error("run: the native engine is missing: libdmd.so is neither next to dmdv nor in "
                    "%s; configure says why it was not built",
                    DMD_NATIVE_DIR);
}

bool dmdv_native_is_installed(void) {
  dmd_strbuf_t library;
  dmd_strbuf_init(&library, &dmdv_env);
  bool is_there = find_library(&library) && strpbrk(library.text, " :") == NULL;
  dmd_strbuf_destroy(&library);
  return is_there;
}

static bool is_of(const char *entry, const char *name) {
  size_t n = strlen(name);
  return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Makes the environment that preloads the engine and carries its options. The caller keeps the
 * strings. */
static const char **make_environment(const char *preload, const char *options) {
  size_t n = 0, to = 0;
  while (environ[n] != NULL)
    n++;
  const char **made = dmd_env_alloc(&dmdv_env, "dmdv.native", (n + 3) * sizeof *made);
  for (size_t i = 0; i < n; i++)
    if (!is_of(environ[i], "LD_PRELOAD") && !is_of(environ[i], "DMD_OPTIONS"))
      made[to++] = environ[i];
  made[to++] = preload;
  made[to++] = options;
  made[to] = NULL;
  return made;
}

static int run_with(const char *library, const char *options, const char *const *argv,
                    const dmdv_meanwhile_t *meanwhile, bool *has_run) {
  dmd_strbuf_t preload, given;
  dmd_strbuf_init(&preload, &dmdv_env);
  dmd_strbuf_init(&given, &dmdv_env);
  dmd_strbuf_str(&preload, "LD_PRELOAD=");
  dmd_strbuf_str(&preload, library);
  const char *others = getenv("LD_PRELOAD");
  if (others != NULL && others[0] != '\0') {
    dmd_strbuf_str(&preload, ":");
    dmd_strbuf_str(&preload, others);
  }
  dmd_strbuf_str(&given, "DMD_OPTIONS=");
  dmd_strbuf_str(&given, options);
  const char **environment = make_environment(preload.text, given.text);
  int error, status = dmdv_child_run(argv, environment, false, meanwhile, &error);
  *has_run = error == 0;
  if (error != 0)
    dmdv_error("run: cannot start %s: %s", argv[0], strerror(error));
  dmd_env_free(&dmdv_env, environment);
  dmd_strbuf_destroy(&given);
  dmd_strbuf_destroy(&preload);
  return status;
}

static bool check_preloadable(const char *program) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  dmdv_preloadable_t is = dmdv_preloadable(program, &why);
  bool good = /* the engine itself says what it cannot replace */
      is == DMDV_PRELOADABLE || is == DMDV_BETTER_VALGRIND ||
      dmdv_error("run: %s%s", why.text, is == DMDV_ONLY_VALGRIND ? ": use --engine=valgrind" : "");
  dmd_strbuf_destroy(&why);
  return good;
}

int dmdv_native_run(dmdv_native_t *native, const char *const *argv,
                    const dmdv_meanwhile_t *meanwhile, bool *has_run) {
  dmd_strbuf_t library;
  int status = DMDV_CHILD_NOT_FOUND;
  *has_run = false;
  if (!native->is_checked && !check_preloadable(argv[0]))
    return DMDV_CHILD_NOT_RUN;
  dmd_strbuf_init(&library, &dmdv_env);
  bool is_there = dmdv_native_find(&library);
  if (is_there && strpbrk(library.text, " :") != NULL)
    dmdv_error("run: the loader cannot preload %s: its name has a blank or a colon", library.text);
  else if (is_there)
    status = run_with(library.text, native->given.text, argv, meanwhile, has_run);
  dmd_strbuf_destroy(&library);
  return status;
}

/* ---- The profiles. ---- */

static void say(void *ctx, const char *line) {
  const dmd_profile_t *profile = ((void **)ctx)[1];
  FILE *file = dmdv_runlog_file(((void **)ctx)[0], profile->run.pid);
  fprintf(file, "==%" PRIu64 "== %s\n", profile->run.pid, line);
}

static void print_text(dmdv_native_t *native, dmd_profile_t *profile) {
  const dmd_options_t *options = &native->options;
  const dmd_text_dump_options_t text = {.sort_by = options->sort_by,
                                        .max_records = options->max_records,
                                        .max_frames = options->max_frames};
  void *ctx[] = {&native->log, profile};
  dmd_text_dump(profile, &text, say, ctx);
  fflush(dmdv_runlog_file(&native->log, profile->run.pid));
}

static dmd_load_options_t load_options(dmdv_native_t *native) {
  if (native->names == NULL)
    native->names = dmdv_names_new(native->own.show_below_main);
  return (dmd_load_options_t){.contents = true,
                              .moment = DMD_MOMENT_ALL,
                              .frame_view = native->options.frame_view,
                              .namer = dmdv_names_namer(native->names)};
}

static bool write_bytes(const char *name, const void *bytes, size_t n, dmdv_report_t report) {
  dmdv_output_t *file = dmdv_output_open_reporting(name, false, report);
  if (file != NULL)
    dmdv_output_write(file, bytes, n);
  return file != NULL && dmdv_output_close(file, true);
}

bool dmdv_native_load(dmdv_native_t *native, const char *name, const void *bytes, size_t n,
                      dmd_profile_t *profile) {
  enum { PIECE = 1 << 16 };
  const dmd_load_options_t load = load_options(native);
  dmd_fail_t fail = {0};
  dmdv_input_t *input = dmdv_input_open_memory(bytes, n, PIECE, &fail);
  if (input == NULL)
    return dmdv_error_in(name, &fail);
  dmd_profile_init(profile, &dmdv_env);
  bool good = dmdv_load_input(profile, input, &load, &fail);
  dmdv_input_close(input);
  if (good)
    return true;
  dmd_profile_destroy(profile);
  return dmdv_error_in(name, &fail);
}

bool dmdv_native_write(dmdv_native_t *native, const char *name, const void *bytes, size_t n,
                       dmdv_report_t report) {
  dmd_profile_t profile;
  if (!dmdv_native_load(native, name, bytes, n, &profile))
    return write_bytes(name, bytes, n, report);
  bool good = dmdv_write_used(&profile,
                              dmdv_output_open_reporting(name, dmdv_output_is_gzip(name), report));
  if (good && !native->own.quiet)
    print_text(native, &profile);
  dmd_profile_destroy(&profile);
  return good;
}

void dmdv_native_finish(dmdv_native_t *native, const char *path) {
  dmdv_rewrite_t rewrite;
  dmd_profile_t profile;
  const dmd_load_options_t load = load_options(native);
  if (dmdv_rewrite_open(&rewrite, path) == DMDV_REWRITE_OPEN &&
      dmdv_rewrite_load(&rewrite, &profile, &load)) {
    if (dmdv_rewrite_save(&rewrite, &profile) && !native->own.quiet)
      print_text(native, &profile);
    dmd_profile_destroy(&profile);
  }
  dmdv_rewrite_close(&rewrite);
}
