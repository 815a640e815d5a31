/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_channel.h: the process's end of the channel to dmdv run (record/engine/channel.h).
 *
 * Each executed program opens it once, when the engine starts: it connects to the socket named in
 * its options, sends the token that is given there too, receives a descriptor of the shared memory,
 * maps it, and closes both. Forked processes inherit the mapping. Any process that can read the
 * environment of a process of the run (one of the same user, or of root) can open the channel too.
 *
 * Without dmdv there is no channel, and once dmdv has ended or has stalled for long the channel
 * counts as gone. All functions report that, and callers fall back to what they do without a
 * channel.
 *
 * Concurrency: any thread, at any time; file functions under the engine lock.
 */
#ifndef DMD_NATIVE_PL_CHANNEL_H
#define DMD_NATIVE_PL_CHANNEL_H

#include "record/host.h"

/* where: the value of --dmd-channel, or NULL. */
void pl_channel_start(const char *where);

/* In a forked child. */
void pl_channel_forked(void);

/* When the engine ends. */
void pl_channel_end(void);

/* Sends a line for dmdv to print. Returns false if dmdv did not get it. */
bool pl_channel_say(const char *line);

/* Whether the channel is open. */
bool pl_channel_is_there(void);

/* Returns the size of the mapping and sets *start to its address; 0: not mapped. */
uint64_t pl_channel_range(uint64_t *start);

extern const dmd_receiver_t pl_channel_receiver;

#endif
