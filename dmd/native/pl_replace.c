/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_replace.h"

#include "base/mem.h"
#include "native/pl_entry.h"
#include "native/pl_files.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_patch.h"
#include "native/pl_real.h"
#include "native/pl_symbols.h"
#include "record/engine/prefixed.h"
#include "show/text/escape.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

/* ---- Blocks from before ---- */

enum { MAX_RANGES = 512 };

static struct {
  bool is_known;
  uint32_t n;
  struct {
    uint64_t start, end;
  } range[MAX_RANGES];
} g_foreign;

/* Allocators with names of their own take their blocks from mappings without a name, and the C
 * library takes its own from the heap at the break. If the break cannot grow it has such a mapping,
 * too, which a block from it shows. */
static void find_foreign(void) {
  pl_lines_t lines;
  const char *line;
  void *block = g_real.malloc(1);
  pl_lines_open(&lines, "/proc/self/maps");
  while ((line = pl_lines_next(&lines)) != NULL && g_foreign.n < MAX_RANGES) {
    pl_mapping_t mapping = pl_read_mapping(line);
    bool is_anonymous = mapping.path[0] == '\0' || dmd_mem_equal(mapping.path, "[anon", 5);
    if (mapping.is_writable && is_anonymous &&
        ((uintptr_t)block < mapping.start || (uintptr_t)block >= mapping.end)) {
      g_foreign.range[g_foreign.n].start = mapping.start;
      g_foreign.range[g_foreign.n++].end = mapping.end;
    }
  }
  pl_lines_close(&lines);
  g_real.free(block);
}

bool pl_replace_is_foreign(const void *p) {
  for (uint32_t i = 0; i < g_foreign.n; i++)
    if ((uintptr_t)p >= g_foreign.range[i].start && (uintptr_t)p < g_foreign.range[i].end)
      return true;
  return false;
}

/* ---- One object ---- */

/* Whether a function is in the object's code, and memory has the code of the file there: the file
 * may be another one by now. */
static bool is_loaded(const struct dl_phdr_info *info, int fd, uint64_t addr, uint64_t szB) {
  enum { COMPARED = 64 };
  uint8_t code[COMPARED];
  size_t n = szB < COMPARED ? (size_t)szB : COMPARED;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || (p->p_flags & PF_W) || addr < p->p_vaddr ||
        addr - p->p_vaddr >= p->p_filesz || szB > p->p_filesz - (addr - p->p_vaddr))
      continue;
    return pread(fd, code, n, (off_t)(p->p_offset + (addr - p->p_vaddr))) == (ssize_t)n &&
           dmd_mem_equal(code, (const void *)(uintptr_t)(info->dlpi_addr + addr), n);
  }
  return false;
}

typedef struct {
  const struct dl_phdr_info *info;
  const pl_object_t *object;
  dmd_prefixed_t found;
  pl_patch_t patches[DMD_PREFIXED_MAX];
} search_t;

/* A symbol that a file has twice is replaced once. */
static bool is_among(const pl_patch_t *patches, uint32_t n, uint64_t from) {
  for (uint32_t i = 0; i < n; i++)
    if (patches[i].from == from)
      return true;
  return false;
}

/* Returns NULL, or why it could not be done. */
static const char *replace(search_t *search, uint32_t allocator) {
  uint32_t n = 0;
  const char *why = NULL;
  int fd = open(search->object->path, O_RDONLY | O_CLOEXEC);
  for (uint32_t i = 0; i < search->found.n && why == NULL; i++) {
    const dmd_prefixed_function_t *function = &search->found.function[i];
    uint64_t from = search->info->dlpi_addr + function->addr,
             to = pl_function_address(function->name);
    if (function->allocator != allocator || is_among(search->patches, n, from))
      continue;
    if (to == 0 || !is_loaded(search->info, fd, function->addr, function->szB))
      why = "the program's code is not that of its file";
    search->patches[n++] = (pl_patch_t){.from = from, .to = to};
  }
  if (fd >= 0)
    close(fd);
  if (why == NULL && !g_foreign.is_known && pl_real_is_libc()) {
    g_foreign.is_known = true;
    find_foreign();
  }
  if (why == NULL && !pl_patch_all(search->patches, n, search->object->start, search->object->end))
    why = "its code cannot be changed here";
  return why;
}

static void say(const search_t *search, const char *name, const char *what, const char *why) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: ");
  dmd_escape_append(&line, search->object->path);
  dmd_strbuf_str(&line, " allocates with ");
  dmd_strbuf_str(&line, name);
  dmd_strbuf_str(&line, what);
  dmd_strbuf_str(&line, why);
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

static void try_to_replace(search_t *search, uint32_t allocator) {
  const char *name = dmd_prefixed_name(&search->found, allocator);
  if (name == NULL)
    return;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  if (dmd_prefixed_check(&search->found, allocator, PL_JUMP_SZB, &why)) {
    const char *failed = replace(search, allocator);
    if (failed != NULL)
      dmd_strbuf_str(&why, failed);
  }
  if (why.n > 0)
    say(search, name, ", too, which only Valgrind can replace: ", why.text);
  else if (!g_native_options.quiet)
    say(search, name, ", too: its blocks now come from malloc, and have malloc's usable sizes", "");
  dmd_strbuf_destroy(&why);
}

/* ---- All objects ---- */

static void add(void *found, const char *name, uint64_t addr, uint64_t szB) {
  dmd_prefixed_add(found, name, addr, szB);
}

static uint32_t number_of(const struct dl_phdr_info *info) {
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      return pl_object_around(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return DMD_NONE;
}

/* With an allocator other than the C library's, nothing shows which blocks are from before. No code
 * of the program has run by now, but constructors of libraries may have. */
static int look_at(struct dl_phdr_info *info, size_t szB, void *ctx) {
  search_t *search = ctx;
  (void)szB;
  bool is_program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
  uint32_t number = number_of(info);
  if (number == DMD_NONE || (!is_program && !pl_real_is_libc()))
    return 0;
  search->info = info;
  search->object = pl_object(number);
  dmd_mem_zero(&search->found, sizeof search->found);
  pl_symbols_visit(search->object->path, add, &search->found);
  for (uint32_t i = 0; i < DMD_PREFIXED_ALLOCATORS && !search->found.has_malloc; i++)
    try_to_replace(search, i);
  return 0;
}

void pl_replace_start(void) {
  search_t *search = dmd_env_alloc(&g_env, "pl.replace", sizeof *search);
  dl_iterate_phdr(look_at, search);
  dmd_env_free(&g_env, search);
}
