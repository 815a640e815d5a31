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

/* ---- Opening. ---- */

/* What exists under the name, or what a link of the user's leads to. */
static int open_directly(dmd_outfile_t *file) {
  file->way = DMD_OUTFILE_DIRECT;
  return dmd_pathwalk_open_to_write(&file->walk, true, &file->is_new, &file->fd);
}

/* A file of ours, which takes the name in the end. */
static int open_beside(dmd_outfile_t *file) {
  const dmd_files_t *files = file->files;
  const dmd_pathwalk_t *walk = &file->walk;
  char pid[DMD_FORMAT_MAX];
  dmd_format_u64(pid, files->pid(files->ctx));
  file->temporary = join(file->env, dmd_pathwalk_name(walk), ".tmp.", pid);
  file->is_new = true;
  int error = files->open(files->ctx, walk->folder, ".", DMD_OPEN_UNNAMED, &file->fd);
  if (error != 0) {
    file->way = DMD_OUTFILE_RENAMED;
    /* A leftover of a process that had this number before. */
    files->unlink(files->ctx, walk->folder, file->temporary);
    error = files->open(files->ctx, walk->folder, file->temporary, DMD_OPEN_NEW, &file->fd);
  }
  if (error == 0)
    files->lock(files->ctx, file->fd);
  return error;
}

static bool is_replaced(const dmd_pathwalk_t *walk) {
  return walk->is_there ? walk->status.kind == DMD_FILE_REGULAR : true;
}

static bool open_at(dmd_outfile_t *file, const char *name, bool again) {
  file->name = join(file->env, name, "", "");
  file->has_walk = true;
  file->error = dmd_pathwalk_begin(&file->walk, file->env, file->files, name);
  if (file->error == 0 && is_replaced(&file->walk) && (again || !file->walk.is_linked))
    file->error = open_beside(file);
  else if (file->error == 0)
    file->error = open_directly(file);
  file->is_open = file->error == 0;
  return file->is_open;
}

bool dmd_outfile_open(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                      const char *name) {
  *file = (dmd_outfile_t){.env = env, .files = files, .mode = files->mode(files->ctx)};
  return open_at(file, name, false);
}

bool dmd_outfile_open_again(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                            const char *name, uint32_t mode) {
  *file = (dmd_outfile_t){.env = env, .files = files, .mode = mode};
  return open_at(file, name, true);
}

void dmd_outfile_borrow(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                        const char *name, int fd) {
  *file = (dmd_outfile_t){.env = env,
                          .files = files,
                          .name = join(env, name, "", ""),
                          .way = DMD_OUTFILE_BORROWED,
                          .is_open = true,
                          .fd = fd};
}

/* ---- Writing. ---- */

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

/* ---- Closing. ---- */

static void note(dmd_outfile_t *file, int error) {
  if (file->error == 0)
    file->error = error;
}

/* Gives a file without a name its own, if that is free, else the temporary one: a name cannot be
 * taken from another file in one step. */
static int give_name(dmd_outfile_t *file) {
  const dmd_files_t *files = file->files;
  int folder = file->walk.folder;
  int error = files->link(files->ctx, file->fd, folder, dmd_pathwalk_name(&file->walk));
  if (error != DMD_FILES_EXISTS)
    return error;
  file->way = DMD_OUTFILE_RENAMED;
  files->unlink(files->ctx, folder, file->temporary);
  return files->link(files->ctx, file->fd, folder, file->temporary);
}

bool dmd_outfile_close(dmd_outfile_t *file, bool keep) {
  const dmd_files_t *files = file->files;
  if (!file->is_open)
    return false;
  file->is_open = false;
  if (file->way == DMD_OUTFILE_BORROWED)
    return file->error == 0;
  bool is_kept = keep && file->error == 0;
  if (is_kept && file->is_new)
    note(file, files->set_mode(files->ctx, file->fd, file->mode));
  if (is_kept && file->way == DMD_OUTFILE_UNNAMED && file->error == 0)
    note(file, give_name(file));
  bool is_named = is_kept && file->error == 0 && file->way == DMD_OUTFILE_UNNAMED;
  note(file, files->close(files->ctx, file->fd));
  int folder = file->walk.folder;
  if (is_named && file->error != 0)
    files->unlink(files->ctx, folder, dmd_pathwalk_name(&file->walk));
  if (file->way != DMD_OUTFILE_RENAMED)
    return file->error == 0;
  if (is_kept && file->error == 0)
    note(file, files->rename(files->ctx, folder, file->temporary, dmd_pathwalk_name(&file->walk)));
  if (!is_kept || file->error != 0)
    files->unlink(files->ctx, folder, file->temporary);
  return file->error == 0;
}

void dmd_outfile_destroy(dmd_outfile_t *file) {
  if (file->has_walk)
    dmd_pathwalk_end(&file->walk);
  dmd_env_free(file->env, file->temporary);
  dmd_env_free(file->env, file->name);
}
