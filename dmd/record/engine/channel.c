/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/channel.h"

#include "base/mem.h"

/* A header is followed by its payload, and that by padding up to the next multiple of this. */
enum { PACKET_ALIGNB = 8 };

static uint64_t whole_szB(uint32_t n) {
  uint64_t szB = sizeof(dmd_packet_t) + n;
  return (szB + PACKET_ALIGNB - 1) & ~(uint64_t)(PACKET_ALIGNB - 1);
}

void dmd_channel_init(dmd_channel_t *channel) {
  channel->magic = DMD_CHANNEL_MAGIC;
}

/* ---- Bytes. ---- */

static size_t before_the_wrap(uint64_t at, size_t n) {
  size_t left = DMD_CHANNEL_RING_SZB - (size_t)(at % DMD_CHANNEL_RING_SZB);
  return n < left ? n : left;
}

static void copy_in(dmd_channel_t *channel, uint64_t at, const void *bytes, size_t n) {
  size_t first = before_the_wrap(at, n);
  dmd_mem_copy(channel->ring + at % DMD_CHANNEL_RING_SZB, bytes, first);
  dmd_mem_copy(channel->ring, (const char *)bytes + first, n - first);
}

static void copy_out(const dmd_channel_t *channel, uint64_t at, void *bytes, size_t n) {
  size_t first = before_the_wrap(at, n);
  dmd_mem_copy(bytes, channel->ring + at % DMD_CHANNEL_RING_SZB, first);
  dmd_mem_copy((char *)bytes + first, channel->ring, n - first);
}

/* ---- Writers. ---- */

bool dmd_channel_lock(dmd_channel_t *channel, uint64_t self, uint64_t *owner) {
  *owner = 0;
  return __atomic_compare_exchange_n(&channel->owner, owner, self, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

void dmd_channel_unlock(dmd_channel_t *channel, uint64_t self) {
  __atomic_compare_exchange_n(&channel->owner, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

dmd_put_t dmd_channel_put(dmd_channel_t *channel, uint64_t self, const dmd_packet_t *packet,
                          const void *payload) {
  if (dmd_channel_is_closed(channel))
    return DMD_PUT_LOST;
  uint64_t head = dmd_channel_head(channel), used = head - dmd_channel_tail(channel);
  uint64_t szB = whole_szB(packet->n);
  if (used > DMD_CHANNEL_RING_SZB || szB > DMD_CHANNEL_RING_SZB - used)
    return DMD_PUT_FULL;
  copy_in(channel, head, packet, sizeof *packet);
  copy_in(channel, head + sizeof *packet, payload, packet->n);
  if (__atomic_load_n(&channel->owner, __ATOMIC_ACQUIRE) != self)
    return DMD_PUT_LOST;
  __atomic_store_n(&channel->head, head + szB, __ATOMIC_RELEASE);
  return DMD_PUT_DONE;
}

uint64_t dmd_channel_new_stream(dmd_channel_t *channel) {
  return __atomic_add_fetch(&channel->streams, 1, __ATOMIC_RELAXED);
}

/* ---- The reader. ---- */

void dmd_channel_reader_init(dmd_channel_reader_t *reader, dmd_channel_t *channel) {
  reader->channel = channel;
  reader->tail = 0;
  reader->fault = NULL;
}

static const char *check(const dmd_packet_t *packet, uint64_t there) {
  if (packet->kind == 0 || packet->kind >= DMD_PACKET_KINDS || packet->unused != 0)
    return "a packet of no known kind";
  if (packet->n > DMD_CHANNEL_MAX_PAYLOAD)
    return "a packet that is too large";
  if (whole_szB(packet->n) > there)
    return "a packet that ends behind what was put";
  return NULL;
}

bool dmd_channel_take(dmd_channel_reader_t *reader, dmd_packet_t *packet) {
  dmd_channel_t *channel = reader->channel;
  uint64_t there = dmd_channel_head(channel) - reader->tail;
  if (reader->fault != NULL || there == 0)
    return false;
  if (there > DMD_CHANNEL_RING_SZB)
    reader->fault = "more bytes than there is room for";
  else if (there < sizeof *packet)
    reader->fault = "half a packet";
  if (reader->fault != NULL)
    return false;
  copy_out(channel, reader->tail, packet, sizeof *packet);
  reader->fault = check(packet, there);
  if (reader->fault != NULL)
    return false;
  copy_out(channel, reader->tail + sizeof *packet, reader->payload, packet->n);
  reader->payload[packet->n] = '\0';
  reader->tail += whole_szB(packet->n);
  return true;
}

void dmd_channel_done(dmd_channel_reader_t *reader) {
  __atomic_store_n(&reader->channel->tail, reader->tail, __ATOMIC_RELEASE);
}

void dmd_channel_refuse(dmd_channel_t *channel, uint64_t stream) {
  __atomic_store_n(&channel->refused[stream % DMD_CHANNEL_N_REFUSED], stream, __ATOMIC_RELEASE);
}

void dmd_channel_break_lock(dmd_channel_t *channel, uint64_t owner) {
  dmd_channel_unlock(channel, owner);
}

void dmd_channel_close(dmd_channel_t *channel) {
  __atomic_store_n(&channel->closed, 1, __ATOMIC_RELEASE);
}
