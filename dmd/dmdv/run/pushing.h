/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pushing.h: sends profiles of the program to a store while it runs, and the last one at the end
 * (dmdv run --push-to, --push-every).
 *
 * Every so often a process of dmdv's own asks the engine for a dump, as dmdv dump does. The profile
 * arrives through the channel (received.h) and is kept in memory. Another process gives its frames
 * names and sends it. So dmdv goes on listening to the program, whatever the store does: there is
 * one such process at a time, and the next dump waits for the end of the last. A profile that could
 * not be sent is lost. Only the first failure in a row is reported.
 *
 * Call order: dmdv_pushing_attend while the program runs; dmdv_pushing_end when it has ended and
 * its files are complete.
 */
#ifndef DMD_DMDV_RUN_PUSHING_H
#define DMD_DMDV_RUN_PUSHING_H

#include "dmdv/push/pushoptions.h"
#include "dmdv/run/received.h"

#include <sys/types.h>

typedef struct dmdv_pushing dmdv_pushing_t;

/* Parses `60s`. Returns false, with the reason in why, if it is something else. */
bool dmdv_pushing_take_every(unsigned *every, const char *value, dmd_strbuf_t *why);

/* Checks the options together, and reads the token. False, after a line on stderr, if something is
 * wrong. is_attaching: the program runs already. */
bool dmdv_pushing_check(dmdv_push_options_t *options, unsigned every, bool is_attaching);

/* options must outlive the result. every: seconds; 0: at the end only. */
dmdv_pushing_t *dmdv_pushing_new(const dmdv_push_options_t *options, unsigned every);
void dmdv_pushing_free(dmdv_pushing_t *pushing);

/* Whether there is something to do while the program runs. pushing may be NULL. */
bool dmdv_pushing_is_on(const dmdv_pushing_t *pushing);

/* Call it again and again while the program runs. Never waits. */
void dmdv_pushing_attend(dmdv_pushing_t *pushing, pid_t program, dmdv_native_t *native,
                         dmdv_received_t *received);

/* Sends the program's last profile, which may take until the time limit; path is NULL if there is
 * none. Says how many profiles were lost. pushing may be NULL. */
void dmdv_pushing_end(dmdv_pushing_t *pushing, const char *path);

#endif
