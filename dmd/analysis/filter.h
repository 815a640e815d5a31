/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * filter.h: records picked by the text of their allocation stacks.
 *
 * A record passes the filter if one of its stack's printed lines, the frame's number included,
 * contains the text; if the text begins with '!', if no line contains what follows. A leading
 * backslash is dropped: it lets a text begin with '!'. Each frame is searched once, however many
 * stacks it is in, and each stack is judged once, however many records it is in.
 *
 * Instead of being contained, the text may be a pattern of the host's (dmd_filter_init_matching).
 * That is matched with the frames alone, without their numbers.
 */
#ifndef DMD_ANALYSIS_FILTER_H
#define DMD_ANALYSIS_FILTER_H

#include "analysis/record.h"

/* Whether a text has a part that the pattern, whatever kind of pattern it is, matches. */
typedef bool (*dmd_match_fn)(void *ctx, const char *pattern, const char *text);

typedef struct dmd_filter {
  const char *text;   /* what is looked for */
  dmd_match_fn match; /* NULL: the text as it is */
  void *match_ctx;
  bool negated;
  bool found;          /* it was, in some record; else it is perhaps misspelt */
  dmd_pool_t contains; /* by frame id: whether it does, see filter.c */
  dmd_pool_t stacks;   /* the same by cut stack, plus 1 */
} dmd_filter_t;

/* For records of this profile. Borrows the text. */
void dmd_filter_init(dmd_filter_t *filter, const dmd_profile_t *profile, const char *text);

/* The same where the text, after '!' or a backslash, is a pattern for this function. */
void dmd_filter_init_matching(dmd_filter_t *filter, const dmd_profile_t *profile, const char *text,
                              dmd_match_fn match, void *ctx);
void dmd_filter_destroy(dmd_filter_t *filter);

/* For whoever asks about many records in any order: judges all cut stacks now, in the order in
 * which they lie in memory; and whether records with a cut stack pass, after that. */
void dmd_filter_judge(dmd_filter_t *filter, const dmd_records_t *records);
bool dmd_filter_passes_stack(const dmd_filter_t *filter, uint32_t stack);

/* For dmd_records_filter: whether the record passes the filter. */
bool dmd_filter_passes(void *filter, const dmd_records_t *records, const dmd_record_t *record);

#endif
