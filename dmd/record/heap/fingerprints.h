/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fingerprints.h: which blocks have equal contents, and which end in equal bytes.
 *
 * Blocks are shown in order, each piece by piece. A block of at least DMD_FINGERPRINT_LEAST bytes
 * equals an earlier one if it has the same size and the same 64-bit hash. The hash has a seed, but
 * is not cryptographic: among ten million blocks, two different ones are taken for equal with a
 * probability of about 1 in 400,000.
 *
 * Memory: 8 bytes a block, and 11 to 22 in a hash table. The table has its final size from the
 * start and its slots fit into one cache line, since a look-up costs little but waiting for memory.
 */
#ifndef DMD_RECORD_HEAP_FINGERPRINTS_H
#define DMD_RECORD_HEAP_FINGERPRINTS_H

#include "base/env.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  DMD_FINGERPRINT_LEAST = 16, /* smaller blocks are not compared */
  DMD_FINGERPRINT_TAIL = 64   /* shorter tails are not worth telling */
};

typedef struct dmd_fingerprints {
  const dmd_env_t *env;
  uint64_t *hashes; /* by place */
  struct dmd_fingerprint_slot {
    uint32_t half;  /* of the hash: the upper one */
    uint32_t first; /* the first block with it: its place + 1; 0: empty */
  } * slots;
  uint32_t n_slots; /* a power of two */
  /* The current block. */
  uint64_t lanes[4];
  uint64_t szB;  /* so far */
  uint64_t tail; /* length of the run of equal bytes at its end */
  unsigned char byte;
} dmd_fingerprints_t;

/* Facts about a block. */
typedef struct dmd_fingerprint {
  uint32_t same;      /* the earlier block of equal contents: its place + 1; 0: none */
  uint64_t tail;      /* bytes at its end that are all `byte`; 0 if fewer than
                         DMD_FINGERPRINT_TAIL */
  unsigned char byte; /* 0 without a tail */
} dmd_fingerprint_t;

/* For up to n_blocks blocks, whose places are below that. */
void dmd_fingerprints_init(dmd_fingerprints_t *prints, const dmd_env_t *env, uint32_t n_blocks);
void dmd_fingerprints_destroy(dmd_fingerprints_t *prints);

/* Begin a block; add its next n bytes, in pieces of whole words (8 bytes) except for the last one;
 * and end the block, which has this place. bytes is NULL for memory that was not read because the
 * program never wrote to it, and counts as zeroes. */
void dmd_fingerprints_begin(dmd_fingerprints_t *prints);
void dmd_fingerprints_add(dmd_fingerprints_t *prints, const char *bytes, uint64_t n);
dmd_fingerprint_t dmd_fingerprints_end(dmd_fingerprints_t *prints, uint32_t place);

#endif
