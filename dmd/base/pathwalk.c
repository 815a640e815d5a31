/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pathwalk.h"

#include "base/str.h"

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

int dmd_pathwalk_open_to_write(const dmd_pathwalk_t *walk, bool empties, bool *is_new, int *fd) {
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
    error = dmd_pathwalk_open_to_write(&walk, empties, &is_new, fd);
  dmd_pathwalk_end(&walk);
  if (error != 0 || !is_new)
    return error;
  error = files->set_mode(files->ctx, *fd, files->mode(files->ctx));
  if (error != 0)
    files->close(files->ctx, *fd);
  return error;
}
