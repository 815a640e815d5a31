/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/outfile.h"
#include "reader/host/message.h"

#include "reader/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { GZIP_BUFFER = 64 * 1024, GZIP_WINDOW = 15 + 16 /* zlib's way to say gzip */ };

struct dmdv_outfile {
  const char *name; /* NULL: standard output */
  char *temporary;  /* NULL: written to directly */
  FILE *stream;
  int error; /* of the first failure, an errno; 0: none so far */
  bool gzip;
  z_stream z;
  unsigned char buffer[GZIP_BUFFER]; /* of what deflate makes */
};

/* A link is special, wherever it leads: renaming a file over /dev/stdout would take that away. */
static bool is_special(const char *name) {
  struct stat st;
  return lstat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static FILE *open_stream(dmdv_outfile_t *file) {
  if (file->name == NULL)
    return stdout;
  if (is_special(file->name))
    return fopen(file->name, "wb");
  size_t szB = strlen(file->name) + 32;
  file->temporary = dmd_env_alloc(&dmdv_env, "dmdv.outfile", szB);
  snprintf(file->temporary, szB, "%s.tmp.%ld", file->name, (long)getpid());
  /* A leftover of a process that had this number before. */
  unlink(file->temporary);
  int fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return fd < 0 ? NULL : fdopen(fd, "wb");
}

static const char *shown_name(const dmdv_outfile_t *file) {
  return file->name != NULL ? file->name : "standard output";
}

static void destroy(dmdv_outfile_t *file) {
  dmd_env_free(&dmdv_env, file->temporary);
  dmd_env_free(&dmdv_env, file);
}

dmdv_outfile_t *dmdv_outfile_open(const char *name, bool gzip) {
  dmdv_outfile_t *file = dmd_env_alloc(&dmdv_env, "dmdv.outfile", sizeof *file);
  memset(file, 0, sizeof *file);
  file->name = name;
  file->gzip = gzip;
  file->stream = open_stream(file);
  if (file->stream == NULL) {
    dmdv_error("cannot write %s: %s", name, strerror(errno));
    destroy(file);
    return NULL;
  }
  if (gzip && deflateInit2(&file->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                           Z_DEFAULT_STRATEGY) != Z_OK)
    dmdv_env.panic(dmdv_env.ctx, "out of memory: zlib could not begin");
  return file;
}

static void write_plain(dmdv_outfile_t *file, const void *bytes, size_t n) {
  if (file->error == 0 && fwrite(bytes, 1, n, file->stream) != n)
    file->error = errno != 0 ? errno : EIO;
}

/* Compresses what z.next_in holds; flush is Z_FINISH at the end. */
static void deflate_all(dmdv_outfile_t *file, int flush) {
  do {
    file->z.next_out = file->buffer;
    file->z.avail_out = GZIP_BUFFER;
    deflate(&file->z, flush);
    write_plain(file, file->buffer, GZIP_BUFFER - file->z.avail_out);
  } while (file->z.avail_out == 0);
}

bool dmdv_outfile_write(void *ctx, const char *bytes, size_t n) {
  dmdv_outfile_t *file = ctx;
  if (!file->gzip)
    write_plain(file, bytes, n);
  while (file->gzip && n > 0 && file->error == 0) {
    /* zlib counts with 32 bits. */
    uInt part = n < 1u << 30 ? (uInt)n : 1u << 30;
    file->z.next_in = (Bytef *)bytes;
    file->z.avail_in = part;
    deflate_all(file, Z_NO_FLUSH);
    bytes += part;
    n -= part;
  }
  return file->error == 0;
}

bool dmdv_outfile_close(dmdv_outfile_t *file, bool keep) {
  if (file->gzip) {
    file->z.avail_in = 0;
    if (keep)
      deflate_all(file, Z_FINISH);
    deflateEnd(&file->z);
  }
  if ((file->stream == stdout ? fflush(stdout) : fclose(file->stream)) != 0 && file->error == 0)
    file->error = errno;
  if (keep && file->error == 0 && file->temporary != NULL &&
      rename(file->temporary, file->name) != 0)
    file->error = errno;
  if (file->temporary != NULL && (!keep || file->error != 0))
    unlink(file->temporary);
  bool good = !keep || file->error == 0 ||
              dmdv_error("cannot write %s: %s", shown_name(file), strerror(file->error));
  destroy(file);
  return good;
}

bool dmdv_outfile_is_gzip(const char *name) {
  size_t n = name != NULL ? strlen(name) : 0;
  return n >= 3 && strcmp(name + n - 3, ".gz") == 0;
}
