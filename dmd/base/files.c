/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files.h"

const char *dmd_files_error(int error) {
  if (error == DMD_FILES_FOREIGN_LINK)
    return "it is a symbolic link of another user";
  if (error == DMD_FILES_FOREIGN_FOLDER)
    return "a folder of its path is a symbolic link of another user";
  return NULL;
}
