/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_message.h: the engine's messages to the user.
 *
 * Lines go to dmdv run, which prints them on its standard error or writes them to the file of
 * --log-file (pl_channel.h). Without dmdv they go to the program's standard error, or to that file.
 * Each line begins with the process number, as Valgrind's do, and is written at once.
 *
 * Concurrency: any thread, at any time.
 */
#ifndef DMD_NATIVE_PL_MESSAGE_H
#define DMD_NATIVE_PL_MESSAGE_H

/* From now on a message of pl_die goes the same way. */
void pl_message_start(void);

/* Sets the log file for lines that dmdv does not take. %p in its name stands for the process
 * number. If dmdv takes no lines at all, the file is created or emptied now. If that fails, a line
 * on standard error reports why, and later lines go there. */
void pl_message_open(const char *name);

/* Logs a line, given without its newline. */
void pl_say(const char *line);

#endif
