/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_symbols.h"

#include "base/mangled.h"
#include "base/str.h"
#include "native/pl_confined.h"
#include "native/pl_entry.h"
#include "native/pl_files.h"
#include "native/pl_memory.h"
#include "native/pl_objects.h"
#include "native/pl_stack.h"
#include "native/pl_state.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The symbols of a file, indexed by the number of its object. */
typedef struct {
  bool is_asked;
  const ElfW(Sym) * symbols; /* NULL: none */
  uint64_t n;
  const char *strings;
  uint64_t strings_szB;
} file_t;

enum { CACHED = 256 };

static struct {
  bool is_ready;
  dmd_pool_t files;
  struct {
    dmd_code_t code;
    char *name; /* "": it has no name */
  } cache[CACHED];
} g_symbols;

/* ---- Our own functions ---- */

#define FROM_LINKER __attribute__((visibility("hidden")))

/* The bounds of the section; the linker names them. */
extern const pl_function_t __start_pl_functions[] FROM_LINKER, __stop_pl_functions[] FROM_LINKER;

const char *pl_function_name(uint64_t address) {
  const pl_function_t *all = __start_pl_functions;
  size_t n = ((uintptr_t)__stop_pl_functions - (uintptr_t)all) / sizeof *all;
  for (size_t i = 0; i < n; i++)
    if (all[i].address == address)
      return all[i].name;
  return NULL;
}

uint64_t pl_function_address(const char *name) {
  const pl_function_t *all = __start_pl_functions;
  size_t n = ((uintptr_t)__stop_pl_functions - (uintptr_t)all) / sizeof *all;
  for (size_t i = 0; i < n; i++)
    if (dmd_str_equal(all[i].name, name))
      return all[i].address;
  return 0;
}

/* ---- The file ---- */

typedef struct {
  const char *bytes;
  uint64_t szB;
} mapped_t;

static bool has(const mapped_t *file, uint64_t at, uint64_t szB) {
  return at <= file->szB && szB <= file->szB - at;
}

static mapped_t map_file(const char *path) {
  mapped_t file = {0};
  struct stat st;
  int fd = pl_open(path, O_RDONLY);
  if (fd < 0)
    return file;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED)
      file = (mapped_t){.bytes = bytes, .szB = (uint64_t)st.st_size};
  }
  close(fd);
  return file;
}

/* Finds the full symbol table, or else the loader's. */
static void find_table(file_t *to, const mapped_t *file) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file->bytes;
  if (!has(file, 0, sizeof *header) || !dmd_mem_equal(header->e_ident, ELFMAG, SELFMAG) ||
      header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shoff % sizeof(void *) != 0 ||
      !has(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr))))
    return;
  const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file->bytes + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    const ElfW(Shdr) *table = &sections[i];
    bool is_wanted =
        table->sh_type == SHT_SYMTAB || (table->sh_type == SHT_DYNSYM && to->symbols == NULL);
    if (!is_wanted || table->sh_link >= header->e_shnum || table->sh_offset % sizeof(void *) != 0)
      continue;
    const ElfW(Shdr) *strings = &sections[table->sh_link];
    if (!has(file, table->sh_offset, table->sh_size) ||
        !has(file, strings->sh_offset, strings->sh_size) || strings->sh_size == 0 ||
        file->bytes[strings->sh_offset + strings->sh_size - 1] != '\0')
      continue;
    to->symbols = (const ElfW(Sym) *)(file->bytes + table->sh_offset);
    to->n = table->sh_size / sizeof *to->symbols;
    to->strings = file->bytes + strings->sh_offset;
    to->strings_szB = strings->sh_size;
  }
}

void pl_symbols_visit(const char *path, pl_symbol_visit_fn visit, void *ctx) {
  mapped_t mapped = map_file(path);
  file_t file = {.symbols = NULL};
  if (mapped.bytes == NULL)
    return;
  find_table(&file, &mapped);
  for (uint64_t i = 0; i < file.n; i++) {
    const ElfW(Sym) *symbol = &file.symbols[i];
    if ((symbol->st_info & 15u) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
        symbol->st_name < file.strings_szB)
      visit(ctx, file.strings + symbol->st_name, symbol->st_value, symbol->st_size);
  }
  munmap((void *)(uintptr_t)mapped.bytes, mapped.szB);
}

static const file_t *file_of(uint32_t object) {
  dmd_pool_reach(&g_symbols.files, object);
  file_t *file = DMD_POOL_AT(&g_symbols.files, file_t, object);
  if (!file->is_asked) {
    mapped_t mapped = map_file(pl_object(object)->path);
    file->is_asked = true;
    if (mapped.bytes != NULL)
      find_table(file, &mapped);
  }
  return file;
}

/* ---- Looking up ---- */

/* The best name of the smallest symbol of this type, function or variable, that contains the
 * offset. */
static const char *find_symbol(const file_t *file, uint64_t offset, unsigned type) {
  const char *name = NULL;
  uint64_t least = UINT64_MAX;
  for (uint64_t i = 0; i < file->n; i++) {
    const ElfW(Sym) *symbol = &file->symbols[i];
    if (offset - symbol->st_value >= symbol->st_size || symbol->st_size > least ||
        (symbol->st_info & 15u) != type || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_name >= file->strings_szB)
      continue;
    const char *other = file->strings + symbol->st_name;
    if (symbol->st_size < least || dmd_symbol_compare(other, name) < 0)
      name = other;
    least = symbol->st_size;
  }
  return name;
}

static char *look_up(dmd_code_t code) {
  const char *symbol =
      code.epoch == DMD_NONE
          ? NULL
          : find_symbol(file_of(code.epoch), code.ip - pl_object(code.epoch)->bias, STT_FUNC);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &g_env);
  if (symbol != NULL)
    dmd_mangled_name(&name, symbol);
  return dmd_strbuf_take(&name);
}

static void begin(void) {
  if (!g_symbols.is_ready)
    dmd_pool_init(&g_symbols.files, &g_env, "pl.symbols", sizeof(file_t));
  g_symbols.is_ready = true;
}

/* The name of the variable of the object that contains an address; NULL: no name is known. */
static const char *variable_at(uint32_t object, uint64_t addr) {
  begin();
  return find_symbol(file_of(object), addr - pl_object(object)->bias, STT_OBJECT);
}

const char *pl_symbol_at(dmd_code_t code) {
  const char *ours = pl_function_name(code.ip);
  if (ours != NULL)
    return ours;
  if (code.epoch == DMD_NONE) /* the object that is loaded there now */
    code.epoch = pl_object_find(code.ip);
  begin();
  uint64_t at = dmd_code_hash(code) % CACHED;
  if (g_symbols.cache[at].name == NULL || !dmd_code_equal(g_symbols.cache[at].code, code)) {
    dmd_env_free(&g_env, g_symbols.cache[at].name);
    g_symbols.cache[at].code = code;
    g_symbols.cache[at].name = look_up(code);
  }
  const char *name = g_symbols.cache[at].name;
  return name[0] == '\0' ? NULL : name;
}

/* ---- Memory ---- */

static void put(char *text, size_t szB, const char *what, const char *path) {
  size_t n = 0;
  for (; *what != '\0' && n + 1 < szB; what++)
    text[n++] = *what;
  for (; *path != '\0' && n + 1 < szB; path++)
    text[n++] = *path;
  text[n] = '\0';
}

static void describe_own_stack(uint64_t addr, char *text, size_t szB) {
  const pl_thread_t *thread = pl_thread();
  dmd_strbuf_t words;
  dmd_code_t code;
  dmd_strbuf_init(&words, &g_env);
  dmd_strbuf_str(&words, "the stack of thread ");
  dmd_strbuf_u64(&words, thread->number);
  const char *name = pl_stack_frame_around(thread, addr, &code) ? pl_symbol_at(code) : NULL;
  if (name != NULL) {
    dmd_strbuf_str(&words, ", in the frame of ");
    dmd_strbuf_str(&words, name);
  }
  put(text, szB, words.text, "");
  dmd_strbuf_destroy(&words);
}

static dmd_fault_kind_t describe(const pl_mapping_t *mapping, uint64_t addr, char *text,
                                 size_t szB) {
  const char *path = mapping->path;
  uint64_t sp = pl_thread()->entry.sp;
  if (sp >= mapping->start && sp < mapping->end) {
    describe_own_stack(addr, text, szB);
    return DMD_FAULT_REPORT_STACK;
  }
  if (dmd_str_equal(path, "[stack]")) {
    put(text, szB, "the stack of thread 1", "");
    return DMD_FAULT_REPORT_STACK;
  }
  if (dmd_str_equal(path, "[heap]"))
    return DMD_FAULT_REPORT_NO_BLOCK;
  put(text, szB, path[0] == '/' ? "a mapping of " : "memory that the program mapped",
      path[0] == '/' ? path : "");
  return DMD_FAULT_REPORT_MAPPED;
}

static dmd_fault_kind_t describe_data(uint32_t object, uint64_t addr, char *text, size_t szB) {
  const char *variable = variable_at(object, addr);
  put(text, szB, variable == NULL ? "the data of " : "the global variable ",
      variable == NULL ? pl_object(object)->path : variable);
  return DMD_FAULT_REPORT_GLOBAL;
}

dmd_fault_kind_t pl_classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  uint32_t object = pl_object_around(addr);
  pl_lines_t lines;
  const char *line;
  dmd_fault_kind_t kind = DMD_FAULT_REPORT_NO_ADDRESS;
  (void)ctx;
  put(text, szB, "", "");
  if (object != DMD_NONE)
    return describe_data(object, addr, text, szB);
  pl_lines_open(&lines, "/proc/thread-self/maps");
  while (kind == DMD_FAULT_REPORT_NO_ADDRESS && (line = pl_lines_next(&lines)) != NULL) {
    pl_mapping_t mapping = pl_read_mapping(line);
    if (addr >= mapping.start && addr < mapping.end)
      kind = describe(&mapping, addr, text, szB);
  }
  pl_lines_close(&lines);
  return kind;
}
