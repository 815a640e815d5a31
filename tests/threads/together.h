/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * together.h: shared by tests with threads: the core's environment, and threads that run at the
 * same time.
 */
#ifndef DMD_TESTS_THREADS_TOGETHER_H
#define DMD_TESTS_THREADS_TOGETHER_H

#include "base/env.h"
#include "base/lock.h"

enum { MAX_THREADS = 16 };

extern const dmd_env_t together_env;         /* fills new memory with garbage */
extern const dmd_waiting_t together_waiting; /* the kernel's */

/* Ends the program with a failure in TAP. */
_Noreturn void together_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition))                                                                              \
      together_die("%s:%d: %s", __FILE__, __LINE__, #condition);                                   \
  } while (0)

/* The next number below n. */
uint64_t together_roll(uint64_t *dice, uint64_t n);

/* Runs n threads, MAX_THREADS + 1 at most, each with its element of args, until all have ended. */
void together_run(uint32_t n, void *(*body)(void *), void *args, size_t arg_szB);

#endif
