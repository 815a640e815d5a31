/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/preloadable.h"

#include "host/child.h"
#include "host/process.h"
#include "record/engine/prefixed.h"

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

/* Where the file has its symbols. */
typedef struct {
  Elf64_Shdr symbols, names;
} tables_t;

enum { MAX_TABLE_SZB = 1 << 28 };

static bool find_tables(int fd, const Elf64_Ehdr *header, tables_t *tables) {
  off_t at = (off_t)header->e_shoff;
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (pread(fd, &tables->symbols, sizeof tables->symbols,
              at + (off_t)(i * sizeof tables->symbols)) != sizeof tables->symbols)
      return false;
    if (tables->symbols.sh_type == SHT_SYMTAB && tables->symbols.sh_link < header->e_shnum)
      return pread(fd, &tables->names, sizeof tables->names,
                   at + (off_t)(tables->symbols.sh_link * sizeof tables->names)) ==
             sizeof tables->names;
  }
  return false;
}

/* A table of the file, with a NUL behind it; NULL if it cannot be read. Free it with dmd_env_free.
 */
static char *read_table(int fd, const Elf64_Shdr *table) {
  if (table->sh_size == 0 || table->sh_size > MAX_TABLE_SZB)
    return NULL;
  char *bytes = dmd_env_alloc(&dmdv_env, "dmdv.preloadable", table->sh_size + 1);
  bytes[table->sh_size] = '\0';
  if (pread(fd, bytes, table->sh_size, (off_t)table->sh_offset) == (ssize_t)table->sh_size)
    return bytes;
  dmd_env_free(&dmdv_env, bytes);
  return NULL;
}

static void add_functions(dmd_prefixed_t *found, const char *symbols, size_t n, const char *names,
                          size_t names_szB) {
  Elf64_Sym symbol;
  for (size_t at = 0; n - at >= sizeof symbol; at += sizeof symbol) {
    memcpy(&symbol, symbols + at, sizeof symbol);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
        symbol.st_name < names_szB)
      dmd_prefixed_add(found, names + symbol.st_name, symbol.st_value, symbol.st_size);
  }
}

static void read_functions(dmd_prefixed_t *found, int fd, const Elf64_Ehdr *header) {
  tables_t tables;
  if (!find_tables(fd, header, &tables))
    return;
  char *names = read_table(fd, &tables.names), *symbols = read_table(fd, &tables.symbols);
  if (names != NULL && symbols != NULL)
    add_functions(found, symbols, tables.symbols.sh_size, names, tables.names.sh_size);
  dmd_env_free(&dmdv_env, names);
  dmd_env_free(&dmdv_env, symbols);
}

/* How the native engine replaces functions: not at all on other processors. */
#if defined(__x86_64__)
enum { JUMP_SZB = 5 };
#else
enum { JUMP_SZB = 0 };
#endif

/* Checks whether the engine can replace all allocators that the program brings along. */
static dmdv_preloadable_t check_allocators(const char *path, int fd, const Elf64_Ehdr *header,
                                           dmd_strbuf_t *why) {
  dmd_prefixed_t found = {.n = 0};
  dmd_strbuf_t reason;
  dmdv_preloadable_t is = DMDV_PRELOADABLE;
  dmd_strbuf_init(&reason, &dmdv_env);
  read_functions(&found, fd, header);
  for (uint32_t i = 0; i < DMD_PREFIXED_ALLOCATORS && is == DMDV_PRELOADABLE; i++) {
    const char *name = dmd_prefixed_name(&found, i);
    if (name == NULL)
      continue;
    if (JUMP_SZB == 0)
      dmd_strbuf_str(&reason, "the native engine can do that on x86-64 only");
    else if (dmd_prefixed_check(&found, i, JUMP_SZB, &reason))
      continue;
    append(why, "%s allocates with %s, too, which only Valgrind can replace (%s)", path, name,
           reason.text);
    is = DMDV_BETTER_VALGRIND;
  }
  dmd_strbuf_destroy(&reason);
  return is;
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
  return check_allocators(path, fd, header, why);
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

dmdv_preloadable_t dmdv_preloadable_here(const char *program, dmd_strbuf_t *why) {
  dmdv_preloadable_t is = dmdv_preloadable(program, why);
  if (is != DMDV_PRELOADABLE || dmdv_process_status(0, "Seccomp", 10) == 0 ||
      dmdv_process_status(0, "Seccomp_filters", 10) > 0)
    return is;
  append(why, "%s inherits a seccomp filter, as in a container, and the kernel does not count them",
         program);
  return DMDV_BETTER_VALGRIND;
}
