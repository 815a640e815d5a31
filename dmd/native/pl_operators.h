/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_operators.h: the forms of C++'s operators new and delete.
 *
 * A form has parameters, the arguments that are passed on, and two names: the symbol, and how
 * people write it. std::nothrow_t is passed by its address, and std::align_val_t is a size_t.
 */
#ifndef DMD_NATIVE_PL_OPERATORS_H
#define DMD_NATIVE_PL_OPERATORS_H

/* How size_t is mangled and written in the operators' names. */
#if defined(__LP64__)
#define PL_SZ "m"
#define PL_SIZE "unsigned long"
#else
#define PL_SZ "j"
#define PL_SIZE "unsigned int"
#endif

/* clang-format off */
#define PL_NEWS(form)                                                                              \
  form(NEW, (size_t szB), (szB),                                                                   \
       "_Znw" PL_SZ, "operator new(" PL_SIZE ")")                                                  \
  form(NEW_ARRAY, (size_t szB), (szB),                                                             \
       "_Zna" PL_SZ, "operator new[](" PL_SIZE ")")                                                \
  form(NEW_NOTHROW, (size_t szB, const void *tag), (szB, tag),                                     \
       "_Znw" PL_SZ "RKSt9nothrow_t", "operator new(" PL_SIZE ", std::nothrow_t const&)")          \
  form(NEW_ARRAY_NOTHROW, (size_t szB, const void *tag), (szB, tag),                               \
       "_Zna" PL_SZ "RKSt9nothrow_t", "operator new[](" PL_SIZE ", std::nothrow_t const&)")        \
  form(NEW_ALIGNED, (size_t szB, size_t alignB), (szB, alignB),                                    \
       "_Znw" PL_SZ "St11align_val_t", "operator new(" PL_SIZE ", std::align_val_t)")              \
  form(NEW_ARRAY_ALIGNED, (size_t szB, size_t alignB), (szB, alignB),                              \
       "_Zna" PL_SZ "St11align_val_t", "operator new[](" PL_SIZE ", std::align_val_t)")            \
  form(NEW_ALIGNED_NOTHROW, (size_t szB, size_t alignB, const void *tag), (szB, alignB, tag),      \
       "_Znw" PL_SZ "St11align_val_tRKSt9nothrow_t",                                               \
       "operator new(" PL_SIZE ", std::align_val_t, std::nothrow_t const&)")                       \
  form(NEW_ARRAY_ALIGNED_NOTHROW, (size_t szB, size_t alignB, const void *tag),                    \
       (szB, alignB, tag),                                                                         \
       "_Zna" PL_SZ "St11align_val_tRKSt9nothrow_t",                                               \
       "operator new[](" PL_SIZE ", std::align_val_t, std::nothrow_t const&)")

#define PL_DELETES(form)                                                                           \
  form(DELETE, (void *p), (p),                                                                     \
       "_ZdlPv", "operator delete(void*)")                                                         \
  form(DELETE_ARRAY, (void *p), (p),                                                               \
       "_ZdaPv", "operator delete[](void*)")                                                       \
  form(DELETE_NOTHROW, (void *p, const void *tag), (p, tag),                                       \
       "_ZdlPvRKSt9nothrow_t", "operator delete(void*, std::nothrow_t const&)")                    \
  form(DELETE_ARRAY_NOTHROW, (void *p, const void *tag), (p, tag),                                 \
       "_ZdaPvRKSt9nothrow_t", "operator delete[](void*, std::nothrow_t const&)")                  \
  form(DELETE_SIZED, (void *p, size_t szB), (p, szB),                                              \
       "_ZdlPv" PL_SZ, "operator delete(void*, " PL_SIZE ")")                                      \
  form(DELETE_ARRAY_SIZED, (void *p, size_t szB), (p, szB),                                        \
       "_ZdaPv" PL_SZ, "operator delete[](void*, " PL_SIZE ")")                                    \
  form(DELETE_ALIGNED, (void *p, size_t alignB), (p, alignB),                                      \
       "_ZdlPvSt11align_val_t", "operator delete(void*, std::align_val_t)")                        \
  form(DELETE_ARRAY_ALIGNED, (void *p, size_t alignB), (p, alignB),                                \
       "_ZdaPvSt11align_val_t", "operator delete[](void*, std::align_val_t)")                      \
  form(DELETE_ALIGNED_NOTHROW, (void *p, size_t alignB, const void *tag), (p, alignB, tag),        \
       "_ZdlPvSt11align_val_tRKSt9nothrow_t",                                                      \
       "operator delete(void*, std::align_val_t, std::nothrow_t const&)")                          \
  form(DELETE_ARRAY_ALIGNED_NOTHROW, (void *p, size_t alignB, const void *tag), (p, alignB, tag),  \
       "_ZdaPvSt11align_val_tRKSt9nothrow_t",                                                      \
       "operator delete[](void*, std::align_val_t, std::nothrow_t const&)")                        \
  form(DELETE_SIZED_ALIGNED, (void *p, size_t szB, size_t alignB), (p, szB, alignB),               \
       "_ZdlPv" PL_SZ "St11align_val_t", "operator delete(void*, " PL_SIZE ", std::align_val_t)")  \
  form(DELETE_ARRAY_SIZED_ALIGNED, (void *p, size_t szB, size_t alignB), (p, szB, alignB),         \
       "_ZdaPv" PL_SZ "St11align_val_t",                                                           \
       "operator delete[](void*, " PL_SIZE ", std::align_val_t)")

/* clang-format on */

enum {
#define PL_NUMBER(form, parameters, arguments, symbol, name) PL_FORM_##form,
  PL_NEWS(PL_NUMBER) PL_DELETES(PL_NUMBER) PL_N_FORMS
#undef PL_NUMBER
};

#endif
