/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_bindings.h"

#include "base/mem.h"
#include "base/str.h"
#include "native/pl_machine.h"
#include "native/pl_real.h"

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- What the loader knows of an object ---- */

typedef struct {
  uint64_t bias, start, end;
  uint64_t relro_start, relro_end; /* made read-only by the loader; whole pages */
  const ElfW(Sym) * symbols;
  const char *strings;
  const uint32_t *hash; /* DT_GNU_HASH */
  const ElfW(Rela) * relocations, *calls;
  size_t n_relocations, n_calls;
} loaded_t;

/* In most objects the loader has relocated these addresses. */
static uint64_t address(const loaded_t *object, const ElfW(Dyn) * d) {
  return d->d_un.d_ptr < object->bias ? object->bias + d->d_un.d_ptr : d->d_un.d_ptr;
}

static void read_dynamic(loaded_t *object, const ElfW(Dyn) * d) {
  for (; d->d_tag != DT_NULL; d++) {
    const void *at = (const void *)(uintptr_t)address(object, d);
    if (d->d_tag == DT_SYMTAB)
      object->symbols = at;
    else if (d->d_tag == DT_STRTAB)
      object->strings = at;
    else if (d->d_tag == DT_GNU_HASH)
      object->hash = at;
    else if (d->d_tag == DT_RELA)
      object->relocations = at;
    else if (d->d_tag == DT_RELASZ)
      object->n_relocations = d->d_un.d_val / sizeof(ElfW(Rela));
    else if (d->d_tag == DT_JMPREL)
      object->calls = at;
    else if (d->d_tag == DT_PLTRELSZ)
      object->n_calls = d->d_un.d_val / sizeof(ElfW(Rela));
  }
}

static loaded_t look(const struct dl_phdr_info *info) {
  uint64_t page_szB = (uint64_t)sysconf(_SC_PAGESIZE);
  loaded_t object = {.bias = info->dlpi_addr, .start = UINT64_MAX};
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
    if (p->p_type == PT_DYNAMIC)
      read_dynamic(&object, (const ElfW(Dyn) *)(uintptr_t)start);
    if (p->p_type == PT_LOAD && start < object.start)
      object.start = start;
    if (p->p_type == PT_LOAD && end > object.end)
      object.end = end;
    if (p->p_type == PT_GNU_RELRO) {
      object.relro_start = start & ~(page_szB - 1);
      object.relro_end = end & ~(page_szB - 1);
    }
  }
  return object;
}

/* ---- Our functions, and the program's of the same names ---- */

enum { MOST_FUNCTIONS = 256, BUCKETS = 1024 };

typedef struct {
  const char *name;
  uint64_t ours, theirs;
} function_t;

static struct {
  function_t function[MOST_FUNCTIONS];
  uint32_t n;
  uint16_t bucket[BUCKETS]; /* 0: empty; otherwise 1 + the function's number */
} g_functions;

static uint32_t bucket_of(const char *name) {
  return (uint32_t)(dmd_hash_bytes(0, name, dmd_str_length(name)) % BUCKETS);
}

static void add(const char *name, uint64_t ours) {
  uint64_t theirs = (uintptr_t)pl_real_lookup(name);
  if (theirs == 0 || theirs == ours || g_functions.n == MOST_FUNCTIONS)
    return;
  uint32_t bucket = bucket_of(name);
  while (g_functions.bucket[bucket] != 0)
    bucket = (bucket + 1) % BUCKETS;
  g_functions.function[g_functions.n++] = (function_t){name, ours, theirs};
  g_functions.bucket[bucket] = (uint16_t)g_functions.n;
}

static const function_t *find(const char *name) {
  for (uint32_t b = bucket_of(name); g_functions.bucket[b] != 0; b = (b + 1) % BUCKETS) {
    const function_t *function = &g_functions.function[g_functions.bucket[b] - 1];
    if (dmd_str_compare(function->name, name) == 0)
      return function;
  }
  return NULL;
}

static bool has_us(const loaded_t *object) {
  uint64_t here = (uintptr_t)&g_functions;
  return here >= object->start && here < object->end;
}

/* The defined symbols are those with a hash: from hash[1] on, each chain's last has bit 0 set. */
static void add_exported(const loaded_t *object) {
  const uint32_t *hash = object->hash, n_buckets = hash[0], first = hash[1], n_bloom = hash[2];
  const uint32_t *buckets = hash + 4 + n_bloom * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *chains = buckets + n_buckets;
  for (uint32_t b = 0; b < n_buckets; b++)
    for (uint32_t i = buckets[b]; i >= first; i++) {
      const ElfW(Sym) *symbol = &object->symbols[i];
      add(object->strings + symbol->st_name, object->bias + symbol->st_value);
      if (chains[i - first] & 1)
        break;
    }
}

static int add_ours(struct dl_phdr_info *info, size_t szB, void *ctx) {
  loaded_t object = look(info);
  (void)szB, (void)ctx;
  if (!has_us(&object))
    return 0;
  add_exported(&object);
  return 1;
}

void pl_bindings_start(void *(*our_dlopen)(const char *, int)) {
  dl_iterate_phdr(add_ours, NULL);
  add("dlopen", (uintptr_t)our_dlopen);
}

/* ---- Slots ---- */

/* Until the first call, a slot that is bound lazily points into its own object. */
static bool is_unresolved(const loaded_t *object, const ElfW(Sym) * symbol, uint64_t now) {
  return now >= object->start && now < object->end &&
         (symbol->st_shndx == SHN_UNDEF || now != object->bias + symbol->st_value);
}

/* What the slot is to hold; 0: it stays as it is. */
static uint64_t value_for(const function_t *function, uint64_t now, bool is_unresolved,
                          bool to_ours) {
  if (!to_ours)
    return now == function->ours ? function->theirs : 0;
  return now == function->theirs || is_unresolved ? function->ours : 0;
}

/* Makes the read-only part of the object writable, or read-only again. */
static bool protect(const loaded_t *object, bool is_writable) {
  return mprotect((void *)(uintptr_t)object->relro_start, object->relro_end - object->relro_start,
                  is_writable ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

static void set_slots(const loaded_t *object, const ElfW(Rela) * relocations, size_t n,
                      bool to_ours, bool *is_open) {
  for (size_t i = 0; i < n; i++) {
    bool is_call;
    const ElfW(Rela) *r = &relocations[i];
    if (!pl_machine_is_binding((uint32_t)ELF64_R_TYPE(r->r_info), &is_call) || r->r_addend != 0)
      continue;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(r->r_info)];
    const function_t *function = find(object->strings + symbol->st_name);
    if (function == NULL)
      continue;
    uint64_t *slot = (uint64_t *)(uintptr_t)(object->bias + r->r_offset);
    uint64_t now = __atomic_load_n(slot, __ATOMIC_RELAXED);
    uint64_t value =
        value_for(function, now, is_call && is_unresolved(object, symbol, now), to_ours);
    bool is_closed = (uintptr_t)slot >= object->relro_start && (uintptr_t)slot < object->relro_end;
    if (value == 0 || (is_closed && !*is_open && !protect(object, true)))
      continue;
    *is_open |= is_closed;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  }
}

static int set_object(struct dl_phdr_info *info, size_t szB, void *to_ours) {
  loaded_t object = look(info);
  bool is_open = false;
  (void)szB;
  if (has_us(&object) || info->dlpi_addr == getauxval(AT_BASE) || object.symbols == NULL ||
      object.strings == NULL)
    return 0;
  if (object.calls != NULL)
    set_slots(&object, object.calls, object.n_calls, *(bool *)to_ours, &is_open);
  if (object.relocations != NULL)
    set_slots(&object, object.relocations, object.n_relocations, *(bool *)to_ours, &is_open);
  if (is_open)
    protect(&object, false);
  return 0;
}

void pl_bindings_set(bool to_ours) {
  dl_iterate_phdr(set_object, &to_ours);
}
