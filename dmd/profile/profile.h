/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.h: what one dump holds in memory.
 *
 * A profile is filled by whoever has the data (live/snapshot from a running program, the reader
 * from a file) and then only read: by record.h, which groups it for people, and by json.h, which
 * writes it. It owns everything that it points to.
 *
 *   frames     where calls are: function, file and line, object; each once
 *   stacks     sequences of frame ids, innermost first, each once
 *   names      reporters and other strings, each once
 *   arguments  of the program
 *   tags       names of tags, each once
 *   reports    report sets: stack ids and reporter name ids
 *   groups     the blocks: sizes, a stack id, a report set, a tag
 *   faults     what the program did wrong with its heap or its reports
 *   advices    who holds the unreported blocks
 *   memreports memory reports that the program published
 *   processes  of a merged profile, those that are kept apart
 *   reporter_runs how often each reporter ran
 *   scanned    where blocks were, and what was in them
 *
 * Concurrency: nothing locks. A profile belongs to the thread that makes or reads it.
 */
#ifndef DMD_PROFILE_PROFILE_H
#define DMD_PROFILE_PROFILE_H

#include "base/intern.h"
#include "profile/advice.h"
#include "profile/fault.h"
#include "profile/frame.h"
#include "profile/groups.h"
#include "profile/memreports.h"
#include "profile/reporterruns.h"
#include "profile/reports.h"
#include "profile/scanned.h"

/* The dmd JSON keys' version, see docs/format.md; DMD's own is 5. */
#define DMD_FORMAT_VERSION 1

typedef enum { DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN } dmd_mode_t;

/* The mode's name in options, files and text, e.g. "dark-matter". */
const char *dmd_mode_name(dmd_mode_t mode);

/* How the data came about: keys of the "dmd" object. is_known is false for a profile that came from
 * another program's file. Strings are the profile's own (dmd_profile_keep) or literals. */
typedef struct dmd_run {
  bool is_known;
  const char *version;          /* of dmd */
  const char *valgrind_version; /* e.g. "3.19.0" */
  const char *command;          /* the program with its arguments, as people read it */
  const char *folder;           /* in which it was started; NULL: unknown, as for the next two */
  const char *host;             /* on which it ran */
  const char *time;             /* of the dump, in UTC, as in ISO 8601 */
  const char *label;            /* given with the dump, or NULL */
  const char *trigger;          /* "exit", "request" or "monitor" */
  const char *allocator;        /* the model's name */
  const char *allocator_chosen; /* by whom: "auto", the tool, or "option"; NULL: unknown */
  const char *replaced_new;     /* the object whose own operator new never ran; NULL: none known */
  uint64_t pid;
  uint64_t dump_number; /* of this process, from 1 */
  uint64_t word_szB;
  bool partial_stacks;
  bool partial_advice;      /* more memory than is read was there to be looked at */
  uint64_t sample_below;    /* bytes; 0: every block is kept */
  uint64_t sample_interval; /* bytes; the same: see sampled.h */
  uint64_t seed;            /* of the sampling, where there is any */
  /* Calls and requested bytes since the start, counted as Memcheck counts them. */
  uint64_t n_allocs, n_frees, alloc_szB;
  uint64_t in_use_szB, in_use_blocks; /* requested bytes and blocks now */
  uint64_t nested_szB;                /* of these bytes, those that are in two blocks */
  uint64_t freed_reported;            /* blocks freed while reported, since the last clear */
} dmd_run_t;

/* The memory of the process in bytes, without what belongs to Valgrind. In a merged profile: the
 * sums over the processes. */
typedef struct dmd_footprint {
  uint64_t heap_allocated;  /* usable bytes of the live blocks, those that were not sampled too */
  uint64_t heap_overhead;   /* what the arena that they come from takes up beyond them */
  uint64_t resident;        /* bytes that are in physical memory */
  uint64_t resident_unique; /* those of them that no other process has */
} dmd_footprint_t;

/* Of a figure of dmd_footprint_t that could not be had. */
#define DMD_MEMORY_UNKNOWN UINT64_MAX

/* The totals of a dmd_run_t ("totals" in files) and the figures of a dmd_footprint_t ("memory"),
 * each described once: writing, reading and merging go by these. */
typedef struct dmd_figure_field {
  const char *key;  /* in files */
  size_t place;     /* of a uint64_t in the struct */
  bool is_optional; /* files have it only where it is not 0 */
} dmd_figure_field_t;

enum { DMD_N_TOTAL_FIELDS = 7, DMD_N_MEMORY_FIELDS = 4 };
extern const dmd_figure_field_t dmd_total_fields[DMD_N_TOTAL_FIELDS];
extern const dmd_figure_field_t dmd_memory_fields[DMD_N_MEMORY_FIELDS];

/* The strings of a dmd_run_t, by their places in it. */
enum { DMD_N_RUN_STRINGS = 11 };
extern const size_t dmd_run_strings[DMD_N_RUN_STRINGS];

static inline const char **dmd_run_string(dmd_run_t *run, size_t i) {
  return (const char **)(void *)((char *)run + dmd_run_strings[i]);
}

static inline uint64_t *dmd_figure_at(const dmd_figure_field_t *field, void *figures) {
  return (uint64_t *)(void *)((char *)figures + field->place);
}

static inline uint64_t dmd_figure_of(const dmd_figure_field_t *field, const void *figures) {
  return *(const uint64_t *)(const void *)((const char *)figures + field->place);
}

/* How people want frames judged and shown; not a part of the data. The strings and their list are
 * somebody else's, and outlive the profile. */
typedef struct dmd_frame_view {
  const char *const *alloc_fns; /* patterns of further functions that allocate for their callers */
  size_t n_alloc_fns;
  bool full_names; /* functions are called as they are, however long that is */
} dmd_frame_view_t;

typedef struct dmd_profile {
  const dmd_env_t *env;
  dmd_frame_view_t frame_view;
  dmd_mode_t mode;
  const char *options; /* what the user asked for, "dmdEnvVar" in the file; NULL: nothing */
  dmd_run_t run;
  dmd_footprint_t memory; /* all unknown until somebody fills it in */
  dmd_frames_t frames;
  dmd_intern_t stacks;
  dmd_intern_t names;
  dmd_pool_t arguments; /* of the program, itself first: name ids; none where they are unknown */
  dmd_intern_t tags;    /* at most DMD_MAX_TAGS */
  dmd_reports_t reports;
  dmd_groups_t groups;
  dmd_faults_t faults;
  dmd_advices_t advices;
  dmd_memreports_t memreports;
  dmd_reporter_runs_t reporter_runs;
  /* Of a merged profile the processes that are kept apart: the outermost frame of each stack of one
   * is its name. What it took up, by the id of its name: dmd_footprint_t. */
  dmd_intern_t processes;
  dmd_pool_t process_memory;
  dmd_scanned_t scanned; /* of mode scan; else empty */
} dmd_profile_t;

/* The profile must stay where it is until it is destroyed. */
void dmd_profile_init(dmd_profile_t *profile, const dmd_env_t *env);
void dmd_profile_destroy(dmd_profile_t *profile);

/* A copy of s that lives as long as the profile. NULL stays NULL. */
const char *dmd_profile_keep(dmd_profile_t *profile, const char *s);

/* Gives a profile this run, with copies of all strings; or another's mode, options, run and memory.
 */
void dmd_profile_set_run(dmd_profile_t *profile, const dmd_run_t *run);
void dmd_profile_take_run(dmd_profile_t *profile, const dmd_profile_t *from);

/* Adds one to the program's arguments, the first of which is the program itself. */
void dmd_profile_add_argument(dmd_profile_t *profile, const char *argument);

/* How many there are, and the i-th, from 0. */
static inline uint32_t dmd_profile_n_arguments(const dmd_profile_t *profile) {
  return profile->arguments.last;
}
const char *dmd_profile_argument(const dmd_profile_t *profile, uint32_t i);

/* The program as it was started, with *n its length: the first argument or, where a file has none,
 * the command up to its first blank. NULL where there is no command either. */
const char *dmd_profile_program(const dmd_profile_t *profile, size_t *n);

/* The id of a stack of n frame ids, innermost first. */
uint32_t dmd_profile_stack(dmd_profile_t *profile, const uint32_t *frames, size_t n);

/* The frames of a stack id; DMD_NONE has none. */
const uint32_t *dmd_profile_frames(const dmd_profile_t *profile, uint32_t stack, size_t *n);

/* Adds a process of this name, or memory to that which the one that is there took up: the sums,
 * where they are known of both. Returns its memory. */
dmd_footprint_t *dmd_profile_add_process(dmd_profile_t *profile, const char *name,
                                         const dmd_footprint_t *memory);

static inline const dmd_footprint_t *dmd_profile_process_memory(const dmd_profile_t *profile,
                                                                uint32_t process) {
  return DMD_POOL_AT(&profile->process_memory, const dmd_footprint_t, process);
}

/* Adds what one process took up to what others did: the sums, where they are known of both. */
void dmd_footprint_add(dmd_footprint_t *to, const dmd_footprint_t *from);

static inline bool dmd_profile_is_sampled(const dmd_profile_t *profile) {
  return profile->run.is_known &&
         (profile->run.sample_below > 0 || profile->run.sample_interval > 0);
}

#endif
