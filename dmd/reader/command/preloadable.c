/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/preloadable.h"

#include "base/strbuf.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A script's interpreter may be a script. */
enum { MAX_INTERPRETERS = 4 };

/* ---- Where it is. ---- */

static bool is_program(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Appends the path of a program; false where there is none. */
static bool find(const char *program, dmd_strbuf_t *path) {
  if (strchr(program, '/') != NULL) {
    dmd_strbuf_str(path, program);
    return is_program(path->text);
  }
  const char *folders = getenv("PATH");
  for (const char *at = folders; at != NULL; at = strchr(at, ':')) {
    at += *at == ':';
    size_t n = strcspn(at, ":");
    dmd_strbuf_cut(path, 0);
    dmd_strbuf_bytes(path, at, n);
    dmd_strbuf_str(path, n > 0 ? "/" : "./");
    dmd_strbuf_str(path, program);
    if (is_program(path->text))
      return true;
  }
  return false;
}

/* ---- Its rights. ---- */

static bool check_rights(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0)
    return true;
  const char *why = NULL;
  if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
    why = "it runs as another user (setuid)";
  else if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
    why = "it runs in another group (setgid)";
  else if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
    why = "its file has capabilities";
  return why == NULL || dmdv_error("run: the loader puts no library into %s: %s", path, why);
}

/* ---- Its format. ---- */

/* dmdv's own header, since the engine is built with it; false where it cannot be had. */
static bool read_own(Elf64_Ehdr *own) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && read(fd, own, sizeof *own) == sizeof *own;
  if (fd >= 0)
    close(fd);
  return good;
}

static bool is_linked_dynamically(int fd, const Elf64_Ehdr *header) {
  Elf64_Phdr part;
  for (unsigned i = 0; i < header->e_phnum; i++) {
    off_t at = (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize);
    if (pread(fd, &part, sizeof part, at) != sizeof part)
      return true; /* damaged, which the system says */
    if (part.p_type == PT_INTERP)
      return true;
  }
  return false;
}

static bool check_elf(const char *path, int fd, const Elf64_Ehdr *header) {
  Elf64_Ehdr own;
  if (!read_own(&own))
    return true;
  if (header->e_ident[EI_CLASS] != own.e_ident[EI_CLASS])
    return dmdv_error("run: %s is a %s-bit program, and the native engine watches %s-bit ones",
                      path, header->e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
                      own.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64");
  if (header->e_machine != own.e_machine)
    return dmdv_error("run: %s is for another processor than dmdv", path);
  if (!is_linked_dynamically(fd, header))
    return dmdv_error("run: %s is linked statically, so that no library can be put into it: use "
                      "--engine=valgrind",
                      path);
  return true;
}

/* The interpreter of a script, behind "#!". */
static bool read_interpreter(const char *line, size_t n, dmd_strbuf_t *path) {
  size_t at = 2;
  while (at < n && (line[at] == ' ' || line[at] == '\t'))
    at++;
  size_t start = at;
  while (at < n && strchr(" \t\r\n", line[at]) == NULL)
    at++;
  dmd_strbuf_cut(path, 0);
  dmd_strbuf_bytes(path, line + start, at - start);
  return at > start;
}

/* Looks at the file; *again where it is a script, whose interpreter is now in path. */
static bool check_file(dmd_strbuf_t *path, bool *again) {
  union {
    char bytes[256];
    Elf64_Ehdr elf;
  } start;
  *again = false;
  int fd = open(path->text, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return true;
  ssize_t n = read(fd, start.bytes, sizeof start.bytes);
  bool good = true;
  if (n > 2 && memcmp(start.bytes, "#!", 2) == 0)
    *again = read_interpreter(start.bytes, (size_t)n, path);
  else if (n >= (ssize_t)sizeof start.elf && memcmp(start.bytes, ELFMAG, SELFMAG) == 0)
    good = check_rights(path->text) && check_elf(path->text, fd, &start.elf);
  close(fd);
  return good;
}

bool dmdv_check_preloadable(const char *program) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  bool good = true, again = find(program, &path);
  for (int i = 0; i < MAX_INTERPRETERS && good && again; i++)
    good = check_file(&path, &again);
  dmd_strbuf_destroy(&path);
  return good;
}
