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
 *   advices    hints: which blocks point to unreported blocks
 *   memreports memory reports that the program published
 *   processes  of a merged profile that keeps processes distinguishable
 *   reporter_runs how often each reporter ran
 *   scanned    addresses and contents of blocks
 *   gone       groups of blocks that were freed since the heap was largest
 *
 * Concurrency: nothing in this folder locks. A profile belongs to the thread that makes or reads
 * it. The live state has one collection of each kind per process, and its owner locks them.
 */
#ifndef DMD_MODEL_PROFILE_PROFILE_H
#define DMD_MODEL_PROFILE_PROFILE_H

#include "base/intern.h"
#include "model/profile/fault.h"
#include "model/profile/frame.h"
#include "model/profile/groups.h"
#include "model/profile/hint.h"
#include "model/profile/memreports.h"
#include "model/profile/reporterruns.h"
#include "model/profile/reports.h"
#include "model/profile/scanned.h"

/* Version of dmd's own JSON keys, see docs/format.md; DMD's is 5. */
#define DMD_FORMAT_VERSION 1

typedef enum { DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN } dmd_mode_t;

/* The mode's name in options, files and text, e.g. "dark-matter". */
const char *dmd_mode_name(dmd_mode_t mode);

/* The moment when the heap was largest, "peak" in files. Blocks that the program announced do not
 * count. */
typedef struct dmd_moment {
  bool is_known;
  uint64_t szB, n_blocks; /* requested bytes */
  uint64_t ms;            /* after the program's start, in milliseconds */
  uint64_t alloc_szB;     /* requested bytes allocated by then */
  uint64_t error_szB;     /* the heap may once have been this much larger; 0: exact */
} dmd_moment_t;

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
  const char *trigger;          /* "exit", "request" or "monitor" */
  const char *allocator;        /* name of the allocator model */
  const char *allocator_chosen; /* "auto", chosen by the tool, or "option"; NULL: unknown */
  const char *replaced_new;     /* object whose own operator new never ran; NULL: none known */
  uint64_t pid;
  uint64_t dump_number; /* number in this process, from 1 */
  uint64_t word_szB;
  bool partial_stacks;
  bool partial_advice;      /* the search for hints did not read all memory */
  uint64_t sample_below;    /* bytes; 0: off */
  uint64_t sample_interval; /* bytes; 0: off; see sampled.h */
  uint64_t seed;            /* of sampling */
  /* Calls and requested bytes since the start, counted as in Memcheck. */
  uint64_t n_allocs, n_frees, alloc_szB;
  uint64_t in_use_szB, in_use_blocks; /* requested bytes and blocks now */
  uint64_t nested_szB;                /* bytes of in_use_szB that lie in two blocks */
  uint64_t freed_reported;            /* blocks freed while reported, since the last clear */
  dmd_moment_t peak;
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
  dmd_hints_t advices;
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
  bool shows_peak; /* `groups` are those of the peak: see moment.h */
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

#endif
