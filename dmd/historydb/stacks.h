/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stacks.h: the stacks of a profile in a history.
 *
 * A stack of a history has no lines and offsets, which move when code is edited elsewhere. It is
 * identified by the digest of its frames; two stacks of a profile that differ only in lines are
 * one. All stacks of a profile are looked up with one query.
 */
#ifndef DMD_HISTORYDB_STACKS_H
#define DMD_HISTORYDB_STACKS_H

#include "base/intern.h"
#include "base/strbuf.h"
#include "historydb/database.h"
#include "historydb/digest.h"
#include "model/profile/profile.h"

typedef struct dmdv_stacks {
  const dmd_profile_t *profile;
  dmd_intern_t digests;
  dmd_pool_t entries;  /* by digest: the stack's id in the profile and in the history */
  uint32_t *digest_of; /* of each stack of the profile that has blocks */
} dmdv_stacks_t;

/* Digest of a stack's frames, one a line, given with their lines of source. */
void dmdv_digest_of_frames(unsigned char digest[DMDV_DIGEST_SZB], const char *frames);

/* Finds the stacks of all blocks, and adds those that the history does not have. False, with the
 * reason on stderr, if that fails; destroy it either way. */
bool dmdv_stacks_add(dmdv_stacks_t *stacks, dmdv_database_t *db, const dmd_profile_t *profile);
void dmdv_stacks_destroy(dmdv_stacks_t *stacks);

/* A profile's stack: its id in the history, and its digest. */
int64_t dmdv_stacks_id(const dmdv_stacks_t *stacks, uint32_t stack);
const unsigned char *dmdv_stacks_digest(const dmdv_stacks_t *stacks, uint32_t stack);

/* Appends a stack's frames, one a line. plain: without lines and offsets. */
void dmdv_stack_frames(dmd_strbuf_t *to, const dmd_profile_t *profile, uint32_t stack, bool plain);

#endif
