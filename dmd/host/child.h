/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * child.h: runs another program and waits for it, as a shell does.
 *
 * While the program runs, it decides what signals do: signals of the terminal (Ctrl-C) reach it
 * directly, signals sent to dmdv are passed on, and dmdv keeps waiting. One child at a time.
 */
#ifndef DMD_HOST_CHILD_H
#define DMD_HOST_CHILD_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <sys/types.h>

/* As in shells and env(1): the program exists but cannot be run, or it does not exist. */
enum { DMDV_CHILD_NOT_RUN = 126, DMDV_CHILD_NOT_FOUND = 127 };

/* Appends the path of the program that execvp would start. False if there is none; the text is then
 * undefined. */
bool dmdv_child_find(const char *program, dmd_strbuf_t *path);

/* Work of dmdv while the child runs. */
typedef struct dmdv_meanwhile {
  void *ctx;
  /* Called repeatedly until the child has ended. Returns after some milliseconds at the latest, and
   * soon after pidfd, which may be -1, becomes readable. */
  void (*attend)(void *ctx, int pidfd);
  /* Called once when the child has ended, before it is reaped; may be NULL. */
  void (*look)(void *ctx, pid_t pid);
} dmdv_meanwhile_t;

/* Runs argv[0], which is searched in PATH unless it has a slash. environment: NULL for dmdv's own.
 * quiet: discard the child's output. meanwhile may be NULL. Returns the exit status, 128 + the
 * signal that ended the child, or DMDV_CHILD_NOT_FOUND, with *error the errno, if it could not be
 * started; *error is 0 otherwise. */
int dmdv_child_run(const char *const *argv, const char *const *environment, bool quiet,
                   const dmdv_meanwhile_t *meanwhile, int *error);

/* The child started last. */
pid_t dmdv_child_pid(void);

#endif
