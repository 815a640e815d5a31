/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_write.h: writing, without the signals that go with some errors of it.
 *
 * A pipe without a reader and the limit on the sizes of files send signals which end a program, or
 * which it handles. They are not for the program here, which wrote nothing.
 *
 * Concurrency: any thread, at any time.
 */
#ifndef DMD_PRELOAD_PL_WRITE_H
#define DMD_PRELOAD_PL_WRITE_H

#include <sys/uio.h>

/* As writev, again if a signal handler came between. */
ssize_t pl_write(int fd, const struct iovec *parts, int n);

#endif
