/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holders_fixture.h"

#include <stdio.h>

holders_fixture_t g_holders;

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
  if (addr < BASE || addr + n > BASE + MEMORY_SZB || g_holders.unreadable[(addr - BASE) / PAGE])
    return 0;
  memcpy(to, g_holders.memory + (addr - BASE), n);
  return n;
}

void holders_begin_on(const dmd_env_t *env, uint64_t word_szB, uint64_t sample_below) {
  memset(g_holders.memory, 0, sizeof g_holders.memory);
  memset(g_holders.unreadable, 0, sizeof g_holders.unreadable);
  g_holders.word_szB = word_szB;
  dmd_live_init(&g_holders.live, env,
                &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                     .allocator = DMD_ALLOCATOR_EXACT,
                                     .word_szB = word_szB,
                                     .sample_below = sample_below});
  dmd_profile_init(&g_holders.profile, env);
  for (uint32_t id = 1; id <= N_STACKS; id++)
    assert_int_equal(add_stack(&g_holders.profile, id), id);
  dmd_hints_init(&g_holders.found, env);
}

void holders_end_on(void) {
  dmd_hints_destroy(&g_holders.found);
  dmd_profile_destroy(&g_holders.profile);
  dmd_live_destroy(&g_holders.live);
}

void holders_begin(uint64_t word_szB) {
  host_init(&g_holders.host);
  holders_begin_on(&g_holders.host.env, word_szB, 0);
}

void holders_begin_sampled(uint64_t sample_below) {
  host_init(&g_holders.host);
  holders_begin_on(&g_holders.host.env, 8, sample_below);
}

void holders_end(void) {
  holders_end_on();
  host_done(&g_holders.host);
}

void add_block_as(uint64_t addr, uint64_t szB, uint32_t stack, uint32_t flags) {
  dmd_live_add(
      &g_holders.live,
      &(dmd_new_block_t){
          .addr = addr, .req = szB, .usable = szB, .stack = stack, .thread = 1, .flags = flags});
}

void add_block(uint64_t addr, uint64_t szB, uint32_t stack) {
  add_block_as(addr, szB, stack, 0);
}

void report_block(uint64_t addr, uint32_t stack, const char *reporter) {
  uint32_t name =
      reporter == NULL ? DMD_NONE : dmd_intern_str(&g_holders.live.reporter_names, reporter);
  dmd_live_report(&g_holders.live, 1, addr, stack, false, name);
}

void point(uint64_t from, uint64_t to) {
  memcpy(g_holders.memory + (from - BASE), &to, g_holders.word_szB);
}

void find_holders(void) {
  dmd_memory_t memory = {.read = read_memory};
  dmd_translation_t ids;
  dmd_translation_init(&ids, &g_holders.profile, &g_holders.live.reporter_names,
                       &g_holders.live.tag_names, &g_holders.live.reports, add_stack,
                       &g_holders.profile);
  dmd_blockreferrers_find(&g_holders.live, &ids, &memory, &g_holders.found);
  dmd_translation_destroy(&ids);
}

const char *found_text(void) {
  static char text[1000];
  text[0] = '\0';
  for (uint32_t id = 1; id <= dmd_hints_count(&g_holders.found); id++) {
    const dmd_hint_t *a = dmd_hints_at(&g_holders.found, id);
    size_t n = strlen(text);
    snprintf(
        text + n, sizeof text - n, "%s%u <- %s %s %u +%d: %d %d", n > 0 ? "; " : "", a->alloc,
        dmd_holder_kind_name(a->holder_kind),
        a->reporter == DMD_NONE ? "-" : dmd_intern_get_str(&g_holders.profile.names, a->reporter),
        a->stack, a->offset == DMD_OFFSET_ANY ? -1 : (int)a->offset, (int)a->blocks, (int)a->bytes);
  }
  return text;
}
