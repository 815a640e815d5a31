/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * translate.h: copies what the ids of another owner stand for into a profile.
 *
 * Names, tags, stacks and report sets are numbers that are valid only for their owner: the live
 * heap, or a profile. A translation leads from one such source to one profile. The first request
 * for an id adds its contents to the profile; later requests return the known id. So only requested
 * contents are copied, in the order of requests. DMD_NONE stays DMD_NONE.
 *
 * Different items of the source may be equal in the profile: two stacks of addresses in one line of
 * code are one stack of texts. Groups, faults and sharers that become equal are merged, and their
 * numbers are added up. Sums that may have blocks in common cannot be added up: to count each block
 * once per stack, count by the profile's ids.
 *
 * Memory: 4 bytes for each id of the source, up to the highest requested one; lookup is by index.
 */
#ifndef DMD_MODEL_PROFILE_TRANSLATE_H
#define DMD_MODEL_PROFILE_TRANSLATE_H

#include "model/profile/profile.h"

typedef struct dmd_translation {
  dmd_profile_t *to;
  const dmd_intern_t *from_names, *from_tags;
  const dmd_reports_t *from_reports;
  dmd_translate_fn add_stack, add_frame; /* see below */
  void *ctx;
  const dmd_profile_t *from; /* NULL: the live heap */
  uint32_t max_frames;       /* copied per stack of `from`; may be set after init */
  uint32_t root; /* a frame of `to`, appended as outermost to all stacks of `from`, also for blocks
                  * without a stack; DMD_NONE: none. May be set after init */
  const char *process; /* process name for memory reports of the source's own process; NULL: none.
                        * May be set after init */
  /* Replaces names and tags (is_tag); results must stay valid until the translation is destroyed.
   * NULL: no replacement. May be set after init. Gets ctx. */
  const char *(*rename)(void *ctx, const char *name, bool is_tag);
  /* By id of the source: the profile's id; DMD_NONE, or no element: not requested yet. */
  dmd_pool_t stacks, frames, names, tags, report_sets;
} dmd_translation_t;

/* A source whose stacks only the caller can read: add_stack adds the stack with this id to the
 * profile (dmd_profile_stack) and returns its id there; it is called once per stack. The source
 * must not move, and may grow. */
void dmd_translation_init(dmd_translation_t *t, dmd_profile_t *to, const dmd_intern_t *names,
                          const dmd_intern_t *tags, const dmd_reports_t *reports,
                          dmd_translate_fn add_stack, void *ctx);

/* A source that is a profile; its frame_view is copied, too. add_frame may add a different frame to
 * the profile in place of this one, and returns its id there; it is called once per frame. NULL:
 * copies frames. */
void dmd_translation_init_profile(dmd_translation_t *t, dmd_profile_t *to,
                                  const dmd_profile_t *from, dmd_translate_fn add_frame, void *ctx);
void dmd_translation_destroy(dmd_translation_t *t);

/* For ids that none of the functions below translates. */
uint32_t dmd_translation_add_stack(dmd_translation_t *t, uint32_t id);
uint32_t dmd_translation_frame(dmd_translation_t *t,
                               uint32_t id); /* only if the source is a profile */
uint32_t dmd_translation_name(dmd_translation_t *t, uint32_t id);
uint32_t dmd_translation_tag(dmd_translation_t *t, uint32_t id);

/* A report set. Flags that let a report survive a clear are dropped: profiles do not have them. */
uint32_t dmd_translation_reports(dmd_translation_t *t, uint32_t id);

/* DMD_NONE if the stack was not requested yet. */
static inline uint32_t dmd_translation_known_stack(const dmd_translation_t *t, uint32_t id) {
  return id <= t->stacks.last && id != DMD_NONE ? *DMD_POOL_AT(&t->stacks, uint32_t, id) : DMD_NONE;
}

static inline uint32_t dmd_translation_stack(dmd_translation_t *t, uint32_t id) {
  uint32_t known = dmd_translation_known_stack(t, id);
  return known != DMD_NONE ? known : dmd_translation_add_stack(t, id);
}

/* Translates a group of the source, without adding it to the profile. */
dmd_group_t dmd_translation_group(dmd_translation_t *t, const dmd_group_t *group);

/* Adds all elements of the source's collection to the profile's. add_memreports returns false if
 * they are too many for one profile; it does not copy the stacks that published them. */
void dmd_translation_add_faults(dmd_translation_t *t, const dmd_faults_t *faults);
void dmd_translation_add_hints(dmd_translation_t *t, const dmd_hints_t *hints);
void dmd_translation_add_runs(dmd_translation_t *t, const dmd_reporter_runs_t *runs);
void dmd_translation_add_timeline(dmd_translation_t *t, const dmd_timeline_t *timeline);
void dmd_translation_add_mapped(dmd_translation_t *t, const dmd_mapped_t *mapped);
bool dmd_translation_add_memreports(dmd_translation_t *t, const dmd_memreports_t *reports);

#endif
