/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_confined.h"

#include "native/pl_real.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool g_is_confined;

bool pl_is_confined(void) {
  return atomic_load_explicit(&g_is_confined, memory_order_relaxed);
}

void pl_confined_start(void) {
  if (g_real.prctl != NULL && g_real.prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0)
    atomic_store(&g_is_confined, true);
}

/* 0: unknown, as before Linux 5.9. The loader has just read files under the same filters. */
static uint32_t count_filters(void) {
  static const char word[] = "\nSeccomp_filters:";
  char text[4096];
  int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *at = strstr(text, word);
  return at == NULL ? 0 : (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

void pl_confined_expect(uint32_t n) {
  if (n == 0 || !pl_is_confined())
    return;
  uint32_t own = count_filters();
  if (own > 0 && own <= n)
    atomic_store(&g_is_confined, false);
}

int pl_open(const char *name, int flags) {
  if (!pl_is_confined())
    return open(name, flags | O_CLOEXEC);
  errno = EPERM;
  return -1;
}

/* ---- Replaced functions ---- */

#define REPLACED __attribute__((visibility("default")))

/* Notes it before the call, since another thread could write its profile between the two. */
REPLACED int prctl(int option, ...) {
  unsigned long arguments[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; i++)
    arguments[i] = va_arg(list, unsigned long);
  va_end(list);
  if (!pl_real_is_found())
    pl_real_find();
  bool was_confined = pl_is_confined();
  if (option == PR_SET_SECCOMP)
    atomic_store(&g_is_confined, true);
  int result = g_real.prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
  if (option == PR_SET_SECCOMP && result != 0 && !was_confined)
    atomic_store(&g_is_confined, false);
  return result;
}

/* For the function in assembly (pl_syscall.c), which refers to these by name. */
#define FOR_ASSEMBLER __attribute__((used, visibility("hidden")))

extern void *pl_real_syscall;
void pl_note_seccomp(long operation, const void *argument);
void pl_find_syscall(void);

FOR_ASSEMBLER void *pl_real_syscall;

/* Without an argument no filter can be installed: libraries try that to probe the kernel. */
FOR_ASSEMBLER void pl_note_seccomp(long operation, const void *argument) {
  if (operation == SECCOMP_SET_MODE_STRICT ||
      (operation == SECCOMP_SET_MODE_FILTER && argument != NULL))
    atomic_store(&g_is_confined, true);
}

FOR_ASSEMBLER void pl_find_syscall(void) {
  if (!pl_real_is_found())
    pl_real_find();
  *(void **)&pl_real_syscall = *(void **)&g_real.syscall;
}
