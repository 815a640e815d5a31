/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask.h: asks a running program for its own number, and compares it with the heap (dmdv run --ask
 * and --expect).
 *
 * A process of dmdv's own runs the command while the program runs, again and again until it
 * succeeds and its output has every number: by then a server is up. It then makes the engine dump,
 * through the engine's control or vgdb, and ends the program with SIGTERM. After the run the
 * numbers are compared with that dump, which has its frames' names by then.
 *
 * Call order: dmdv_ask_add for each --expect; dmdv_ask_attend while the program runs;
 * dmdv_ask_compare when it has ended and its files are complete.
 */
#ifndef DMD_DMDV_RUN_ASK_H
#define DMD_DMDV_RUN_ASK_H

#include "base/strbuf.h"
#include "dmdv/run/written.h"

#include <sys/types.h>

typedef struct dmdv_ask dmdv_ask_t;

dmdv_ask_t *dmdv_ask_new(void);
void dmdv_ask_free(dmdv_ask_t *ask);

/* REGEX=SET, see analyse/claims/figure.h. Appends the reason if it is wrong. */
bool dmdv_ask_add(dmdv_ask_t *ask, const char *expect, dmd_strbuf_t *why);

/* `5%` or bytes: how far numbers may be off. */
bool dmdv_ask_set_limit(dmdv_ask_t *ask, const char *value, dmd_strbuf_t *why);

/* The command for a shell. vgdb: NULL for the native engine. False, after a line on stderr, if the
 * options do not fit together; true if there are none. */
bool dmdv_ask_prepare(dmdv_ask_t *ask, const char *command, uint32_t seconds, const char *vgdb);

/* Whether there is something to ask. */
bool dmdv_ask_is_on(const dmdv_ask_t *ask);

/* Call it again and again while the program runs: starts asking at the first call. */
void dmdv_ask_attend(dmdv_ask_t *ask, pid_t program);

/* Prints what was found to stderr. Returns the exit status of dmdv: 0; 1 if a number is further off
 * than allowed; 2 if there are no numbers. */
int dmdv_ask_compare(dmdv_ask_t *ask, const dmdv_written_t *written, size_t n_written);

#endif
