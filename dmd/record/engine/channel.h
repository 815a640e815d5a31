/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * channel.h: memory through which processes with the native engine send dmdv run their messages and
 * profiles, without files and descriptors of their own.
 *
 * The memory is mapped shared in dmdv and in every process that it watches. A mapping survives what
 * takes descriptors and rights away from a process (closefrom, chroot, setuid, Landlock, seccomp),
 * and to write to it takes no system call.
 *
 * It is a ring of packets. A packet is a header and up to DMD_CHANNEL_MAX_PAYLOAD bytes. One writer
 * at a time holds the lock, for as long as it takes to copy one packet; a file is a stream of
 * packets, between which those of other processes may come. A packet is there once `head` has
 * passed it, so a writer that is killed leaves nothing half written; its lock is broken by the
 * reader.
 *
 * Life of the ring: dmd_channel_init, by the reader; then writers put and the reader takes; after
 * dmd_channel_close, writers put nothing more.
 *
 * Trust: the processes of a run can write anything anywhere in this memory. The reader has its own
 * `tail`, copies each packet before it looks at it, and checks every length; what it cannot make
 * sense of makes it give up the channel, not crash. Writers reach only bytes inside the ring,
 * whatever head and tail say. What a packet claims (its process, its stream) is only a claim.
 *
 * Concurrency: writers of any processes and threads, and one reader. Waiting is the callers'
 * business: nothing here waits.
 */
#ifndef DMD_RECORD_ENGINE_CHANNEL_H
#define DMD_RECORD_ENGINE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  DMD_CHANNEL_RING_SZB = 4 << 20,
  DMD_CHANNEL_MAX_PAYLOAD = 32 << 10,
  DMD_CHANNEL_N_REFUSED = 64
};

/* The kinds of packets. A comment also gives the payload, if there is one. */
typedef enum {
  DMD_PACKET_START = 1, /* an engine starts in a process: the kernel's name for its program */
  DMD_PACKET_FORK,      /* likewise, in a forked process */
  DMD_PACKET_END,       /* the process is about to end, and its engine has finished */
  DMD_PACKET_SAY,       /* a line for the user: text without a line end */
  DMD_PACKET_WROTE,     /* the process has written a file: a line of listing.h */
  DMD_PACKET_OPEN,      /* the file of a new stream: a line of listing.h */
  DMD_PACKET_DATA,      /* the next bytes of the stream's file */
  DMD_PACKET_CLOSE,     /* the stream's file is complete */
  DMD_PACKET_ABANDON,   /* the stream's file is to be discarded */
  DMD_PACKET_KINDS
} dmd_packet_kind_t;

typedef struct dmd_packet {
  uint32_t kind;
  uint32_t n;      /* bytes of the payload */
  uint32_t pid;    /* as the process itself knows it */
  uint32_t unused; /* always 0 */
  uint64_t stream; /* of OPEN, DATA, CLOSE and ABANDON; otherwise 0 */
} dmd_packet_t;

/* Members that different sides write often are in cache lines of their own. */
typedef struct dmd_channel {
  uint64_t magic;   /* DMD_CHANNEL_MAGIC, which changes with the layout */
  uint32_t closed;  /* set by the reader: it has stopped reading */
  uint64_t streams; /* the number of streams opened; a new stream takes its number from here */
  uint64_t beat; /* set by the reader: when it last polled, in nanoseconds of the system's clock */
  _Alignas(64) uint64_t tail;  /* set by the reader: bytes that it has taken */
  _Alignas(64) uint64_t owner; /* of the lock; 0: free */
  uint64_t head;               /* set by the owner: bytes that were put */
  /* Set by the reader: streams whose files it cannot write, each at its number modulo the size. */
  _Alignas(64) uint64_t refused[DMD_CHANNEL_N_REFUSED];
  _Alignas(4096) char ring[DMD_CHANNEL_RING_SZB];
} dmd_channel_t;

#define DMD_CHANNEL_MAGIC UINT64_C(0x32306c6e6863646d)

/* The memory must be zeroed. */
void dmd_channel_init(dmd_channel_t *channel);

/* ---- Writers. ---- */

/* self: a number of the thread, unique among all processes; not 0. False: the lock is taken, and
 * *owner is its owner. */
bool dmd_channel_lock(dmd_channel_t *channel, uint64_t self, uint64_t *owner);
void dmd_channel_unlock(dmd_channel_t *channel, uint64_t self);

typedef enum { DMD_PUT_DONE, DMD_PUT_FULL, DMD_PUT_LOST } dmd_put_t;

/* Puts one packet; self must hold the lock. The payload has packet->n bytes, at most
 * DMD_CHANNEL_MAX_PAYLOAD. FULL: there is not enough space now. LOST: the channel is closed, or the
 * lock was broken meanwhile; nothing was put. */
dmd_put_t dmd_channel_put(dmd_channel_t *channel, uint64_t self, const dmd_packet_t *packet,
                          const void *payload);

uint64_t dmd_channel_new_stream(dmd_channel_t *channel);

/* Whether the reader refused a stream that was opened a moment ago. The answer is final once the
 * reader is done with the stream's last packet. */
static inline bool dmd_channel_is_refused(const dmd_channel_t *channel, uint64_t stream) {
  return __atomic_load_n(&channel->refused[stream % DMD_CHANNEL_N_REFUSED], __ATOMIC_ACQUIRE) ==
         stream;
}

static inline bool dmd_channel_is_closed(const dmd_channel_t *channel) {
  return __atomic_load_n(&channel->closed, __ATOMIC_ACQUIRE) != 0;
}

/* The positions, in bytes, of the reader and of the writers. A packet was taken once the reader's
 * position has passed the packet's end. */
static inline uint64_t dmd_channel_tail(const dmd_channel_t *channel) {
  return __atomic_load_n(&channel->tail, __ATOMIC_ACQUIRE);
}
static inline uint64_t dmd_channel_head(const dmd_channel_t *channel) {
  return __atomic_load_n(&channel->head, __ATOMIC_ACQUIRE);
}

/* ---- The reader. ---- */

typedef struct dmd_channel_reader {
  dmd_channel_t *channel;
  uint64_t tail;
  const char *fault; /* the first fault of the packets, after which none is taken; NULL: no fault */
  char payload[DMD_CHANNEL_MAX_PAYLOAD + 1]; /* of the last packet taken, with a NUL after it */
} dmd_channel_reader_t;

void dmd_channel_reader_init(dmd_channel_reader_t *reader, dmd_channel_t *channel);

/* Takes the next packet. False: no packet is waiting, or there is a fault. Its writer waits until
 * dmd_channel_done. */
bool dmd_channel_take(dmd_channel_reader_t *reader, dmd_packet_t *packet);

/* All that was taken is dealt with. */
void dmd_channel_done(dmd_channel_reader_t *reader);

/* Tells the writer that its file is lost if it does not write it itself. Call it before
 * dmd_channel_done. */
void dmd_channel_refuse(dmd_channel_t *channel, uint64_t stream);

/* Frees the lock of a writer that is gone. */
void dmd_channel_break_lock(dmd_channel_t *channel, uint64_t owner);

/* Stops writers; packets put before can still be taken. */
void dmd_channel_close(dmd_channel_t *channel);

#endif
