/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * storedset.h: stores what each stack held in a run, in little space.
 *
 * A set has bytes and blocks by stack (stacks.h) and section. The text of a stack is stored as it
 * was when the stack's numbers last changed. In the file a set is the difference from another one,
 * mostly the previous build's, so that a build in which nothing changed takes no space. Now and
 * then a set is stored whole, which limits the length of a chain of differences.
 */
#ifndef DMD_HISTORYDB_STOREDSET_H
#define DMD_HISTORYDB_STOREDSET_H

#include "analyse/history/stackset.h"
#include "historydb/stacks.h"
#include "model/profile/profile.h"

/* Makes the set of a profile, with its digest, and adds its stacks to the history. False, with the
 * reason on stderr, if that fails; destroy it either way. */
bool dmdv_storedset_of(dmd_stackset_t *set, unsigned char digest[DMDV_DIGEST_SZB],
                       dmdv_database_t *db, const dmd_profile_t *profile);

/* Sorts the records of a set, and adds up those of the same stack and section. */
void dmdv_storedset_settle(dmd_stackset_t *set);

/* The set that another one is stored as the difference from. */
typedef struct dmdv_storedset_like {
  int64_t id;                /* 0: none */
  const dmd_stackset_t *set; /* NULL: read it from the history */
} dmdv_storedset_like_t;

/* Adds the set to the history as the difference from `like`, unless an equal one is there, and
 * returns its id. profile: the set's source; NULL: the stacks' texts stay as they are. */
bool dmdv_storedset_store(const dmd_stackset_t *set, const unsigned char digest[DMDV_DIGEST_SZB],
                          dmdv_database_t *db, const dmd_profile_t *profile,
                          dmdv_storedset_like_t like, int64_t *id);

/* The set of the last added run of this moment, environment and process; 0: no run. */
bool dmdv_storedset_last(dmdv_database_t *db, const char *moment, int64_t environment,
                         const char *process, int64_t *id);

/* Adds a record to a set's digest, which is all 0 at first, or takes it out. The digest identifies
 * stacks by their own digests and does not depend on the records' order, so a set has the same
 * digest in every history. */
void dmdv_storedset_digest(unsigned char digest[DMDV_DIGEST_SZB],
                           const unsigned char stack[DMDV_DIGEST_SZB],
                           const dmd_stack_record_t *record, bool is_minus);

/* The highest number of links in a set's chain. */
enum { DMDV_RECORDSET_CHAIN = 50 };

bool dmdv_storedset_load(dmd_stackset_t *set, dmdv_database_t *db, int64_t id);

/* The id of the set that this set is the difference from; 0: it is stored whole. False, without a
 * message, if it cannot be read. */
bool dmdv_storedset_base(dmdv_database_t *db, int64_t id, int64_t *base);

/* Reports that records cannot be read, unless the database has reported an error. Returns false. */
bool dmdv_storedset_say_damaged(const dmdv_database_t *db);

/* Reads the set as it is stored: the difference from the set *base; 0: whole. False, without a
 * message, if it cannot be read. Destroy the set either way. */
bool dmdv_storedset_load_link(dmd_stackset_t *set, dmdv_database_t *db, int64_t id, int64_t *base);

/* Appends the ids (int64_t) of the sets of a build's first launch: those of the process with this
 * name, "": of all processes. */
bool dmdv_storedsets_of_build(dmd_pool_t *ids, dmdv_database_t *db, int64_t build,
                              const char *moment, int64_t environment, const char *process);

/* The sum of these sets. Destroy it even if this fails. */
bool dmdv_storedset_load_sum(dmd_stackset_t *sum, dmdv_database_t *db, const dmd_pool_t *ids);

/* Stores n sets as the differences from the nearest sets below them that a run has, or whole if
 * there are no such sets. The sets in between are then not needed for them. Reads and writes all of
 * them in one statement each: memory for what they are stored as, and for the sets in between. */
bool dmdv_storedsets_rebase(dmdv_database_t *db, const int64_t *ids, size_t n);

/* Calls visit for each stack of each set in the history; a stack may be visited more than once. */
bool dmdv_storedsets_visit_stacks(dmdv_database_t *db, void (*visit)(void *ctx, int64_t stack),
                                  void *ctx);

#endif
