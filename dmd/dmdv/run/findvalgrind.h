/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * findvalgrind.h: finds the Valgrind that has dmd's tool.
 */
#ifndef DMD_DMDV_RUN_FINDVALGRIND_H
#define DMD_DMDV_RUN_FINDVALGRIND_H

/* The valgrind to start: vg-in-place beside dmdv, or "valgrind". The caller frees the text. */
char *dmdv_find_valgrind(void);

/* Checks that Valgrind finds dmd: asking for the tool's version starts it. Returns 0, or the exit
 * status after a line on stderr. */
int dmdv_check_tool(const char *valgrind);

#endif
