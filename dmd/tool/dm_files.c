/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

#include "engine/errortext.h"
#include "tool/dm_files.h"

/*--- Errors ---*/

const char *dm_file_error(void *ctx, int error) {
  (void)ctx;
  return dmd_error_text(error);
}

/*--- What is there ---*/

bool dm_file_is_stream(void *ctx, const char *name) {
  struct vg_stat st;
  (void)ctx;
  return !sr_isError(VG_(stat)(name, &st)) && !VKI_S_ISREG(st.mode);
}

static bool is_special(void *ctx, const char *name) {
  HChar target[1];
  return VG_(readlink)(name, target, sizeof target) >= 0 || dm_file_is_stream(ctx, name);
}

/*--- Writing ---*/

static int open_file(void *ctx, const char *name, bool exclusive, int *fd) {
  (void)ctx;
  SysRes res =
      VG_(open)(name, VKI_O_WRONLY | VKI_O_CREAT | (exclusive ? VKI_O_EXCL : VKI_O_TRUNC), 0666);
  *fd = sr_isError(res) ? -1 : (Int)sr_Res(res);
  return sr_isError(res) ? (Int)sr_Err(res) : 0;
}

static int write_file(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  enum { AT_ONCE = 1 << 20 };
  Int part;
  (void)ctx;
  do
    part = VG_(write)(fd, bytes, n > AT_ONCE ? AT_ONCE : (Int)n);
  while (part == -VKI_EINTR);
  *written = part > 0 ? part : 0;
  return part > 0 ? 0 : part < 0 ? -part : VKI_EIO;
}

static int close_file(void *ctx, int fd) {
  (void)ctx;
  VG_(close)(fd);
  return 0;
}

/* Valgrind does not say why it cannot be. */
static int rename_file(void *ctx, const char *from, const char *to) {
  (void)ctx;
  return VG_(rename)(from, to) < 0 ? VKI_EACCES : 0;
}

static void unlink_file(void *ctx, const char *name) {
  (void)ctx;
  VG_(unlink)(name);
}

uint64_t dm_pid(void *ctx) {
  (void)ctx;
  return VG_(getpid)();
}

const dmd_files_t dm_files = {.is_special = is_special,
                              .open = open_file,
                              .write = write_file,
                              .close = close_file,
                              .rename = rename_file,
                              .unlink = unlink_file,
                              .pid = dm_pid};

void dm_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  (void)ctx;
  SysRes res = VG_(open)(name, VKI_O_WRONLY | VKI_O_APPEND, 0);
  if (sr_isError(res))
    return;
  VG_(write)(sr_Res(res), bytes, (Int)n);
  VG_(close)(sr_Res(res));
}
