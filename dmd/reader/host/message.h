/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * message.h: what dmdv says on stderr, errors and notes: always one line.
 *
 * Names of files and texts from a file may contain anything; characters that would control a
 * terminal are written as \xNN.
 */
#ifndef DMD_READER_HOST_MESSAGE_H
#define DMD_READER_HOST_MESSAGE_H

#include "base/fail.h"

#include <stdbool.h>

/* What lines begin with, "dmdv" unless another program sets it. */
extern const char *dmdv_program;

/* Prints `dmdv: ...` and a line end. */
void dmdv_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for an error. Returns false, for `return dmdv_error(...)`. */
bool dmdv_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a file that could not be read ("-": standard input): why, and at which place. */
bool dmdv_error_in(const char *name, const dmd_fail_t *fail);

#endif
