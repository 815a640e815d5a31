/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * anonymize.h: a profile without the names that its program brought, for people who are not to see
 * them.
 *
 * Each name becomes a word for its kind with 10 digits that are a hash of it, such as
 * `fn_3fa94c01b2`: the same name always becomes the same, in every file and every run, so that
 * profiles can still be compared. Whoever guesses a name can see whether the guess is right;
 * nothing else leads back.
 *
 * What stays: numbers, among them lines and addresses; functions of the C and C++ libraries, of
 * allocators and of Valgrind, known by their objects, and a few that every program has, such as
 * malloc, operator new and main; the names of these libraries, without folders; the parts of paths
 * that dmd and about:memory make, such as explicit. Functions that allocate for their callers
 * (allocfns.h) get names that are still taken for such: `malloc_3fa94c01b2`; so do those that have
 * "size" in their names, by which dmdv owners knows where blocks are measured: `size_3fa94c01b2`.
 * What else people wrote goes: arguments, folder, host, options, descriptions, and what is in the
 * blocks of a scan.
 */
#ifndef DMD_ANALYSIS_ANONYMIZE_H
#define DMD_ANALYSIS_ANONYMIZE_H

#include "base/strbuf.h"
#include "profile/translate.h"

typedef enum {
  DMD_NAME_FUNCTION,
  DMD_NAME_ALLOC_FN, /* a function that allocates for its callers */
  DMD_NAME_SIZE_FN,  /* one that says how large a block is, by its name */
  DMD_NAME_FILE,     /* of the source; keeps its ending where it is a usual one */
  DMD_NAME_OBJECT,
  DMD_NAME_PATH, /* of a reporter or memory report: each part for itself */
  DMD_NAME_TAG,
  DMD_NAME_LABEL,
  DMD_NAME_PROCESS, /* "NAME (pid N)" keeps the number */
  DMD_NAME_TYPE,
  DMD_NAME_MEMBER,
  DMD_NAME_VARIABLE,
  DMD_N_NAME_KINDS
} dmd_name_kind_t;

typedef struct dmd_anonymizer {
  const dmd_env_t *env;
  dmd_intern_t words; /* that were made */
} dmd_anonymizer_t;

void dmd_anonymizer_init(dmd_anonymizer_t *a, const dmd_env_t *env);
void dmd_anonymizer_destroy(dmd_anonymizer_t *a);

/* The word for a name, which lives as long as the anonymizer. NULL stays NULL. */
const char *dmd_anonymous(dmd_anonymizer_t *a, dmd_name_kind_t kind, const char *name);

/* Fills an initialised, empty profile with another's contents. Blocks that were different in
 * nothing but an address become one group. */
void dmd_anonymize_profile(dmd_anonymizer_t *a, dmd_profile_t *to, const dmd_profile_t *from);

/* Ids of one profile as those of the other, for what else has them. */
typedef struct dmd_anonymous_ids {
  dmd_anonymizer_t *anonymizer;
  dmd_profile_t *to;
  const dmd_profile_t *from;
  dmd_translation_t translation;
} dmd_anonymous_ids_t;

/* Begins to fill an initialised, empty profile: with what is known of the run, and what the
 * translation is asked for. The caller destroys the translation. Must stay where it is. */
void dmd_anonymize_begin(dmd_anonymous_ids_t *ids, dmd_anonymizer_t *a, dmd_profile_t *to,
                         const dmd_profile_t *from);

#endif
