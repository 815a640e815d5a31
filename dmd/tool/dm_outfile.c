/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "tool/dm_outfile.h"

static const struct {
  UInt error;
  const HChar *text;
} error_texts[] = {
    {VKI_ENOENT, "no such folder"},
    {VKI_EACCES, "permission denied"},
    {VKI_EPERM, "operation not permitted"},
    {VKI_EISDIR, "that is a folder"},
    {VKI_ENOTDIR, "part of the path is not a folder"},
    {VKI_ENOSPC, "no space left on the device"},
    {VKI_EROFS, "the file system is read-only"},
    {VKI_EFBIG, "the file size limit is reached"},
    {VKI_EMFILE, "too many open files"},
    {VKI_EIO, "input/output error"},
    {VKI_EPIPE, "nobody reads the pipe"},
};

const HChar *dm_error_text(UInt error) {
  for (UInt i = 0; i < sizeof error_texts / sizeof error_texts[0]; i++)
    if (error_texts[i].error == error)
      return error_texts[i].text;
  return "unexpected error";
}

static Bool exists_not_regular(const HChar *name) {
  struct vg_stat st;
  return !sr_isError(VG_(stat)(name, &st)) && !VKI_S_ISREG(st.mode);
}

Bool dm_outfile_is_device(const HChar *name) {
  /* /dev/stdout leads to a regular file where the output is redirected to one. */
  return VG_(strncmp)(name, "/dev/", 5) == 0 || VG_(strncmp)(name, "/proc/", 6) == 0 ||
         exists_not_regular(name);
}

/* What is written to directly. A link is, wherever it leads: to rename a file over /dev/stdout
 * would take that away from everybody. */
static Bool is_special(const HChar *name) {
  HChar target[1];
  return VG_(readlink)(name, target, sizeof target) >= 0 || exists_not_regular(name);
}

Bool dm_outfile_open(dm_outfile_t *file, const HChar *name) {
  VG_(memset)(file, 0, sizeof *file);
  file->name = VG_(strdup)("dm.outfile.name", name);
  if (!is_special(name)) {
    file->temporary = VG_(malloc)("dm.outfile.temporary", VG_(strlen)(name) + 32);
    VG_(sprintf)(file->temporary, "%s.tmp.%d", name, VG_(getpid)());
    /* A leftover of a process that had this number before. */
    VG_(unlink)(file->temporary);
  }
  /* What a link leads to may be missing, or longer than what is written now. */
  Int flags = VKI_O_WRONLY | VKI_O_CREAT | (file->temporary != NULL ? VKI_O_EXCL : VKI_O_TRUNC);
  SysRes res = VG_(open)(file->temporary != NULL ? file->temporary : name, flags, 0666);
  if (sr_isError(res)) {
    file->error = sr_Err(res);
    return False;
  }
  file->fd = sr_Res(res);
  return True;
}

bool dm_outfile_write(void *ctx, const char *bytes, size_t n) {
  dm_outfile_t *file = ctx;
  while (n > 0 && file->error == 0) {
    Int part = VG_(write)(file->fd, bytes, n > (1 << 20) ? (1 << 20) : (Int)n);
    if (part == -VKI_EINTR)
      continue;
    if (part <= 0) {
      file->error = part < 0 ? (UInt)-part : VKI_EIO;
    } else {
      bytes += part;
      n -= part;
      file->written_szB += part;
    }
  }
  return file->error == 0;
}

Bool dm_outfile_close(dm_outfile_t *file) {
  VG_(close)(file->fd);
  if (file->temporary == NULL)
    return file->error == 0;
  if (file->error == 0 && VG_(rename)(file->temporary, file->name) < 0)
    file->error = VKI_EACCES;
  if (file->error != 0)
    VG_(unlink)(file->temporary);
  return file->error == 0;
}

void dm_outfile_destroy(dm_outfile_t *file) {
  VG_(free)(file->temporary);
  VG_(free)(file->name);
}
