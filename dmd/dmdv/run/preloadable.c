/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/preloadable.h"

#include "host/child.h"
#include "host/process.h"

#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The interpreter of a script may itself be a script. */
enum { MAX_INTERPRETERS = 4 };

static void append(dmd_strbuf_t *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(dmd_strbuf_t *to, const char *format, ...) {
  enum { MAX_REASON = 1024 };
  va_list args;
  va_start(args, format);
  char *text = dmd_strbuf_reserve(to, MAX_REASON);
  int n = vsnprintf(text, MAX_REASON, format, args);
  va_end(args);
  dmd_strbuf_cut(to, to->n + (size_t)(n < MAX_REASON ? n : MAX_REASON - 1));
}

/* ---- Its rights. ---- */

static dmdv_preloadable_t check_rights(const char *path, dmd_strbuf_t *to) {
  struct stat st;
  if (stat(path, &st) != 0)
    return DMDV_PRELOADABLE;
  const char *why = NULL;
  if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
    why = "it runs as another user (setuid)";
  else if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
    why = "it runs in another group (setgid)";
  else if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
    why = "its file has capabilities";
  if (why != NULL)
    append(to, "the loader preloads no library into %s: %s", path, why);
  return why != NULL ? DMDV_NOT_PRELOADABLE : DMDV_PRELOADABLE;
}

/* ---- Its format. ---- */

enum { LOADER_LENGTH = 64 };

/* The parts of an ELF header that decide which loader takes the file. */
typedef struct {
  Elf64_Ehdr header;
  bool is_dynamic;
  char loader[LOADER_LENGTH]; /* without its folder; "" if it cannot be read */
} format_t;

static void read_loader(int fd, const Elf64_Phdr *part, char name[LOADER_LENGTH]) {
  char path[4096];
  if (part->p_filesz == 0 || part->p_filesz > sizeof path ||
      pread(fd, path, part->p_filesz, (off_t)part->p_offset) != (ssize_t)part->p_filesz ||
      path[part->p_filesz - 1] != '\0')
    return;
  const char *last = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  if (strlen(last) < LOADER_LENGTH)
    strcpy(name, last);
}

/* The header was read before. */
static void read_format(int fd, format_t *format) {
  Elf64_Phdr part;
  for (unsigned i = 0; i < format->header.e_phnum && !format->is_dynamic; i++) {
    off_t at = (off_t)(format->header.e_phoff + (uint64_t)i * format->header.e_phentsize);
    /* A damaged file is left to the kernel, which reports it. */
    format->is_dynamic =
        pread(fd, &part, sizeof part, at) != sizeof part || part.p_type == PT_INTERP;
    if (format->is_dynamic && part.p_type == PT_INTERP)
      read_loader(fd, &part, format->loader);
  }
}

/* Reads the format of dmdv, which is built together with the engine. False if that fails. */
static bool read_own(format_t *own) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && read(fd, &own->header, sizeof own->header) == sizeof own->header;
  if (good)
    read_format(fd, own);
  if (fd >= 0)
    close(fd);
  return good;
}

/* ---- Its allocator. ---- */

/* Functions of allocators that programs link beside the C library's, under names of their own. */
static const char *const prefixed[] = {"_rjem_malloc", "_rjem_mallocx", "je_malloc", "mi_malloc",
                                       "mi_malloc_aligned"};

/* The first string of a table that is one of these names. */
static const char *find_prefixed(const char *strings, size_t n) {
  for (const char *at = strings; at < strings + n;
       at += strnlen(at, (size_t)(strings + n - at)) + 1)
    for (size_t i = 0; i < sizeof prefixed / sizeof *prefixed; i++)
      if (strncmp(at, prefixed[i], (size_t)(strings + n - at)) == 0)
        return prefixed[i];
  return NULL;
}

/* The names of the file's symbols, n bytes; NULL: there are none. Free them with dmd_env_free. */
static char *read_names(int fd, const Elf64_Ehdr *header, size_t *n) {
  enum { MAX_SZB = 1 << 28 };
  Elf64_Shdr section, names;
  for (unsigned i = 0; i < header->e_shnum; i++) {
    off_t table = (off_t)header->e_shoff;
    if (pread(fd, &section, sizeof section, table + (off_t)(i * sizeof section)) != sizeof section)
      return NULL;
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum)
      continue;
    if (pread(fd, &names, sizeof names, table + (off_t)(section.sh_link * sizeof names)) !=
            sizeof names ||
        names.sh_size == 0 || names.sh_size > MAX_SZB)
      return NULL;
    char *text = dmd_env_alloc(&dmdv_env, "dmdv.preloadable", names.sh_size);
    *n = pread(fd, text, names.sh_size, (off_t)names.sh_offset) == (ssize_t)names.sh_size
             ? names.sh_size
             : 0;
    return text;
  }
  return NULL;
}

/* The function of an allocator in the program that no preloaded library replaces; NULL: none. */
static const char *own_allocator(int fd, const Elf64_Ehdr *header) {
  size_t n = 0;
  char *names = read_names(fd, header, &n);
  const char *found = names == NULL ? NULL : find_prefixed(names, n);
  dmd_env_free(&dmdv_env, names);
  return found;
}

static dmdv_preloadable_t check_elf(const char *path, int fd, const Elf64_Ehdr *header,
                                    dmd_strbuf_t *why) {
  format_t own = {.is_dynamic = false}, format = {.header = *header};
  dmdv_preloadable_t rights = check_rights(path, why);
  if (rights != DMDV_PRELOADABLE || !read_own(&own))
    return rights;
  bool is_32_bit = header->e_ident[EI_CLASS] == ELFCLASS32;
  if (header->e_ident[EI_CLASS] != own.header.e_ident[EI_CLASS]) {
    append(why, "%s is a %s-bit program, but the native engine watches %s-bit programs", path,
           is_32_bit ? "32" : "64", is_32_bit ? "64" : "32");
    return DMDV_NOT_PRELOADABLE;
  }
  if (header->e_machine != own.header.e_machine) {
    append(why, "%s is built for another processor than dmdv", path);
    return DMDV_NOT_PRELOADABLE;
  }
  read_format(fd, &format);
  if (!format.is_dynamic) {
    append(why, "%s is linked statically, so no library can be preloaded into it", path);
    return DMDV_ONLY_VALGRIND;
  }
  if (format.loader[0] != '\0' && own.loader[0] != '\0' && strcmp(format.loader, own.loader) != 0) {
    append(
        why,
        "%s uses another C library, with the loader %s: the native engine was built for programs "
        "that use %s",
        path, format.loader, own.loader);
    return DMDV_ONLY_VALGRIND;
  }
  const char *allocator = own_allocator(fd, header);
  if (allocator != NULL) {
    append(why, "%s allocates with %s, too, which only Valgrind can replace", path, allocator);
    return DMDV_BETTER_VALGRIND;
  }
  return DMDV_PRELOADABLE;
}

/* The interpreter in a script's line "#!". */
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

/* Checks the file. Sets *again if it is a script; path is then its interpreter. */
static dmdv_preloadable_t check_file(dmd_strbuf_t *path, bool *again, dmd_strbuf_t *why) {
  union {
    char bytes[256];
    Elf64_Ehdr elf;
  } start;
  *again = false;
  int fd = open(path->text, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return DMDV_PRELOADABLE;
  ssize_t n = read(fd, start.bytes, sizeof start.bytes);
  dmdv_preloadable_t is = DMDV_PRELOADABLE;
  if (n > 2 && memcmp(start.bytes, "#!", 2) == 0)
    *again = read_interpreter(start.bytes, (size_t)n, path);
  else if (n >= (ssize_t)sizeof start.elf && memcmp(start.bytes, ELFMAG, SELFMAG) == 0)
    is = check_elf(path->text, fd, &start.elf, why);
  close(fd);
  return is;
}

dmdv_preloadable_t dmdv_preloadable(const char *program, dmd_strbuf_t *why) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  dmdv_preloadable_t is = DMDV_PRELOADABLE;
  bool again = dmdv_child_find(program, &path);
  for (int i = 0; i < MAX_INTERPRETERS && is == DMDV_PRELOADABLE && again; i++)
    is = check_file(&path, &again, why);
  dmd_strbuf_destroy(&path);
  return is;
}
