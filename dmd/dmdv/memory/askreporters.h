/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * askreporters.h: asks a process for the values of its memory reporters (dmd/reporters).
 *
 * dmdv listens on an abstract socket whose name contains a random number, and sends the number with
 * a real-time signal. The signal would kill a process that does not expect it, so dmdv first checks
 * in /proc that the process has a handler. It accepts only a connection of this very process. The
 * answer is lines of JSON, which dmdv limits in size, depth and time. Nothing in them names a file.
 */
#ifndef DMD_DMDV_MEMORY_ASKREPORTERS_H
#define DMD_DMDV_MEMORY_ASKREPORTERS_H

#include "analyse/tree/amounts.h"
#include "base/strbuf.h"

typedef enum {
  DMDV_ASKED_ALL,     /* the answer is complete */
  DMDV_ASKED_NOT,     /* the process cannot answer */
  DMDV_ASKED_TOO_SLOW /* there was no whole answer in time */
} dmdv_asked_t;

/* Adds the values under the name of the process, as far as they come within so many seconds, and to
 * `notes` a line for each thing that a reader has to know: reporters that did not run or hang.
 * Values for another process get the name of that one, with the word of who says so. */
dmdv_asked_t dmdv_ask_reporters(dmd_amounts_t *m, uint32_t pid, const char *process, bool anonymize,
                                uint32_t seconds, dmd_strbuf_t *notes);

/* The part that reads the answer, from a connected socket that does not block. */
dmdv_asked_t dmdv_read_reporters(dmd_amounts_t *m, int fd, const char *process, uint32_t seconds,
                                 dmd_strbuf_t *notes);

/* Makes a process that runs under dmd run its reporters for a dump, and wait with that. Close *held
 * after the dump; -1: the process does not wait. The reports are then cleared. */
dmdv_asked_t dmdv_hold_reporters(uint32_t pid, uint32_t seconds, int *held, dmd_strbuf_t *notes);

#endif
