/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * snapshot_fixture.h: a live state, and the profile that is made of it.
 *
 * snapshot_begin, what the program does, snapshot_take, questions about the profile, snapshot_end.
 */
#ifndef TESTS_UNIT_SNAPSHOT_FIXTURE_H
#define TESTS_UNIT_SNAPSHOT_FIXTURE_H

#include "host.h"

#include "record/heap/snapshot.h"

typedef struct {
  host_t host;
  dmd_live_t live;
  dmd_profile_t profile;
  unsigned n_resolved;
  uint32_t n_texts; /* 0: each stack is a text of its own */
} snapshot_fixture_t;

void snapshot_begin_as(snapshot_fixture_t *f, const dmd_live_config_t *config);
void snapshot_begin(snapshot_fixture_t *f, dmd_mode_t mode);
void snapshot_end(snapshot_fixture_t *f);

/* The host's stacks: n is a stack of one frame "fn". From 2000 on they are all the same stack, as
 * two of the host's may be once they are symbolised; and so are those that differ by n_texts. */
uint32_t snapshot_resolve(void *ctx, dmd_profile_t *profile, uint32_t stack);
void snapshot_take(snapshot_fixture_t *f);

/* A block of a thread; without one, of the first. */
void snapshot_alloc_in(snapshot_fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req,
                       uint32_t stack);
void snapshot_alloc(snapshot_fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack);

/* The profile's stack, which has one frame at most, as text; and its group with this id. */
const char *snapshot_stack_text(const snapshot_fixture_t *f, uint32_t stack);
const dmd_group_t *snapshot_group(const snapshot_fixture_t *f, uint32_t id);

#endif
