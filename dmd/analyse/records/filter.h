/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * filter.h: selects records by the text of their allocation stacks.
 *
 * A record passes if one of its stack's printed lines, including the frame's number, contains the
 * text; with a leading '!', if no line contains the rest. A leading backslash is dropped: it allows
 * a text to begin with '!'. Each frame is searched once, however many stacks contain it, and each
 * stack once, however many records have it.
 *
 * The text may also be a pattern of the host's (dmd_filter_init_matching), which is matched against
 * frames alone, without their numbers.
 */
#ifndef DMD_ANALYSE_RECORDS_FILTER_H
#define DMD_ANALYSE_RECORDS_FILTER_H

#include "analyse/records/record.h"

/* True if the pattern, of whatever kind, matches a part of the text. */
typedef bool (*dmd_match_fn)(void *ctx, const char *pattern, const char *text);

typedef struct dmd_filter {
  const char *text;   /* text to search for */
  dmd_match_fn match; /* NULL: plain text */
  void *match_ctx;
  bool negated;
  bool found;          /* some record matched; else the text may be misspelt */
  dmd_pool_t contains; /* by frame id: whether it matches, see filter.c */
  dmd_pool_t stacks;   /* likewise by cut stack, plus 1 */
} dmd_filter_t;

/* For records of this profile. Borrows the text. */
void dmd_filter_init(dmd_filter_t *filter, const dmd_profile_t *profile, const char *text);

/* Treats the text, after '!' or a backslash, as a pattern for this function. */
void dmd_filter_init_matching(dmd_filter_t *filter, const dmd_profile_t *profile, const char *text,
                              dmd_match_fn match, void *ctx);
void dmd_filter_destroy(dmd_filter_t *filter);

/* For callers that check many records in any order: judges all cut stacks now, in memory order.
 * Afterwards the second function tells whether records with a cut stack pass. */
void dmd_filter_judge(dmd_filter_t *filter, const dmd_records_t *records);
bool dmd_filter_passes_stack(const dmd_filter_t *filter, uint32_t stack);

/* A callback for dmd_records_filter: true if the record passes the filter. */
bool dmd_filter_passes(void *filter, const dmd_records_t *records, const dmd_record_t *record);

#endif
