/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate.h: limits on what a profile holds, and whether they are kept. Pure logic; prints nothing.
 *
 * A limit is about one figure of a profile: usable bytes in blocks of some kind, or a number of
 * misreports. It comes down to a ceiling for that figure: the size given, a share of the heap, or
 * the baseline's figure plus what it may grow by. A figure that equals its ceiling keeps the limit.
 *
 * Call dmd_gate_why_not first: it says whether these profiles have the data that the limit is
 * about. Only then may dmd_gate_evaluate be called. dmd_gate_counts, block by block, is what both
 * the figures and the records behind them (causes.h) are made of.
 */
#ifndef DMD_ANALYSIS_GATE_H
#define DMD_ANALYSIS_GATE_H

#include "analysis/size.h"
#include "profile/sampled.h"

typedef enum {
  DMD_TOTAL,
  DMD_UNREPORTED, /* not of ignored stacks */
  DMD_TWICE,      /* the same */
  DMD_MISREPORTS, /* a count, not bytes */
  DMD_NAMED,      /* reported by a reporter at or below a path, or bearing a tag */
  DMD_LEAKED      /* what no root reaches; requested bytes, not of ignored stacks */
} dmd_what_t;

typedef struct dmd_limit {
  const char *option; /* "max-unreported" */
  const char *value;  /* as given */
  dmd_what_t what;
  const char *name; /* DMD_NAMED: the path or tag */
  bool growth;      /* the size is what may be added to the baseline's figure */
  dmd_size_t size;
} dmd_limit_t;

/* What a limit is about: `unreported`, or the name of a reporter or tag. */
const char *dmd_what_name(const dmd_limit_t *limit);

/* A profile, with what is ignored in it. */
typedef struct dmd_subject {
  const dmd_profile_t *profile;
  const uint32_t *ignored_by; /* by stack id, 0: not ignored; NULL: nothing is */
  /* The same of the blocks that no root reaches, by the heap graph of that moment
   * (graph/lostprofile.h); NULL: there is none. */
  const struct dmd_subject *lost;
} dmd_subject_t;

/* The subject that a limit is on: this one, or what is lost of it. */
static inline const dmd_subject_t *dmd_gate_subject(const dmd_subject_t *subject, dmd_what_t what) {
  return what == DMD_LEAKED ? subject->lost : subject;
}

typedef struct dmd_figure {
  int64_t bytes; /* usable; of misreports how many */
  int64_t num;   /* blocks */
  bool sampled;  /* an estimate */
  dmd_variance_t variance;
} dmd_figure_t;

typedef struct dmd_finding {
  const dmd_limit_t *limit;
  dmd_figure_t now;
  dmd_figure_t before; /* in the baseline, where the limit is on growth */
  int64_t heap;        /* bytes in all, now */
  int64_t ceiling;
  bool broken; /* now.bytes > ceiling */
} dmd_finding_t;

/* Why the limit cannot be checked, as the end of a sentence about one of the files, or NULL. *which
 * says which file: 0 for the profile, 1 for the baseline. before is NULL without a baseline. */
const char *dmd_gate_why_not(const dmd_limit_t *limit, const dmd_profile_t *now,
                             const dmd_profile_t *before, int *which);

void dmd_gate_evaluate(dmd_finding_t *finding, const dmd_limit_t *limit, const dmd_subject_t *now,
                       const dmd_subject_t *before);

/* What a limit is about, with names looked up once for many blocks. Here and below the name is that
 * of DMD_NAMED, otherwise NULL. */
typedef struct dmd_selector {
  const dmd_subject_t *subject;
  dmd_what_t what;
  bool *names; /* by name id: at or below the path */
  uint32_t tag;
} dmd_selector_t;

void dmd_selector_init(dmd_selector_t *selector, const dmd_subject_t *subject, dmd_what_t what,
                       const char *name);
void dmd_selector_destroy(dmd_selector_t *selector);

/* Whether a group of the subject's profile counts. */
bool dmd_gate_counts(const dmd_selector_t *selector, const dmd_group_t *g);

/* How many bytes of each block of such a group: all that are usable, but of a shared block only the
 * shares of the reporters that were asked for. */
uint64_t dmd_gate_counted_szB(const dmd_selector_t *selector, const dmd_group_t *g);

/* The figure by itself. */
dmd_figure_t dmd_gate_figure(const dmd_subject_t *subject, dmd_what_t what, const char *name);

/* Whether the profile has a reporter at or below the path, or a tag, of this name: one that blocks
 * have, or of a reporter a fault. */
bool dmd_gate_has_name(const dmd_profile_t *profile, const char *name);

/* Whether a reporter's path is the given one, or below it; `explicit/` means `explicit`. */
bool dmd_path_is_below(const char *path, const char *of);

#endif
