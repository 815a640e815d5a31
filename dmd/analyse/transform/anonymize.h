/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * anonymize.h: removes the program's own names from a profile.
 *
 * Each name becomes a word for its kind with a hash of 10 digits, such as `fn_3fa94c01b2`. Equal
 * names give equal words in every file and run, so profiles can still be compared. Someone who
 * guesses a name can verify the guess; nothing else leads back.
 *
 * Kept: numbers, including lines and addresses; functions of the C and C++ libraries, of allocators
 * and of Valgrind, recognised by their objects, and a few that every program has, such as malloc,
 * operator new and main; the names of these libraries, without folders; the parts of paths made by
 * dmd and about:memory, such as explicit. Functions that allocate for their callers (allocfns.h)
 * get words that still have that effect: `malloc_3fa94c01b2`; so do those with "size" in their
 * names, by which dmdv owners finds measuring functions: `size_3fa94c01b2`.
 *
 * Removed: other text written by people (arguments, folder, host, options, descriptions), and the
 * block contents of a scan.
 */
#ifndef DMD_ANALYSE_TRANSFORM_ANONYMIZE_H
#define DMD_ANALYSE_TRANSFORM_ANONYMIZE_H

#include "base/strbuf.h"
#include "model/graph/heapgraph.h"
#include "model/graph/types.h"

typedef enum {
  DMD_NAME_FUNCTION,
  DMD_NAME_ALLOC_FN, /* allocates for its callers */
  DMD_NAME_SIZE_FN,  /* returns the size of a block, judging by its name */
  DMD_NAME_FILE,     /* source file; keeps a common ending */
  DMD_NAME_OBJECT,
  DMD_NAME_PATH, /* of a reporter or memory report; each part separately */
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
  dmd_intern_t words; /* the words made so far */
} dmd_anonymizer_t;

void dmd_anonymizer_init(dmd_anonymizer_t *a, const dmd_env_t *env);
void dmd_anonymizer_destroy(dmd_anonymizer_t *a);

/* The word for a name; valid as long as the anonymizer. NULL stays NULL. */
const char *dmd_anonymous(dmd_anonymizer_t *a, dmd_name_kind_t kind, const char *name);

/* Fills an initialised, empty profile with the anonymized contents of another. Blocks that differ
 * only in their address become one group. */
void dmd_anonymize_profile(dmd_anonymizer_t *a, dmd_profile_t *to, const dmd_profile_t *from);

/* ---- Graphs. ----
 *
 * Removes the program's own names from a heap graph.
 *
 * Beyond what is replaced in profiles: names of types, members and variables become words, base
 * types such as int keep theirs, and objects lose their build ids, by which they could be looked
 * up. */

/* Changes both in place. Ids stay valid, except those of the graph's profile. That profile must
 * have no groups. Earlier results computed from either are invalid afterwards, and types keep only
 * the members looked up so far. */
void dmd_anonymize_graph(dmd_anonymizer_t *a, dmd_heapgraph_t *heap, dmd_types_t *types);

#endif
