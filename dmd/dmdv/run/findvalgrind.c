/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/findvalgrind.h"

#include "host/child.h"
#include "host/process.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

char *dmdv_find_valgrind(void) {
  enum { MAX_PATH = 4096 };
  static const char *const in_place = "vg-in-place", *const tools = ".in_place";
  char *path = dmd_env_alloc(&dmdv_env, "dmdv.run", MAX_PATH + 32);
  ssize_t n = readlink("/proc/self/exe", path, MAX_PATH);
  path[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash != NULL) {
    strcpy(slash + 1, tools);
    bool built = access(path, F_OK) == 0;
    strcpy(slash + 1, in_place);
    if (built && access(path, X_OK) == 0)
      return path;
  }
  strcpy(path, "valgrind");
  return path;
}

int dmdv_check_tool(const char *valgrind) {
  const char *argv[] = {valgrind, "--tool=dmd", "--version", NULL};
  int error, status = dmdv_child_run(argv, NULL, true, NULL, &error);
  if (error == ENOENT)
    dmdv_error("run: valgrind is not in PATH: install Valgrind");
  else if (error != 0)
    dmdv_error("run: cannot start %s: %s", valgrind, strerror(error));
  else if (status != 0)
    dmdv_error("run: %s has no tool dmd: install dmd for this Valgrind, or use the dmdv of the "
               "folder that dmd was built in",
               valgrind);
  return status == 0 ? 0 : DMDV_CHILD_NOT_FOUND;
}
