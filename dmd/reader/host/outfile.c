/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/outfile.h"

#include "posix/files.h"
#include "reader/host/files.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/pager.h"
#include "reader/host/progress.h"

#include <string.h>
#include <zlib.h>

const dmd_gzip_way_t dmdv_gzip_way = {.env = &dmdv_env, .level = Z_DEFAULT_COMPRESSION};

struct dmdv_outfile {
  dmd_outfile_t file;
  dmd_gzip_t *gzip; /* NULL: plain */
};

static bool destroy(dmdv_outfile_t *file, bool good) {
  if (!good)
    dmdv_error("cannot write %s: %s", file->file.name, strerror(file->file.error));
  dmd_outfile_destroy(&file->file);
  dmd_env_free(&dmdv_env, file);
  return good;
}

dmdv_outfile_t *dmdv_outfile_open(const char *name, bool gzip) {
  dmdv_outfile_t *file = dmd_env_alloc(&dmdv_env, "dmdv.outfile", sizeof *file);
  memset(file, 0, sizeof *file);
  const dmd_files_t *files = name != NULL ? &dmd_posix_files : &dmdv_standard_output;
  if (!dmd_outfile_open(&file->file, &dmdv_env, files, name != NULL ? name : "standard output")) {
    destroy(file, false);
    return NULL;
  }
  if (gzip)
    file->gzip = dmd_gzip_open(&dmdv_gzip_way, dmd_outfile_write, &file->file);
  return file;
}

bool dmdv_outfile_write(void *ctx, const char *bytes, size_t n) {
  dmdv_outfile_t *file = ctx;
  return file->gzip != NULL ? dmd_gzip_write(file->gzip, bytes, n)
                            : dmd_outfile_write(&file->file, bytes, n);
}

bool dmdv_outfile_close(dmdv_outfile_t *file, bool keep) {
  if (file->gzip != NULL)
    dmd_gzip_close(file->gzip, keep);
  bool good = dmd_outfile_close(&file->file, keep);
  return destroy(file, good || !keep);
}

bool dmdv_outfile_is_gzip(const char *name) {
  size_t n = name != NULL ? strlen(name) : 0;
  return n >= 3 && strcmp(name + n - 3, ".gz") == 0;
}

bool dmdv_outfile_print(const char *name, bool wants_pager,
                        void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
  dmdv_work_end();
  dmdv_pager_begin(name == NULL && wants_pager);
  dmdv_outfile_t *file = dmdv_outfile_open(name, false);
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  print(ctx, &out);
  dmd_out_flush(&out);
  bool good = dmdv_outfile_close(file, true);
  dmdv_pager_end();
  return good;
}
