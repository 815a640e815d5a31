/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/outfile.h"

#include "reader/host/files.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/pager.h"

#include <string.h>
#include <zlib.h>

enum { GZIP_BUFFER = 64 * 1024, GZIP_WINDOW = 15 + 16 /* zlib's way to say gzip */ };

struct dmdv_outfile {
  dmd_outfile_t file;
  bool gzip;
  z_stream z;
  unsigned char buffer[GZIP_BUFFER]; /* of what deflate makes */
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
  file->gzip = gzip;
  const dmd_files_t *files = name != NULL ? &dmdv_files : &dmdv_standard_output;
  if (!dmd_outfile_open(&file->file, &dmdv_env, files, name != NULL ? name : "standard output")) {
    destroy(file, false);
    return NULL;
  }
  if (gzip && deflateInit2(&file->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                           Z_DEFAULT_STRATEGY) != Z_OK)
    dmdv_env.panic(dmdv_env.ctx, "out of memory: zlib could not begin");
  return file;
}

/* Compresses what z.next_in holds; flush is Z_FINISH at the end. */
static void deflate_all(dmdv_outfile_t *file, int flush) {
  do {
    file->z.next_out = file->buffer;
    file->z.avail_out = GZIP_BUFFER;
    deflate(&file->z, flush);
    dmd_outfile_write(&file->file, (const char *)file->buffer, GZIP_BUFFER - file->z.avail_out);
  } while (file->z.avail_out == 0);
}

bool dmdv_outfile_write(void *ctx, const char *bytes, size_t n) {
  dmdv_outfile_t *file = ctx;
  if (!file->gzip)
    return dmd_outfile_write(&file->file, bytes, n);
  while (n > 0 && file->file.error == 0) {
    /* zlib counts with 32 bits. */
    uInt part = n < 1u << 30 ? (uInt)n : 1u << 30;
    file->z.next_in = (Bytef *)bytes;
    file->z.avail_in = part;
    deflate_all(file, Z_NO_FLUSH);
    bytes += part;
    n -= part;
  }
  return file->file.error == 0;
}

bool dmdv_outfile_close(dmdv_outfile_t *file, bool keep) {
  if (file->gzip) {
    file->z.avail_in = 0;
    if (keep)
      deflate_all(file, Z_FINISH);
    deflateEnd(&file->z);
  }
  bool good = dmd_outfile_close(&file->file, keep);
  return destroy(file, good || !keep);
}

bool dmdv_outfile_is_gzip(const char *name) {
  size_t n = name != NULL ? strlen(name) : 0;
  return n >= 3 && strcmp(name + n - 3, ".gz") == 0;
}

bool dmdv_outfile_print(const char *name, bool wants_pager,
                        void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
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
