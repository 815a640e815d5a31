/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate.h: limits on what a profile holds, and whether they are kept. Pure logic; prints nothing.
 *
 * A limit is about one figure of a profile: usable bytes in blocks of some kind, or a number of
 * misreports. It comes down to a ceiling for that figure: the size given, a share of the heap, or
 * what the baseline has plus what it may grow by. A figure at its ceiling keeps the limit.
 *
 * dmdv_gate_why_not tells first whether the profiles at hand know what the limit is about; only
 * then may dmdv_gate_evaluate be called. dmdv_gate_counts, block by block, is what both the figures
 * and the records behind them (causes.h) are made of.
 */
#ifndef DMD_READER_GATE_H
#define DMD_READER_GATE_H

#include "profile/profile.h"
#include "reader/size.h"

typedef enum {
  DMDV_TOTAL,
  DMDV_UNREPORTED, /* not of ignored stacks */
  DMDV_TWICE,      /* the same */
  DMDV_MISREPORTS, /* a count, not bytes */
  DMDV_NAMED       /* reported by a reporter at or below a path, or bearing a tag */
} dmdv_what_t;

typedef struct dmdv_limit {
  const char *option; /* "max-unreported" */
  const char *value;  /* as given */
  dmdv_what_t what;
  const char *name; /* DMDV_NAMED: the path or tag */
  bool growth;      /* the size is what may be added to the baseline's figure */
  dmdv_size_t size;
} dmdv_limit_t;

/* A profile, with what is ignored in it. */
typedef struct dmdv_subject {
  const dmd_profile_t *profile;
  const uint32_t *ignored_by; /* by stack id, 0: not ignored; NULL: nothing is */
} dmdv_subject_t;

typedef struct dmdv_figure {
  int64_t bytes; /* usable; of misreports how many */
  int64_t num;   /* blocks */
  bool sampled;  /* an estimate */
} dmdv_figure_t;

typedef struct dmdv_finding {
  const dmdv_limit_t *limit;
  dmdv_figure_t now;
  dmdv_figure_t before; /* in the baseline, where the limit is on growth */
  int64_t heap;         /* bytes in all, now */
  int64_t ceiling;
  bool broken; /* now.bytes > ceiling */
} dmdv_finding_t;

/* Why the limit cannot be checked, as the end of a sentence about one of the files, or NULL. *which
 * is the one: 0 for the profile, 1 for the baseline. before is NULL without a baseline. */
const char *dmdv_gate_why_not(const dmdv_limit_t *limit, const dmd_profile_t *now,
                              const dmd_profile_t *before, int *which);

void dmdv_gate_evaluate(dmdv_finding_t *finding, const dmdv_limit_t *limit,
                        const dmdv_subject_t *now, const dmdv_subject_t *before);

/* What a limit is about, with names looked up once for many blocks. Here and below the name is that
 * of DMDV_NAMED, otherwise NULL. */
typedef struct dmdv_selector {
  const dmdv_subject_t *subject;
  dmdv_what_t what;
  bool *names; /* by name id: at or below the path */
  uint32_t tag;
} dmdv_selector_t;

void dmdv_selector_init(dmdv_selector_t *selector, const dmdv_subject_t *subject, dmdv_what_t what,
                        const char *name);
void dmdv_selector_destroy(dmdv_selector_t *selector);

/* Whether a group of the subject's profile counts. */
bool dmdv_gate_counts(const dmdv_selector_t *selector, const dmd_group_t *g);

/* The figure by itself. */
dmdv_figure_t dmdv_gate_figure(const dmdv_subject_t *subject, dmdv_what_t what, const char *name);

/* Whether the profile has a reporter at or below the path, or a tag, of this name. */
bool dmdv_gate_has_name(const dmd_profile_t *profile, const char *name);

/* Whether a reporter's path is the given one, or below it; `explicit/` means `explicit`. */
bool dmdv_path_is_below(const char *path, const char *of);

#endif
