/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate.h: limits on the contents of a profile, and their evaluation. Prints nothing.
 *
 * A limit concerns one metric of a profile: usable bytes in blocks of some kind, or a number of
 * misreports. It yields a ceiling for the metric: the given size, a share of the heap, or the
 * baseline's value plus the allowed growth. A metric equal to its ceiling is within the limit.
 *
 * Memory reports that about:memory or dmdv memory saved have no blocks, but a budget's path has a
 * sum of bytes in them as well.
 *
 * Call order: first dmd_gate_why_not, which tells whether the profiles contain the data that the
 * limit needs; only then dmd_gate_evaluate. Both metrics and the records behind them
 * select blocks with dmd_gate_counts.
 */
#ifndef DMD_ANALYSE_LIMITS_GATE_H
#define DMD_ANALYSE_LIMITS_GATE_H

#include "analyse/limits/ignore.h"
#include "analyse/limits/size.h"
#include "analyse/limits/wasted.h"
#include "analyse/records/record.h"
#include "analyse/tree/amounts.h"
#include "model/profile/profile.h"

typedef enum {
  DMD_TOTAL,
  DMD_UNREPORTED,   /* without ignored stacks */
  DMD_TWICE,        /* without ignored stacks */
  DMD_EXCESS,       /* bytes that reports count too often; without ignored stacks */
  DMD_MISREPORTS,   /* a count, not bytes */
  DMD_NAMED,        /* reported by a reporter at or below a path, or carrying a tag */
  DMD_LEAKED,       /* unreachable blocks; requested bytes, without ignored stacks */
  DMD_AT_PEAK,      /* the largest heap up to the dump; requested bytes */
  DMD_WASTED,       /* bytes that would be saved, of all kinds of waste or one; see wasted.h */
  DMD_MOST_RESIDENT /* the most physical memory up to the dump; no blocks */
} dmd_what_t;

typedef struct dmd_limit {
  const char *option; /* "max-unreported" */
  const char *value;  /* as given */
  dmd_what_t what;
  const char *name; /* DMD_NAMED: the path or tag; DMD_WASTED: the kind, NULL for the total */
  bool growth;      /* the size is the growth allowed over the baseline */
  dmd_size_t size;
} dmd_limit_t;

/* The name of the metric: `unreported`, or the name of a reporter, a tag or a kind of waste. */
const char *dmd_what_name(const dmd_limit_t *limit);

/* A profile, and what is ignored in it. */
typedef struct dmd_subject {
  const dmd_profile_t *profile;
  const uint32_t *ignored_by; /* by stack id, 0: not ignored; NULL: nothing is ignored */
  /* The unreachable blocks, from the heap graph of the same moment (analyse/graph/leaks.h);
   * NULL: no graph. */
  const struct dmd_subject *lost;
  const dmd_wasted_t *wasted; /* likewise what blocks waste */
  /* Memory reports without blocks, complete and not settled; the profile is then empty, and only
   * budgets have a meaning. NULL: a profile. */
  const dmd_amounts_t *amounts;
} dmd_subject_t;

/* The subject that a limit applies to: this one, or its unreachable blocks. */
static inline const dmd_subject_t *dmd_gate_subject(const dmd_subject_t *subject, dmd_what_t what) {
  return what == DMD_LEAKED ? subject->lost : subject;
}

typedef struct dmd_finding {
  const dmd_limit_t *limit;
  dmd_blocksum_t now;
  dmd_blocksum_t before; /* in the baseline, if the limit is about growth */
  int64_t heap;          /* total bytes now */
  int64_t ceiling;
  bool broken; /* now.bytes > ceiling */
} dmd_finding_t;

/* Why the limit cannot be checked, phrased to follow the name of a file, or NULL. *which: the file,
 * 0 for the profile, 1 for the baseline. before: NULL without a baseline. */
const char *dmd_gate_why_not(const dmd_limit_t *limit, const dmd_profile_t *now,
                             const dmd_profile_t *before, int *which);

/* Does so for memory reports. */
const char *dmd_gate_why_not_reports(const dmd_limit_t *limit, const dmd_amounts_t *now,
                                     const dmd_amounts_t *before, int *which);

void dmd_gate_evaluate(dmd_finding_t *finding, const dmd_limit_t *limit, const dmd_subject_t *now,
                       const dmd_subject_t *before);

/* The blocks that count for a limit, with names looked up once for many blocks. name here and
 * below: as in dmd_limit_t. */
typedef struct dmd_selector {
  const dmd_subject_t *subject;
  dmd_what_t what;
  bool *names; /* by name id: true if at or below the path */
  uint32_t tag;
} dmd_selector_t;

void dmd_selector_init(dmd_selector_t *selector, const dmd_subject_t *subject, dmd_what_t what,
                       const char *name);
void dmd_selector_destroy(dmd_selector_t *selector);

/* True if a group of the subject's profile counts. */
bool dmd_gate_counts(const dmd_selector_t *selector, const dmd_group_t *g);

/* The bytes that count for each block of such a group. For a reporter they are what its reports add
 * up to: its share of a shared block, or the block once for each report. Otherwise all usable
 * bytes, or those reported too often. */
uint64_t dmd_gate_counted_szB(const dmd_selector_t *selector, const dmd_group_t *g);

/* Computes one metric. For misreports, `bytes` is their number. Memory reports have no blocks;
 * their bytes may be negative. */
dmd_blocksum_t dmd_gate_figure(const dmd_subject_t *subject, dmd_what_t what, const char *name);

/* True if the profile has a reporter at or below the path, or a tag, with this name: with blocks
 * or, for a reporter, a fault. */
bool dmd_gate_has_name(const dmd_profile_t *profile, const char *name);

/* ---- Causes. ----
 *
 * The records behind a finding, largest first.
 *
 * Only blocks that count for the limit become records (record.h): by allocation stack and, if
 * reported twice, by report stacks as well. If the finding is about growth, the causes are the
 * records that grew since the baseline. Stacks of the two profiles are then matched without line
 * numbers, since the baseline comes from an older source; a frame is shown with its line if that
 * function has only this one line in all these stacks.
 *
 * For blocks shared by several reporters, the causes of a reporter's limit contain its share, as
 * the metric does: they add up to it. */

typedef struct dmd_causes {
  dmd_profile_t view; /* only the blocks that count; the records borrow from it */
  dmd_records_t records;
  dmd_section_t section; /* the section with all of them */
  uint32_t n;            /* number of records that are causes: the first ones in the section */
  uint32_t n_shrunk;     /* records that shrank */
  int64_t shrunk;        /* total bytes of the decrease, positive */
} dmd_causes_t;

/* Not for DMD_MISREPORTS, which have faults instead of records, nor for DMD_WASTED, nor for memory
 * reports, which have dmd_pathparts (analyse/tree/pathsums.h). before: NULL unless the finding is
 * about growth. */
void dmd_causes_init(dmd_causes_t *causes, const dmd_finding_t *finding, const dmd_subject_t *now,
                     const dmd_subject_t *before, uint32_t max_frames);
void dmd_causes_destroy(dmd_causes_t *causes);

static inline const dmd_record_t *dmd_causes_at(const dmd_causes_t *causes, uint32_t i) {
  return dmd_records_at(&causes->records, causes->records.section[causes->section].ids[i]);
}

/* A record's value in the baseline. The record's own values are the growth: its current value is
 * the sum of both. */
dmd_blocksum_t dmd_causes_before(const dmd_causes_t *causes, const dmd_record_t *r);

/* The ids of the profile's misreports, most frequent first; *n of them. The caller frees the array
 * with dmd_env_free(profile->env, ...). */
uint32_t *dmd_misreports(const dmd_profile_t *profile, uint32_t *n);

/* ---- A check of a profile. ----
 *
 * One check of a profile against limits, with everything that is reported about it.
 *
 * The caller fills in the names, the subjects and what is ignored, then evaluates, then prints
 * (show/text/text_gate.h, show/text/gate_output.h). */

typedef struct dmd_verdict {
  const char *file, *baseline; /* file names; baseline NULL: none */
  dmd_subject_t now, before;   /* must have the same mode */
  const dmd_ignore_t *ignore;
  const char *ignore_name; /* NULL: none */
  uint32_t max_frames;     /* limit for the stacks of causes */
  dmd_finding_t *findings; /* one per evaluated limit */
  size_t n;
} dmd_verdict_t;

/* Evaluates the limits for which the profiles have data. Returns NULL, or why a mandatory limit
 * cannot be checked: *wrong is that limit, *which as in dmd_gate_why_not. Destroy the verdict in
 * either case. */
const char *dmd_verdict_evaluate(dmd_verdict_t *v, const dmd_limit_t *limits, size_t n,
                                 const dmd_limit_t **wrong, int *which);
void dmd_verdict_destroy(dmd_verdict_t *v);

size_t dmd_verdict_n_broken(const dmd_verdict_t *v);

/* The number of faults that are not misreports, counting each occurrence. */
uint64_t dmd_count_other_faults(const dmd_profile_t *profile);

#endif
