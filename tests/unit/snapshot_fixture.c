/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot_fixture.h"

#include <stdio.h>

void snapshot_begin_as(snapshot_fixture_t *f, const dmd_live_config_t *config) {
  host_init(&f->host);
  dmd_live_init(&f->live, &f->host.env, config);
  dmd_profile_init(&f->profile, &f->host.env);
  f->n_resolved = 0;
  f->n_texts = 0;
}

void snapshot_begin(snapshot_fixture_t *f, dmd_mode_t mode) {
  snapshot_begin_as(f,
                    &(dmd_live_config_t){
                        .mode = mode, .allocator = DMD_ALLOCATOR_EXACT, .word_szB = 8, .seed = 5});
}

void snapshot_end(snapshot_fixture_t *f) {
  dmd_profile_destroy(&f->profile);
  dmd_live_destroy(&f->live);
  host_done(&f->host);
}

uint32_t snapshot_resolve(void *ctx, dmd_profile_t *profile, uint32_t stack) {
  snapshot_fixture_t *f = ctx;
  f->n_resolved++;
  char text[32] = "same";
  if (f->n_texts > 0)
    stack = (stack - 1) % f->n_texts + 1;
  if (stack < 2000)
    snprintf(text, sizeof text, "f%u", (unsigned)stack);
  uint32_t frame = dmd_frames_read_text(&profile->frames, text);
  return dmd_profile_stack(profile, &frame, 1);
}

void snapshot_take(snapshot_fixture_t *f) {
  dmd_snapshot_take(&f->live, NULL, &f->profile, snapshot_resolve, f);
}

void snapshot_alloc_in(snapshot_fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req,
                       uint32_t stack) {
  dmd_plan_t plan = dmd_live_plan(&f->live, req);
  dmd_live_add(&f->live, &(dmd_new_block_t){.addr = addr,
                                            .req = req,
                                            .usable = req + req % 16,
                                            .stack = plan.stack ? stack : DMD_NONE,
                                            .thread = thread,
                                            .flags = plan.flags});
}

void snapshot_alloc(snapshot_fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack) {
  snapshot_alloc_in(f, 1, addr, req, stack);
}

const char *snapshot_stack_text(const snapshot_fixture_t *f, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&f->profile, stack, &n);
  return n == 0 ? "" : dmd_frames_text(&f->profile.frames, frames[0]);
}

const dmd_group_t *snapshot_group(const snapshot_fixture_t *f, uint32_t id) {
  assert_true(id <= dmd_groups_count(&f->profile.groups));
  return dmd_groups_at(&f->profile.groups, id);
}
