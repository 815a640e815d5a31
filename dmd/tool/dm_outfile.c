/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "tool/dm_gzip.h"
#include "tool/dm_outfile.h"

static struct {
  HChar *name;      /* final */
  HChar *temporary; /* NULL: written to directly */
  dm_gzip_t *gzip;  /* NULL: not compressed */
  Int fd;           /* -1: could not be opened */
  UInt error;       /* of the first failure, an errno; 0: none so far */
} g_file;

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

/* What an errno means, in words where it is one that a user can do something about. */
static void describe_error(UInt error, dmd_strbuf_t *why) {
  const HChar *text = "unexpected error";
  for (UInt i = 0; i < sizeof error_texts / sizeof error_texts[0]; i++)
    if (error_texts[i].error == error)
      text = error_texts[i].text;
  dmd_strbuf_str(why, text);
  dmd_strbuf_str(why, " (error ");
  dmd_strbuf_u64(why, error);
  dmd_strbuf_str(why, ")");
}

static Bool exists_not_regular(const HChar *name) {
  struct vg_stat st;
  return !sr_isError(VG_(stat)(name, &st)) && !VKI_S_ISREG(st.mode);
}

bool dm_outfile_is_device(void *ctx, const char *name) {
  (void)ctx;
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

/*--- Writing ---*/

static bool write_plain(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  while (n > 0 && g_file.error == 0) {
    Int part = VG_(write)(g_file.fd, bytes, n > (1 << 20) ? (1 << 20) : (Int)n);
    if (part == -VKI_EINTR)
      continue;
    if (part <= 0) {
      g_file.error = part < 0 ? (UInt)-part : VKI_EIO;
    } else {
      bytes += part;
      n -= part;
    }
  }
  return g_file.error == 0;
}

static void open_fd(void) {
  /* What a link leads to may be missing, or longer than what is written now. */
  Int flags = VKI_O_WRONLY | VKI_O_CREAT | (g_file.temporary != NULL ? VKI_O_EXCL : VKI_O_TRUNC);
  SysRes res = VG_(open)(g_file.temporary != NULL ? g_file.temporary : g_file.name, flags, 0666);
  g_file.fd = sr_isError(res) ? -1 : (Int)sr_Res(res);
  g_file.error = sr_isError(res) ? sr_Err(res) : 0;
}

void dm_outfile_open(void *ctx, const char *name, bool compressed) {
  (void)ctx;
  g_file.name = VG_(strdup)("dm.outfile.name", name);
  g_file.temporary = NULL;
  if (!is_special(name)) {
    g_file.temporary = VG_(malloc)("dm.outfile.temporary", VG_(strlen)(name) + 32);
    VG_(sprintf)(g_file.temporary, "%s.tmp.%d", name, VG_(getpid)());
    /* A leftover of a process that had this number before. */
    VG_(unlink)(g_file.temporary);
  }
  open_fd();
  g_file.gzip = NULL;
#if DM_GZIP_AVAILABLE
  if (compressed)
    g_file.gzip = dm_gzip_open(write_plain, NULL);
#endif
}

bool dm_outfile_write(void *ctx, const char *bytes, size_t n) {
#if DM_GZIP_AVAILABLE
  if (g_file.gzip != NULL)
    return dm_gzip_write(g_file.gzip, bytes, n);
#endif
  return write_plain(ctx, bytes, n);
}

bool dm_outfile_close(void *ctx, dmd_strbuf_t *why) {
  (void)ctx;
#if DM_GZIP_AVAILABLE
  if (g_file.gzip != NULL)
    dm_gzip_close(g_file.gzip);
#endif
  if (g_file.fd >= 0) {
    VG_(close)(g_file.fd);
    if (g_file.temporary != NULL) {
      if (g_file.error == 0 && VG_(rename)(g_file.temporary, g_file.name) < 0)
        g_file.error = VKI_EACCES;
      if (g_file.error != 0)
        VG_(unlink)(g_file.temporary);
    }
  }
  if (g_file.error != 0)
    describe_error(g_file.error, why);
  VG_(free)(g_file.temporary);
  VG_(free)(g_file.name);
  return g_file.error == 0;
}

void dm_outfile_append(void *ctx, const char *name, const char *bytes, size_t n) {
  (void)ctx;
  SysRes res = VG_(open)(name, VKI_O_WRONLY | VKI_O_APPEND, 0);
  if (sr_isError(res))
    return;
  VG_(write)(sr_Res(res), bytes, (Int)n);
  VG_(close)(sr_Res(res));
}
