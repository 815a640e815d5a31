/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_channel: memory of the channel as a hostile process may leave it. The input has the reader's
 * position (2 bytes), the head's distance from it (4 bytes), and then the bytes at that position.
 * The reader takes only what was put, and its own memory stays sound.
 */
#include "fuzz.h"

#include "host/process.h"
#include "record/engine/channel.h"
#include "record/engine/listing.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_SZB = 6 };

static void put_bytes(dmd_channel_t *channel, uint64_t at, const uint8_t *bytes, size_t n) {
  for (size_t i = 0; i < n && i < DMD_CHANNEL_RING_SZB; i++)
    channel->ring[(at + i) % DMD_CHANNEL_RING_SZB] = (char)bytes[i];
}

static void check_payload(const dmd_channel_reader_t *reader, const dmd_packet_t *packet,
                          uint64_t at) {
  FUZZ_CHECK(packet->kind > 0 && packet->kind < DMD_PACKET_KINDS);
  FUZZ_CHECK(packet->n <= DMD_CHANNEL_MAX_PAYLOAD && reader->payload[packet->n] == '\0');
  for (uint32_t i = 0; i < packet->n; i++)
    FUZZ_CHECK(reader->payload[i] ==
               reader->channel->ring[(at + sizeof *packet + i) % DMD_CHANNEL_RING_SZB]);
}

/* What dmdv reads of a file that a process announces. */
static void read_listing(const dmd_channel_reader_t *reader, const dmd_packet_t *packet) {
  dmd_strbuf_t path;
  dmd_listing_t listing;
  dmd_strbuf_init(&path, &dmdv_env);
  if (dmd_listing_read(&listing, &path, reader->payload, packet->n))
    FUZZ_CHECK(path.n <= packet->n);
  dmd_strbuf_destroy(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static dmd_channel_t *channel;
  static dmd_channel_reader_t reader;
  uint16_t position;
  uint32_t distance;
  if (n < HEAD_SZB)
    return 0;
  if (channel == NULL)
    channel = aligned_alloc(4096, sizeof *channel);
  memset(channel, 0, sizeof *channel);
  dmd_channel_init(channel);
  dmd_channel_reader_init(&reader, channel);
  memcpy(&position, data, sizeof position);
  memcpy(&distance, data + sizeof position, sizeof distance);
  reader.tail = channel->tail = UINT64_C(0) - position;
  channel->head = channel->tail + distance;
  put_bytes(channel, channel->tail, data + HEAD_SZB, n - HEAD_SZB);
  dmd_packet_t packet;
  for (uint64_t at = reader.tail; dmd_channel_take(&reader, &packet); at = reader.tail) {
    FUZZ_CHECK(reader.fault == NULL && reader.tail - at > packet.n);
    FUZZ_CHECK((int64_t)(channel->head - reader.tail) >= 0);
    check_payload(&reader, &packet, at);
    read_listing(&reader, &packet);
    dmd_channel_done(&reader);
    FUZZ_CHECK(channel->tail == reader.tail);
  }
  FUZZ_CHECK(reader.fault != NULL || reader.tail == channel->head);
  return 0;
}
