/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_new.h"

#include "native/pl_kernel.h"
#include "native/pl_malloc.h"
#include "native/pl_real.h"

#include <dlfcn.h>

/* How size_t is mangled and written in the operators' names. */
#if defined(__LP64__)
#define SZ "m"
#define SIZE "unsigned long"
#else
#define SZ "j"
#define SIZE "unsigned int"
#endif

/* The forms: parameters, the arguments passed on, and the two names of each. std::nothrow_t is
 * passed by its address, and std::align_val_t is a size_t. */
#define NEWS(form)                                                                                 \
  form(NEW, (size_t szB), (szB), "_Znw" SZ, "operator new(" SIZE ")")                              \
      form(NEW_ARRAY, (size_t szB), (szB), "_Zna" SZ, "operator new[](" SIZE ")")                  \
          form(NEW_NOTHROW, (size_t szB, const void *tag), (szB, tag), "_Znw" SZ "RKSt9nothrow_t", \
               "operator new(" SIZE ", std::nothrow_t const&)")                                    \
              form(NEW_ARRAY_NOTHROW, (size_t szB, const void *tag), (szB, tag),                   \
                   "_Zna" SZ "RKSt9nothrow_t", "operator new[](" SIZE ", std::nothrow_t const&)")  \
                  form(NEW_ALIGNED, (size_t szB, size_t alignB), (szB, alignB),                    \
                       "_Znw" SZ "St11align_val_t", "operator new(" SIZE ", std::align_val_t)")    \
                      form(NEW_ARRAY_ALIGNED, (size_t szB, size_t alignB), (szB, alignB),          \
                           "_Zna" SZ "St11align_val_t",                                            \
                           "operator new[](" SIZE ", std::align_val_t)")                           \
                          form(NEW_ALIGNED_NOTHROW, (size_t szB, size_t alignB, const void *tag),  \
                               (szB, alignB, tag), "_Znw" SZ "St11align_val_tRKSt9nothrow_t",      \
                               "operator new(" SIZE ", std::align_val_t, std::nothrow_t const&)")  \
                              form(NEW_ARRAY_ALIGNED_NOTHROW,                                      \
                                   (size_t szB, size_t alignB, const void *tag),                   \
                                   (szB, alignB, tag), "_Zna" SZ "St11align_val_tRKSt9nothrow_t",  \
                                   "operator new[](" SIZE                                          \
                                   ", std::align_val_t, std::nothrow_t const&)")

#define DELETES(form)                                                                              \
  form(DELETE, (void *p), (p), "_ZdlPv", "operator delete(void*)")                                 \
      form(DELETE_ARRAY, (void *p), (p), "_ZdaPv", "operator delete[](void*)") form(               \
          DELETE_NOTHROW, (void *p, const void *tag), (p, tag), "_ZdlPvRKSt9nothrow_t",            \
          "operator delete(void*, std::nothrow_t const&)")                                         \
          form(DELETE_ARRAY_NOTHROW, (void *p, const void *tag), (p, tag), "_ZdaPvRKSt9nothrow_t", \
               "operator delete[](void*, std::nothrow_t const&)")                                  \
              form(DELETE_SIZED, (void *p, size_t szB), (p, szB), "_ZdlPv" SZ,                     \
                   "operator delete(void*, " SIZE                                                  \
                   ")") form(DELETE_ARRAY_SIZED, (void *p, size_t szB), (p, szB), "_ZdaPv" SZ,     \
                             "operator delete[](void*, " SIZE                                      \
                             ")") form(DELETE_ALIGNED, (void *p, size_t alignB), (p, alignB),      \
                                       "_ZdlPvSt11align_val_t",                                    \
                                       "operator delete(void*, std::align_val_t)")                 \
                  form(DELETE_ARRAY_ALIGNED, (void *p, size_t alignB), (p, alignB),                \
                       "_ZdaPvSt11align_val_t", "operator delete[](void*, std::align_val_t)")      \
                      form(DELETE_ALIGNED_NOTHROW, (void *p, size_t alignB, const void *tag),      \
                           (p, alignB, tag), "_ZdlPvSt11align_val_tRKSt9nothrow_t",                \
                           "operator delete(void*, std::align_val_t, std::nothrow_t const&)")      \
                          form(                                                                    \
                              DELETE_ARRAY_ALIGNED_NOTHROW,                                        \
                              (void *p, size_t alignB, const void *tag), (p, alignB, tag),         \
                              "_ZdaPvSt11align_val_tRKSt9nothrow_t",                               \
                              "operator delete[](void*, std::align_val_t, std::nothrow_t const&)") \
                              form(DELETE_SIZED_ALIGNED, (void *p, size_t szB, size_t alignB),     \
                                   (p, szB, alignB), "_ZdlPv" SZ "St11align_val_t",                \
                                   "operator delete(void*, " SIZE ", std::align_val_t)")           \
                                  form(DELETE_ARRAY_SIZED_ALIGNED,                                 \
                                       (void *p, size_t szB, size_t alignB), (p, szB, alignB),     \
                                       "_ZdaPv" SZ "St11align_val_t",                              \
                                       "operator delete[](void*, " SIZE ", std::align_val_t)")

enum {
#define NUMBER(form, parameters, arguments, symbol, name) FORM_##form,
  NEWS(NUMBER) DELETES(NUMBER) N_FORMS
#undef NUMBER
};

_Static_assert((int)N_FORMS == (int)PL_N_NEWS, "pl_thread.h has numbers for all forms");

static struct {
  void *function;
  bool is_told; /* recorded here, since it does not call malloc or free */
} g_forms[N_FORMS];

/* ---- The program's operators ---- */

static const char *const g_symbols[N_FORMS] = {
#define SYMBOL(form, parameters, arguments, symbol, name) [FORM_##form] = symbol,
    NEWS(SYMBOL) DELETES(SYMBOL)
#undef SYMBOL
};

static void *base_of(const void *function) {
  Dl_info info;
  return function != NULL && dladdr(function, &info) != 0 ? info.dli_fbase : NULL;
}

void pl_new_find(const void *program_s_malloc) {
  const void *allocator = base_of(program_s_malloc);
  for (unsigned i = 0; i < N_FORMS; i++) {
    g_forms[i].function = dlsym(RTLD_NEXT, g_symbols[i]);
    g_forms[i].is_told = allocator != NULL && base_of(g_forms[i].function) == allocator;
  }
}

/* Finds operators of a C++ library that was loaded later. */
static void find_later(unsigned form) {
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
  for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
      g_forms[form].function = dlsym(library, g_symbols[form]);
    if (g_forms[form].function != NULL)
      return;
  }
  pl_die("the program calls an operator new or delete of a C++ library that cannot be found");
}

static void *program_s(unsigned form) {
  if (__builtin_expect(g_forms[form].function == NULL, 0)) {
    if (!pl_real_is_found())
      pl_real_find();
    find_later(form);
  }
  return g_forms[form].function;
}

/* ---- Our operators. Calls that pass through leave no frame of ours on the stack. ---- */

#define OURS __attribute__((noinline, used)) static
#define ENTRY(form) PL_ENTRY(PL_IN_NEW + FORM_##form)

#define OURS_NEW(form, parameters, arguments, symbol, name)                                        \
  typedef void *(*fn_##form)parameters;                                                            \
  static void *call_##form(pl_entry_t entry, void *p, size_t szB) {                                \
    return p == NULL ? NULL : pl_told(&entry, p, szB);                                             \
  }                                                                                                \
  OURS void *ours_##form parameters {                                                              \
    fn_##form function = (fn_##form)program_s(FORM_##form);                                        \
    if (!g_forms[FORM_##form].is_told)                                                             \
      return function arguments;                                                                   \
    return call_##form(ENTRY(form), function arguments, szB);                                      \
  }                                                                                                \
  __attribute__((alias("ours_" #form), visibility("default"))) void *pl_##form parameters __asm__( \
      symbol);

#define OURS_DELETE(form, parameters, arguments, symbol, name)                                     \
  typedef void(*fn_##form) parameters;                                                             \
  static bool call_##form(pl_entry_t entry, void *p) {                                             \
    return p == NULL || pl_tell_free(&entry, p);                                                   \
  }                                                                                                \
  OURS void ours_##form parameters {                                                               \
    fn_##form function = (fn_##form)program_s(FORM_##form);                                        \
    if (!g_forms[FORM_##form].is_told || call_##form(ENTRY(form), p))                              \
      function arguments;                                                                          \
  }                                                                                                \
  __attribute__((alias("ours_" #form), visibility("default"))) void pl_##form parameters __asm__(  \
      symbol);

NEWS(OURS_NEW)
DELETES(OURS_DELETE)

/* ---- Names ---- */

static const struct {
  uintptr_t address;
  const char *name;
} g_ours[N_FORMS] = {
#define NAME(form, parameters, arguments, symbol, name)                                            \
  [FORM_##form] = {(uintptr_t)ours_##form, name},
    NEWS(NAME) DELETES(NAME)
#undef NAME
};

uint64_t pl_new_address(pl_in_t in) {
  return g_ours[in - PL_IN_NEW].address;
}

const char *pl_new_name(uint64_t address) {
  for (unsigned i = 0; i < N_FORMS; i++)
    if (g_ours[i].address == address)
      return g_ours[i].name;
  return NULL;
}
