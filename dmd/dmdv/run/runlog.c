/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/runlog.h"

#include "base/files.h"
#include "base/out.h"
#include "base/posix/posix.h"
#include "host/output.h"
#include "host/process.h"

#include <inttypes.h>

void dmdv_runlog_init(dmdv_runlog_t *log, const char *pattern) {
  *log = (dmdv_runlog_t){.pattern = pattern};
  dmd_intern_init(&log->begun, &dmdv_env, "dmdv.runlog");
}

static void close_file(dmdv_runlog_t *log) {
  if (log->file != NULL)
    fclose(log->file);
  log->file = NULL;
}

void dmdv_runlog_destroy(dmdv_runlog_t *log) {
  close_file(log);
  dmd_intern_destroy(&log->begun);
}

static void add_name(dmd_strbuf_t *name, const char *pattern, uint64_t pid) {
  for (; *pattern != '\0'; pattern++)
    if (pattern[0] == '%' && pattern[1] == 'p') {
      dmd_strbuf_u64(name, pid);
      pattern++;
    } else {
      dmd_strbuf_bytes(name, pattern, 1);
    }
}

/* Does not follow links of other users. */
static FILE *open_file(const char *name, bool empties) {
  int fd, error = dmd_pathwalk_open_in_place(&dmdv_env, &dmd_posix_files, name, empties, &fd);
  FILE *file = error == 0 ? fdopen(fd, "a") : NULL;
  if (file == NULL)
    dmdv_error("run: cannot write to %s: %s; its messages follow here", name,
               dmdv_file_error(error));
  return file;
}

/* Reports a name that cannot be written to only once. */
FILE *dmdv_runlog_file(dmdv_runlog_t *log, uint64_t pid) {
  if (log->pattern == NULL)
    return stderr;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  add_name(&name, log->pattern, pid);
  uint32_t n_before = dmd_intern_count(&log->begun);
  uint32_t id = dmd_intern_str(&log->begun, name.text);
  if (id != log->file_id) {
    close_file(log);
    log->file = open_file(name.text, id > n_before);
    log->file_id = id;
  }
  dmd_strbuf_destroy(&name);
  return log->file != NULL ? log->file : stderr;
}

void dmdv_runlog_begin(dmdv_runlog_t *log, uint64_t pid) {
  dmdv_runlog_file(log, pid);
}

static bool write_text(void *ctx, const char *bytes, size_t n) {
  return fwrite(bytes, 1, n, ctx) == n;
}

void dmdv_runlog_say(dmdv_runlog_t *log, uint64_t pid, const char *line) {
  FILE *file = dmdv_runlog_file(log, pid);
  dmd_out_t out;
  fprintf(file, "==%" PRIu64 "== ", pid);
  dmd_out_init(&out, write_text, file);
  dmd_out_safe(&out, line);
  dmd_out_flush(&out);
  fputc('\n', file);
  fflush(file);
}
