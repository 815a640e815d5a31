/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replaces functions of the program other than those of allocation and signals: those that change
 * its threads and its libraries, that end it, and dmd's own. They have no header: only programs
 * call them.
 */
#define _GNU_SOURCE
#include "native/pl_end.h"
#include "native/pl_enter.h"
#include "native/pl_kernel.h"
#include "native/pl_main.h"
#include "native/pl_objects.h"
#include "native/pl_real.h"
#include "native/pl_request.h"
#include "native/pl_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define REPLACED __attribute__((visibility("default")))

static void find_real(void) {
  if (!pl_real_is_found())
    pl_real_find();
}

/* ---- Threads ---- */

PL_REPLACE(int, pthread_create,
           (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *),
            void *argument)) {
  pl_entry_t entry = PL_ENTRY(pthread_create);
  find_real();
  pl_start();
  return pl_thread_create(&entry, thread, attributes, function, argument);
}

/* ---- Requests ---- */

REPLACED size_t dmd_answer_request_(size_t fallback, size_t number, size_t arg1, size_t arg2,
                                    size_t arg3);

/* The name under which libraries that are loaded later find it (dmd.h). */
size_t dmd_answer_request_(size_t fallback, size_t number, size_t arg1, size_t arg2, size_t arg3) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_start();
  return pl_request_at(&entry, fallback, number, (const size_t[]){arg1, arg2, arg3});
}

/* ---- Libraries ---- */

/* Enters the engine, so that a signal handler does not ask the loader while its own thread does. */
static void refresh_as(pl_thread_t *thread) {
  if (g_state == PL_WATCHING && pl_enter(thread, NULL)) {
    pl_objects_refresh();
    pl_leave(thread);
  }
}

/* Refreshes before and after: objects loaded now must be recorded before one goes, and the removal
 * before something else takes its place. */
REPLACED int dlclose(void *handle) {
  pl_thread_t *thread = pl_thread();
  find_real();
  refresh_as(thread);
  int result = g_real.dlclose(handle);
  refresh_as(thread);
  return result;
}

/* ---- The end ---- */

/* exit does not call this. */
REPLACED void _exit(int status) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_end_finish(&entry);
  pl_exit_now(status);
}

__attribute__((alias("_exit"), visibility("default"))) void _Exit(int status);

/* ---- daemon(3) ---- */

/* Returns false, with errno set, if the file of this name is not the null device. */
static bool is_null_device(int fd) {
  enum { MAJOR = 1, MINOR = 3 };
  struct stat st;
  if (fstat(fd, &st) != 0)
    return false;
  if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(MAJOR, MINOR))
    return true;
  errno = ENODEV;
  return false;
}

static int let_go_of_terminal(void) {
  int fd = open("/dev/null", O_RDWR);
  if (fd < 0)
    return -1;
  if (!is_null_device(fd)) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  dup2(fd, STDIN_FILENO);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close(fd);
  return 0;
}

/* In the C library's, the parent ends by a call inside the C library, which we cannot intercept.
 * Here it calls _exit, which writes its profile. Everything else is the same. */
REPLACED int daemon(int nochdir, int noclose) {
  pid_t child = fork();
  if (child < 0)
    return -1;
  if (child > 0)
    _exit(0);
  if (setsid() < 0)
    return -1;
  int is_ignored = nochdir == 0 ? chdir("/") : 0;
  (void)is_ignored;
  return noclose == 0 ? let_go_of_terminal() : 0;
}
