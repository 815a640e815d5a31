/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordset.h: what each stack held in a run, kept small.
 *
 * A stack of a history is one without lines and offsets, which move when code is edited elsewhere;
 * how it read when it was last seen is kept with it. A set has bytes and blocks by stack and
 * section. In the file it is the difference from another one, mostly that of the build before, so
 * that a build in which nothing changed takes no room; now and then it is whole, so that no chain
 * of differences is long.
 */
#ifndef DMD_READER_HISTORY_RECORDSET_H
#define DMD_READER_HISTORY_RECORDSET_H

#include "profile/profile.h"
#include "reader/history/database.h"

typedef struct dmdv_stack_record {
  int64_t stack; /* of the history */
  uint32_t section;
  int64_t bytes, blocks;
} dmdv_stack_record_t;

/* In the order of stacks, then of sections. */
typedef struct dmdv_recordset {
  dmdv_stack_record_t *records;
  size_t n;
} dmdv_recordset_t;

enum { DMDV_DIGEST_SZB = 16 };

/* Of bytes, the same wherever numbers are little-endian. Nobody who means harm is kept from finding
 * bytes with the digest of others. */
void dmdv_digest(unsigned char digest[DMDV_DIGEST_SZB], const void *bytes, size_t n);

/* Makes one of a profile, and adds its stacks to the history. False, with the reason on stderr, if
 * that fails; destroy it either way. */
bool dmdv_recordset_of(dmdv_recordset_t *set, dmdv_database_t *db, const dmd_profile_t *profile);
void dmdv_recordset_destroy(dmdv_recordset_t *set);

/* Adds it to the history, if no equal one is there, as the difference from the one with the id
 * `like` (0: none), and gives its id and its digest. */
bool dmdv_recordset_store(const dmdv_recordset_t *set, dmdv_database_t *db, int64_t like,
                          int64_t *id, unsigned char digest[DMDV_DIGEST_SZB]);

bool dmdv_recordset_load(dmdv_recordset_t *set, dmdv_database_t *db, int64_t id);

/* What one has more than another: records that differ, with signed figures. */
void dmdv_recordset_subtract(dmdv_recordset_t *difference, const dmdv_recordset_t *set,
                             const dmdv_recordset_t *from);

#endif
