/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"

#include "base/format.h"
#include "base/str.h"

static char *join(const dmd_env_t *env, const char *a, const char *b, const char *c) {
  size_t n_a = dmd_str_length(a), n_b = dmd_str_length(b), n_c = dmd_str_length(c);
  char *joined = dmd_env_alloc(env, "dmd.outfile", n_a + n_b + n_c + 1);
  dmd_mem_copy(joined, a, n_a);
  dmd_mem_copy(joined + n_a, b, n_b);
  dmd_mem_copy(joined + n_a + n_b, c, n_c + 1);
  return joined;
}

bool dmd_outfile_open(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                      const char *name) {
  *file = (dmd_outfile_t){.env = env, .files = files, .name = join(env, name, "", "")};
  if (!files->is_special(files->ctx, name)) {
    char pid[DMD_FORMAT_MAX];
    dmd_format_u64(pid, files->pid(files->ctx));
    file->temporary = join(env, name, ".tmp.", pid);
    /* A leftover of a process that had this number before. */
    files->unlink(files->ctx, file->temporary);
  }
  bool exclusive = file->temporary != NULL;
  file->error = files->open(files->ctx, exclusive ? file->temporary : name, exclusive, &file->fd);
  file->is_open = file->error == 0;
  return file->is_open;
}

bool dmd_outfile_write(void *ctx, const char *bytes, size_t n) {
  dmd_outfile_t *file = ctx;
  while (n > 0 && file->error == 0) {
    size_t written = 0;
    file->error = file->files->write(file->files->ctx, file->fd, bytes, n, &written);
    bytes += written;
    n -= written;
    file->written += written;
  }
  return file->error == 0;
}

static void note(dmd_outfile_t *file, int error) {
  if (file->error == 0)
    file->error = error;
}

bool dmd_outfile_close(dmd_outfile_t *file, bool keep) {
  const dmd_files_t *files = file->files;
  if (!file->is_open)
    return false;
  file->is_open = false;
  note(file, files->close(files->ctx, file->fd));
  if (file->temporary == NULL)
    return file->error == 0;
  if (keep && file->error == 0)
    note(file, files->rename(files->ctx, file->temporary, file->name));
  if (!keep || file->error != 0)
    files->unlink(files->ctx, file->temporary);
  return file->error == 0;
}

void dmd_outfile_destroy(dmd_outfile_t *file) {
  dmd_env_free(file->env, file->temporary);
  dmd_env_free(file->env, file->name);
}
