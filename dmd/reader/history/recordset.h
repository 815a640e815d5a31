/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordset.h: what each stack held in a run, kept small.
 *
 * A set has bytes and blocks by stack (stacks.h) and section; how a stack read when its figures
 * last changed is kept with it. In the file a set is the difference from another one, mostly that
 * of the build before, so that a build in which nothing changed takes no room; now and then it is
 * whole, so that no chain of differences is long.
 */
#ifndef DMD_READER_HISTORY_RECORDSET_H
#define DMD_READER_HISTORY_RECORDSET_H

#include "analysis/recordset.h"
#include "profile/profile.h"
#include "reader/history/stacks.h"

/* Makes one of a profile, with its digest, and adds its stacks to the history. False, with the
 * reason on stderr, if that fails; destroy it either way. */
bool dmdv_recordset_of(dmd_recordset_t *set, unsigned char digest[DMDV_DIGEST_SZB],
                       dmdv_database_t *db, const dmd_profile_t *profile);

/* Puts records into the order of a set, and adds up those of one stack and section. */
void dmdv_recordset_settle(dmd_recordset_t *set);

/* A set that another one is to be kept as the difference from. */
typedef struct dmdv_recordset_like {
  int64_t id;                 /* 0: none */
  const dmd_recordset_t *set; /* NULL: read it */
} dmdv_recordset_like_t;

/* Adds the set to the history, if no equal one is there, as the difference from `like`, and gives
 * its id. profile: what it was made of; NULL: the stacks' frames stay as they are. */
bool dmdv_recordset_store(const dmd_recordset_t *set, const unsigned char digest[DMDV_DIGEST_SZB],
                          dmdv_database_t *db, const dmd_profile_t *profile,
                          dmdv_recordset_like_t like, int64_t *id);

/* The set that was added last of this moment, environment and process; 0: there is none. */
bool dmdv_recordset_last(dmdv_database_t *db, const char *moment, int64_t environment,
                         const char *process, int64_t *id);

/* Adds a record to a set's digest, which is all 0 at first, or takes it out. Records are known by
 * their stack's digest, and come in any order: a set has the same digest in every history. */
void dmdv_recordset_digest(unsigned char digest[DMDV_DIGEST_SZB],
                           const unsigned char stack[DMDV_DIGEST_SZB],
                           const dmd_stack_record_t *record, bool is_minus);

/* What digests were made of up to version 2 of the tables: ids of this history's stacks. */
void dmdv_recordset_digest_by_ids(unsigned char digest[DMDV_DIGEST_SZB],
                                  const dmd_recordset_t *set);

/* Links that a set is made of, at most. */
enum { DMDV_RECORDSET_CHAIN = 50 };

bool dmdv_recordset_load(dmd_recordset_t *set, dmdv_database_t *db, int64_t id);

/* Of a set in the history, the id of the one that it is the difference from; 0: it is whole. False,
 * with nothing said, if it cannot be read. */
bool dmdv_recordset_base(dmdv_database_t *db, int64_t id, int64_t *base);

/* Says that records cannot be read, unless the database has said something. Returns false. */
bool dmdv_recordset_say_damaged(const dmdv_database_t *db);

/* The same as it is in the file: what it has more than the set *base, 0: than nothing. False, with
 * nothing said, where it cannot be read. Destroy the set either way. */
bool dmdv_recordset_load_link(dmd_recordset_t *set, dmdv_database_t *db, int64_t id, int64_t *base);

/* Appends the ids (int64_t) of what a build's first launch held: of all its processes, or of those
 * with this name, "": all. */
bool dmdv_recordsets_of_build(dmd_pool_t *ids, dmdv_database_t *db, int64_t build,
                              const char *moment, int64_t environment, const char *process);

/* The sum of these sets; destroy it even if this fails. */
bool dmdv_recordset_load_sum(dmd_recordset_t *sum, dmdv_database_t *db, const dmd_pool_t *ids);

/* Keeps a set as the difference from the nearest one below it that a run has, or whole where there
 * is none, so that those in between are not needed. */
bool dmdv_recordset_rebase(dmdv_database_t *db, int64_t id);

/* Calls visit for each stack of each set in the history, more than once for many. */
bool dmdv_recordsets_visit_stacks(dmdv_database_t *db, void (*visit)(void *ctx, int64_t stack),
                                  void *ctx);

#endif
