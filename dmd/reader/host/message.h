/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * message.h: what dmdv says on stderr, when it cannot do what was asked and otherwise: always one
 * line.
 *
 * Names of files and texts that a file brought may hold anything; what would make a terminal do
 * something is written as \xNN.
 */
#ifndef DMD_READER_HOST_MESSAGE_H
#define DMD_READER_HOST_MESSAGE_H

#include "reader/host/fail.h"

#include <stdbool.h>

/* Prints `dmdv: ...` and a line end. */
void dmdv_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of something that is wrong. Returns false, for `return dmdv_error(...)`. */
bool dmdv_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of why the file with this name ("-": standard input) could not be read, and where. */
bool dmdv_error_in(const char *name, const dmdv_fail_t *fail);

#endif
