/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "dmdv/run/asuser.h"

#include "dmdv/run/controlled.h"
#include "host/message.h"
#include "host/process.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* As the kernel lists them: real, effective, saved, and for files. */
enum { REAL, EFFECTIVE, SAVED, FOR_FILES, N_IDS };

typedef struct {
  uid_t users[N_IDS];
  gid_t groups[N_IDS];
  gid_t *others; /* of its supplementary groups */
  size_t n_others;
  bool has_users, has_groups, has_others;
} rights_t;

/* ---- The process's. ---- */

static bool read_ids(const char *text, uint32_t ids[N_IDS]) {
  return sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, &ids[REAL], &ids[EFFECTIVE],
                &ids[SAVED], &ids[FOR_FILES]) == N_IDS;
}

static void read_others(const char *text, rights_t *rights) {
  /* Each takes a digit and a blank or more. */
  rights->others = dmd_env_alloc(&dmdv_env, "dmdv.groups", (strlen(text) / 2 + 1) * sizeof(gid_t));
  char *end;
  for (const char *at = text;; at = end) {
    unsigned long group = strtoul(at, &end, 10);
    if (end == at)
      break;
    rights->others[rights->n_others++] = (gid_t)group;
  }
  rights->has_others = true;
}

/* False: the process does not exist. */
static bool read_rights(uint32_t pid, rights_t *rights) {
  char name[64], *line = NULL;
  size_t room = 0;
  snprintf(name, sizeof name, "/proc/%u/status", pid);
  FILE *file = fopen(name, "re");
  while (file != NULL && getline(&line, &room, file) > 0) {
    if (strncmp(line, "Uid:", 4) == 0)
      rights->has_users = read_ids(line + 4, rights->users);
    else if (strncmp(line, "Gid:", 4) == 0)
      rights->has_groups = read_ids(line + 4, rights->groups);
    else if (strncmp(line, "Groups:", 7) == 0 && !rights->has_others)
      read_others(line + 7, rights);
  }
  free(line);
  if (file != NULL)
    fclose(file);
  return rights->has_users && rights->has_groups && rights->has_others;
}

static bool is_still_there(int pidfd) {
  return pidfd < 0 || syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0;
}

static int count_root(const rights_t *rights) {
  int n = 0;
  for (int i = 0; i < N_IDS; i++)
    n += rights->users[i] == 0;
  return n;
}

/* ---- dmdv's own rights. ---- */

static bool has_groups(const rights_t *rights) {
  int n = getgroups(0, NULL);
  if (n < 0 || (size_t)n != rights->n_others)
    return false;
  gid_t *ours = dmd_env_alloc(&dmdv_env, "dmdv.groups", ((size_t)n + 1) * sizeof *ours);
  bool same = getgroups(n, ours) == n;
  for (size_t i = 0; same && i < rights->n_others; i++) {
    bool found = false;
    for (int k = 0; k < n; k++)
      found = found || ours[k] == rights->others[i];
    same = found;
  }
  dmd_env_free(&dmdv_env, ours);
  return same;
}

/* Whether all of root's rights are gone and cannot be regained. */
static bool has_become(const rights_t *rights) {
  uid_t users[3];
  gid_t groups[3];
  if (getresuid(&users[REAL], &users[EFFECTIVE], &users[SAVED]) != 0 ||
      getresgid(&groups[REAL], &groups[EFFECTIVE], &groups[SAVED]) != 0)
    return false;
  for (int i = REAL; i <= SAVED; i++)
    if (users[i] != rights->users[i] || groups[i] != rights->groups[i])
      return false;
  return has_groups(rights) && setresuid((uid_t)-1, 0, (uid_t)-1) != 0 && geteuid() != 0;
}

/* The user ids come last: dropping them also drops the right to change the groups. */
static bool become(const rights_t *rights) {
  const uid_t *users = rights->users;
  const gid_t *groups = rights->groups;
  return setgroups(rights->n_others, rights->others) == 0 &&
         setresgid(groups[REAL], groups[EFFECTIVE], groups[SAVED]) == 0 &&
         setresuid(users[REAL], users[EFFECTIVE], users[SAVED]) == 0;
}

/* ---- Dropping the rights. ---- */

static bool drop(const char *command, uint32_t pid, int pidfd, rights_t *rights) {
  if (!read_rights(pid, rights) || !is_still_there(pidfd))
    return dmdv_error("%s: there is no process %u", command, pid);
  int n_root = count_root(rights);
  if (n_root == N_IDS)
    return true;
  if (n_root > 0)
    return dmdv_error("%s: process %u has rights of root and of user %u: it is not asked by root, "
                      "since files that it names may be another's",
                      command, pid,
                      rights->users[REAL] != 0 ? rights->users[REAL] : rights->users[EFFECTIVE]);
  if (!become(rights))
    return dmdv_error("%s: cannot become user %u, whose process %u is: %s", command,
                      rights->users[EFFECTIVE], pid, strerror(errno));
  return has_become(rights) ||
         dmdv_error("%s: the system does not let dmdv give up the rights of root", command);
}

int dmdv_become_user_of(const char *command, uint32_t pid, int pidfd) {
  if (geteuid() != 0 && getuid() != 0)
    return 0;
  rights_t rights = {.others = NULL};
  bool good = drop(command, pid, pidfd, &rights);
  dmd_env_free(&dmdv_env, rights.others);
  return good ? 0 : DMDV_NOT_ASKED;
}
