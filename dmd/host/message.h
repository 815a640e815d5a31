/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * message.h: messages of dmdv on stderr, errors and notes, one line each.
 *
 * File names and texts from files may contain anything; control characters are written as \xNN.
 */
#ifndef DMD_HOST_MESSAGE_H
#define DMD_HOST_MESSAGE_H

#include "base/fail.h"

#include <stdbool.h>

/* The prefix of lines, "dmdv" unless another program sets it. */
extern const char *dmdv_program;

/* Prints a note, `dmdv: ...` and a line end. */
void dmdv_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints an error in the same form. Returns false, for `return dmdv_error(...)`. */
bool dmdv_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports that a file ("-": standard input) could not be read: why, and at which place. Returns
 * false. */
bool dmdv_error_in(const char *name, const dmd_fail_t *fail);

#endif
