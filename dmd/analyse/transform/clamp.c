/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/transform/clamp.h"

static uint64_t clamp_word(const dmd_addresses_t *addresses, uint64_t word,
                           dmd_clamped_t *clamped) {
  if (word == 0) {
    clamped->zeroes++;
    return 0;
  }
  uint32_t place = dmd_addresses_find(addresses, word);
  if (place == addresses->n) {
    clamped->others++;
    return 0;
  }
  uint64_t start = dmd_addresses_start(addresses, place);
  clamped->starts += start == word;
  clamped->interiors += start != word;
  return start;
}

static void clamp_block(const dmd_addresses_t *addresses, dmd_scanned_block_t *block,
                        dmd_clamped_t *clamped) {
  const dmd_scanned_t *scanned = &addresses->profile->scanned;
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->n_words; i++) {
    uint64_t *word = dmd_scanned_word(scanned, block, i);
    *word = clamp_word(addresses, *word, clamped);
    if (*word != 0)
      n = i + 1;
  }
  block->n_words = n;
}

bool dmd_clamp(dmd_profile_t *profile, dmd_clamped_t *clamped, dmd_strbuf_t *why) {
  dmd_addresses_t addresses;
  *clamped = (dmd_clamped_t){0};
  bool good = dmd_addresses_init(&addresses, profile, why);
  for (uint32_t i = 0; good && i < addresses.n; i++)
    clamp_block(&addresses, dmd_scanned_of(&profile->scanned, i + 1), clamped);
  dmd_addresses_destroy(&addresses);
  return good;
}
