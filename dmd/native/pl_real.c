/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_real.h"

#include "native/pl_kernel.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

pl_real_t g_real;
pl_operator_t g_operators[PL_N_FORMS];

/* ---- Early memory ---- */

enum { EARLY_SZB = 64 * 1024, LEAST_ALIGNB = 16 };

static struct {
  _Alignas(LEAST_ALIGNB) char bytes[EARLY_SZB];
  size_t used;
} g_early;

/* The header of each early block. */
typedef struct {
  size_t szB;
  size_t padding;
} early_t;

void *pl_early_alloc(size_t alignB, size_t szB) {
  uintptr_t from = (uintptr_t)g_early.bytes + g_early.used + sizeof(early_t);
  if (alignB < LEAST_ALIGNB)
    alignB = LEAST_ALIGNB;
  uintptr_t at = (from + alignB - 1) & ~(uintptr_t)(alignB - 1);
  size_t before = at - (uintptr_t)g_early.bytes;
  if (before > EARLY_SZB || szB > EARLY_SZB - before)
    pl_die("the loader allocates more than is there for it before the allocator is known");
  g_early.used = before + szB;
  ((early_t *)at)[-1].szB = szB;
  return (void *)at;
}

bool pl_early_has(const void *p) {
  return (uintptr_t)p - (uintptr_t)g_early.bytes < EARLY_SZB;
}

size_t pl_early_size(const void *p) {
  return ((const early_t *)p)[-1].szB;
}

size_t pl_early_range(uint64_t *start) {
  *start = (uintptr_t)g_early.bytes;
  return EARLY_SZB;
}

/* ---- A library that is loaded late ---- */

static bool g_is_late;

static int look_for_loader(struct dl_phdr_info *info, size_t szB, void *has_loader) {
  (void)szB;
  if (info->dlpi_addr == getauxval(AT_BASE))
    *(bool *)has_loader = true;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && (uintptr_t)&g_real - info->dlpi_addr - p->p_vaddr < p->p_memsz)
      return 1;
  }
  return 0;
}

bool pl_real_is_late(void) {
  dl_iterate_phdr(look_for_loader, &g_is_late);
  return g_is_late;
}

static void *base_of(const void *at) {
  Dl_info info;
  return at != NULL && dladdr(at, &info) != 0 ? info.dli_fbase : NULL;
}

/* A program that is not position-independent has entries of its own for functions whose addresses
 * it takes, which call the functions of its libraries. */
static bool is_defined(void *function, uint64_t by) {
  Dl_info info;
  ElfW(Sym) *symbol = NULL;
  return function != NULL && dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
         (symbol == NULL || symbol->st_shndx != SHN_UNDEF) &&
         (by == 0 || (uintptr_t)info.dli_fbase == by);
}

static void *find_in_libraries(const char *name) {
  int (*close)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "dlclose");
  void *found = NULL, *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  struct link_map *object = NULL;
  if (program == NULL || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0)
    return NULL;
  for (object = object->l_next; object != NULL && found == NULL; object = object->l_next) {
    void *library = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (is_defined(function, object->l_addr))
      found = function;
    if (library != NULL)
      close(library);
  }
  return found;
}

void *pl_real_lookup(const char *name) {
  void *function = dlsym(RTLD_DEFAULT, name);
  if (function == NULL || base_of(function) == base_of(&g_real))
    return NULL;
  return is_defined(function, 0) ? function : find_in_libraries(name);
}

/* ---- The functions ---- */

/* A library that is loaded late is not in the loader's order of search. */
static void *find(const char *name) {
  return g_is_late ? pl_real_lookup(name) : dlsym(RTLD_NEXT, name);
}

/* The conversion from an object pointer to a function pointer that POSIX suggests for dlsym. */
#define FIND(name) *(void **)&found->name = find(#name)

static const char *const g_symbols[PL_N_FORMS] = {
#define SYMBOL(form, parameters, arguments, symbol, name) [PL_FORM_##form] = symbol,
    PL_NEWS(SYMBOL) PL_DELETES(SYMBOL)
#undef SYMBOL
};

const char *pl_operator_symbol(unsigned form) {
  return g_symbols[form];
}

static void find_operators(const void *program_s_malloc) {
  const void *allocator = base_of(program_s_malloc);
  for (unsigned i = 0; i < PL_N_FORMS; i++) {
    g_operators[i].function = find(g_symbols[i]);
    g_operators[i].is_recorded = allocator != NULL && base_of(g_operators[i].function) == allocator;
  }
}

static void find_allocator(pl_real_t *found) {
  FIND(malloc);
  FIND(calloc);
  FIND(realloc);
  FIND(reallocarray);
  FIND(free);
  FIND(free_sized);
  FIND(free_aligned_sized);
  FIND(posix_memalign);
  FIND(aligned_alloc);
  FIND(memalign);
  FIND(valloc);
  FIND(pvalloc);
  FIND(malloc_usable_size);
  FIND(mallocx);
  FIND(rallocx);
  FIND(xallocx);
  FIND(dallocx);
  FIND(sdallocx);
  FIND(__libc_malloc);
  FIND(__libc_calloc);
  FIND(__libc_realloc);
  FIND(__libc_memalign);
  FIND(__libc_valloc);
  FIND(__libc_pvalloc);
  FIND(__libc_free);
  FIND(__libc_freeres);
  FIND(_ZN9__gnu_cxx9__freeresEv);
}

static void find_others(pl_real_t *found) {
  FIND(pthread_create);
  FIND(dlclose);
  FIND(mmap);
  FIND(munmap);
  FIND(mremap);
  FIND(brk);
  FIND(sbrk);
  FIND(execve);
  FIND(execvpe);
  FIND(fexecve);
  FIND(prctl);
  FIND(syscall);
  FIND(sigaction);
  FIND(signal);
  FIND(sigset);
  FIND(sigaltstack);
  FIND(pthread_sigmask);
  FIND(sigprocmask);
  FIND(sigwait);
  FIND(sigwaitinfo);
  FIND(sigtimedwait);
}

void pl_real_find(void) {
  static bool is_finding;
  pl_real_t found = {.malloc = NULL};
  if (is_finding)
    return;
  is_finding = true;
  find_allocator(&found);
  find_others(&found);
  if (found.malloc == NULL || found.calloc == NULL || found.realloc == NULL || found.free == NULL ||
      found.malloc_usable_size == NULL)
    pl_die("the program has no allocator whose functions could be found");
  find_operators(*(void **)&found.malloc);
  g_real = found;
  is_finding = false;
}

static bool g_is_libc;

/* Takes exit to locate the C library, since no other library replaces it. */
void pl_real_look(void) {
  Dl_info libc, allocator;
  void *end = find("exit");
  g_is_libc = end != NULL && dladdr(end, &libc) != 0 &&
              dladdr(*(void **)&g_real.malloc, &allocator) != 0 &&
              libc.dli_fbase == allocator.dli_fbase;
}

bool pl_real_is_libc(void) {
  return g_is_libc;
}

/* A program that is not position-independent may contain a PLT entry for malloc, which only
 * forwards calls. */
const char *pl_real_malloc_before_ours(void) {
  Dl_info ours, first;
  ElfW(Sym) * symbol;
  void *malloc_now = dlsym(RTLD_DEFAULT, "malloc");
  if (malloc_now == NULL || dladdr(&g_real, &ours) == 0 ||
      dladdr1(malloc_now, &first, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL)
    return NULL;
  bool is_ours = first.dli_fbase == ours.dli_fbase || symbol->st_shndx == SHN_UNDEF;
  return is_ours ? NULL : first.dli_fname;
}

void pl_real_free_libraries(bool libc, bool cxx) {
  if (cxx && g_real._ZN9__gnu_cxx9__freeresEv != NULL)
    g_real._ZN9__gnu_cxx9__freeresEv();
  if (libc && g_real.__libc_freeres != NULL)
    g_real.__libc_freeres();
}
