/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * message.h: what dmdv says on stderr when it cannot do what was asked: always one line.
 */
#ifndef DMD_READER_HOST_MESSAGE_H
#define DMD_READER_HOST_MESSAGE_H

#include <stdbool.h>

/* Prints `dmdv: ...` and a line end. Returns false, for `return dmdv_error(...)`. */
bool dmdv_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
