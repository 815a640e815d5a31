/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pager.h: shows long text on a terminal through a pager, as git does.
 *
 * The pager is the command in DMD_PAGER, else in PAGER, else less if it is installed. The shell
 * runs it. LESS is set to -FRX unless the user has set it: less then ends if all fits on the
 * screen, and passes colours through. An empty command, or "cat", means no pager.
 *
 * A command that writes text calls dmdv_pager_begin before it opens standard output; main calls
 * dmdv_pager_end, so that the pager ends before dmdv does. In between standard output is a pipe, so
 * code that needs to know whether people read the output asks this module, not the system.
 */
#ifndef DMD_HOST_PAGER_H
#define DMD_HOST_PAGER_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the pager if standard output is a terminal and a pager is wanted; otherwise does
 * nothing. */
void dmdv_pager_begin(bool wanted);

/* Waits until the user has left the pager, if one was started. */
void dmdv_pager_end(void);

/* Whether standard output is a terminal, directly or through a pager. */
bool dmdv_is_terminal(void);

/* The width of the terminal. */
uint32_t dmdv_terminal_columns(void);

#endif
