/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_write.h: writing without the signals that some write errors raise.
 *
 * Writing to a pipe without a reader raises SIGPIPE, and exceeding the file size limit raises
 * SIGXFSZ. These would end the program, or run its handlers, although it wrote nothing.
 *
 * Concurrency: any thread, at any time.
 */
#ifndef DMD_NATIVE_PL_WRITE_H
#define DMD_NATIVE_PL_WRITE_H

#include <sys/uio.h>

/* As writev; retries if a signal handler interrupted it. */
ssize_t pl_write(int fd, const struct iovec *parts, int n);

#endif
