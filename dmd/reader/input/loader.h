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
#ifndef DMD_READER_INPUT_LOADER_H
#define DMD_READER_INPUT_LOADER_H

#include "base/limits.h"
#include "profile/profile.h"
#include "reader/input/document.h"
#include "reader/input/ids.h"
#include "reader/input/load.h"
#include "reader/input/scan.h"

/* Doubles count whole numbers exactly up to here. */
#define DMDV_LOAD_MAX_NUMBER ((double)DMD_MAX_COUNT)

/* What is said of a frame besides its text. */
typedef struct {
  uint32_t object;   /* of `objects`; DMD_NONE: not said */
  uint32_t function; /* of `frame_strings`; DMD_NONE: not said */
  uint64_t offset;
} frame_note_t;

typedef struct dmdv_loader {
  dmd_profile_t *profile; /* filled where the file is a profile, */
  dmd_amounts_t *amounts; /* and this where it is one of memory reports */
  const dmdv_load_options_t *options;
  dmdv_cutter_t cutter;
  dmdv_ids_t traces;                /* which mean raw stacks */
  dmdv_ids_t frames;                /* which mean texts, and in the end frames, of the profile */
  dmd_pool_t frame_order;           /* their numbers, in the table's order */
  dmd_pool_t frame_notes;           /* by number, as far as anything is said */
  dmd_pool_t objects;               /* paths, of */
  dmd_intern_t frame_strings;       /* paths and functions */
  dmd_intern_t raw_stacks;          /* sequences of frame numbers */
  dmd_faults_t collected_faults;    /* under trace numbers, */
  dmd_advices_t collected_advices;  /* and so are these */
  uint64_t blocks;                  /* how many, */
  uint64_t total;                   /* and their bytes */
  uint64_t faults;                  /* how often */
  uint64_t advised, advised_blocks; /* the bytes that advices are about, and the blocks */
  uint64_t runs;                    /* of all reporters */
} dmdv_loader_t;

/* The value of the member with this key as a whole number from least on. */
uint64_t dmdv_load_number_in(dmdv_loader_t *l, const cJSON *item, const char *key, uint64_t least);

/* The same for a number about the run that is only shown: up to 2^64, though above 2^53 it is not
 * exact. */
uint64_t dmdv_load_count_in(dmdv_loader_t *l, const cJSON *item, const char *key);

/* The value of a member as a string; NULL when it is null. */
const char *dmdv_load_string_in(dmdv_loader_t *l, const cJSON *item, const char *key);

/* The same for an object's member, by its key; if there is none: fallback, 0 or NULL. */
uint64_t dmdv_load_get_number(dmdv_loader_t *l, const cJSON *object, const char *key,
                              uint64_t fallback);
const char *dmdv_load_get_string(dmdv_loader_t *l, const cJSON *object, const char *key);
uint64_t dmdv_load_get_count(dmdv_loader_t *l, const cJSON *object, const char *key);

/* The same for how often something happened: 1 if the member is missing. */
uint64_t dmdv_load_get_times(dmdv_loader_t *l, const cJSON *object, const char *key);

/* A member that is a trace id, as its number, or a name, as the profile's; DMD_NONE where there is
 * none. */
uint32_t dmdv_load_get_trace(dmdv_loader_t *l, const cJSON *object, const char *key);
uint32_t dmdv_load_get_name(dmdv_loader_t *l, const cJSON *object, const char *key);

/* The parts of a profile that have a source file of their own; ctx is the loader. */
bool dmdv_load_blocks(void *ctx);
bool dmdv_load_traces(void *ctx);
bool dmdv_load_frames(void *ctx);
bool dmdv_load_run(void *ctx); /* "dmd" */

/* Members of "dmd" that say more of frames. */
void dmdv_load_objects(dmdv_loader_t *l);
void dmdv_load_functions(dmdv_loader_t *l);

/* Makes frames of all this, once the file has been read. */
void dmdv_load_resolve_frames(dmdv_loader_t *l);

/* load_reports.c: about:memory's files. */
extern const dmdv_format_t dmdv_reports_format;

#endif
