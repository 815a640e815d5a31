/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pager.h: long text on a terminal, through a pager, as git has it.
 *
 * The pager is the command in DMD_PAGER, else in PAGER, else less where there is one. The shell
 * runs it, and less gets the options -FRX in LESS unless that is set: it ends where all fits on the
 * screen, and lets colours through. An empty command, or "cat", means none.
 *
 * dmdv_pager_begin is called by who writes text, before it opens standard output; main calls
 * dmdv_pager_end, so that the pager ends before dmdv does. In between standard output is a pipe;
 * what follows asks here, and not the system, whether people read it.
 */
#ifndef DMD_READER_HOST_PAGER_H
#define DMD_READER_HOST_PAGER_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the pager where standard output is a terminal and it is wanted; else does nothing. */
void dmdv_pager_begin(bool wanted);

/* Waits until the user has left the pager, if there is one. */
void dmdv_pager_end(void);

/* Whether standard output is a terminal, be it behind a pager. */
bool dmdv_is_terminal(void);

/* How wide it is. */
uint32_t dmdv_terminal_columns(void);

#endif
