/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files.h"

#include "base/format.h"
#include "base/str.h"

const char *dmd_files_error(int error) {
  if (error == DMD_FILES_FOREIGN_LINK)
    return "it is a symbolic link of another user";
  if (error == DMD_FILES_FOREIGN_FOLDER)
    return "a folder of its path is a symbolic link of another user";
  return NULL;
}

/* ---- Resolving a path. ---- */

/* Linux's limits on the links to follow and on the length of a path. */
enum { MAX_LINKS = 40, MAX_TARGET = 4096 };

static int open_in(const dmd_pathwalk_t *walk, const char *name, dmd_open_t how, int *fd) {
  return walk->files->open(walk->files->ctx, walk->folder, name, how, fd);
}

static void close_fd(const dmd_pathwalk_t *walk, int fd) {
  walk->files->close(walk->files->ctx, fd);
}

static int enter(dmd_pathwalk_t *walk, const char *name, dmd_open_t how) {
  int fd, error = open_in(walk, name, how, &fd);
  if (error != 0)
    return error;
  if (walk->folder != DMD_FILES_HERE)
    close_fd(walk, walk->folder);
  walk->folder = fd;
  return 0;
}

/* ---- The next component. ---- */

/* Ends the name at `at` with a NUL, goes to the root folder if the path begins there, and sets
 * *next to the start of the next name, or to the path's end after the last one. */
static int next_name(dmd_pathwalk_t *walk, size_t *next) {
  char *text = walk->rest.text;
  if (text[walk->at] == '/') {
    int error = enter(walk, "/", DMD_OPEN_FOLDER);
    if (error != 0)
      return error;
    while (text[walk->at] == '/')
      walk->at++;
  }
  size_t end = walk->at;
  while (text[end] != '\0' && text[end] != '/')
    end++;
  if (end == walk->at)
    return DMD_FILES_IS_FOLDER;
  bool has_slash = text[end] == '/';
  text[end] = '\0';
  *next = end + has_slash;
  while (text[*next] == '/')
    (*next)++;
  /* A trailing slash means a folder. */
  return has_slash && *next == walk->rest.n ? DMD_FILES_IS_FOLDER : 0;
}

/* ---- Links. ---- */

static bool is_trusted(const dmd_pathwalk_t *walk) {
  uint64_t owner = walk->status.owner;
  return owner == 0 || owner == walk->files->user(walk->files->ctx);
}

/* Replaces the name of an open link by the link's target. `next`: where the path goes on. */
static int splice(dmd_pathwalk_t *walk, int link, size_t next) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, walk->rest.env);
  size_t n = 0;
  int error = walk->files->read_link(walk->files->ctx, link, dmd_strbuf_reserve(&path, MAX_TARGET),
                                     MAX_TARGET, &n);
  path.n = n;
  path.text[n] = '\0';
  if (next < walk->rest.n) {
    dmd_strbuf_str(&path, "/");
    dmd_strbuf_bytes(&path, walk->rest.text + next, walk->rest.n - next);
  }
  dmd_strbuf_destroy(&walk->rest);
  walk->rest = path;
  walk->at = 0;
  return error == 0 && n == 0 ? DMD_FILES_NOT_THERE : error;
}

/* Looks at the file with the current name, and follows it if it is a link. *is_end: it is the end
 * of the path. */
static int look(dmd_pathwalk_t *walk, size_t next, bool *is_end) {
  const char *name = walk->rest.text + walk->at;
  bool is_last = next == walk->rest.n;
  int fd, error = open_in(walk, name, DMD_OPEN_PLACE, &fd);
  if (is_last && error == DMD_FILES_NOT_THERE) {
    *is_end = true;
    return 0;
  }
  if (error != 0)
    return error;
  error = walk->files->status(walk->files->ctx, fd, &walk->status);
  bool is_link = error == 0 && walk->status.kind == DMD_FILE_LINK;
  if (is_link && !is_trusted(walk))
    error = is_last ? DMD_FILES_FOREIGN_LINK : DMD_FILES_FOREIGN_FOLDER;
  else if (is_link && walk->status.is_systems && !is_last)
    error = enter(walk, name, DMD_OPEN_FOLDER_THROUGH);
  else if (is_link && !walk->status.is_systems)
    error = splice(walk, fd, next);
  else if (error == 0 && !is_last)
    error = DMD_FILES_NOT_FOLDER;
  else
    *is_end = walk->is_there = error == 0;
  walk->is_linked = walk->is_linked || (is_link && is_last);
  if (error == 0 && is_link && walk->status.is_systems && !is_last)
    walk->at = next;
  close_fd(walk, fd);
  return error;
}

/* ---- The walk. ---- */

int dmd_pathwalk_begin(dmd_pathwalk_t *walk, const dmd_env_t *env, const dmd_files_t *files,
                       const char *path) {
  *walk = (dmd_pathwalk_t){.files = files, .folder = DMD_FILES_HERE};
  dmd_strbuf_init(&walk->rest, env);
  dmd_strbuf_str(&walk->rest, path);
  if (path[0] == '\0')
    return DMD_FILES_NOT_THERE;
  bool is_end = false;
  int error = 0;
  /* Each turn consumes a name of the path or follows a link. */
  for (int n_links = 0; error == 0 && !is_end;) {
    size_t next;
    error = next_name(walk, &next);
    if (error != 0)
      break;
    bool is_last = next == walk->rest.n;
    int entered =
        is_last ? DMD_FILES_NOT_FOLDER : enter(walk, walk->rest.text + walk->at, DMD_OPEN_FOLDER);
    if (entered == 0) {
      walk->at = next;
      continue;
    }
    if (entered != DMD_FILES_NOT_FOLDER && entered != DMD_FILES_TOO_MANY_LINKS)
      error = entered;
    else if (++n_links > MAX_LINKS + 1)
      error = DMD_FILES_TOO_MANY_LINKS;
    else
      error = look(walk, next, &is_end);
  }
  return error;
}

const char *dmd_pathwalk_name(const dmd_pathwalk_t *walk) {
  return walk->rest.text + walk->at;
}

int dmd_pathwalk_open(const dmd_pathwalk_t *walk, dmd_open_t how, int *fd) {
  const dmd_files_t *files = walk->files;
  int error = open_in(walk, dmd_pathwalk_name(walk), how, fd);
  if (error != 0 || how == DMD_OPEN_NEW || how == DMD_OPEN_WRITE_THROUGH)
    return error;
  dmd_file_status_t now;
  error = files->status(files->ctx, *fd, &now);
  if (error == 0 && (now.device != walk->status.device || now.number != walk->status.number))
    error = DMD_FILES_REPLACED;
  if (error != 0)
    close_fd(walk, *fd);
  return error;
}

static int empty_if_regular(const dmd_files_t *files, int fd) {
  dmd_file_status_t status;
  int error = files->status(files->ctx, fd, &status);
  return error == 0 && status.kind == DMD_FILE_REGULAR ? files->truncate(files->ctx, fd) : error;
}

/* Opens for writing: the existing file, truncated if it is a regular one and `empties`, or, with
 * *is_new, a new file that only its owner may read. Returns 0, or an error. */
static int pathwalk_open_to_write(const dmd_pathwalk_t *walk, bool empties, bool *is_new, int *fd) {
  *is_new = !walk->is_there;
  if (!walk->is_there)
    return dmd_pathwalk_open(walk, DMD_OPEN_NEW, fd);
  if (walk->status.kind == DMD_FILE_FOLDER)
    return DMD_FILES_IS_FOLDER;
  bool is_through = walk->status.kind == DMD_FILE_LINK;
  int error = dmd_pathwalk_open(walk, is_through ? DMD_OPEN_WRITE_THROUGH : DMD_OPEN_WRITE, fd);
  if (error != 0 || !empties)
    return error;
  error = empty_if_regular(walk->files, *fd);
  if (error != 0)
    close_fd(walk, *fd);
  return error;
}

void dmd_pathwalk_end(dmd_pathwalk_t *walk) {
  if (walk->folder != DMD_FILES_HERE)
    close_fd(walk, walk->folder);
  dmd_strbuf_destroy(&walk->rest);
}

int dmd_pathwalk_open_in_place(const dmd_env_t *env, const dmd_files_t *files, const char *path,
                               bool empties, int *fd) {
  dmd_pathwalk_t walk;
  bool is_new = false;
  int error = dmd_pathwalk_begin(&walk, env, files, path);
  if (error == 0)
    error = pathwalk_open_to_write(&walk, empties, &is_new, fd);
  dmd_pathwalk_end(&walk);
  if (error != 0 || !is_new)
    return error;
  error = files->set_mode(files->ctx, *fd, files->mode(files->ctx));
  if (error != 0)
    files->close(files->ctx, *fd);
  return error;
}

/* ---- Files that appear when they are complete. ---- */

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
  return pathwalk_open_to_write(&file->walk, true, &file->is_new, &file->fd);
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
