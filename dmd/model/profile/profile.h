/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.h: one dump in memory.
 *
 * A profile is filled once (by record/heap/snapshot from a running program, by the reader from a
 * file) and then only read: analyse/records/record.h groups it for people,
 * files/profile/profilewriter.h writes it. It owns all its data.
 *
 *   frames     places of calls: function, file and line, object; each once
 *   stacks     sequences of frame ids, innermost first, each once
 *   names      reporters and other strings, each once
 *   arguments  of the program
 *   tags       names of tags, each once
 *   reports    report sets: stack ids and reporter name ids
 *   groups     the blocks: sizes, a stack id, a report set, a tag
 *   faults     what the program did wrong with its heap or its reports
 *   hints    hints: which blocks point to unreported blocks
 *   memreports memory reports that the program published
 *   processes  of a merged profile that keeps processes distinguishable
 *   reporter_runs how often each reporter ran
 *   scanned    addresses and contents of blocks
 *   gone       groups of blocks of the peak that are not in `groups`
 *   recent     groups of all blocks of the peak since the previous dump, if that is another one
 *   timeline   the heap's size up to the dump
 *   lifetimes  what each stack allocated in the whole run, and how long it lived
 *
 * Concurrency: nothing in this folder locks. A profile belongs to the thread that makes or reads
 * it. The live state has one collection of each kind per process, and its owner locks them.
 */
#ifndef DMD_MODEL_PROFILE_PROFILE_H
#define DMD_MODEL_PROFILE_PROFILE_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"
#include "model/profile/fault.h"
#include "model/profile/frame.h"
#include "model/profile/groups.h"
#include "model/profile/hint.h"
#include "model/profile/lifetimes.h"
#include "model/profile/mapped.h"
#include "model/profile/memreports.h"
#include "model/profile/reports.h"
#include "model/profile/timeline.h"

#include <stdbool.h>

/* ---- Runs of reporters. ----
 *
 * How often each reporter ran since the last clear.
 *
 * A run goes from a reporter's begin to its end; a run that an exception left, or that did not end,
 * does not count. The list has every reporter that ever ran, with 0 runs if the last was before the
 * clear. So a reader can distinguish blocks that no reporter measures from blocks whose reporters
 * did not run. */

typedef struct dmd_reporter_run {
  uint64_t n;        /* runs */
  uint32_t reporter; /* name */
} dmd_reporter_run_t;

typedef struct dmd_reporter_runs {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of addition */
  dmd_table_t index;
} dmd_reporter_runs_t;

/* The list must not move until it is destroyed. */
void dmd_reporter_runs_init(dmd_reporter_runs_t *runs, const dmd_env_t *env);
void dmd_reporter_runs_destroy(dmd_reporter_runs_t *runs);

/* Adds n runs of the reporter, a name's id; n may be 0, to add only the reporter. */
void dmd_reporter_runs_add(dmd_reporter_runs_t *runs, uint32_t reporter, uint64_t n);

static inline uint32_t dmd_reporter_runs_count(const dmd_reporter_runs_t *runs) {
  return runs->pool.last;
}

static inline const dmd_reporter_run_t *dmd_reporter_runs_at(const dmd_reporter_runs_t *runs,
                                                             uint32_t id) {
  return DMD_POOL_AT(&runs->pool, const dmd_reporter_run_t, id);
}

/* ---- Contents of blocks. ----
 *
 * Addresses and contents of blocks in a profile of mode scan.
 *
 * In that mode each block is its own group; for each group id this has the block's address and the
 * words of its memory from its start on. Memory that could not be read, or was never written, is
 * zeroes. Groups of other modes, and groups added later, have no entry.
 *
 * Call dmd_scanned_add for groups in ascending order, each followed by its words; then only read.
 * Memory: 16 bytes per group, and 8 per word. */

typedef struct dmd_scanned_block {
  uint64_t addr;           /* 0: unknown */
  uint32_t first, n_words; /* its words: index of the first in `words`, and their number */
} dmd_scanned_block_t;

typedef struct dmd_scanned {
  dmd_pool_t blocks; /* by group id */
  dmd_pool_t words;  /* uint64_t */
} dmd_scanned_t;

void dmd_scanned_init(dmd_scanned_t *scanned, const dmd_env_t *env);
void dmd_scanned_destroy(dmd_scanned_t *scanned);

/* Adds the block of this group, at this address. */
void dmd_scanned_add(dmd_scanned_t *scanned, uint32_t group, uint64_t addr);

/* Adds the next word of the last block. */
void dmd_scanned_add_word(dmd_scanned_t *scanned, uint64_t word);

static inline bool dmd_scanned_is_empty(const dmd_scanned_t *scanned) {
  return scanned->blocks.last == 0;
}

/* NULL if unknown. */
static inline dmd_scanned_block_t *dmd_scanned_of(const dmd_scanned_t *scanned, uint32_t group) {
  return group <= scanned->blocks.last ? DMD_POOL_AT(&scanned->blocks, dmd_scanned_block_t, group)
                                       : NULL;
}

/* The block's i-th word, from 0. */
static inline uint64_t *dmd_scanned_word(const dmd_scanned_t *scanned,
                                         const dmd_scanned_block_t *block, uint32_t i) {
  return DMD_POOL_AT(&scanned->words, uint64_t, block->first + i);
}

/* ---- Profiles. ---- */

/* Version of dmd's own JSON keys, see docs/format.md; DMD's is 5. */
#define DMD_FORMAT_VERSION 1

typedef enum { DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN } dmd_mode_t;

/* The mode's name in options, files and text, e.g. "dark-matter". */
const char *dmd_mode_name(dmd_mode_t mode);

/* The moment when the heap was largest, "peak" in files. Blocks that the program announced do not
 * count. */
typedef struct dmd_moment {
  bool is_known;
  uint64_t szB, n_blocks;  /* requested bytes */
  uint64_t ms;             /* after the program's start, in milliseconds */
  uint64_t alloc_szB;      /* requested bytes allocated by then */
  uint64_t n_instructions; /* of the program by then; 0: not counted */
  uint64_t error_szB;      /* the heap may once have been this much larger; 0: exact */
} dmd_moment_t;

/* How recording began in a process that ran already, "attached" in files. */
enum { DMD_TIME_SZB = 32 };

typedef struct dmd_attach {
  char time[DMD_TIME_SZB]; /* in UTC and ISO 8601 format; "": the process was recorded from its
                              start */
  /* Blocks from before that were freed or reallocated since, and their usable bytes;
   * DMD_MEMORY_UNKNOWN: not counted, as other blocks are unknown too. */
  uint64_t older_blocks, older_szB;
} dmd_attach_t;

/* The origin of the data: keys of the "dmd" object. is_known is false for another program's file.
 * Strings belong to the profile (dmd_profile_keep) or are literals. */
typedef struct dmd_run {
  bool is_known;
  const char *version;          /* of dmd */
  const char *valgrind_version; /* e.g. "3.19.0" */
  const char *command;          /* the program with its arguments, for people */
  const char *folder;           /* where it was started; NULL: unknown, as for the next two */
  const char *host;             /* machine that it ran on */
  const char *time;             /* of the dump, in UTC and ISO 8601 format */
  const char *label;            /* label of the dump, or NULL */
  const char *trigger;          /* "exit", "detach", "request", "monitor" or "automatic" */
  const char *allocator;        /* name of the allocator model */
  const char *allocator_chosen; /* "auto", chosen by the tool, or "option"; NULL: unknown */
  const char *replaced_new;     /* object whose own operator new never ran; NULL: none known */
  uint64_t pid;
  uint64_t dump_number; /* number in this process, from 1 */
  uint64_t word_szB;
  bool partial_stacks;
  bool partial_hint;        /* the search for hints did not read all memory */
  uint64_t sample_below;    /* bytes; 0: off */
  uint64_t sample_interval; /* bytes; 0: off */
  uint64_t seed;            /* of sampling */
  /* Calls and requested bytes since the start, counted as in Memcheck. */
  uint64_t n_allocs, n_frees, alloc_szB;
  uint64_t in_use_szB, in_use_blocks; /* requested bytes and blocks now */
  uint64_t nested_szB;                /* bytes of in_use_szB that lie in two blocks */
  uint64_t freed_reported;            /* blocks freed while reported, since the last clear */
  bool counts_instructions;   /* lifetimes are in instructions of the program, not in bytes */
  uint64_t most_resident_szB; /* the most physical memory of the program so far; 0: unknown */
  dmd_moment_t peak;
  /* The peak's blocks of stacks that no reporter has covered at any dump; requested bytes. Derived
   * from the groups. */
  uint64_t never_measured_szB, never_measured_blocks;
  dmd_moment_t
      recent_peak; /* since the previous dump; unknown if it is the same, or there is none */
  dmd_attach_t attach;
} dmd_run_t;

/* The memory of the process in bytes, without Valgrind's. In a merged profile: sums over the
 * processes. */
typedef struct dmd_footprint {
  uint64_t heap_allocated;  /* usable bytes of the live blocks, also of those not sampled */
  uint64_t heap_overhead;   /* bytes of their arena beyond the blocks */
  uint64_t resident;        /* bytes in physical memory */
  uint64_t resident_unique; /* resident bytes that no other process shares */
} dmd_footprint_t;

/* An unknown value of dmd_footprint_t. */
#define DMD_MEMORY_UNKNOWN UINT64_MAX

/* The totals of a dmd_run_t ("totals" in files) and the values of a dmd_footprint_t ("memory"),
 * each described once, for writing, reading and merging. */
typedef struct dmd_metric_field {
  const char *key;  /* in files */
  size_t place;     /* offset of a uint64_t in the struct */
  bool is_optional; /* written to files only if not 0 */
} dmd_metric_field_t;

enum { DMD_N_TOTAL_FIELDS = 7, DMD_N_MEMORY_FIELDS = 4 };
extern const dmd_metric_field_t dmd_total_fields[DMD_N_TOTAL_FIELDS];
extern const dmd_metric_field_t dmd_memory_fields[DMD_N_MEMORY_FIELDS];

/* The offsets of the strings in a dmd_run_t. */
enum { DMD_N_RUN_STRINGS = 11 };
extern const size_t dmd_run_strings[DMD_N_RUN_STRINGS];

/* Whether the dump was made when the program ended, and whether then or when recording ended. */
bool dmd_run_is_at_exit(const dmd_run_t *run);
bool dmd_run_is_at_end(const dmd_run_t *run);

static inline bool dmd_run_is_attached(const dmd_run_t *run) {
  return run->attach.time[0] != '\0';
}

static inline const char **dmd_run_string(dmd_run_t *run, size_t i) {
  return (const char **)(void *)((char *)run + dmd_run_strings[i]);
}

static inline uint64_t *dmd_metric_at(const dmd_metric_field_t *field, void *figures) {
  return (uint64_t *)(void *)((char *)figures + field->place);
}

static inline uint64_t dmd_metric_of(const dmd_metric_field_t *field, const void *figures) {
  return *(const uint64_t *)(const void *)((const char *)figures + field->place);
}

/* How to classify and show frames; not part of the data. The strings and their list belong to the
 * caller and outlive the profile. */
typedef struct dmd_frame_view {
  const char *const *alloc_fns; /* patterns of further functions that allocate for their callers */
  size_t n_alloc_fns;
  bool full_names; /* do not shorten names of functions */
} dmd_frame_view_t;

typedef struct dmd_profile {
  const dmd_env_t *env;
  dmd_frame_view_t frame_view;
  dmd_mode_t mode;
  const char *options; /* the user's options, "dmdEnvVar" in files; NULL: none */
  dmd_run_t run;
  dmd_footprint_t memory; /* initially all unknown */
  dmd_frames_t frames;
  dmd_intern_t stacks;
  dmd_intern_t names;
  dmd_pool_t arguments; /* name ids; the program itself first; empty if unknown */
  dmd_intern_t tags;    /* at most DMD_MAX_TAGS */
  dmd_reports_t reports;
  dmd_groups_t groups;
  dmd_faults_t faults;
  dmd_hints_t hints;
  dmd_memreports_t memreports;
  dmd_reporter_runs_t reporter_runs;
  /* The processes of a merged profile that keeps them distinguishable: each stack ends in a frame
   * with the name of its process. process_memory has a dmd_footprint_t by the id of the name. */
  dmd_intern_t processes;
  dmd_pool_t process_memory;
  dmd_scanned_t scanned; /* mode scan only; else empty */
  /* The records of the peak: its blocks are those in groups without after_peak, and those in gone.
   * Otherwise gone is empty, and no group has after_peak. */
  bool has_peak;
  dmd_groups_t gone;
  bool has_recent; /* the records of the recent peak, which are all in `recent` */
  dmd_groups_t recent;
  bool shows_peak;   /* `groups` are those of the peak */
  bool shows_recent; /* with shows_peak: run.peak and `groups` are of the recent peak */
  dmd_timeline_t timeline;
  dmd_lifetimes_t lifetimes;
  dmd_mapped_t mapped; /* at the dump */
} dmd_profile_t;

/* The profile must not move until it is destroyed. */
void dmd_profile_init(dmd_profile_t *profile, const dmd_env_t *env);
void dmd_profile_destroy(dmd_profile_t *profile);

/* Returns a copy of s that lives as long as the profile. NULL stays NULL. */
const char *dmd_profile_keep(dmd_profile_t *profile, const char *s);

/* Sets the run, with copies of all strings; or copies another profile's mode, options, run and
 * memory. */
void dmd_profile_set_run(dmd_profile_t *profile, const dmd_run_t *run);
void dmd_profile_take_run(dmd_profile_t *profile, const dmd_profile_t *from);

/* Appends one of the program's arguments; the first is the program itself. */
void dmd_profile_add_argument(dmd_profile_t *profile, const char *argument);

/* The number of arguments, and the i-th, from 0. */
static inline uint32_t dmd_profile_n_arguments(const dmd_profile_t *profile) {
  return profile->arguments.last;
}
const char *dmd_profile_argument(const dmd_profile_t *profile, uint32_t i);

/* The program as it was started, of length *n: the first argument or, in a file without arguments,
 * the command up to its first blank. NULL if neither is known. */
const char *dmd_profile_program(const dmd_profile_t *profile, size_t *n);

/* Returns the id of a stack of n frame ids, innermost first. */
uint32_t dmd_profile_stack(dmd_profile_t *profile, const uint32_t *frames, size_t n);

/* The frames of a stack; no frames for DMD_NONE. */
const uint32_t *dmd_profile_frames(const dmd_profile_t *profile, uint32_t stack, size_t *n);

/* Adds a process with this name, or adds to the memory of the existing one (values known for both).
 * Returns its memory. */
dmd_footprint_t *dmd_profile_add_process(dmd_profile_t *profile, const char *name,
                                         const dmd_footprint_t *memory);

static inline const dmd_footprint_t *dmd_profile_process_memory(const dmd_profile_t *profile,
                                                                uint32_t process) {
  return DMD_POOL_AT(&profile->process_memory, const dmd_footprint_t, process);
}

/* Adds the memory of one process to a sum; a value that is unknown for either becomes unknown. */
void dmd_footprint_add(dmd_footprint_t *to, const dmd_footprint_t *from);

static inline bool dmd_profile_is_sampled(const dmd_profile_t *profile) {
  return profile->run.is_known &&
         (profile->run.sample_below > 0 || profile->run.sample_interval > 0);
}

/* ---- The dump or the peak. ----
 *
 * A profile shows the heap at its dump, or at its peak.
 *
 * A profile with the records of the peak (has_peak) has both moments. All analyses work on `groups`
 * alone, so one of the two is chosen first. */

typedef enum {
  DMD_MOMENT_END,    /* the dump */
  DMD_MOMENT_PEAK,   /* the peak, or the dump if its records are not there */
  DMD_MOMENT_RECENT, /* the peak since the previous dump, or as DMD_MOMENT_PEAK */
  DMD_MOMENT_AUTO,   /* the peak if it matters */
  DMD_MOMENT_ALL     /* keep all: for a profile that is only written again */
} dmd_moment_choice_t;

static inline bool dmd_moment_is_a_peak(dmd_moment_choice_t choice) {
  return choice == DMD_MOMENT_PEAK || choice == DMD_MOMENT_RECENT;
}

/* Sets never_measured_szB and never_measured_blocks of the run. */
void dmd_peak_add_up_never_measured(dmd_profile_t *profile);

/* True if the peak says more than the dump: the program has ended with much less memory, and no
 * reporter ran. */
bool dmd_peak_matters(const dmd_profile_t *profile);

/* The moment that a profile shows: of the dump, the peak and the recent peak. */
static inline dmd_moment_choice_t dmd_moment_shown(const dmd_profile_t *profile) {
  return profile->shows_recent ? DMD_MOMENT_RECENT
         : profile->shows_peak ? DMD_MOMENT_PEAK
                               : DMD_MOMENT_END;
}

/* Drops all records but those of this moment. */
void dmd_moment_choose(dmd_profile_t *profile, dmd_moment_choice_t choice);

/* What a profile has of the moment that it does not show. */
typedef struct dmd_moment_side {
  dmd_pool_t groups;
  dmd_mode_t mode;
  dmd_scanned_t scanned;
  dmd_footprint_t memory;
  dmd_moment_t peak; /* and the following are of dmd_run_t */
  uint64_t never_measured_szB, never_measured_blocks;
  bool is_peak, is_recent;
} dmd_moment_side_t;

/* The peak of a profile that shows its dump, or the recent peak if it has that. Destroy it before
 * the profile. */
void dmd_moment_side_init_peak(dmd_moment_side_t *side, const dmd_profile_t *profile);
void dmd_moment_side_init_recent(dmd_moment_side_t *side, const dmd_profile_t *profile);
void dmd_moment_side_destroy(dmd_moment_side_t *side);

/* Shows the other moment. Afterwards the side has the one that was shown before. */
void dmd_moment_swap(dmd_profile_t *profile, dmd_moment_side_t *side);

/* The peak of a profile that shows its dump, beside that. It shares everything but the groups, so
 * both are only read meanwhile, and their ids of stacks, tags and the like are the same. */
typedef struct dmd_peak_view {
  dmd_profile_t profile;
  dmd_moment_side_t side;
} dmd_peak_view_t;

/* The profile must have the records of its peak. with_reports: blocks that are still there keep the
 * reports that they have at the dump, and the mode is that of the dump. */
void dmd_peak_view_init(dmd_peak_view_t *view, const dmd_profile_t *profile, bool with_reports);
void dmd_peak_view_destroy(dmd_peak_view_t *view);

/* ---- Sampled blocks. ----
 *
 * Estimates from blocks that --sample-interval sampled.
 *
 * Each requested byte is drawn with probability 1 / interval, and a block is kept if any of its
 * bytes is: with p = 1 - e^(-size / interval), where size is the requested size, at least 1. Each
 * kept block therefore stands for 1 / p blocks like it. Sums of these are unbiased for all sizes
 * and orders (Horvitz and Thompson, 1952). Their error follows from the same blocks: for n kept
 * ones, (1 - p) / p^2 * n estimates the variance of the number that they stand for. Blocks are
 * drawn independently, so variances add up.
 *
 * A profile stores groups as they were kept: req, slop and num are those of real blocks. All code
 * that adds up blocks or bytes of groups calls the functions here, which return the stored numbers
 * for groups that were not sampled. So every computation works for both kinds of profiles, and for
 * mixed ones, such as the difference of a sampled profile and one that is not.
 *
 * Amounts are integers. Bytes are rounded to the nearest. Blocks are rounded up or down at random,
 * so that sums of many small numbers are right as well; the randomness is a hash of the group, so
 * that equal profiles give equal numbers. */

/* The number of blocks that a kept block of this requested size stands for; interval > 0. */
double dmd_sampled_weight(uint64_t interval, uint64_t req);

/* Whether the groups of two profiles can be merged: a profile has one interval, so both must have
 * the same one, unless one of them is not sampled at all. */
static inline bool dmd_sampled_alike(const dmd_profile_t *a, const dmd_profile_t *b) {
  const dmd_run_t *x = &a->run, *y = &b->run;
  return x->sample_interval == y->sample_interval || (x->sample_interval | x->sample_below) == 0 ||
         (y->sample_interval | y->sample_below) == 0;
}

/* Whether the amounts of the group are estimates. */
static inline bool dmd_group_is_estimated(const dmd_profile_t *profile, const dmd_group_t *group) {
  return group->sampled && profile->run.sample_interval > 0;
}

/* The number of blocks of a group, and the sum of szB_each over them. Negative numbers are possible
 * in a difference. */
int64_t dmd_group_blocks(const dmd_profile_t *profile, const dmd_group_t *group);
int64_t dmd_group_bytes(const dmd_profile_t *profile, const dmd_group_t *group, uint64_t szB_each);

/* The usable bytes of a group. */
static inline int64_t dmd_group_usable(const dmd_profile_t *profile, const dmd_group_t *group) {
  return dmd_group_bytes(profile, group, group->req + group->slop);
}

/* szB * times, at most DMD_MAX_TOTAL. */
uint64_t dmd_szB_times(uint64_t szB, uint32_t times);

/* The bytes that the reports of a group count too often: n - 1 times those of a block with n
 * reports. */
int64_t dmd_group_excess(const dmd_profile_t *profile, const dmd_group_t *group);

/* The variances of blocks and bytes; 0 if they are not such estimates. */
typedef struct dmd_variance {
  double blocks, bytes;
} dmd_variance_t;

dmd_variance_t dmd_group_variance(const dmd_profile_t *profile, const dmd_group_t *group);

static inline void dmd_variance_add(dmd_variance_t *to, dmd_variance_t v) {
  to->blocks += v.blocks;
  to->bytes += v.bytes;
}

/* Bytes and blocks added up. Signed, since differences may be negative. */
typedef struct dmd_blocksum {
  int64_t bytes, blocks;
  bool sampled; /* an estimate */
  dmd_variance_t variance;
} dmd_blocksum_t;

/* The blocks of a group, each with this many bytes. */
dmd_blocksum_t dmd_group_sum(const dmd_profile_t *profile, const dmd_group_t *group,
                             uint64_t szB_each);

static inline dmd_blocksum_t dmd_group_usable_sum(const dmd_profile_t *profile,
                                                  const dmd_group_t *group) {
  return dmd_group_sum(profile, group, group->req + group->slop);
}

/* Computes unsigned, since sums over an untrusted file may overflow. */
static inline void dmd_blocksum_add(dmd_blocksum_t *to, dmd_blocksum_t sum) {
  to->bytes = (int64_t)((uint64_t)to->bytes + (uint64_t)sum.bytes);
  to->blocks = (int64_t)((uint64_t)to->blocks + (uint64_t)sum.blocks);
  to->sampled |= sum.sampled;
  dmd_variance_add(&to->variance, sum.variance);
}

/* Whether all groups of a profile read from a file stand for at most as many bytes and blocks as
 * sums may have (DMD_MAX_TOTAL). */
bool dmd_sampled_fits(const dmd_profile_t *profile);

#endif
