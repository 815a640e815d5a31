/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files.h"
#include "base/jsonlimit.h"
#include "base/posix/posix.h"
#include "host/process.h"
#include "host/progress.h"

/* ---- The pager. ---- */

static pid_t g_pager; /* 0: none */

bool dmdv_is_terminal(void) {
  return g_pager > 0 || isatty(STDOUT_FILENO);
}

/* With a pager standard output is a pipe; standard error is most likely the same terminal. */
uint32_t dmdv_terminal_columns(void) {
  struct winsize size;
  int fd = g_pager > 0 ? STDERR_FILENO : STDOUT_FILENO;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

/* Whether a folder of PATH has the program. */
static bool is_in_path(const char *program) {
  const char *path = getenv("PATH");
  while (path != NULL && *path != '\0') {
    char file[4096];
    size_t n = strcspn(path, ":");
    int length = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, program);
    if (length > 0 && (size_t)length < sizeof file && access(file, X_OK) == 0)
      return true;
    path += n + (path[n] == ':');
  }
  return false;
}

/* NULL: no pager. */
static const char *command(void) {
  const char *given = getenv("DMD_PAGER");
  if (given == NULL)
    given = getenv("PAGER");
  if (given == NULL)
    return is_in_path("less") ? "less" : NULL;
  return given[0] == '\0' || strcmp(given, "cat") == 0 ? NULL : given;
}

/* Runs in the child. */
static void become(const char *pager, const int ends[2]) {
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  close(ends[1]);
  setenv("LESS", "FRX", 0);
  execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
  _exit(127);
}

void dmdv_pager_begin(bool wanted) {
  int ends[2];
  const char *pager = wanted && g_pager == 0 && isatty(STDOUT_FILENO) ? command() : NULL;
  if (pager == NULL || fflush(stdout) != 0 || pipe(ends) != 0)
    return;
  pid_t pid = fork();
  if (pid == 0)
    become(pager, ends);
  close(ends[0]);
  if (pid > 0) {
    dup2(ends[1], STDOUT_FILENO);
    g_pager = pid;
    /* These signals are for the pager, which has the terminal until it ends. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
  }
  close(ends[1]);
}

void dmdv_pager_end(void) {
  int status = 0;
  if (g_pager == 0)
    return;
  fflush(stdout);
  close(STDOUT_FILENO);
  while (waitpid(g_pager, &status, 0) < 0 && errno == EINTR)
    continue;
  g_pager = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    dmdv_note("cannot run the pager: see DMD_PAGER and PAGER, or use --no-pager");
}

/* ---- Output. ---- */

const dmd_gzip_way_t dmdv_gzip_way = {.env = &dmdv_env, .level = Z_DEFAULT_COMPRESSION};

struct dmdv_output {
  dmd_outfile_t file;
  dmd_gzip_t *gzip; /* NULL: plain */
  int more;         /* what the close adds; -1: nothing */
  uint64_t more_at, more_szB;
  dmdv_report_t report;
};

const char *dmdv_file_error(int error) {
  const char *ours = dmd_files_error(error);
  return ours != NULL ? ours : strerror(error);
}

static void say_on_stderr(void *ctx, const char *name, int error) {
  (void)ctx;
  dmdv_error("cannot write %s: %s", name, dmdv_file_error(error));
}

static const dmdv_report_t on_stderr = {say_on_stderr, NULL};

static bool destroy(dmdv_output_t *file, bool good) {
  if (!good)
    file->report.say(file->report.ctx, file->file.name, file->file.error);
  dmd_outfile_destroy(&file->file);
  dmd_env_free(&dmdv_env, file);
  return good;
}

static dmdv_output_t *new_file(dmdv_report_t report) {
  dmdv_output_t *file = dmd_env_alloc(&dmdv_env, "dmdv.outfile", sizeof *file);
  memset(file, 0, sizeof *file);
  file->report = report;
  file->more = -1;
  return file;
}

/* Completes an output that was opened; frees it and returns NULL if that failed. */
static dmdv_output_t *begin(dmdv_output_t *file, bool is_open, bool gzip) {
  if (!is_open) {
    destroy(file, false);
    return NULL;
  }
  if (gzip)
    file->gzip = dmd_gzip_open(&dmdv_gzip_way, dmd_outfile_write, &file->file);
  return file;
}

/* Flushes stdio's own output first. */
static bool borrow_standard_output(dmd_outfile_t *file) {
  dmd_outfile_borrow(file, &dmdv_env, &dmd_posix_files, "standard output", STDOUT_FILENO);
  file->error = fflush(stdout) == 0 ? 0 : errno;
  return file->error == 0;
}

dmdv_output_t *dmdv_output_open(const char *name, bool gzip) {
  return dmdv_output_open_reporting(name, gzip, on_stderr);
}

dmdv_output_t *dmdv_output_open_reporting(const char *name, bool gzip, dmdv_report_t report) {
  dmdv_output_t *file = new_file(report);
  bool is_open = name == NULL ? borrow_standard_output(&file->file)
                              : dmd_outfile_open(&file->file, &dmdv_env, &dmd_posix_files, name);
  return begin(file, is_open, gzip);
}

dmdv_output_t *dmdv_output_open_again(const char *name, bool gzip, uint32_t mode) {
  dmdv_output_t *file = new_file(on_stderr);
  bool is_open = dmd_outfile_open_again(&file->file, &dmdv_env, &dmd_posix_files, name, mode);
  return begin(file, is_open, gzip);
}

bool dmdv_output_write(void *ctx, const char *bytes, size_t n) {
  dmdv_output_t *file = ctx;
  return file->gzip != NULL ? dmd_gzip_write(file->gzip, bytes, n)
                            : dmd_outfile_write(&file->file, bytes, n);
}

void dmdv_output_add_at_close(dmdv_output_t *file, int fd, uint64_t at, uint64_t szB) {
  file->more = fd;
  file->more_at = at;
  file->more_szB = szB;
}

static void add_more(dmdv_output_t *file) {
  char bytes[1 << 16];
  while (file->more_szB > 0 && file->file.error == 0) {
    size_t n = file->more_szB < sizeof bytes ? (size_t)file->more_szB : sizeof bytes;
    ssize_t got = pread(file->more, bytes, n, (off_t)file->more_at);
    if (got <= 0) {
      file->file.error = got == 0 ? EIO : errno;
      return;
    }
    dmd_outfile_write(&file->file, bytes, (size_t)got);
    file->more_at += (uint64_t)got;
    file->more_szB -= (uint64_t)got;
  }
}

bool dmdv_output_close(dmdv_output_t *file, bool keep) {
  if (file->gzip != NULL)
    dmd_gzip_close(file->gzip, keep);
  if (file->more >= 0 && keep)
    add_more(file);
  bool good = dmd_outfile_close(&file->file, keep);
  return destroy(file, good || !keep);
}

bool dmdv_output_is_gzip(const char *name) {
  size_t n = name != NULL ? strlen(name) : 0;
  return n >= 3 && strcmp(name + n - 3, ".gz") == 0;
}

/* limit: NULL: the output is not JSON, or its lists stay as they are. */
static bool print_to(const char *name, bool wants_pager, dmd_jsonlimit_t *limit,
                     void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
  dmdv_work_end();
  dmdv_pager_begin(name == NULL && wants_pager);
  dmdv_output_t *file = dmdv_output_open(name, false);
  if (file == NULL)
    return false;
  dmd_out_t out;
  if (limit == NULL) {
    dmd_out_init(&out, dmdv_output_write, file);
  } else {
    dmd_out_init(&limit->out, dmdv_output_write, file);
    dmd_out_init(&out, dmd_jsonlimit_write, limit);
  }
  print(ctx, &out);
  dmd_out_flush(&out);
  if (limit != NULL)
    dmd_out_flush(&limit->out);
  bool good = dmdv_output_close(file, true);
  dmdv_pager_end();
  return good;
}

bool dmdv_output_print(const char *name, bool wants_pager, void (*print)(void *ctx, dmd_out_t *out),
                       void *ctx) {
  return print_to(name, wants_pager, NULL, print, ctx);
}

bool dmdv_output_print_json(const char *name, bool wants_pager, const char *lists, uint32_t most,
                            void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
  dmd_jsonlimit_t limit;
  dmd_jsonlimit_init(&limit, lists, most);
  return print_to(name, wants_pager, most > 0 ? &limit : NULL, print, ctx);
}
