/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * posix.h: implements base/files.h on a libc, and has what local sockets need. Nothing here
 * allocates, so that it also serves a signal handler.
 */
#ifndef DMD_BASE_POSIX_POSIX_H
#define DMD_BASE_POSIX_POSIX_H

#include "base/files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/* mode follows the process's current umask. */
extern const dmd_files_t dmd_posix_files;

/* Its functions, for hosts that replace some of them. */
int dmd_posix_open(void *ctx, int folder, const char *name, dmd_open_t how, int *fd);
int dmd_posix_close(void *ctx, int fd);
int dmd_posix_status(void *ctx, int fd, dmd_file_status_t *status);
int dmd_posix_read_link(void *ctx, int fd, char *target, size_t room, size_t *n);
int dmd_posix_write(void *ctx, int fd, const char *bytes, size_t n, size_t *written);
int dmd_posix_truncate(void *ctx, int fd);
int dmd_posix_set_mode(void *ctx, int fd, uint32_t mode);
void dmd_posix_lock(void *ctx, int fd);
int dmd_posix_link(void *ctx, int fd, int folder, const char *name);
int dmd_posix_rename(void *ctx, int folder, const char *from, const char *to);
void dmd_posix_unlink(void *ctx, int folder, const char *name);
uint64_t dmd_posix_pid(void *ctx);
uint64_t dmd_posix_user(void *ctx);

/* Reads the process's umask from /proc. Returns false if /proc does not have it. */
bool dmd_posix_umask(uint32_t *mask);

/* The permissions of new files under the umask. Without /proc this changes the umask for a moment,
 * so a host with threads must call it before it starts them. */
uint32_t dmd_posix_mode(void *ctx);

/* ---- Sockets. ----
 *
 * Local sockets by which dmdv and the native engine find and check each other. */

/* Makes the address of a name in the kernel's abstract namespace. The name has n bytes, fewer than
 * sun_path has. Returns the address's length. */
socklen_t dmd_posix_abstract_address(struct sockaddr_un *address, const char *name, size_t n);

/* The process at the other end of a connection, as the kernel knows it. */
typedef struct {
  uint32_t pid, user;
} dmd_posix_peer_t;

/* Returns 0, or an errno. */
int dmd_posix_peer(int fd, dmd_posix_peer_t *peer);

/* Whether the other end belongs to root or to this process's own user. */
bool dmd_posix_peer_is_trusted(int fd);

/* Milliseconds of a clock that nobody sets. */
int64_t dmd_posix_now_ms(void);

#endif
