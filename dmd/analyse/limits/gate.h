/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate.h: limits on the contents of a profile, and their evaluation. Prints nothing.
 *
 * A limit concerns one metric of a profile: usable bytes in blocks of some kind, or a number of
 * misreports. It yields a ceiling for the metric: the given size, a share of the heap, or the
 * baseline's value plus the allowed growth. A metric equal to its ceiling is within the limit.
 *
 * Call order: first dmd_gate_why_not, which tells whether the profiles contain the data that the
 * limit needs; only then dmd_gate_evaluate. Both metrics and the records behind them (causes.h)
 * select blocks with dmd_gate_counts.
 */
#ifndef DMD_ANALYSE_LIMITS_GATE_H
#define DMD_ANALYSE_LIMITS_GATE_H

#include "analyse/limits/size.h"
#include "model/profile/profile.h"

typedef enum {
  DMD_TOTAL,
  DMD_UNREPORTED, /* without ignored stacks */
  DMD_TWICE,      /* without ignored stacks */
  DMD_EXCESS,     /* bytes that reports count too often; without ignored stacks */
  DMD_MISREPORTS, /* a count, not bytes */
  DMD_NAMED,      /* reported by a reporter at or below a path, or carrying a tag */
  DMD_LEAKED,     /* unreachable blocks; requested bytes, without ignored stacks */
  DMD_AT_PEAK     /* the largest heap up to the dump; requested bytes */
} dmd_what_t;

typedef struct dmd_limit {
  const char *option; /* "max-unreported" */
  const char *value;  /* as given */
  dmd_what_t what;
  const char *name; /* DMD_NAMED: the path or tag */
  bool growth;      /* the size is the growth allowed over the baseline */
  dmd_size_t size;
} dmd_limit_t;

/* The name of the metric: `unreported`, or the name of a reporter or tag. */
const char *dmd_what_name(const dmd_limit_t *limit);

/* A profile, and what is ignored in it. */
typedef struct dmd_subject {
  const dmd_profile_t *profile;
  const uint32_t *ignored_by; /* by stack id, 0: not ignored; NULL: nothing is ignored */
  /* The unreachable blocks, from the heap graph of the same moment (analyse/graph/lostprofile.h);
   * NULL: no graph. */
  const struct dmd_subject *lost;
} dmd_subject_t;

/* The subject that a limit applies to: this one, or its unreachable blocks. */
static inline const dmd_subject_t *dmd_gate_subject(const dmd_subject_t *subject, dmd_what_t what) {
  return what == DMD_LEAKED ? subject->lost : subject;
}

typedef struct dmd_metric {
  int64_t bytes; /* usable bytes; for misreports their number */
  int64_t num;   /* blocks */
  bool sampled;  /* an estimate */
  dmd_variance_t variance;
} dmd_metric_t;

typedef struct dmd_finding {
  const dmd_limit_t *limit;
  dmd_metric_t now;
  dmd_metric_t before; /* in the baseline, if the limit is about growth */
  int64_t heap;        /* total bytes now */
  int64_t ceiling;
  bool broken; /* now.bytes > ceiling */
} dmd_finding_t;

/* Why the limit cannot be checked, phrased to follow the name of a file, or NULL. *which: the file,
 * 0 for the profile, 1 for the baseline. before: NULL without a baseline. */
const char *dmd_gate_why_not(const dmd_limit_t *limit, const dmd_profile_t *now,
                             const dmd_profile_t *before, int *which);

void dmd_gate_evaluate(dmd_finding_t *finding, const dmd_limit_t *limit, const dmd_subject_t *now,
                       const dmd_subject_t *before);

/* The blocks that count for a limit, with names looked up once for many blocks. name here and
 * below: that of DMD_NAMED, otherwise NULL. */
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

/* Computes one metric. */
dmd_metric_t dmd_gate_figure(const dmd_subject_t *subject, dmd_what_t what, const char *name);

/* True if the profile has a reporter at or below the path, or a tag, with this name: with blocks
 * or, for a reporter, a fault. */
bool dmd_gate_has_name(const dmd_profile_t *profile, const char *name);

/* True if a reporter's path equals the given one or is below it; `explicit/` means `explicit`. */
bool dmd_path_is_below(const char *path, const char *of);

#endif
