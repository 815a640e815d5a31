/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * disk.h: a file system in memory for tests of code that writes files.
 *
 * It has a few nodes in folders. The first is the root folder, and relative paths begin there. Node
 * i is opened as descriptor 10 + i. A node is known by its folder and its name.
 */
#ifndef DMD_TESTS_DISK_H
#define DMD_TESTS_DISK_H

#include "host.h"

#include "base/files.h"

enum { DISK_NODES = 16, DISK_TEXT = 64, DISK_AT_ONCE = 5, DISK_FULL = 28, DISK_UNKNOWN = 95 };
enum { DISK_FD = 10, DISK_NOWHERE = -1 /* the node is in no folder and has no name */ };
enum { DISK_US = 1000, DISK_OTHER = 1001 };

typedef struct disk_node {
  int folder;
  char name[32];
  dmd_file_kind_t kind;
  bool is_systems;
  int owner;
  char text[DISK_TEXT]; /* a file's content, or a link's target */
  size_t n;
  uint32_t mode;
  int n_open, n_locked;
} disk_node_t;

typedef struct disk {
  disk_node_t nodes[DISK_NODES];
  int n_nodes;
  bool has_unnamed;
  int n_calls, fail_at; /* the number of the call that fails, counted from 1 over all calls but
                         * look-ups; 0: none fails */
  int n_open;
  int n_linked; /* how often a file got a name */
  void (*before_reading_link)(struct disk *disk);
} disk_t;

/* Returns its number. */
static inline int disk_add(disk_t *disk, int folder, const char *name, dmd_file_kind_t kind,
                           int owner, const char *text) {
  assert_true(disk->n_nodes < DISK_NODES);
  disk_node_t *node = &disk->nodes[disk->n_nodes];
  *node = (disk_node_t){.folder = folder, .kind = kind, .owner = owner, .n = strlen(text)};
  strcpy(node->name, name);
  strcpy(node->text, text);
  return disk->n_nodes++;
}

static inline int disk_find(const disk_t *disk, int folder, const char *name) {
  for (int i = 1; i < disk->n_nodes; i++)
    if (disk->nodes[i].folder == folder && strcmp(disk->nodes[i].name, name) == 0)
      return i;
  return strcmp(name, "/") == 0 || strcmp(name, ".") == 0 ? 0 : DISK_NOWHERE;
}

/* The content of the file with this name in the root folder; NULL: no such file. */
static inline const char *disk_text(disk_t *disk, const char *name) {
  int i = disk_find(disk, 0, name);
  if (i == DISK_NOWHERE)
    return NULL;
  disk->nodes[i].text[disk->nodes[i].n] = '\0';
  return disk->nodes[i].text;
}

static inline bool disk_fails(disk_t *disk) {
  return ++disk->n_calls == disk->fail_at;
}

static inline int disk_folder(int fd) {
  return fd == DMD_FILES_HERE ? 0 : fd - DISK_FD;
}

static inline int disk_give(disk_t *disk, int i, int *fd) {
  disk->n_open++;
  disk->nodes[i].n_open++;
  *fd = DISK_FD + i;
  return 0;
}

static inline int disk_make(disk_t *disk, int folder, const char *name, int *fd) {
  if (disk_fails(disk))
    return DISK_FULL;
  int i = disk_add(disk, folder, name, DMD_FILE_REGULAR, DISK_US, "");
  disk->nodes[i].mode = 0600;
  return disk_give(disk, i, fd);
}

static inline int disk_open(void *ctx, int at, const char *name, dmd_open_t how, int *fd) {
  disk_t *disk = ctx;
  int folder = disk_folder(at), i = disk_find(disk, folder, name);
  if (how == DMD_OPEN_UNNAMED)
    return disk->has_unnamed ? disk_make(disk, DISK_NOWHERE, "", fd) : DISK_UNKNOWN;
  if (how == DMD_OPEN_NEW)
    return i != DISK_NOWHERE ? DMD_FILES_EXISTS : disk_make(disk, folder, name, fd);
  if (i == DISK_NOWHERE)
    return DMD_FILES_NOT_THERE;
  const disk_node_t *node = &disk->nodes[i];
  bool is_link = node->kind == DMD_FILE_LINK;
  if (how == DMD_OPEN_FOLDER && node->kind != DMD_FILE_FOLDER)
    return DMD_FILES_NOT_FOLDER;
  if (how == DMD_OPEN_FOLDER_THROUGH || how == DMD_OPEN_WRITE_THROUGH) {
    assert_true(is_link && node->is_systems); /* the walk follows all others itself */
    i = disk_find(disk, 0, node->text);
  } else if (how != DMD_OPEN_PLACE && is_link) {
    return DMD_FILES_TOO_MANY_LINKS;
  }
  if (how >= DMD_OPEN_READ && disk_fails(disk))
    return DISK_FULL;
  return disk_give(disk, i, fd);
}

static inline disk_node_t *disk_node(disk_t *disk, int fd) {
  disk_node_t *node = &disk->nodes[fd - DISK_FD];
  assert_true(node->n_open > 0);
  return node;
}

static inline int disk_close(void *ctx, int fd) {
  disk_t *disk = ctx;
  disk_node_t *node = disk_node(disk, fd);
  disk->n_open--;
  node->n_open--;
  bool is_written = node->mode != 0; /* other nodes were only looked at */
  return is_written && disk_fails(disk) ? DISK_FULL : 0;
}

static inline int disk_status(void *ctx, int fd, dmd_file_status_t *status) {
  const disk_node_t *node = disk_node(ctx, fd);
  *status = (dmd_file_status_t){.kind = node->kind,
                                .is_systems = node->is_systems,
                                .owner = (uint64_t)node->owner,
                                .number = (uint64_t)fd,
                                .mode = node->mode};
  return 0;
}

static inline int disk_read_link(void *ctx, int fd, char *target, size_t room, size_t *n) {
  disk_t *disk = ctx;
  const disk_node_t *node = disk_node(disk, fd);
  if (disk->before_reading_link != NULL)
    disk->before_reading_link(disk);
  assert_true(node->n < room);
  memcpy(target, node->text, node->n);
  *n = node->n;
  return 0;
}

/* Takes a few bytes at a time, as a pipe may. */
static inline int disk_write(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  disk_t *disk = ctx;
  disk_node_t *node = disk_node(disk, fd);
  if (disk_fails(disk))
    return DISK_FULL;
  *written = n < DISK_AT_ONCE ? n : DISK_AT_ONCE;
  assert_true(node->n + *written < DISK_TEXT);
  memcpy(node->text + node->n, bytes, *written);
  node->n += *written;
  return 0;
}

static inline int disk_truncate(void *ctx, int fd) {
  disk_node(ctx, fd)->n = 0;
  return 0;
}

static inline int disk_set_mode(void *ctx, int fd, uint32_t mode) {
  disk_node(ctx, fd)->mode = mode;
  return 0;
}

static inline void disk_lock(void *ctx, int fd) {
  disk_node(ctx, fd)->n_locked++;
}

static inline int disk_link(void *ctx, int fd, int folder, const char *name) {
  disk_t *disk = ctx;
  disk_node_t *node = disk_node(disk, fd);
  assert_int_equal(node->folder, DISK_NOWHERE);
  if (disk_find(disk, disk_folder(folder), name) != DISK_NOWHERE)
    return DMD_FILES_EXISTS;
  if (disk_fails(disk))
    return DISK_FULL;
  node->folder = disk_folder(folder);
  strcpy(node->name, name);
  disk->n_linked++;
  return 0;
}

static inline void disk_unlink(void *ctx, int folder, const char *name) {
  disk_t *disk = ctx;
  int i = disk_find(disk, disk_folder(folder), name);
  if (i == DISK_NOWHERE)
    return;
  disk->nodes[i].folder = DISK_NOWHERE;
  disk->nodes[i].name[0] = '\0';
}

static inline int disk_rename(void *ctx, int folder, const char *from, const char *to) {
  disk_t *disk = ctx;
  if (disk_fails(disk))
    return DISK_FULL;
  int i = disk_find(disk, disk_folder(folder), from);
  assert_true(i != DISK_NOWHERE);
  disk_unlink(disk, folder, to);
  strcpy(disk->nodes[i].name, to);
  return 0;
}

static inline uint64_t disk_pid(void *ctx) {
  (void)ctx;
  return 7;
}

static inline uint64_t disk_user(void *ctx) {
  (void)ctx;
  return DISK_US;
}

static inline uint32_t disk_mode(void *ctx) {
  (void)ctx;
  return 0640;
}

/* With an empty root folder. */
static inline void disk_init(disk_t *disk) {
  memset(disk, 0, sizeof *disk);
  disk_add(disk, DISK_NOWHERE, "", DMD_FILE_FOLDER, 0, "");
}

static inline dmd_files_t disk_files(disk_t *disk) {
  return (dmd_files_t){.open = disk_open,
                       .close = disk_close,
                       .status = disk_status,
                       .read_link = disk_read_link,
                       .write = disk_write,
                       .truncate = disk_truncate,
                       .set_mode = disk_set_mode,
                       .lock = disk_lock,
                       .link = disk_link,
                       .rename = disk_rename,
                       .unlink = disk_unlink,
                       .pid = disk_pid,
                       .user = disk_user,
                       .mode = disk_mode,
                       .ctx = disk};
}

#endif
