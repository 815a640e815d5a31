/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

#include "record/engine/listing.h"
#include "valgrind/dm_files.h"
#include "valgrind/dm_syscall.h"

/* Constants that Valgrind's headers lack. */
enum {
  O_CLOSES = 02000000, /* O_CLOEXEC */
#if defined(VGA_arm64)
  O_ONLY_FOLDER = 040000, /* O_DIRECTORY */
  O_NO_LINK = 0100000,    /* O_NOFOLLOW */
#else
  O_ONLY_FOLDER = 0200000,
  O_NO_LINK = 0400000,
#endif
  O_NO_TERMINAL = 0400,                  /* O_NOCTTY */
  O_LOOK = 010000000,                    /* O_PATH */
  O_UNNAMED = 020000000 | O_ONLY_FOLDER, /* O_TMPFILE */
  FOLLOWS_LINK = 0x400,                  /* AT_SYMLINK_FOLLOW */
  LOCKS = 2,                             /* LOCK_EX */
  DOES_NOT_WAIT = 4,                     /* LOCK_NB */
  TOO_LONG = 36,                         /* ENAMETOOLONG */
  NOT_SUPPORTED = 95,                    /* EOPNOTSUPP */
  PROC_MAGIC = 0x9fa0
};

static UInt g_mask; /* the umask that the program was started with */

static UInt umask_now(void) {
  UInt mask = dm_syscall(__NR_umask, 077, 0, 0, 0, 0);
  dm_syscall(__NR_umask, mask, 0, 0, 0, 0);
  return mask;
}

void dm_files_start(void) {
  g_mask = umask_now();
}

/*--- Errors ---*/

const char *dm_file_error(void *ctx, int error) {
  (void)ctx;
  return dmd_error_text(error);
}

/*--- Queries ---*/

bool dm_file_is_stream(void *ctx, const char *name) {
  struct vg_stat st;
  (void)ctx;
  return !sr_isError(VG_(stat)(name, &st)) && !VKI_S_ISREG(st.mode);
}

static bool is_of_proc(int fd) {
  UWord status[64]; /* more than a struct statfs, which begins with the file system's type */
  return dm_syscall(__NR_fstatfs, fd, (UWord)status, 0, 0, 0) == 0 && status[0] == PROC_MAGIC;
}

static int status_of(void *ctx, int fd, dmd_file_status_t *status) {
  struct vg_stat st;
  (void)ctx;
  if (VG_(fstat)(fd, &st) != 0)
    return VKI_EIO;
  bool is_link = VKI_S_ISLNK(st.mode);
  *status = (dmd_file_status_t){.kind = VKI_S_ISREG(st.mode)   ? DMD_FILE_REGULAR
                                        : VKI_S_ISDIR(st.mode) ? DMD_FILE_FOLDER
                                        : is_link              ? DMD_FILE_LINK
                                                               : DMD_FILE_OTHER,
                                .is_systems = is_link && is_of_proc(fd),
                                .owner = st.uid,
                                .device = st.dev,
                                .number = st.ino,
                                .mode = st.mode & 07777};
  return 0;
}

static int read_link(void *ctx, int fd, char *target, size_t room, size_t *n) {
  Word got = dm_syscall(__NR_readlinkat, fd, (UWord) "", (UWord)target, room, 0);
  (void)ctx;
  *n = got > 0 ? got : 0;
  return got < 0 ? -got : (size_t)got == room ? TOO_LONG : 0;
}

/*--- Opening ---*/

/* A name for the file behind a descriptor. */
typedef struct {
  HChar text[32];
} fd_name_t;

static fd_name_t name_of(int fd) {
  fd_name_t name;
  VG_(sprintf)(name.text, "/proc/self/fd/%d", fd);
  return name;
}

static int open_with(int folder, const char *name, UWord flags, int *fd) {
  Word got = dm_syscall(__NR_openat, folder, (UWord)name, flags | O_CLOSES, 0600, 0);
  *fd = got < 0 ? -1 : (int)got;
  return got < 0 ? -got : 0;
}

/* Fails without /proc, which is needed to give the file its name in the end. */
static int open_unnamed(int folder, const char *name, int *fd) {
  int error = open_with(folder, name, O_UNNAMED | VKI_O_WRONLY, fd);
  if (error != 0)
    return error;
  struct vg_stat st, named;
  fd_name_t own = name_of(*fd);
  if (VG_(fstat)(*fd, &st) == 0 && !sr_isError(VG_(stat)(own.text, &named)) &&
      st.dev == named.dev && st.ino == named.ino)
    return 0;
  VG_(close)(*fd);
  return NOT_SUPPORTED;
}

static int open_file(void *ctx, int folder, const char *name, dmd_open_t how, int *fd) {
  static const UWord flags[] = {
      [DMD_OPEN_FOLDER] = O_LOOK | O_ONLY_FOLDER | O_NO_LINK,
      [DMD_OPEN_FOLDER_THROUGH] = O_LOOK | O_ONLY_FOLDER,
      [DMD_OPEN_PLACE] = O_LOOK | O_NO_LINK,
      [DMD_OPEN_READ] = VKI_O_RDONLY | O_NO_LINK | VKI_O_NONBLOCK | O_NO_TERMINAL,
      [DMD_OPEN_NEW] = VKI_O_WRONLY | VKI_O_CREAT | VKI_O_EXCL | O_NO_LINK,
      [DMD_OPEN_WRITE] = VKI_O_WRONLY | O_NO_LINK | O_NO_TERMINAL,
      [DMD_OPEN_WRITE_THROUGH] = VKI_O_WRONLY | O_NO_TERMINAL,
  };
  (void)ctx;
  return how == DMD_OPEN_UNNAMED ? open_unnamed(folder, name, fd)
                                 : open_with(folder, name, flags[how], fd);
}

/*--- Writing ---*/

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

static int truncate_file(void *ctx, int fd) {
  (void)ctx;
  return -dm_syscall(__NR_ftruncate, fd, 0, 0, 0, 0);
}

static int set_mode(void *ctx, int fd, uint32_t mode) {
  (void)ctx;
  return -dm_syscall(__NR_fchmod, fd, mode, 0, 0, 0);
}

static void lock_file(void *ctx, int fd) {
  (void)ctx;
  dm_syscall(__NR_flock, fd, LOCKS | DOES_NOT_WAIT, 0, 0, 0);
}

static int close_file(void *ctx, int fd) {
  (void)ctx;
  VG_(close)(fd);
  return 0;
}

/*--- Names ---*/

static int link_file(void *ctx, int fd, int folder, const char *name) {
  fd_name_t own = name_of(fd);
  (void)ctx;
  return -dm_syscall(__NR_linkat, DMD_FILES_HERE, (UWord)own.text, folder, (UWord)name,
                     FOLLOWS_LINK);
}

static int rename_file(void *ctx, int folder, const char *from, const char *to) {
  (void)ctx;
  return -dm_syscall(__NR_renameat, folder, (UWord)from, folder, (UWord)to, 0);
}

static void unlink_file(void *ctx, int folder, const char *name) {
  (void)ctx;
  dm_syscall(__NR_unlinkat, folder, (UWord)name, 0, 0, 0);
}

/*--- The process ---*/

uint64_t dm_pid(void *ctx) {
  (void)ctx;
  return VG_(getpid)();
}

static uint64_t user(void *ctx) {
  (void)ctx;
  return (UInt)VG_(geteuid)();
}

/* Honours both umasks: a program that makes its files private gets a private profile, and one that
 * relaxes its umask does not open the profile to others. */
static uint32_t mode(void *ctx) {
  (void)ctx;
  return 0666 & ~(g_mask | umask_now());
}

const dmd_files_t dm_files = {.open = open_file,
                              .close = close_file,
                              .status = status_of,
                              .read_link = read_link,
                              .write = write_file,
                              .truncate = truncate_file,
                              .set_mode = set_mode,
                              .lock = lock_file,
                              .link = link_file,
                              .rename = rename_file,
                              .unlink = unlink_file,
                              .pid = dm_pid,
                              .user = user,
                              .mode = mode};

void dm_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  (void)ctx;
  SysRes res = VG_(open)(name, VKI_O_WRONLY | VKI_O_APPEND | O_NO_LINK, 0);
  if (sr_isError(res))
    return;
  VG_(write)(sr_Res(res), bytes, (Int)n);
  VG_(close)(sr_Res(res));
}
