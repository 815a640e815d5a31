/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/native.h"

#include "reader/command/child.h"
#include "reader/command/commandline.h"
#include "reader/command/preloadable.h"
#include "reader/command/show.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "text/text_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

void dmdv_native_init(dmdv_native_t *native) {
  *native = (dmdv_native_t){.names = NULL};
  dmd_options_init(&native->options, &dmdv_env);
  dmd_options_set_defaults(&dmd_native_option_table, &native->own, &dmdv_env);
  dmd_strbuf_init(&native->given, &dmdv_env);
}

void dmdv_native_destroy(dmdv_native_t *native) {
  if (native->names != NULL) {
    dmdv_names_tell(native->names);
    dmdv_names_free(native->names);
  }
  dmd_strbuf_destroy(&native->given);
  dmd_options_destroy(&native->options);
}

/* ---- Options. ---- */

static const dmd_option_table_t *const tables[] = {&dmd_engine_options, &dmd_starter_options,
                                                   &dmd_native_option_table};
enum { N_TABLES = sizeof tables / sizeof *tables, MAX_OPTIONS = 64 };

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
    return dmdv_error("run: %s: its form is not that of --%s", option, nearest);
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
  dmd_conflict_t conflict = dmd_options_conflict(&native->options);
  return conflict.why == NULL || dmdv_error("run: %s: %s", conflict.option, conflict.why);
}

/* ---- Running. ---- */

/* Appends the engine's path: beside dmdv where that was built, else where it is installed. */
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
  if (access(path->text, R_OK) == 0)
    return true;
  return dmdv_error("run: there is no native engine: libdmd.so is neither beside dmdv nor in %s; "
                    "configure says why it was not built",
                    DMD_NATIVE_DIR);
}

static bool is_of(const char *entry, const char *name) {
  size_t n = strlen(name);
  return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* The environment with the engine in it, and its options, each of which the caller keeps. */
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
                    bool *has_run) {
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
  int error, status = dmdv_child_run(argv, environment, false, &error);
  *has_run = error == 0;
  if (error != 0)
    dmdv_error("run: cannot start %s: %s", argv[0], strerror(error));
  dmd_env_free(&dmdv_env, environment);
  dmd_strbuf_destroy(&given);
  dmd_strbuf_destroy(&preload);
  return status;
}

int dmdv_native_run(const dmdv_native_t *native, const char *const *argv, bool *has_run) {
  dmd_strbuf_t library;
  int status = DMDV_CHILD_NOT_FOUND;
  *has_run = false;
  if (!dmdv_check_preloadable(argv[0]))
    return DMDV_CHILD_NOT_RUN;
  dmd_strbuf_init(&library, &dmdv_env);
  if (find_library(&library)) {
    if (strpbrk(library.text, " :") != NULL)
      dmdv_error("run: the loader cannot be told of %s: there is a blank or a colon in its name",
                 library.text);
    else
      status = run_with(library.text, native->given.text, argv, has_run);
  }
  dmd_strbuf_destroy(&library);
  return status;
}

/* ---- What was written. ---- */

/* Where the text of a process's dumps goes, and the process. */
typedef struct {
  FILE *file;
  uint64_t pid;
} log_t;

static void say(void *ctx, const char *line) {
  const log_t *log = ctx;
  fprintf(log->file, "==%" PRIu64 "== %s\n", log->pid, line);
}

/* The process's --log-file, which the engine has begun; standard error where that cannot be. */
static FILE *open_log(const char *name, uint64_t pid) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  for (; *name != '\0'; name++)
    if (name[0] == '%' && name[1] == 'p') {
      dmd_strbuf_u64(&path, pid);
      name++;
    } else {
      dmd_strbuf_bytes(&path, name, 1);
    }
  FILE *file = fopen(path.text, "ae");
  if (file == NULL)
    dmdv_error("run: %s: %s", path.text, strerror(errno));
  dmd_strbuf_destroy(&path);
  return file != NULL ? file : stderr;
}

static void print_text(const dmdv_native_t *native, dmd_profile_t *profile) {
  const dmd_options_t *options = &native->options;
  const dmd_text_dump_options_t text = {.sort_by = options->sort_by,
                                        .max_records = options->max_records,
                                        .max_frames = options->max_frames};
  log_t log = {.file = stderr, .pid = profile->run.pid};
  if (native->own.log_file != NULL)
    log.file = open_log(native->own.log_file, log.pid);
  dmd_text_dump(profile, &text, say, &log);
  if (log.file != stderr)
    fclose(log.file);
}

void dmdv_native_finish(dmdv_native_t *native, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
    return;
  if (native->names == NULL)
    native->names = dmdv_names_new(native->own.show_below_main);
  const dmd_load_options_t load = {.contents = true,
                                   .frame_view = native->options.frame_view,
                                   .namer = dmdv_names_namer(native->names)};
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  dmd_profile_init(&profile, &dmdv_env);
  if (!dmdv_load(&profile, path, &load, &fail))
    dmdv_error_in(path, &fail);
  else if (dmdv_write_named(&profile, path) && !native->own.quiet)
    print_text(native, &profile);
  dmd_profile_destroy(&profile);
}
