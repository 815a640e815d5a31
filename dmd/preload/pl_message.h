/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_message.h: what is said to the user: on standard error, or in the file of --log-file.
 *
 * Each line begins with the process, as Valgrind's do, and is written at once.
 *
 * Concurrency: any thread, at any time.
 */
#ifndef DMD_PRELOAD_PL_MESSAGE_H
#define DMD_PRELOAD_PL_MESSAGE_H

/* From now on into this file, which is made or emptied; %p in its name is the process. False where
 * that cannot be. */
int pl_message_open(const char *name);

/* A line, without its end. */
void pl_say(const char *line);

/* The same, as the last thing that the process does. */
_Noreturn void pl_die(const char *why);

#endif
