/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rewrite.h: writes a profile of the native engine again, with names for its frames.
 *
 * The file's name comes from the watched program. So it may lead anywhere, and the file may be
 * replaced at any time. Only a regular file of dmdv's own user is written again: it is opened
 * without following other users' links (base/files.h), checked and read through this descriptor,
 * and the new file takes its name in the same folder, with the same permissions.
 */
#ifndef DMD_DMDV_RUN_REWRITE_H
#define DMD_DMDV_RUN_REWRITE_H

#include "files/profile/profilereader.h"
#include "host/output.h"

typedef struct dmdv_rewrite {
  const char *name;
  int fd;
  uint32_t mode;
  bool is_own;
} dmdv_rewrite_t;

typedef enum {
  DMDV_REWRITE_OPEN,    /* it can be loaded */
  DMDV_REWRITE_NOTHING, /* not a regular file; it is left alone */
  DMDV_REWRITE_FAILED   /* it cannot be opened; stderr has the reason */
} dmdv_rewrite_state_t;

/* Opens a file by its name. The name must outlive the rewrite. */
dmdv_rewrite_state_t dmdv_rewrite_open(dmdv_rewrite_t *rewrite, const char *name);

/* Loads the open file into an uninitialised profile, and closes the file. False, with the reason on
 * stderr and nothing to destroy, if that fails. */
bool dmdv_rewrite_load(dmdv_rewrite_t *rewrite, dmd_profile_t *profile,
                       const dmd_load_options_t *options);

/* Writes the profile in place of the file, without frames that no stack uses. False, with the
 * reason on stderr, if it cannot be written or belongs to another user. */
bool dmdv_rewrite_save(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile);

/* Writes the profile to an open file, without frames that no stack uses, and closes it. file may be
 * NULL: it could not be opened. False, with the reason on stderr, if it cannot be written. */
bool dmdv_write_used(const dmd_profile_t *profile, dmdv_output_t *file);

#endif
