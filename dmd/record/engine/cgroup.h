/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cgroup.h: the memory limit of the process's control group, and how much of it is in use. For
 * --dump-above=N%.
 *
 * The kernel ends a process of the group when the group's memory reaches the limit and nothing of
 * it can be dropped. A group is also subject to the limits of the groups around it, so the lowest
 * of these limits is the one that counts. Both versions of the kernel's interface are read (man 7
 * cgroups), where systemd, Docker and Kubernetes mount them: version 2 at /sys/fs/cgroup, the
 * memory controller of version 1 at /sys/fs/cgroup/memory. In a container the group's path may
 * belong to the host; the container's own group is then the one that is mounted.
 *
 * In use is what the group has, its other processes included, without cached pages of files, which
 * the kernel drops before it ends a process. Pages of tmpfs count.
 */
#ifndef DMD_RECORD_ENGINE_CGROUP_H
#define DMD_RECORD_ENGINE_CGROUP_H

#include "record/host.h"

enum { DMD_CGROUP_PATH = 512, DMD_CGROUP_TEXT = 8192 };

typedef struct dmd_cgroup {
  const dmd_engine_host_t *host;
  bool is_first_version;
  uint64_t limit_szB;           /* 0: none */
  char folder[DMD_CGROUP_PATH]; /* of the group whose limit it is */
  char text[DMD_CGROUP_TEXT];   /* what was read last */
} dmd_cgroup_t;

/* Returns whether there is a limit. cgroup, host: must stay in place. */
bool dmd_cgroup_find(dmd_cgroup_t *cgroup, const dmd_engine_host_t *host);

/* Bytes in use in the group whose limit was found; DMD_MEMORY_UNKNOWN if that cannot be read.
 * Reads two files of a few kilobytes. ctx: a dmd_cgroup_t, for one thread at a time. */
uint64_t dmd_cgroup_used(void *ctx);

#endif
