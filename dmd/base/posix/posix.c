/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { PROC_MAGIC = 0x9fa0 };

/* A name for the file behind a descriptor; the array is long enough for any descriptor. */
typedef struct {
  char text[32];
} fd_name_t;

static fd_name_t name_of(int fd) {
  static const char folder[] = "/proc/self/fd/";
  fd_name_t name;
  char digits[16];
  size_t n = 0, at = sizeof folder - 1;
  memcpy(name.text, folder, at);
  do
    digits[n++] = (char)('0' + fd % 10);
  while ((fd /= 10) > 0);
  while (n > 0)
    name.text[at++] = digits[--n];
  name.text[at] = '\0';
  return name;
}

/* Fails without /proc, which is needed to give the file its name in the end. */
static int open_unnamed(int folder, const char *name, int *fd) {
  *fd = openat(folder, name, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (*fd < 0)
    return errno;
  struct stat st, named;
  fd_name_t own = name_of(*fd);
  if (fstat(*fd, &st) == 0 && stat(own.text, &named) == 0 && st.st_dev == named.st_dev &&
      st.st_ino == named.st_ino)
    return 0;
  close(*fd);
  *fd = -1;
  return EOPNOTSUPP;
}

int dmd_posix_open(void *ctx, int folder, const char *name, dmd_open_t how, int *fd) {
  static const int flags[] = {
      [DMD_OPEN_FOLDER] = O_PATH | O_DIRECTORY | O_NOFOLLOW,
      [DMD_OPEN_FOLDER_THROUGH] = O_PATH | O_DIRECTORY,
      [DMD_OPEN_PLACE] = O_PATH | O_NOFOLLOW,
      [DMD_OPEN_READ] = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
      [DMD_OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
      [DMD_OPEN_WRITE] = O_WRONLY | O_NOFOLLOW | O_NOCTTY,
      [DMD_OPEN_WRITE_THROUGH] = O_WRONLY | O_NOCTTY,
  };
  (void)ctx;
  if (how == DMD_OPEN_UNNAMED)
    return open_unnamed(folder, name, fd);
  *fd = openat(folder, name, flags[how] | O_CLOEXEC, 0600);
  return *fd < 0 ? errno : 0;
}

int dmd_posix_close(void *ctx, int fd) {
  (void)ctx;
  return close(fd) == 0 ? 0 : errno;
}

int dmd_posix_status(void *ctx, int fd, dmd_file_status_t *status) {
  struct stat st;
  struct statfs system;
  (void)ctx;
  if (fstat(fd, &st) != 0)
    return errno;
  *status = (dmd_file_status_t){.kind = S_ISREG(st.st_mode)   ? DMD_FILE_REGULAR
                                        : S_ISDIR(st.st_mode) ? DMD_FILE_FOLDER
                                        : S_ISLNK(st.st_mode) ? DMD_FILE_LINK
                                                              : DMD_FILE_OTHER,
                                .owner = st.st_uid,
                                .device = st.st_dev,
                                .number = st.st_ino,
                                .mode = st.st_mode & 07777};
  status->is_systems = status->kind == DMD_FILE_LINK && fstatfs(fd, &system) == 0 &&
                       (unsigned long)system.f_type == PROC_MAGIC;
  return 0;
}

int dmd_posix_read_link(void *ctx, int fd, char *target, size_t room, size_t *n) {
  ssize_t got = readlinkat(fd, "", target, room);
  (void)ctx;
  *n = got > 0 ? (size_t)got : 0;
  return got < 0 ? errno : (size_t)got == room ? ENAMETOOLONG : 0;
}

int dmd_posix_write(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  ssize_t part;
  (void)ctx;
  do
    part = write(fd, bytes, n);
  while (part < 0 && errno == EINTR);
  *written = part > 0 ? (size_t)part : 0;
  return part > 0 ? 0 : part < 0 ? errno : EIO;
}

int dmd_posix_truncate(void *ctx, int fd) {
  (void)ctx;
  return ftruncate(fd, 0) == 0 ? 0 : errno;
}

int dmd_posix_set_mode(void *ctx, int fd, uint32_t mode) {
  (void)ctx;
  return fchmod(fd, mode) == 0 ? 0 : errno;
}

void dmd_posix_lock(void *ctx, int fd) {
  (void)ctx;
  flock(fd, LOCK_EX | LOCK_NB);
}

int dmd_posix_link(void *ctx, int fd, int folder, const char *name) {
  fd_name_t own = name_of(fd);
  (void)ctx;
  return linkat(AT_FDCWD, own.text, folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

int dmd_posix_rename(void *ctx, int folder, const char *from, const char *to) {
  (void)ctx;
  return renameat(folder, from, folder, to) == 0 ? 0 : errno;
}

void dmd_posix_unlink(void *ctx, int folder, const char *name) {
  (void)ctx;
  unlinkat(folder, name, 0);
}

uint64_t dmd_posix_pid(void *ctx) {
  (void)ctx;
  return (uint64_t)getpid();
}

uint64_t dmd_posix_user(void *ctx) {
  (void)ctx;
  return (uint64_t)geteuid();
}

/* Parses "Umask:" and octal digits within the first lines of the file. */
bool dmd_posix_umask(uint32_t *mask) {
  char text[256];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *at = strstr(text, "\nUmask:");
  if (at == NULL)
    return false;
  *mask = 0;
  at += strlen("\nUmask:");
  for (at += strspn(at, " \t"); *at >= '0' && *at <= '7'; at++)
    *mask = *mask * 8 + (uint32_t)(*at - '0');
  return *at == '\n';
}

uint32_t dmd_posix_mode(void *ctx) {
  uint32_t mask;
  (void)ctx;
  if (!dmd_posix_umask(&mask)) {
    mask = umask(077);
    umask(mask);
  }
  return 0666 & ~mask;
}

const dmd_files_t dmd_posix_files = {.open = dmd_posix_open,
                                     .close = dmd_posix_close,
                                     .status = dmd_posix_status,
                                     .read_link = dmd_posix_read_link,
                                     .write = dmd_posix_write,
                                     .truncate = dmd_posix_truncate,
                                     .set_mode = dmd_posix_set_mode,
                                     .lock = dmd_posix_lock,
                                     .link = dmd_posix_link,
                                     .rename = dmd_posix_rename,
                                     .unlink = dmd_posix_unlink,
                                     .pid = dmd_posix_pid,
                                     .user = dmd_posix_user,
                                     .mode = dmd_posix_mode};

/* ---- Sockets. ---- */

socklen_t dmd_posix_abstract_address(struct sockaddr_un *address, const char *name, size_t n) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  memcpy(address->sun_path + 1, name, n);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int dmd_posix_peer(int fd, dmd_posix_peer_t *peer) {
  struct ucred credentials;
  socklen_t szB = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &szB) != 0)
    return errno;
  *peer = (dmd_posix_peer_t){.pid = (uint32_t)credentials.pid, .user = credentials.uid};
  return 0;
}

bool dmd_posix_peer_is_trusted(int fd) {
  dmd_posix_peer_t peer = {0};
  return dmd_posix_peer(fd, &peer) == 0 && (peer.user == geteuid() || peer.user == 0);
}

int64_t dmd_posix_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
