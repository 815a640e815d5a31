/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * readerstate.h: internals of profilereader.c and the read_*.c files, and of no others: the state
 * of the document being read, and access to the members of a JSON object.
 *
 * profilereader.c reads the document as a whole, and the format of about:memory; read_blocks.c and
 * read_frames.c its large tables; read_run.c the keys that dmd adds to DMD's format. A value of the
 * wrong kind makes loading fail, with the member's name in the message; the function's result is
 * then meaningless.
 */
#ifndef DMD_FILES_PROFILE_READERSTATE_H
#define DMD_FILES_PROFILE_READERSTATE_H

#include "analyse/tree/amounts.h"
#include "base/intern.h"
#include "base/limits.h"
#include "files/profile/jsondocument.h"
#include "files/profile/jsonvalue.h"
#include "files/profile/source.h"
#include "model/profile/frame.h"
#include "model/profile/profile.h"

/* ---- Ids. ----
 *
 * Maps the ids of traces or frames in a file to small numbers and their meanings.
 *
 * An id is any string. Each gets a number, 1, 2, 3 ... in order of first occurrence, before its
 * meaning is known: the table that defines it may come last in the file. dmd itself writes decimal
 * ids without gaps, and a file names them a million times. Decimal ids are found by value in an
 * array whose length stays proportional to the number of ids, whatever their values. */

typedef struct dmd_ids {
  dmd_intern_t texts;  /* the ids, by number */
  dmd_pool_t meanings; /* by number; DMD_NONE: not defined yet */
  uint32_t *decimal;   /* numbers, by value of the id; DMD_NONE: look in `texts` */
  uint32_t n_decimal;
} dmd_ids_t;

void dmd_ids_init(dmd_ids_t *ids, const dmd_env_t *env, const char *cost_centre);
void dmd_ids_destroy(dmd_ids_t *ids);

/* The number of an id; adds the id if it is new. */
uint32_t dmd_ids_number(dmd_ids_t *ids, dmd_span_t id);

static inline uint32_t dmd_ids_count(const dmd_ids_t *ids) {
  return dmd_intern_count(&ids->texts);
}

/* The id with this number. */
static inline const char *dmd_ids_text(const dmd_ids_t *ids, uint32_t number) {
  return dmd_intern_get_str(&ids->texts, number);
}

/* Its meaning, which the caller may set. */
static inline uint32_t *dmd_ids_meaning(const dmd_ids_t *ids, uint32_t number) {
  return DMD_POOL_AT(&ids->meanings, uint32_t, number);
}

/* ---- The state. ---- */

/* Doubles count whole numbers exactly up to here. */
#define DMD_LOAD_MAX_NUMBER ((double)DMD_MAX_COUNT)

/* Data about a frame besides its text. */
typedef struct {
  uint32_t object;   /* index in `objects`; DMD_NONE: unknown */
  uint32_t function; /* of `frame_strings`; DMD_NONE: unknown */
  uint64_t offset;
} frame_note_t;

/* An element of "objects": ids in `frame_strings`; DMD_NONE: unknown. */
typedef struct {
  uint32_t path, build_id;
} object_note_t;

/* Names that the namer found for a frame. */
typedef struct {
  uint32_t first, n; /* in `named`; n is 0 if the frame stays as it is */
  dmd_code_kind_t kind;
} naming_t;

/* One of its functions: ids in `frame_strings`, and the profile's frame once there is one. */
typedef struct {
  uint32_t name, file, line, frame;
  bool is_inlined;
} named_t;

typedef struct dmd_readerstate {
  const dmd_env_t *env;
  dmd_profile_t *profile;                 /* filled if the file is a profile */
  dmd_amounts_t *amounts;                 /* filled if it is a file of memory reports */
  const struct dmd_load_options *options; /* profilereader.h */
  dmd_jsoncutter_t cutter;
  dmd_ids_t traces;                 /* meanings: raw stacks */
  dmd_ids_t frames;                 /* meanings: the profile's texts and, in the end, its frames */
  dmd_pool_t frame_order;           /* frame numbers in the order of the table */
  dmd_pool_t frame_notes;           /* by frame number, as far as there are any */
  dmd_pool_t objects;               /* their notes */
  dmd_intern_t frame_strings;       /* paths, build ids and functions */
  dmd_pool_t namings;               /* by frame number, as far as there are any */
  dmd_pool_t named;                 /* functions; those of one frame are adjacent */
  dmd_intern_t raw_stacks;          /* sequences of frame numbers */
  dmd_faults_t collected_faults;    /* with trace numbers for stacks */
  dmd_hints_t collected_hints;      /* with trace numbers for stacks */
  dmd_mapped_t collected_mapped;    /* likewise */
  uint64_t blocks;                  /* number of blocks */
  uint64_t total;                   /* their bytes */
  uint64_t faults;                  /* sum of their counts */
  uint64_t advised, advised_blocks; /* bytes and blocks in hints */
  uint64_t runs;                    /* of all reporters */
  uint64_t mapped, mapped_ranges;   /* bytes, and their ranges */
  uint64_t allocs, allocated;       /* allocations and bytes in lifetimes */
} dmd_readerstate_t;

/* The value of the member with this key, a whole number that is at least `least`. */
uint64_t dmd_load_number_in(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, const char *key,
                            uint64_t least);

/* Like dmd_load_number_in, for a number about the run that is only displayed: values from 2^64 on
 * become the maximum. */
uint64_t dmd_load_count_in(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, const char *key);

/* The value of a member as a string; NULL when it is null. */
const char *dmd_load_string_in(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, const char *key);

/* Like the functions above, but look up the member by key; if it is missing: fallback, 0 or
 * NULL. */
uint64_t dmd_load_get_number(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key,
                             uint64_t fallback);
const char *dmd_load_get_string(dmd_readerstate_t *l, const dmd_jsonvalue_t *object,
                                const char *key);
uint64_t dmd_load_get_count(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key);

/* A count of how often something happened: 1 if the member is missing. */
uint64_t dmd_load_get_times(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key);

/* A member that is a trace id, as its number, or a name, as the profile's id; DMD_NONE if it is
 * missing. */
uint32_t dmd_load_get_trace(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key);
uint32_t dmd_load_get_name(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key);

/* The parts of a profile that have their own source file; ctx is the loader. */
bool dmd_load_blocks(void *ctx);
bool dmd_load_peak_blocks(void *ctx);
bool dmd_load_recent_blocks(void *ctx);
bool dmd_load_lifetimes(void *ctx);
bool dmd_load_traces(void *ctx);
bool dmd_load_frames(void *ctx);
bool dmd_load_run(void *ctx); /* "dmd" */

/* Members of "dmd" that describe frames. */
void dmd_load_objects(dmd_readerstate_t *l);
void dmd_load_functions(dmd_readerstate_t *l);

/* Member "timeline" of "dmd". */
void dmd_load_timeline(dmd_readerstate_t *l);

/* Adds the collected hints to the profile, merging those whose traces became one stack. The
 * profile's groups must be complete. */
void dmd_load_join_hints(dmd_readerstate_t *l, const uint32_t *stacks);

/* Makes the profile's frames after the whole file was read. If the namer named any frames, those
 * below main in all stacks are left out. */
void dmd_load_resolve_frames(dmd_readerstate_t *l);

/* After that: the frames of a stack. `numbers` are frame numbers, all of which are defined. The
 * caller frees the result; *n is the number of frames, before and after. */
uint32_t *dmd_load_stack_frames(const dmd_readerstate_t *l, const uint32_t *numbers, size_t *n);

#endif
