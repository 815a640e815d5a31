/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/fingerprints.h"

enum { N_LANES = 4, WORD = 8 };

typedef struct {
  uint64_t hash;
  uint32_t place;
} content_t;

static bool content_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_fingerprints_t *prints = owner;
  return DMD_POOL_AT(&prints->contents, const content_t, id)->hash == *(const uint64_t *)key;
}

void dmd_fingerprints_init(dmd_fingerprints_t *prints, const dmd_env_t *env) {
  dmd_pool_init(&prints->contents, env, "dmd.fingerprints", sizeof(content_t));
  dmd_table_init(&prints->index, env, "dmd.fingerprints", content_equal, prints);
  dmd_fingerprints_begin(prints);
}

void dmd_fingerprints_destroy(dmd_fingerprints_t *prints) {
  dmd_table_destroy(&prints->index);
  dmd_pool_destroy(&prints->contents);
}

void dmd_fingerprints_begin(dmd_fingerprints_t *prints) {
  for (uint32_t i = 0; i < N_LANES; i++)
    prints->lanes[i] = dmd_table_hash(&prints->index, i);
  prints->szB = prints->tail = 0;
  prints->byte = 0;
}

/* ---- Hashing. Neighbouring words are in different lanes, so that a processor works on several at
 * once. ---- */

static inline uint64_t mix(uint64_t lane, uint64_t word) {
  lane ^= word;
  lane = lane << 29 | lane >> 35;
  return lane * UINT64_C(0x9e3779b97f4a7c15);
}

static void hash(dmd_fingerprints_t *prints, const char *bytes, uint64_t n) {
  uint64_t lanes[N_LANES], word, number = prints->szB / WORD;
  for (uint32_t i = 0; i < N_LANES; i++)
    lanes[i] = prints->lanes[(number + i) % N_LANES];
  for (; n >= N_LANES * WORD; n -= N_LANES * WORD)
    for (uint32_t i = 0; i < N_LANES; i++, bytes += WORD) {
      dmd_mem_copy(&word, bytes, WORD);
      lanes[i] = mix(lanes[i], word);
    }
  for (uint32_t i = 0; n > 0; i++) {
    size_t part = n < WORD ? (size_t)n : WORD;
    word = 0;
    dmd_mem_copy(&word, bytes, part);
    lanes[i] = mix(lanes[i], word);
    bytes += part;
    n -= part;
  }
  for (uint32_t i = 0; i < N_LANES; i++)
    prints->lanes[(number + i) % N_LANES] = lanes[i];
}

/* ---- Tails. ---- */

/* The length of the run of equal bytes at the end. */
static uint64_t run_at_end(const char *bytes, uint64_t n) {
  uint64_t all = (unsigned char)bytes[n - 1] * UINT64_C(0x0101010101010101), word;
  uint64_t left = n;
  while (left >= WORD) {
    dmd_mem_copy(&word, bytes + left - WORD, WORD);
    if (word != all)
      break;
    left -= WORD;
  }
  while (left > 0 && bytes[left - 1] == bytes[n - 1])
    left--;
  return n - left;
}

void dmd_fingerprints_add(dmd_fingerprints_t *prints, const char *bytes, uint64_t n) {
  if (n == 0)
    return;
  uint64_t run = bytes == NULL ? n : run_at_end(bytes, n);
  unsigned char byte = bytes == NULL ? 0 : (unsigned char)bytes[n - 1];
  bool goes_on = run == n && (prints->szB == 0 || prints->byte == byte);
  prints->tail = goes_on ? prints->tail + n : run;
  prints->byte = byte;
  if (bytes != NULL)
    hash(prints, bytes, n);
  else
    prints->lanes[0] = mix(prints->lanes[0], n);
  prints->szB += n;
}

dmd_fingerprint_t dmd_fingerprints_end(dmd_fingerprints_t *prints, uint32_t place) {
  dmd_fingerprint_t print = {0};
  if (prints->tail >= DMD_FINGERPRINT_TAIL) {
    print.tail = prints->tail;
    print.byte = prints->byte;
  }
  if (prints->szB < DMD_FINGERPRINT_LEAST)
    return print;
  content_t content = {.hash = dmd_hash_u64(prints->szB), .place = place};
  for (uint32_t i = 0; i < N_LANES; i++)
    content.hash = dmd_hash_u64(content.hash ^ prints->lanes[i]);
  uint32_t id = dmd_table_find_or_add(&prints->index, &prints->contents, content.hash, &content);
  uint32_t first = DMD_POOL_AT(&prints->contents, const content_t, id)->place;
  print.same = first == place ? 0 : first + 1;
  return print;
}
