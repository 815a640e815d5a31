/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/rewrite.h"

#include "analyse/transform/merge.h"
#include "base/files.h"
#include "base/posix/posix.h"
#include "dmdv/commandline/show.h"
#include "dmdv/input/profilefile.h"
#include "host/output.h"
#include "host/process.h"

/* ---- Opening. ---- */

/* Opens the name if it is a regular file, and checks that it is the file that the walk saw. */
static int open_regular(const dmd_pathwalk_t *walk, dmdv_rewrite_t *rewrite, bool *is_regular) {
  *is_regular = walk->is_there && walk->status.kind == DMD_FILE_REGULAR;
  if (!walk->is_there)
    return DMD_FILES_NOT_THERE;
  return *is_regular ? dmd_pathwalk_open(walk, DMD_OPEN_READ, &rewrite->fd) : 0;
}

dmdv_rewrite_state_t dmdv_rewrite_open(dmdv_rewrite_t *rewrite, const char *name) {
  dmd_pathwalk_t walk;
  bool is_regular = false;
  *rewrite = (dmdv_rewrite_t){.name = name, .fd = -1};
  int error = dmd_pathwalk_begin(&walk, &dmdv_env, &dmd_posix_files, name);
  if (error == 0)
    error = open_regular(&walk, rewrite, &is_regular);
  rewrite->mode = walk.status.mode & 0777;
  rewrite->is_own = walk.status.owner == dmd_posix_user(NULL);
  dmd_pathwalk_end(&walk);
  if (error != 0) {
    dmdv_error("%s: %s", name, dmdv_file_error(error));
    return DMDV_REWRITE_FAILED;
  }
  return is_regular ? DMDV_REWRITE_OPEN : DMDV_REWRITE_NOTHING;
}

/* ---- Reading and writing. ---- */

bool dmdv_rewrite_load(dmdv_rewrite_t *rewrite, dmd_profile_t *profile,
                       const dmd_load_options_t *options) {
  dmd_fail_t fail = {0};
  dmd_profile_init(profile, &dmdv_env);
  if (dmdv_load_fd(profile, rewrite->fd, options, &fail))
    return true;
  dmd_profile_destroy(profile);
  return dmdv_error_in(rewrite->name, &fail);
}

/* Merging a single file copies only what is used. The run's data stay as they are. */
bool dmdv_write_used(const dmd_profile_t *profile, dmdv_output_t *file) {
  if (profile->mode == DMD_MODE_SCAN)
    return dmdv_write_profile_to(profile, file);
  dmd_merge_t merge;
  dmd_merge_init(&merge, &dmdv_env);
  merge.is_alone = true;
  bool good = dmd_merge_add(&merge, profile, NULL);
  merge.profile.run = profile->run;
  for (uint32_t i = 0; i < dmd_profile_n_arguments(profile); i++)
    dmd_profile_add_argument(&merge.profile, dmd_profile_argument(profile, i));
  good = dmdv_write_profile_to(good ? &merge.profile : profile, file);
  dmd_merge_destroy(&merge);
  return good;
}

bool dmdv_rewrite_save(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile) {
  if (!rewrite->is_own)
    return dmdv_error("%s: it is another user's file, and stays as it is", rewrite->name);
  return dmdv_write_used(
      profile,
      dmdv_output_open_again(rewrite->name, dmdv_output_is_gzip(rewrite->name), rewrite->mode));
}
