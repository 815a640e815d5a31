/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphmember.h: a heap graph after the profile in the same gzipped file.
 *
 * The graph's file is cut into pieces. Each is the extra field of a gzip member that has no data
 * (RFC 1952, 2.3.1.1), so that every other reader of gzip finds the profile alone:
 *
 *   header   1f 8b 08 04 00 00 00 00 00 ff, the length of the extra field in 2 bytes
 *   extra    'D' 'G', the length of the piece in 2 bytes, the piece
 *   data     03 00, nothing compressed; its checksum and its length, 8 bytes that are 0
 *
 * The last member has 'D' 'E' and 8 bytes: the number of bytes from the start of the first such
 * member to its own. Numbers are little-endian. So the end of the file says where the graph is.
 */
#ifndef DMD_FILES_GRAPH_GRAPHMEMBER_H
#define DMD_FILES_GRAPH_GRAPHMEMBER_H

#include "base/out.h"

enum {
  DMD_GRAPHMEMBER_HEAD_SZB = 16,     /* header and extra field up to the piece */
  DMD_GRAPHMEMBER_MOST_SZB = 0xfffb, /* a piece */
  DMD_GRAPHMEMBER_TAIL_SZB = 10,     /* the rest of a member */
  DMD_GRAPHMEMBER_LAST_SZB = DMD_GRAPHMEMBER_HEAD_SZB + 8 + DMD_GRAPHMEMBER_TAIL_SZB
};

/* ---- Writing. ---- */

typedef struct dmd_graphmembers {
  dmd_write_fn write;
  void *ctx;
  uint64_t szB; /* written so far */
} dmd_graphmembers_t;

/* Writes n bytes of a graph's file. False: a write failed. */
bool dmd_graphmembers_write(dmd_graphmembers_t *members, const char *bytes, size_t n);

/* Writes the last member. */
bool dmd_graphmembers_end(dmd_graphmembers_t *members);

/* ---- Reading. ---- */

typedef enum {
  DMD_GRAPHMEMBER_NONE,
  DMD_GRAPHMEMBER_PIECE,
  DMD_GRAPHMEMBER_LAST
} dmd_graphmember_t;

/* What begins with these DMD_GRAPHMEMBER_HEAD_SZB bytes, and how many bytes its piece has. */
dmd_graphmember_t dmd_graphmember_of(const unsigned char *head, uint32_t *piece_szB);

/* Whether these are the DMD_GRAPHMEMBER_TAIL_SZB bytes after a piece. */
bool dmd_graphmember_ends(const unsigned char *tail);

/* Whether a file of szB bytes ends in a graph, by its last DMD_GRAPHMEMBER_LAST_SZB bytes; at what
 * offset the graph begins. */
bool dmd_graphmember_find(const unsigned char *last, uint64_t szB, uint64_t *at);

#endif
