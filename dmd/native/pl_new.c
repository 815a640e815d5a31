/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replacements for C++'s operators new and delete.
 *
 * The C++ library's operators call malloc and free, which are ours, so they are passed through, and
 * their caller shows up on the stack of that call. Some allocators bring operators of their own
 * that do not call malloc. An operator in the same object as the program's malloc is recorded like
 * malloc itself. A library that is loaded later may bring the C++ library with it, out of sight of
 * the others; it is looked for when one of its operators is called.
 */
#define _GNU_SOURCE
#include "native/pl_kernel.h"
#include "native/pl_malloc.h"
#include "native/pl_real.h"

#include <dlfcn.h>

/* ---- The program's operators ---- */

/* Finds operators of a C++ library that was loaded later. */
static void find_later(unsigned form) {
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
  for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
      g_operators[form].function = dlsym(library, pl_operator_symbol(form));
    if (g_operators[form].function != NULL)
      return;
  }
  pl_die("the program calls an operator new or delete of a C++ library that cannot be found");
}

static void *program_s(unsigned form) {
  if (__builtin_expect(g_operators[form].function == NULL, 0)) {
    if (!pl_real_is_found())
      pl_real_find();
    find_later(form);
  }
  return g_operators[form].function;
}

/* ---- Our operators. Calls that pass through leave no frame of ours on the stack. ---- */

#define OURS __attribute__((noinline, used)) static

#define OURS_NEW(form, parameters, arguments, symbol, name)                                        \
  typedef void *(*fn_##form)parameters;                                                            \
  static void *call_##form(pl_entry_t entry, void *p, size_t szB) {                                \
    return p == NULL ? NULL : pl_record_alloc(&entry, p, szB);                                     \
  }                                                                                                \
  OURS void *ours_##form parameters;                                                               \
  PL_FUNCTION(form, ours_##form, name)                                                             \
  OURS void *ours_##form parameters {                                                              \
    fn_##form function = (fn_##form)program_s(PL_FORM_##form);                                     \
    if (!g_operators[PL_FORM_##form].is_told)                                                      \
      return function arguments;                                                                   \
    return call_##form(PL_ENTRY(form), function arguments, szB);                                   \
  }                                                                                                \
  __attribute__((alias("ours_" #form), visibility("default"))) void *pl_##form parameters __asm__( \
      symbol);

#define OURS_DELETE(form, parameters, arguments, symbol, name)                                     \
  typedef void(*fn_##form) parameters;                                                             \
  static bool call_##form(pl_entry_t entry, void *p) {                                             \
    return p == NULL || pl_record_free(&entry, p);                                                 \
  }                                                                                                \
  OURS void ours_##form parameters;                                                                \
  PL_FUNCTION(form, ours_##form, name)                                                             \
  OURS void ours_##form parameters {                                                               \
    fn_##form function = (fn_##form)program_s(PL_FORM_##form);                                     \
    if (!g_operators[PL_FORM_##form].is_told || call_##form(PL_ENTRY(form), p))                    \
      function arguments;                                                                          \
  }                                                                                                \
  __attribute__((alias("ours_" #form), visibility("default"))) void pl_##form parameters __asm__(  \
      symbol);

PL_NEWS(OURS_NEW)
PL_DELETES(OURS_DELETE)
