/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/posix/sockets.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
