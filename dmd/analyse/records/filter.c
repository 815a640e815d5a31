/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/filter.h"

#include "analyse/records/plain.h"
#include "base/str.h"
#include "base/strbuf.h"

enum { UNKNOWN, CONTAINS, LACKS };

void dmd_filter_init_matching(dmd_filter_t *filter, const dmd_profile_t *profile, const char *text,
                              dmd_match_fn match, void *ctx) {
  filter->negated = text[0] == '!';
  filter->found = false;
  filter->text = text[0] == '!' || text[0] == '\\' ? text + 1 : text;
  filter->match = match;
  filter->match_ctx = ctx;
  dmd_pool_init(&filter->contains, profile->env, "dmd.filter", sizeof(uint32_t));
  dmd_pool_init(&filter->stacks, profile->env, "dmd.filter", sizeof(uint32_t));
}

void dmd_filter_init(dmd_filter_t *filter, const dmd_profile_t *profile, const char *text) {
  dmd_filter_init_matching(filter, profile, text, NULL, NULL);
}

void dmd_filter_destroy(dmd_filter_t *filter) {
  dmd_pool_destroy(&filter->stacks);
  dmd_pool_destroy(&filter->contains);
}

/* The frame's text as shown or in brief, to be freed; NULL if it equals the frame's own text. */
static char *shown_text(const dmd_frames_t *frames, uint32_t frame) {
  if (!dmd_frame_is_shortened(frames, frame) && !dmd_frame_is_nameless(frames, frame))
    return NULL;
  dmd_strbuf_t shown;
  dmd_strbuf_init(&shown, frames->pool.env);
  dmd_frame_brief(&shown, frames, frame);
  return dmd_strbuf_take(&shown);
}

static bool is_in(const dmd_filter_t *filter, const char *text) {
  return filter->match != NULL ? filter->match(filter->match_ctx, filter->text, text)
                               : dmd_str_find(text, filter->text) != NULL;
}

/* Searches the frame's text and the text as shown. */
static bool text_contains(const dmd_filter_t *filter, const dmd_frames_t *frames, uint32_t frame) {
  if (is_in(filter, dmd_frames_text(frames, frame)))
    return true;
  char *shown = shown_text(frames, frame);
  bool found = shown != NULL && is_in(filter, shown);
  dmd_env_free(frames->pool.env, shown);
  return found;
}

static bool frame_contains(dmd_filter_t *filter, const dmd_profile_t *profile, uint32_t frame) {
  dmd_pool_reach(&filter->contains, frame);
  uint32_t *known = DMD_POOL_AT(&filter->contains, uint32_t, frame);
  if (*known == UNKNOWN)
    *known = text_contains(filter, &profile->frames, frame) ? CONTAINS : LACKS;
  return *known == CONTAINS;
}

/* True if the text begins within what is printed before the n-th frame. Only as much of the frame
 * as the text is long can be part of the match. */
static bool line_begins_with(const dmd_filter_t *filter, dmd_strbuf_t *line, size_t n,
                             const char *frame) {
  dmd_strbuf_cut(line, 0);
  dmd_strbuf_str(line, n < 10 ? "    #0" : "    #");
  dmd_strbuf_u64(line, n);
  dmd_strbuf_str(line, ": ");
  for (const char *text = filter->text; *text != '\0' && *frame != '\0'; text++, frame++)
    dmd_strbuf_bytes(line, frame, 1);
  return dmd_str_find(line->text, filter->text) != NULL;
}

/* True if the text begins with a character that is printed before a frame. Most texts do not, so
 * only frames need a search, once each. */
static bool may_begin_before(const dmd_filter_t *filter) {
  return filter->match == NULL && filter->text[0] != '\0' &&
         dmd_str_find_char(" #:0123456789", filter->text[0]) != NULL;
}

static bool line_begins(const dmd_filter_t *filter, dmd_strbuf_t *line, size_t n,
                        const dmd_frames_t *frames, uint32_t frame) {
  if (line_begins_with(filter, line, n, dmd_frames_text(frames, frame)))
    return true;
  char *shown = shown_text(frames, frame);
  bool begins = shown != NULL && line_begins_with(filter, line, n, shown);
  dmd_env_free(frames->pool.env, shown);
  return begins;
}

static bool frames_contain(dmd_filter_t *filter, const dmd_records_t *records, uint32_t stack) {
  const dmd_profile_t *profile = records->profile;
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, stack, &n);
  if (!may_begin_before(filter)) {
    for (size_t i = 0; i < n; i++)
      if (frame_contains(filter, profile, frames[i]))
        return true;
    return false;
  }
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, profile->env);
  bool found = false;
  for (size_t i = 0; i < n && !found; i++)
    found = frame_contains(filter, profile, frames[i]) ||
            line_begins(filter, &line, i + 1, &profile->frames, frames[i]);
  dmd_strbuf_destroy(&line);
  return found;
}

static bool stack_contains(dmd_filter_t *filter, const dmd_records_t *records, uint32_t stack) {
  dmd_pool_reach(&filter->stacks, stack + 1);
  uint32_t *known = DMD_POOL_AT(&filter->stacks, uint32_t, stack + 1);
  if (*known == UNKNOWN)
    *known = frames_contain(filter, records, stack) ? CONTAINS : LACKS;
  return *known == CONTAINS;
}

void dmd_filter_judge(dmd_filter_t *filter, const dmd_records_t *records) {
  for (uint32_t stack = 0; stack <= records->n_whole; stack++)
    filter->found |= stack_contains(filter, records, records->cut[stack]);
}

bool dmd_filter_passes_stack(const dmd_filter_t *filter, uint32_t stack) {
  bool contains = *DMD_POOL_AT(&filter->stacks, const uint32_t, stack + 1) == CONTAINS;
  return contains != filter->negated;
}

bool dmd_filter_passes(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  dmd_filter_t *filter = ctx;
  bool contains = stack_contains(filter, records, r->stack);
  filter->found |= contains;
  return contains != filter->negated;
}
