/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/scanned.h"

void dmd_scanned_init(dmd_scanned_t *scanned, const dmd_env_t *env) {
  dmd_pool_init(&scanned->blocks, env, "dmd.scanned.blocks", sizeof(dmd_scanned_block_t));
  dmd_pool_init(&scanned->words, env, "dmd.scanned.words", sizeof(uint64_t));
}

void dmd_scanned_destroy(dmd_scanned_t *scanned) {
  dmd_pool_destroy(&scanned->words);
  dmd_pool_destroy(&scanned->blocks);
}

void dmd_scanned_add(dmd_scanned_t *scanned, uint32_t group, uint64_t addr) {
  dmd_pool_reach(&scanned->blocks, group);
  *DMD_POOL_AT(&scanned->blocks, dmd_scanned_block_t, group) =
      (dmd_scanned_block_t){.addr = addr, .first = scanned->words.last + 1};
}

void dmd_scanned_add_word(dmd_scanned_t *scanned, uint64_t word) {
  uint32_t place = dmd_pool_add(&scanned->words);
  *DMD_POOL_AT(&scanned->words, uint64_t, place) = word;
  DMD_POOL_AT(&scanned->blocks, dmd_scanned_block_t, scanned->blocks.last)->n_words++;
}
