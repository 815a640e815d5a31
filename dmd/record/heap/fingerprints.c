/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/fingerprints.h"

enum { N_LANES = 4, WORD = 8 };

/* At most 3/4 of the slots are used. */
void dmd_fingerprints_init(dmd_fingerprints_t *prints, const dmd_env_t *env, uint32_t n_blocks) {
  prints->env = env;
  prints->n_slots = 4;
  while (prints->n_slots / 4 * 3 < n_blocks && prints->n_slots <= UINT32_MAX / 2)
    prints->n_slots *= 2;
  size_t szB = (size_t)prints->n_slots * sizeof *prints->slots;
  prints->hashes =
      dmd_env_alloc(env, "dmd.fingerprints", (n_blocks + 1ul) * sizeof *prints->hashes);
  prints->slots = dmd_env_alloc(env, "dmd.fingerprints", szB);
  dmd_mem_zero(prints->slots, szB);
  dmd_fingerprints_begin(prints);
}

void dmd_fingerprints_destroy(dmd_fingerprints_t *prints) {
  dmd_env_free(prints->env, prints->slots);
  dmd_env_free(prints->env, prints->hashes);
}

void dmd_fingerprints_begin(dmd_fingerprints_t *prints) {
  for (uint32_t i = 0; i < N_LANES; i++)
    prints->lanes[i] = dmd_hash_u64(prints->env->hash_seed ^ i);
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

static inline uint64_t word_at(const char *bytes) {
  uint64_t word;
  dmd_mem_copy(&word, bytes, WORD);
  return word;
}

/* The number-th word is in lane number % N_LANES, however the block is cut into pieces. */
static void hash(dmd_fingerprints_t *prints, const char *bytes, uint64_t n) {
  uint64_t *lanes = prints->lanes, number = prints->szB / WORD;
  for (; n >= WORD && number % N_LANES != 0; n -= WORD, bytes += WORD, number++)
    lanes[number % N_LANES] = mix(lanes[number % N_LANES], word_at(bytes));
  uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
  for (; n >= N_LANES * WORD; n -= N_LANES * WORD, bytes += N_LANES * WORD, number += N_LANES) {
    a = mix(a, word_at(bytes));
    b = mix(b, word_at(bytes + WORD));
    c = mix(c, word_at(bytes + 2 * WORD));
    d = mix(d, word_at(bytes + 3 * WORD));
  }
  lanes[0] = a, lanes[1] = b, lanes[2] = c, lanes[3] = d;
  for (; n >= WORD; n -= WORD, bytes += WORD, number++)
    lanes[number % N_LANES] = mix(lanes[number % N_LANES], word_at(bytes));
  uint64_t rest = 0;
  dmd_mem_copy(&rest, bytes, (size_t)n);
  if (n > 0)
    lanes[number % N_LANES] = mix(lanes[number % N_LANES], rest);
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

/* The first block with this hash: its place + 1; 0 if it is this one. */
static uint32_t find_or_add(dmd_fingerprints_t *prints, uint64_t all, uint32_t place) {
  uint32_t half = (uint32_t)(all >> 32), at = (uint32_t)all & (prints->n_slots - 1);
  struct dmd_fingerprint_slot *slot = &prints->slots[at];
  prints->hashes[place] = all;
  while (slot->first != 0) {
    if (slot->half == half && prints->hashes[slot->first - 1] == all)
      return slot->first;
    at = (at + 1) & (prints->n_slots - 1);
    slot = &prints->slots[at];
  }
  *slot = (struct dmd_fingerprint_slot){.half = half, .first = place + 1};
  return 0;
}

dmd_fingerprint_t dmd_fingerprints_end(dmd_fingerprints_t *prints, uint32_t place) {
  dmd_fingerprint_t print = {0};
  if (prints->tail >= DMD_FINGERPRINT_TAIL) {
    print.tail = prints->tail;
    print.byte = prints->byte;
  }
  if (prints->szB < DMD_FINGERPRINT_LEAST)
    return print;
  uint64_t all = dmd_hash_u64(prints->szB);
  for (uint32_t i = 0; i < N_LANES; i++)
    all = mix(all, prints->lanes[i]);
  print.same = find_or_add(prints, dmd_hash_u64(all), place);
  return print;
}
