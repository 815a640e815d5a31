/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_real.h: the program's own functions that ours replace.
 *
 * They are found with dlsym at the first call of any of ours, while the loader is still at work.
 * dlsym may allocate; until it has finished, blocks come from a small array of ours (early memory).
 * Early memory is never freed, and is recognised by its address.
 *
 * Concurrency: written once, by the first call, before there is a second thread; then read-only. A
 * pointer is NULL if the program has no such function.
 */
#ifndef DMD_NATIVE_PL_REAL_H
#define DMD_NATIVE_PL_REAL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef void (*pl_handler_t)(int number); /* a signal handler */

typedef struct pl_real {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*reallocarray)(void *, size_t, size_t);
  void (*free)(void *);
  void (*free_sized)(void *, size_t);
  void (*free_aligned_sized)(void *, size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
  size_t (*malloc_usable_size)(void *);
  void *(*mallocx)(size_t, int);
  void *(*rallocx)(void *, size_t, int);
  size_t (*xallocx)(void *, size_t, size_t, int);
  void (*dallocx)(void *, int);
  void (*sdallocx)(void *, size_t, int);
  int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  int (*dlclose)(void *);
  void *(*mmap)(void *, size_t, int, int, int, off_t);
  int (*munmap)(void *, size_t);
  void *(*mremap)(void *, size_t, size_t, int, ...);
  int (*brk)(void *);
  void *(*sbrk)(intptr_t);
  int (*execve)(const char *, char *const *, char *const *);
  int (*execvpe)(const char *, char *const *, char *const *);
  int (*fexecve)(int, char *const *, char *const *);
  int (*prctl)(int, ...);
  long (*syscall)(long, ...);
  int (*sigaction)(int, const struct sigaction *, struct sigaction *);
  pl_handler_t (*signal)(int, pl_handler_t);
  pl_handler_t (*sigset)(int, pl_handler_t);
  int (*sigaltstack)(const stack_t *, stack_t *);
  int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
  int (*sigprocmask)(int, const sigset_t *, sigset_t *);
  int (*sigwait)(const sigset_t *, int *);
  int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
  int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
  void *(*__libc_malloc)(size_t);
  void *(*__libc_calloc)(size_t, size_t);
  void *(*__libc_realloc)(void *, size_t);
  void *(*__libc_memalign)(size_t, size_t);
  void *(*__libc_valloc)(size_t);
  void *(*__libc_pvalloc)(size_t);
  void (*__libc_free)(void *);
  void (*__libc_freeres)(void);            /* free what the C library */
  void (*_ZN9__gnu_cxx9__freeresEv)(void); /* and the C++ library keep internally */
} pl_real_t;

extern pl_real_t g_real;

/* ---- C++'s operators new and delete ---- */

/* A form has parameters, the arguments that are passed on, and two names: the symbol, and how
 * people write it. std::nothrow_t is passed by its address, and std::align_val_t is a size_t. */

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

/* The program's operators, by their form. A form is recorded where it is called if it comes from
 * the same object as malloc, and so does not call malloc itself. */
typedef struct pl_operator {
  void *function;
  bool is_recorded;
} pl_operator_t;

extern pl_operator_t g_operators[PL_N_FORMS];

const char *pl_operator_symbol(unsigned form);

/* ---- Looking them up ---- */

/* Whether the program loaded this library after its start, so that none of its calls reach ours by
 * themselves (pl_bindings.h). Call once, before the next two. */
bool pl_real_is_late(void);

/* For a library that is late: the program's function of this name, or NULL. May take
 * the loader's lock and allocate. */
void *pl_real_lookup(const char *name);

/* Looks all of them up. */
void pl_real_find(void);

/* Whether they have been looked up. */
static inline bool pl_real_is_found(void) {
  return g_real.malloc != NULL;
}

/* Early memory: allocates a zeroed block; whether a block is early; and its size. */
void *pl_early_alloc(size_t alignB, size_t szB);
bool pl_early_has(const void *p);
size_t pl_early_size(const void *p);

/* Sets *start to the beginning of all early memory, used or not, and returns its size. */
size_t pl_early_range(uint64_t *start);

/* pl_real_look finds out, with the loader's help, whether the program's allocator is the C
 * library's; pl_real_is_libc returns the result. */
void pl_real_look(void);
bool pl_real_is_libc(void);

/* The path of a loaded object whose malloc comes before ours in the search order, so that its
 * blocks are not seen; NULL: none. */
const char *pl_real_malloc_before_ours(void);

/* Makes the C library, or the C++ library, free its internal memory and flush its streams. No other
 * thread may run. */
void pl_real_free_libraries(bool libc, bool cxx);

#endif
