/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stacks.h: the stacks of a profile in a history.
 *
 * A stack of a history is one without lines and offsets, which move when code is edited elsewhere.
 * It is known by the digest of its frames; two stacks of a profile that differ only in lines are
 * one. All of a profile are looked up with one question.
 */
#ifndef DMD_READER_HISTORY_STACKS_H
#define DMD_READER_HISTORY_STACKS_H

#include "base/intern.h"
#include "base/strbuf.h"
#include "profile/profile.h"
#include "reader/history/database.h"

enum { DMDV_DIGEST_SZB = 16 };

/* Of bytes, the same wherever numbers are little-endian. Nobody who means harm is kept from finding
 * bytes with the digest of others. */
void dmdv_digest(unsigned char digest[DMDV_DIGEST_SZB], const void *bytes, size_t n);

typedef struct dmdv_stacks {
  const dmd_profile_t *profile;
  dmd_intern_t digests;
  dmd_pool_t entries;  /* by digest: where it is in the profile and in the history */
  uint32_t *digest_of; /* of each stack of the profile that has blocks */
} dmdv_stacks_t;

/* Of a stack's frames, one a line, as they read with lines. */
void dmdv_digest_of_frames(unsigned char digest[DMDV_DIGEST_SZB], const char *frames);

/* Those of all blocks; what is not in the history yet is added. False, with the reason on stderr,
 * if that fails; destroy it either way. */
bool dmdv_stacks_add(dmdv_stacks_t *stacks, dmdv_database_t *db, const dmd_profile_t *profile);
void dmdv_stacks_destroy(dmdv_stacks_t *stacks);

/* The id in the history of a stack of the profile, and its digest. */
int64_t dmdv_stacks_id(const dmdv_stacks_t *stacks, uint32_t stack);
const unsigned char *dmdv_stacks_digest(const dmdv_stacks_t *stacks, uint32_t stack);

/* Appends a stack's frames, one a line: as they are, or without what moves. */
void dmdv_stack_frames(dmd_strbuf_t *to, const dmd_profile_t *profile, uint32_t stack, bool plain);

#endif
