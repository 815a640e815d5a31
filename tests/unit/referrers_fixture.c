/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "referrers_fixture.h"

#include <stdio.h>

referrers_fixture_t g_referrers;

/* ctx is the profile. */
static uint32_t add_stack(void *ctx, uint32_t id) {
  dmd_profile_t *profile = ctx;
  char text[16];
  snprintf(text, sizeof text, "f%u", (unsigned)id % TWIN);
  uint32_t frame = dmd_frames_read_text(&profile->frames, text);
  return dmd_profile_stack(profile, &frame, 1);
}

static size_t read_memory(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx;
  assert_true(n > 0 && n <= PAGE && addr / PAGE == (addr + n - 1) / PAGE);
  if (addr < BASE || addr + n > BASE + MEMORY_SZB || g_referrers.unreadable[(addr - BASE) / PAGE])
    return 0;
  memcpy(to, g_referrers.memory + (addr - BASE), n);
  return n;
}

void referrers_begin_on(const dmd_env_t *env, uint64_t word_szB, uint64_t sample_below) {
  memset(g_referrers.memory, 0, sizeof g_referrers.memory);
  memset(g_referrers.unreadable, 0, sizeof g_referrers.unreadable);
  g_referrers.word_szB = word_szB;
  dmd_live_init(&g_referrers.live, env,
                &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                     .allocator = DMD_ALLOCATOR_EXACT,
                                     .word_szB = word_szB,
                                     .sample_below = sample_below});
  dmd_profile_init(&g_referrers.profile, env);
  for (uint32_t id = 1; id <= N_STACKS; id++)
    assert_int_equal(add_stack(&g_referrers.profile, id), id);
  dmd_hints_init(&g_referrers.found, env);
}

void referrers_end_on(void) {
  dmd_hints_destroy(&g_referrers.found);
  dmd_profile_destroy(&g_referrers.profile);
  dmd_live_destroy(&g_referrers.live);
}

void referrers_begin(uint64_t word_szB) {
  host_init(&g_referrers.host);
  referrers_begin_on(&g_referrers.host.env, word_szB, 0);
}

void referrers_begin_sampled(uint64_t sample_below) {
  host_init(&g_referrers.host);
  referrers_begin_on(&g_referrers.host.env, 8, sample_below);
}

void referrers_end(void) {
  referrers_end_on();
  host_done(&g_referrers.host);
}

void add_block_as(uint64_t addr, uint64_t szB, uint32_t stack, uint32_t flags) {
  dmd_live_add(
      &g_referrers.live,
      &(dmd_new_block_t){
          .addr = addr, .req = szB, .usable = szB, .stack = stack, .thread = 1, .flags = flags});
}

void add_block(uint64_t addr, uint64_t szB, uint32_t stack) {
  add_block_as(addr, szB, stack, 0);
}

void report_block(uint64_t addr, uint32_t stack, const char *reporter) {
  uint32_t name =
      reporter == NULL ? DMD_NONE : dmd_intern_str(&g_referrers.live.reporter_names, reporter);
  dmd_live_report(&g_referrers.live, 1, addr, stack, false, name);
}

void point(uint64_t from, uint64_t to) {
  memcpy(g_referrers.memory + (from - BASE), &to, g_referrers.word_szB);
}

void find_referrers(void) {
  dmd_memory_t memory = {.read = read_memory};
  dmd_translation_t ids;
  dmd_translation_init(&ids, &g_referrers.profile, &g_referrers.live.reporter_names,
                       &g_referrers.live.tag_names, &g_referrers.live.reports, add_stack,
                       &g_referrers.profile);
  dmd_blockreferrers_find(&g_referrers.live, &ids, &memory, &g_referrers.found);
  dmd_translation_destroy(&ids);
}

const char *found_text(void) {
  static char text[1000];
  text[0] = '\0';
  for (uint32_t id = 1; id <= dmd_hints_count(&g_referrers.found); id++) {
    const dmd_hint_t *a = dmd_hints_at(&g_referrers.found, id);
    size_t n = strlen(text);
    snprintf(
        text + n, sizeof text - n, "%s%u <- %s %s %u +%d: %d %d", n > 0 ? "; " : "", a->alloc,
        dmd_referrer_kind_name(a->referrer_kind),
        a->reporter == DMD_NONE ? "-" : dmd_intern_get_str(&g_referrers.profile.names, a->reporter),
        a->stack, a->offset == DMD_OFFSET_ANY ? -1 : (int)a->offset, (int)a->blocks, (int)a->bytes);
  }
  return text;
}
