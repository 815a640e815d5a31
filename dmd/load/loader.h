/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * loader.h: what the parts of load.c have in common: the state of the file being read, and access
 * to the members of a JSON object.
 *
 * load.c reads the whole, load_blocks.c, load_traces.c and load_frames.c the large parts,
 * load_run.c what dmd adds to DMD's format, load_reports.c the format of about:memory. Nobody else
 * includes this. A value of the wrong kind makes the loading fail, with the member's name in the
 * message; ignore what the function then returns.
 */
#ifndef DMD_LOAD_LOADER_H
#define DMD_LOAD_LOADER_H

#include "base/limits.h"
#include "load/document.h"
#include "load/ids.h"
#include "load/load.h"
#include "load/scan.h"
#include "profile/profile.h"

/* Doubles count whole numbers exactly up to here. */
#define DMD_LOAD_MAX_NUMBER ((double)DMD_MAX_COUNT)

/* What is said of a frame besides its text. */
typedef struct {
  uint32_t object;   /* of `objects`; DMD_NONE: not said */
  uint32_t function; /* of `frame_strings`; DMD_NONE: not said */
  uint64_t offset;
} frame_note_t;

/* An element of "objects": ids of `frame_strings`; DMD_NONE: not said. */
typedef struct {
  uint32_t path, build_id;
} object_note_t;

/* What the namer found for a frame. */
typedef struct {
  uint32_t first, n; /* of `named`; n is 0 where the frame stays as it is */
  dmd_code_kind_t kind;
} naming_t;

/* One of its functions: ids of `frame_strings`, and the frame of the profile, once it is one. */
typedef struct {
  uint32_t name, file, line, frame;
  bool is_inlined;
} named_t;

typedef struct dmd_loader {
  const dmd_env_t *env;
  dmd_profile_t *profile; /* filled where the file is a profile, */
  dmd_amounts_t *amounts; /* and this where it is one of memory reports */
  const dmd_load_options_t *options;
  dmd_cutter_t cutter;
  dmd_ids_t traces;                 /* which mean raw stacks */
  dmd_ids_t frames;                 /* which mean texts, and in the end frames, of the profile */
  dmd_pool_t frame_order;           /* their numbers, in the table's order */
  dmd_pool_t frame_notes;           /* by number, as far as anything is said */
  dmd_pool_t objects;               /* notes of them */
  dmd_intern_t frame_strings;       /* paths, build ids and functions */
  dmd_pool_t namings;               /* by number, as far as there are any */
  dmd_pool_t named;                 /* functions, those of a frame one after the other */
  dmd_intern_t raw_stacks;          /* sequences of frame numbers */
  dmd_faults_t collected_faults;    /* under trace numbers, */
  dmd_advices_t collected_advices;  /* and so are these */
  uint64_t blocks;                  /* how many, */
  uint64_t total;                   /* and their bytes */
  uint64_t faults;                  /* how often */
  uint64_t advised, advised_blocks; /* the bytes that advices are about, and the blocks */
  uint64_t runs;                    /* of all reporters */
} dmd_loader_t;

/* The value of the member with this key as a whole number from least on. */
uint64_t dmd_load_number_in(dmd_loader_t *l, const dmd_value_t *item, const char *key,
                            uint64_t least);

/* The same for a number about the run that is only shown: below 2^64, what is above becomes the
 * greatest. */
uint64_t dmd_load_count_in(dmd_loader_t *l, const dmd_value_t *item, const char *key);

/* The value of a member as a string; NULL when it is null. */
const char *dmd_load_string_in(dmd_loader_t *l, const dmd_value_t *item, const char *key);

/* The same for an object's member, by its key; if there is none: fallback, 0 or NULL. */
uint64_t dmd_load_get_number(dmd_loader_t *l, const dmd_value_t *object, const char *key,
                             uint64_t fallback);
const char *dmd_load_get_string(dmd_loader_t *l, const dmd_value_t *object, const char *key);
uint64_t dmd_load_get_count(dmd_loader_t *l, const dmd_value_t *object, const char *key);

/* The same for how often something happened: 1 if the member is missing. */
uint64_t dmd_load_get_times(dmd_loader_t *l, const dmd_value_t *object, const char *key);

/* A member that is a trace id, as its number, or a name, as the profile's; DMD_NONE where there is
 * none. */
uint32_t dmd_load_get_trace(dmd_loader_t *l, const dmd_value_t *object, const char *key);
uint32_t dmd_load_get_name(dmd_loader_t *l, const dmd_value_t *object, const char *key);

/* The parts of a profile that have a source file of their own; ctx is the loader. */
bool dmd_load_blocks(void *ctx);
bool dmd_load_traces(void *ctx);
bool dmd_load_frames(void *ctx);
bool dmd_load_run(void *ctx); /* "dmd" */

/* Members of "dmd" that say more of frames. */
void dmd_load_objects(dmd_loader_t *l);
void dmd_load_functions(dmd_loader_t *l);

/* Adds what was collected of advices to the profile, whose groups are there, where several traces
 * are one of its stacks. */
void dmd_load_join_advices(dmd_loader_t *l, const uint32_t *stacks);

/* Makes frames of all this, once the file has been read. Where any have got names, those that are
 * below main in all stacks are left out. */
void dmd_load_resolve_frames(dmd_loader_t *l);

/* Then, the frames of a stack, given as numbers of frames that are all known. The caller frees
 * them; *n becomes how many there are. */
uint32_t *dmd_load_stack_frames(const dmd_loader_t *l, const uint32_t *numbers, size_t *n);

/* load_reports.c: about:memory's files. */
extern const dmd_document_format_t dmd_reports_format;

#endif
