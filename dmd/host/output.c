/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/output.h"

#include "base/files.h"

#include "base/posix/posixfiles.h"
#include "host/message.h"
#include "host/pager.h"
#include "host/process.h"
#include "host/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

const dmd_gzip_way_t dmdv_gzip_way = {.env = &dmdv_env, .level = Z_DEFAULT_COMPRESSION};

struct dmdv_output {
  dmd_outfile_t file;
  dmd_gzip_t *gzip; /* NULL: plain */
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

bool dmdv_output_close(dmdv_output_t *file, bool keep) {
  if (file->gzip != NULL)
    dmd_gzip_close(file->gzip, keep);
  bool good = dmd_outfile_close(&file->file, keep);
  return destroy(file, good || !keep);
}

bool dmdv_output_is_gzip(const char *name) {
  size_t n = name != NULL ? strlen(name) : 0;
  return n >= 3 && strcmp(name + n - 3, ".gz") == 0;
}

bool dmdv_output_print(const char *name, bool wants_pager, void (*print)(void *ctx, dmd_out_t *out),
                       void *ctx) {
  dmdv_work_end();
  dmdv_pager_begin(name == NULL && wants_pager);
  dmdv_output_t *file = dmdv_output_open(name, false);
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_output_write, file);
  print(ctx, &out);
  dmd_out_flush(&out);
  bool good = dmdv_output_close(file, true);
  dmdv_pager_end();
  return good;
}
