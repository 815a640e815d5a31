/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "dmdv/run/leftovers.h"

#include "base/str.h"
#include "base/strbuf.h"
#include "host/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Names. ---- */

static const char *const endings[] = {".json.gz", ".json", ".gz", ".graph.gz"};
enum { N_ENDINGS = sizeof endings / sizeof *endings };

/* The length of the name up to the ending; a dump's number stands in front of the ending. */
static size_t length_of_stem(const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < N_ENDINGS; i++)
    if (dmd_str_ends(name, n, endings[i]))
      return n - strlen(endings[i]);
  return n;
}

/* The process in NAME.tmp.PID, and the offset of ".tmp.". 0: the name has another form. */
static pid_t writer_of(const char *name, size_t *n) {
  const char *mark = strstr(name, ".tmp.");
  uint64_t pid;
  for (const char *next = mark; next != NULL; next = strstr(next + 1, ".tmp."))
    mark = next;
  if (mark == NULL || !dmd_str_to_u64(mark + 5, 10, &pid) || pid == 0 || pid > INT32_MAX)
    return 0;
  *n = (size_t)(mark - name);
  return (pid_t)pid;
}

/* Whether the first n bytes of a name are the name of a dump with a stem that matches. */
static bool is_dump(const char *name, size_t n, const char *stem) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_bytes(&text, name, n);
  size_t n_stem = length_of_stem(text.text);
  bool has_ending = n_stem < n;
  dmd_strbuf_cut(&text, n_stem);
  bool matches = has_ending && dmd_glob_matches(stem, text.text);
  while (n_stem > 0 && isdigit((unsigned char)text.text[n_stem - 1]))
    n_stem--;
  if (n_stem > 0 && n_stem < text.n && text.text[n_stem - 1] == '.') {
    dmd_strbuf_cut(&text, n_stem - 1);
    matches = matches || (has_ending && dmd_glob_matches(stem, text.text));
  }
  dmd_strbuf_destroy(&text);
  return matches;
}

/* ---- Files. ---- */

/* A writer creates its file first, and locks it after that. */
static bool may_be_new(const struct stat *st) {
  enum { SECONDS = 60 };
  return st->st_size == 0 && time(NULL) - st->st_mtime < SECONDS;
}

static bool is_left(int fd, pid_t writer) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
         kill(writer, 0) != 0 && errno == ESRCH && !may_be_new(&st) &&
         flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Another file may have the name by now. */
static void unlink_if_same(int folder, const char *name, int fd) {
  struct stat open, named;
  if (fstat(fd, &open) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      open.st_dev == named.st_dev && open.st_ino == named.st_ino)
    unlinkat(folder, name, 0);
}

static void remove_all(const char *folder, const char *stem) {
  DIR *listing = opendir(folder);
  const struct dirent *entry;
  while (listing != NULL && (entry = readdir(listing)) != NULL) {
    size_t n;
    pid_t writer = writer_of(entry->d_name, &n);
    if (writer == 0 || !is_dump(entry->d_name, n, stem))
      continue;
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = openat(dirfd(listing), entry->d_name, flags);
    if (fd >= 0 && is_left(fd, writer))
      unlink_if_same(dirfd(listing), entry->d_name, fd);
    if (fd >= 0)
      close(fd);
  }
  if (listing != NULL)
    closedir(listing);
}

/* ---- Patterns. ---- */

/* A stem of nothing but stars would match every file. */
static void remove_in(const char *pattern, size_t n_folder, const dmd_strbuf_t *stem) {
  dmd_strbuf_t folder;
  dmd_strbuf_init(&folder, &dmdv_env);
  dmd_strbuf_bytes(&folder, pattern, n_folder);
  if (strspn(stem->text, "*") < stem->n && strchr(folder.text, '%') == NULL)
    remove_all(n_folder == 0 ? "." : folder.text, stem->text);
  dmd_strbuf_destroy(&folder);
}

static size_t length_of_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/* The length of the conversion that begins at this percent sign. */
static size_t length_of_conversion(const char *at) {
  size_t name = strncmp(at, "%q{", 3) == 0 ? strcspn(at, "}") : 0;
  return at[name] == '}' ? name + 1 : at[1] == '\0' ? 1 : 2;
}

void dmdv_remove_leftovers(const char *pattern) {
  size_t n_folder = length_of_folder(pattern);
  const char *name = pattern + n_folder;
  dmd_strbuf_t stem;
  dmd_strbuf_init(&stem, &dmdv_env);
  for (size_t at = 0, n = length_of_stem(name); at < n;) {
    bool is_conversion = name[at] == '%';
    dmd_strbuf_bytes(&stem, is_conversion ? "*" : name + at, 1);
    at += is_conversion ? length_of_conversion(name + at) : 1;
  }
  remove_in(pattern, n_folder, &stem);
  dmd_strbuf_destroy(&stem);
}

void dmdv_remove_leftovers_like(const char *path) {
  size_t n_folder = length_of_folder(path);
  const char *name = path + n_folder;
  size_t n = length_of_stem(name), number = n;
  while (number > 0 && isdigit((unsigned char)name[number - 1]))
    number--;
  if (number > 1 && name[number - 1] == '.')
    n = number - 1;
  dmd_strbuf_t stem;
  dmd_strbuf_init(&stem, &dmdv_env);
  for (size_t at = 0; at < n; at++)
    if (!isdigit((unsigned char)name[at]))
      dmd_strbuf_bytes(&stem, name + at, 1);
    else if (stem.n == 0 || stem.text[stem.n - 1] != '*')
      dmd_strbuf_str(&stem, "*");
  remove_in(path, n_folder, &stem);
  dmd_strbuf_destroy(&stem);
}
