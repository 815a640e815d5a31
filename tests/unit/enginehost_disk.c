/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files of enginehost.h, in memory.
 */
#include "enginehost.h"

#include <stdio.h>

bool enginehost_is_stream(void *ctx, const char *name) {
  const enginehost_t *h = ctx;
  return h->device != NULL && strcmp(name, h->device) == 0;
}

static enginehost_file_t *find_file(enginehost_t *h, const char *name) {
  for (uint32_t i = 0; i < h->n_files; i++)
    if (strcmp(h->files[i].name, name) == 0)
      return &h->files[i];
  return NULL;
}

static char *copy(const char *text) {
  char *to = malloc(strlen(text) + 1);
  return strcpy(to, text);
}

enum { FOLDER_FD = 100, PLACE_FD = 200, NO_SUPPORT = 95 };

/* The whole path of a name in a folder, which is a folder of the host or the current one. */
static void put_path(const enginehost_t *h, int folder, const char *name, char *path) {
  const char *before = folder == DMD_FILES_HERE ? "" : h->folders[folder - FOLDER_FD];
  const char *slash = before[0] == '\0' || strcmp(before, "/") == 0 ? "" : "/";
  assert_true(strlen(before) + strlen(name) + 2 < sizeof h->folders[0]);
  sprintf(path, "%s%s%s", before, slash, name);
}

/* Every folder exists. */
static int open_folder(enginehost_t *h, const char *path, int *fd) {
  uint32_t i = 0;
  while (i < COUNT_OF(h->folders) && h->folders[i][0] != '\0' && strcmp(h->folders[i], path) != 0)
    i++;
  assert_true(i < COUNT_OF(h->folders));
  strcpy(h->folders[i], path);
  *fd = FOLDER_FD + (int)i;
  return 0;
}

/* Each write to a device goes to a file of its own. */
static int make_file(enginehost_t *h, const char *path, int *fd) {
  assert_true(h->n_files < COUNT_OF(h->files));
  *fd = (int)h->n_files++;
  enginehost_file_t *file = &h->files[*fd];
  *file = (enginehost_file_t){
      .name = copy(path), .content = malloc(sizeof *file->content), .is_open = true};
  sink_init(file->content);
  return 0;
}

static int open_file(void *ctx, int folder, const char *name, dmd_open_t how, int *fd) {
  enginehost_t *h = ctx;
  char path[sizeof h->folders[0]];
  put_path(h, folder, name, path);
  const enginehost_file_t *file = find_file(h, path);
  switch (how) {
  case DMD_OPEN_FOLDER:
    return open_folder(h, path, fd);
  case DMD_OPEN_UNNAMED:
    return NO_SUPPORT;
  case DMD_OPEN_PLACE:
    *fd = PLACE_FD + (file != NULL ? (int)(file - h->files) : (int)COUNT_OF(h->files));
    return file != NULL || enginehost_is_stream(h, path) ? 0 : DMD_FILES_NOT_THERE;
  case DMD_OPEN_NEW:
    assert_null(file);
    return make_file(h, path, fd);
  default:
    assert_true(enginehost_is_stream(h, path));
    return make_file(h, path, fd);
  }
}

/* All files are on one device. */
static int status_of(void *ctx, int fd, dmd_file_status_t *status) {
  enginehost_t *h = ctx;
  uint32_t i = (uint32_t)(fd < PLACE_FD ? fd : fd - PLACE_FD);
  bool is_device = i >= COUNT_OF(h->files) || enginehost_is_stream(h, h->files[i].name);
  *status = (dmd_file_status_t){.kind = is_device ? DMD_FILE_OTHER : DMD_FILE_REGULAR,
                                .number = is_device ? COUNT_OF(h->files) : i};
  return 0;
}

static int set_mode(void *ctx, int fd, uint32_t mode) {
  enginehost_t *h = ctx;
  h->files[fd].mode = mode;
  return 0;
}

static void lock_file(void *ctx, int fd) {
  (void)ctx, (void)fd;
}

static int write_file(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  enginehost_t *h = ctx;
  assert_true(h->files[fd].is_open);
  dmd_out_bytes(&h->files[fd].content->out, bytes, n);
  *written = n;
  return h->write_error;
}

static int close_file(void *ctx, int fd) {
  enginehost_t *h = ctx;
  if (fd >= (int)COUNT_OF(h->files))
    return 0;
  assert_true(h->files[fd].is_open);
  h->files[fd].is_open = false;
  return 0;
}

static void drop_file(enginehost_t *h, enginehost_file_t *file) {
  free(file->name);
  sink_free(file->content);
  free(file->content);
  memmove(file, file + 1, (size_t)(h->files + --h->n_files - file) * sizeof *file);
}

static void unlink_file(void *ctx, int folder, const char *name) {
  enginehost_t *h = ctx;
  char path[sizeof h->folders[0]];
  put_path(h, folder, name, path);
  enginehost_file_t *file = find_file(h, path);
  if (file != NULL)
    drop_file(h, file);
}

static int rename_file(void *ctx, int folder, const char *from, const char *to) {
  enginehost_t *h = ctx;
  char path[sizeof h->folders[0]];
  unlink_file(h, folder, to);
  put_path(h, folder, from, path);
  enginehost_file_t *file = find_file(h, path);
  put_path(h, folder, to, path);
  free(file->name);
  file->name = copy(path);
  return 0;
}

static uint64_t user(void *ctx) {
  (void)ctx;
  return 1000;
}

static uint32_t mode(void *ctx) {
  (void)ctx;
  return 0664;
}

static uint64_t pid(void *ctx) {
  return ((const enginehost_t *)ctx)->pid;
}

/* ---- The whole. ---- */

void enginehost_init_disk(enginehost_t *h) {
  h->disk = (dmd_files_t){.open = open_file,
                          .status = status_of,
                          .set_mode = set_mode,
                          .lock = lock_file,
                          .user = user,
                          .mode = mode,
                          .write = write_file,
                          .close = close_file,
                          .rename = rename_file,
                          .unlink = unlink_file,
                          .pid = pid,
                          .ctx = h};
}

void enginehost_drop_files(enginehost_t *h) {
  while (h->n_files > 0) {
    enginehost_file_t *file = &h->files[h->n_files - 1];
    assert_false(file->is_open);
    assert_null(strstr(file->name, ".tmp"));
    drop_file(h, file);
  }
}

const char *enginehost_file(enginehost_t *h, const char *name) {
  enginehost_file_t *file = find_file(h, name);
  if (file != NULL)
    return sink_text(file->content);
  fail_msg("no file %s; the first is %s", name, h->n_files > 0 ? h->files[0].name : "none");
  return NULL;
}
