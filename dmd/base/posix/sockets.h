/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sockets.h: local sockets by which dmdv and the native engine find and check each other.
 *
 * Nothing here allocates, so that it also serves a signal handler.
 */
#ifndef DMD_BASE_POSIX_SOCKETS_H
#define DMD_BASE_POSIX_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

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
