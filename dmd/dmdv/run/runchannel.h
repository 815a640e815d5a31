/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * runchannel.h: dmdv's end of the channel to the processes of a run (record/engine/channel.h).
 *
 * An abstract socket hands the memory to every process that shows the token: 128 random bits, which
 * the processes of the run have in their environment. While the program runs, dmdv polls the memory
 * every few milliseconds, and at once when a process connects to the socket.
 *
 * If a writer was killed while it held the lock, dmdv sees that its process is gone and breaks the
 * lock.
 */
#ifndef DMD_DMDV_RUN_RUNCHANNEL_H
#define DMD_DMDV_RUN_RUNCHANNEL_H

#include "record/engine/channel.h"

typedef struct dmdv_channel dmdv_channel_t;

/* Receives a packet. The payload has packet->n bytes and a NUL after them. Returns false to refuse
 * the packet's stream: its file cannot be written. */
typedef bool (*dmdv_packet_fn)(void *ctx, const dmd_packet_t *packet, const char *payload);

/* NULL, after a line on stderr, if the system does not support it. The run can do without. */
dmdv_channel_t *dmdv_channel_new(dmdv_packet_fn take, void *ctx);
void dmdv_channel_free(dmdv_channel_t *channel);

/* The option that makes the engine use the channel. */
const char *dmdv_channel_option(const dmdv_channel_t *channel);

/* Handles the packets that have arrived, and waits for more, up to some milliseconds or until pidfd
 * becomes readable. ctx is a dmdv_channel_t (child.h). */
void dmdv_channel_attend(void *ctx, int pidfd);

/* After the program's end: handles all remaining packets. While is_awaited returns true and packets
 * keep arriving, waits for unfinished files. Then closes the channel for all writers. */
void dmdv_channel_finish(dmdv_channel_t *channel, bool (*is_awaited)(const void *ctx));

#endif
