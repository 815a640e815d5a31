/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * options.h: what the user can ask of every engine.
 *
 * One table describes the options (base/optiontable.h). The host hands over each argument that the
 * user gives, in order, before the program runs; then the engine is initialised with the result and
 * reads it only.
 *
 * Concurrency: written before the program runs, read only from then on, by any thread.
 */
#ifndef DMD_ENGINE_OPTIONS_H
#define DMD_ENGINE_OPTIONS_H

#include "analysis/record.h"
#include "base/optiontable.h"
#include "live/live.h"

typedef enum { DMD_AUTO, DMD_YES, DMD_NO } dmd_auto_t;

/* What one --tag-library, --tag-fn, --report-fn or --no-report-fn says. */
typedef enum {
  DMD_RULE_TAG_LIBRARY,
  DMD_RULE_TAG_FN,
  DMD_RULE_REPORT_FN,
  DMD_RULE_NO_REPORT_FN
} dmd_rule_kind_t;

typedef struct dmd_rule {
  dmd_rule_kind_t kind;
  bool any_frame;   /* of tags: the pattern was given with ** before it */
  const char *glob; /* see base/glob.h */
  const char *tag;  /* NULL of rules on reports */
} dmd_rule_t;

typedef enum { DMD_STACKS_FULL, DMD_STACKS_PARTIAL, DMD_STACKS_BY_FP } dmd_stacks_taken_t;

typedef struct dmd_options {
  const dmd_env_t *env;
  dmd_mode_t mode;
  dmd_stacks_taken_t stacks;
  uint64_t sample_below;    /* bytes; 0: off */
  uint64_t sample_interval; /* the same */
  uint64_t seed;
  uint32_t allocator; /* a dmd_allocator_t plus 1; 0: what the program has loaded */
  bool no_inherited_tags;
  dmd_frame_view_t frame_view; /* its patterns are here */
  const char **alloc_fns;      /* these, with room for a power of two of them */
  dmd_pool_t rules;            /* of dmd_rule_t, in the order in which they were given */
  bool report_usable_size;
  bool require_scope;
  uint32_t freed_blocks;
  dmd_sort_by_t sort_by;
  uint32_t max_records; /* 0: all */
  uint32_t max_frames;
  dmd_auto_t dump_at_exit, advice;
  bool graph;
  const char *out_file;  /* a pattern, see --dmd-out-file */
  const char *list_file; /* the same of what listing.h says; NULL: none */
  dmd_strbuf_t given;    /* the arguments as the user gave them, with blanks in between */
  dmd_intern_t texts;    /* what the strings above are kept in */
} dmd_options_t;

extern const dmd_option_table_t dmd_engine_options;

/* Options in the same struct for a program that starts an engine, such as dmdv. They are not part
 * of what the profile says about the run. */
extern const dmd_option_table_t dmd_starter_options;

/* All options have their defaults. */
void dmd_options_init(dmd_options_t *options, const dmd_env_t *env);
void dmd_options_destroy(dmd_options_t *options);

/* Adds an argument to those that were given: one that the engine took, or an option of the host's.
 */
void dmd_options_note(dmd_options_t *options, const char *argument);

/* An option that does not go with another one, as it was given, and why; both NULL: there is none.
 */
typedef struct dmd_conflict {
  const char *option, *why;
} dmd_conflict_t;

dmd_conflict_t dmd_options_conflict(const dmd_options_t *options);

/* What the live state is to be initialised with, but for what only the host knows. */
dmd_live_config_t dmd_options_live(const dmd_options_t *options);

static inline const dmd_rule_t *dmd_options_rule(const dmd_options_t *options, uint32_t number) {
  return DMD_POOL_AT(&options->rules, const dmd_rule_t, number);
}

#endif
