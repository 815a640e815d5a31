/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_lock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait(void *ctx, uint32_t *word, uint32_t while_it_is) {
  (void)ctx;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, NULL, NULL, 0);
}

static void wake(void *ctx, uint32_t *word) {
  (void)ctx;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

const dmd_waiting_t pl_waiting = {.wait = wait, .wake = wake};
