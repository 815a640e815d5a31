/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * options.h: the options that every engine has.
 *
 * One table describes them (base/optiontable.h). The host passes on each argument that the user
 * gives, in order, before the program runs; then the engine is initialised with the result.
 *
 * Concurrency: written before the program runs; constant, and readable by any thread, from then on.
 */
#ifndef DMD_RECORD_ENGINE_OPTIONS_H
#define DMD_RECORD_ENGINE_OPTIONS_H

#include "analyse/records/record.h"
#include "base/optiontable.h"
#include "record/heap/live.h"

typedef enum { DMD_AUTO, DMD_YES, DMD_NO } dmd_auto_t;

typedef enum {
  DMD_GRAPH_NO,
  DMD_GRAPH_YES,
  DMD_GRAPH_AUTO /* at exit and where the program asks for a dump, if it is possible */
} dmd_graph_when_t;

/* The kind of a --tag-library, --tag-fn, --report-fn or --no-report-fn rule. */
typedef enum {
  DMD_RULE_TAG_LIBRARY,
  DMD_RULE_TAG_FN,
  DMD_RULE_REPORT_FN,
  DMD_RULE_NO_REPORT_FN
} dmd_rule_kind_t;

typedef struct dmd_rule {
  dmd_rule_kind_t kind;
  bool any_frame;   /* for tag rules: the pattern was given with ** */
  const char *glob; /* see base/str.h */
  const char *tag;  /* NULL for report rules */
} dmd_rule_t;

/* A --claim-fn: functions whose result is the size of what an argument points to, or of all blocks
 * of a set: "tag:NAME" or "alloc-fn:PATTERN". */
typedef struct dmd_claim_fn {
  const char *glob;
  uint32_t argument; /* its number, from 1; 0: a set */
  const char *set;   /* NULL: an argument */
} dmd_claim_fn_t;

enum { DMD_MAX_CLAIM_ARGUMENT = 6 };

/* The mean distance of samples that OpenTelemetry's contract for memory profiling names. */
enum { DMD_OTEL_INTERVAL = 512 << 10 };

/* The bytes that --fill=yes fills with: words of 8 such bytes are no addresses. */
enum { DMD_FILL = 0xa5 };

typedef enum { DMD_STACKS_FULL, DMD_STACKS_PARTIAL, DMD_STACKS_BY_FP } dmd_stacks_taken_t;

typedef struct dmd_options {
  const dmd_env_t *env;
  dmd_mode_t mode;
  dmd_stacks_taken_t stacks;
  uint64_t sample_below;    /* bytes; 0: off */
  uint64_t sample_interval; /* bytes; 0: off */
  bool emits_otel;          /* tell tracers of sampled blocks; only if the host can */
  uint64_t seed;
  uint32_t allocator; /* a dmd_allocator_t plus 1; 0: detect the loaded one */
  bool no_inherited_tags;
  dmd_frame_view_t frame_view; /* its patterns are in alloc_fns */
  const char **alloc_fns;      /* capacity: a power of two */
  dmd_pool_t rules;            /* of dmd_rule_t, in the order given */
  dmd_pool_t claim_fns;        /* of dmd_claim_fn_t, in the order given */
  bool report_usable_size;
  bool require_scope;
  uint32_t freed_blocks;
  dmd_sort_by_t sort_by;
  uint32_t max_records; /* 0: all */
  uint32_t max_frames;
  dmd_auto_t dump_at_exit, hint;
  bool waste, fill;
  dmd_graph_when_t graph;
  bool no_peak;
  bool no_timeline;
  bool lifetimes;
  bool counts_instructions;                               /* only if the host can */
  uint64_t dump_every_ms, dump_every_szB, dump_above_szB; /* 0: never */
  uint32_t dump_above_share; /* of the cgroup's limit, in millionths of a percent; 0: none */
  bool dump_at_peak, dump_at_failure;
  uint32_t max_dumps;    /* of those */
  const char *out_file;  /* a pattern, see --dmd-out-file */
  const char *list_file; /* a pattern for the list of listing.h; NULL: none */
  uint32_t file_mode;    /* permissions that output files may have; 0: all that umasks allow */
  dmd_strbuf_t given;    /* the arguments as given, separated by blanks */
  dmd_intern_t texts;    /* owns the strings above */
} dmd_options_t;

extern const dmd_option_table_t dmd_engine_options;

/* Options in the same struct for programs that start an engine, such as dmdv. Profiles do not list
 * them. */
extern const dmd_option_table_t dmd_starter_options;

/* Sets all options to their defaults. */
void dmd_options_init(dmd_options_t *options, const dmd_env_t *env);
void dmd_options_destroy(dmd_options_t *options);

/* Adds an argument to `given`: one that the engine took, or an option of the host's. */
void dmd_options_note(dmd_options_t *options, const char *argument);

/* An option, as given, that conflicts with another, and why; both NULL if there is no conflict. */
typedef struct dmd_conflict {
  const char *option, *why;
} dmd_conflict_t;

dmd_conflict_t dmd_options_conflict(const dmd_options_t *options);

/* The configuration of the live state, without what only the host knows. */
dmd_live_config_t dmd_options_live(const dmd_options_t *options);

static inline const dmd_rule_t *dmd_options_rule(const dmd_options_t *options, uint32_t number) {
  return DMD_POOL_AT(&options->rules, const dmd_rule_t, number);
}

#endif
