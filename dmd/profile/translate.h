/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * translate.h: takes over what the ids of another owner stand for into a profile.
 *
 * Names, tags, stacks and report sets are numbers that mean something to their owner alone: the
 * live heap, or a profile. A translation leads from one such source to one profile. When it is
 * asked for an id the first time, it adds what that stands for to the profile; afterwards it knows
 * the profile's id. So only what was asked for is taken over, in the order of asking. DMD_NONE
 * stays DMD_NONE.
 *
 * Things that differ in the source may be equal in the profile: two stacks of addresses in one line
 * of code are one stack of texts. Groups, faults and sharers that become equal are joined, and
 * their numbers are added up. Sums that may have blocks in common cannot be added up: to count each
 * block once for each stack, count by the profile's ids.
 *
 * Cost: 4 bytes for each id of the source, up to the highest that was asked for; what is known is
 * found by an index.
 */
#ifndef DMD_PROFILE_TRANSLATE_H
#define DMD_PROFILE_TRANSLATE_H

#include "profile/profile.h"

typedef struct dmd_translation {
  dmd_profile_t *to;
  const dmd_intern_t *from_names, *from_tags;
  const dmd_reports_t *from_reports;
  dmd_translate_fn add_stack, add_frame; /* see below */
  void *ctx;
  const dmd_profile_t *from; /* NULL: the live heap */
  uint32_t max_frames;       /* that are taken over of a stack of `from`; may be set after init */
  uint32_t root; /* a frame of `to` that all stacks of `from` are to stand on, those of blocks that
                    have none too; DMD_NONE: none. May be set after init */
  const char *process; /* that memory reports of the source's own process get; NULL: none. May be
                          set after init */
  /* Other words for names and tags (is_tag), which stay until the translation is destroyed; NULL:
   * the same. May be set after init. Gets ctx. */
  const char *(*rename)(void *ctx, const char *name, bool is_tag);
  /* By id of the source, the profile's; DMD_NONE, or no element: not asked for so far. */
  dmd_pool_t stacks, frames, names, tags, report_sets;
} dmd_translation_t;

/* A source whose stacks only the caller can read: add_stack adds the one with this id to the
 * profile (dmd_profile_stack), and returns its id there. It is called once for each. The source
 * must stay where it is, and may grow. */
void dmd_translation_init(dmd_translation_t *t, dmd_profile_t *to, const dmd_intern_t *names,
                          const dmd_intern_t *tags, const dmd_reports_t *reports,
                          dmd_translate_fn add_stack, void *ctx);

/* A source that is a profile; its view of frames becomes the other's too. add_frame may add another
 * frame than the one with this id to the profile, and returns its id there; it is called once for
 * each. NULL: the same. */
void dmd_translation_init_profile(dmd_translation_t *t, dmd_profile_t *to,
                                  const dmd_profile_t *from, dmd_translate_fn add_frame, void *ctx);
void dmd_translation_destroy(dmd_translation_t *t);

/* For ids that none of the functions below translates. */
uint32_t dmd_translation_add_stack(dmd_translation_t *t, uint32_t id);
uint32_t dmd_translation_frame(dmd_translation_t *t,
                               uint32_t id); /* of a source that is a profile */
uint32_t dmd_translation_name(dmd_translation_t *t, uint32_t id);
uint32_t dmd_translation_tag(dmd_translation_t *t, uint32_t id);

/* A report set. That a report survives a clear is not taken over: profiles do not have it. */
uint32_t dmd_translation_reports(dmd_translation_t *t, uint32_t id);

static inline uint32_t dmd_translation_stack(dmd_translation_t *t, uint32_t id) {
  uint32_t known =
      id <= t->stacks.last && id != DMD_NONE ? *DMD_POOL_AT(&t->stacks, uint32_t, id) : DMD_NONE;
  return known != DMD_NONE ? known : dmd_translation_add_stack(t, id);
}

/* A group of the source as one of the profile, which is not added to it. */
dmd_group_t dmd_translation_group(dmd_translation_t *t, const dmd_group_t *group);

/* Adds all elements of the source's collection to the profile's. For memory reports: false if they
 * are too many for one profile; the stacks that published them are not taken over. */
void dmd_translation_add_faults(dmd_translation_t *t, const dmd_faults_t *faults);
void dmd_translation_add_advices(dmd_translation_t *t, const dmd_advices_t *advices);
void dmd_translation_add_runs(dmd_translation_t *t, const dmd_reporter_runs_t *runs);
bool dmd_translation_add_memreports(dmd_translation_t *t, const dmd_memreports_t *reports);

#endif
