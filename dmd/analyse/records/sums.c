/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/sums.h"

#include "base/mem.h"

/* ---- Sums of the heap. ---- */

dmd_heapsum_t dmd_heapsum_of(const dmd_profile_t *profile) {
  dmd_heapsum_t sum = {.all = {0}};
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    dmd_blocksum_t usable = dmd_group_usable_sum(profile, g);
    dmd_blocksum_add(&sum.all, usable);
    dmd_blocksum_add(&sum.section[dmd_section_of_group(profile, g)], usable);
  }
  return sum;
}

/* ---- Sums by stack. ---- */

static bool sum_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_sum_t *a = dmd_sums_at(owner, id), *b = key;
  return a->stack == b->stack && a->section == b->section && a->tag == b->tag &&
         a->reporter[0] == b->reporter[0] && a->reporter[1] == b->reporter[1] &&
         a->thread == b->thread;
}

static uint64_t hash_of(const dmd_sums_t *sums, const dmd_sum_t *sum) {
  uint64_t h = dmd_table_hash(&sums->index, sum->stack ^ (uint64_t)sum->tag << 32);
  h = dmd_hash_u64(h ^ sum->reporter[0] ^ (uint64_t)sum->reporter[1] << 32);
  return dmd_hash_u64(h ^ (uint64_t)sum->section ^ (uint64_t)sum->thread << 32);
}

static void add(dmd_sum_t *sum, const dmd_profile_t *profile, const dmd_group_t *g) {
  uint64_t blocks = (uint64_t)dmd_group_blocks(profile, g);
  sum->blocks += blocks;
  sum->bytes += (uint64_t)dmd_group_usable(profile, g);
  sum->slop_blocks += g->slop > 0 ? blocks : 0;
  sum->slop += (uint64_t)dmd_group_bytes(profile, g, g->slop);
}

static dmd_sum_t key_of(const dmd_profile_t *profile, const dmd_group_t *g, unsigned labels) {
  dmd_sum_t key = {.stack = g->stack, .section = dmd_section_of_group(profile, g)};
  size_t n_frames;
  dmd_profile_frames(profile, g->stack, &n_frames);
  if (n_frames == 0)
    key.stack = DMD_NONE;
  if (labels & 1u << DMD_LABEL_TAG)
    key.tag = g->tag;
  if (labels & 1u << DMD_LABEL_THREAD)
    key.thread = g->thread;
  for (int i = 0; i < 2 && g->reports != DMD_NONE && labels & 1u << DMD_LABEL_REPORTER; i++)
    key.reporter[i] = dmd_reports_at(&profile->reports, g->reports)->report[i].reporter;
  return key;
}

void dmd_sums_init(dmd_sums_t *sums, const dmd_profile_t *profile, unsigned labels) {
  dmd_mem_zero(sums, sizeof *sums);
  dmd_pool_init(&sums->pool, profile->env, "dmd.sums", sizeof(dmd_sum_t));
  dmd_table_init(&sums->index, profile->env, "dmd.sums.index", sum_equal, sums);
  for (uint32_t i = 1; i <= dmd_groups_count(&profile->groups); i++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, i);
    dmd_sum_t key = key_of(profile, g, labels);
    uint64_t hash = hash_of(sums, &key);
    uint32_t id = dmd_table_find_or_add(&sums->index, &sums->pool, hash, &key);
    add(DMD_POOL_AT(&sums->pool, dmd_sum_t, id), profile, g);
    add(&sums->section[key.section], profile, g);
  }
}

const dmd_sum_t *dmd_sums_find(const dmd_sums_t *sums, const dmd_sum_t *key) {
  uint32_t id = dmd_table_find(&sums->index, hash_of(sums, key), key);
  return id != DMD_NONE ? dmd_sums_at(sums, id) : NULL;
}

void dmd_sums_destroy(dmd_sums_t *sums) {
  dmd_table_destroy(&sums->index);
  dmd_pool_destroy(&sums->pool);
}

static void describe_reporters(const dmd_profile_t *profile, const dmd_sum_t *sum,
                               dmd_strbuf_t *text) {
  size_t before = text->n;
  for (int i = 0; i < 2; i++) {
    if (sum->reporter[i] == DMD_NONE || (i > 0 && sum->reporter[i] == sum->reporter[0]))
      continue;
    dmd_strbuf_str(text, text->n > before ? ", " : "");
    dmd_strbuf_str(text, dmd_intern_get_str(&profile->names, sum->reporter[i]));
  }
}

void dmd_sum_describe(const dmd_profile_t *profile, const dmd_sum_t *sum, dmd_label_t label,
                      dmd_strbuf_t *text) {
  static const char *const none[] = {[DMD_LABEL_REPORTER] = "(no reporter)",
                                     [DMD_LABEL_TAG] = "(no tag)",
                                     [DMD_LABEL_THREAD] = "(no thread)"};
  size_t before = text->n;
  if (label == DMD_LABEL_REPORTER) {
    describe_reporters(profile, sum, text);
  } else if (label == DMD_LABEL_TAG && sum->tag != DMD_NONE) {
    dmd_strbuf_str(text, dmd_intern_get_str(&profile->tags, sum->tag));
  } else if (label == DMD_LABEL_THREAD && sum->thread != DMD_NONE) {
    dmd_strbuf_str(text, "thread ");
    dmd_strbuf_u64(text, sum->thread);
  }
  if (text->n == before)
    dmd_strbuf_str(text, none[label]);
}

const char *dmd_sums_section_name(const dmd_profile_t *profile, dmd_section_t section) {
  bool is_history = section == DMD_SECTION_ALL && profile->mode == DMD_MODE_CUMULATIVE;
  return is_history ? "allocated" : dmd_section_name(section);
}
