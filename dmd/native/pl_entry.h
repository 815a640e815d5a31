/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_entry.h: where the program called one of our functions.
 *
 * Concurrency: any thread; there is no state.
 */
#ifndef DMD_NATIVE_PL_ENTRY_H
#define DMD_NATIVE_PL_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* A function of ours that the program calls: the innermost frame of a stack. The linker puts all of
 * them side by side. */
typedef struct pl_function {
  uint64_t address;
  const char *name;
} pl_function_t;

#define PL_FUNCTION(id, function, as)                                                              \
  extern const pl_function_t pl_function_##id;                                                     \
  const pl_function_t pl_function_##id                                                             \
      __attribute__((section("pl_functions"), used)) = {(uintptr_t)(function), as};

/* Begins the definition of a function that replaces the program's of this name. It has two names,
 * because the compiler takes the address of malloc for that of the program's. It is only called
 * from outside, so that its return address is in its caller. */
#define PL_REPLACE(type, name, parameters)                                                         \
  __attribute__((noinline, used)) static type pl_##name parameters;                                \
  PL_FUNCTION(name, pl_##name, #name)                                                              \
  __attribute__((alias("pl_" #name), visibility("default"))) type name parameters;                 \
  static type pl_##name parameters

/* The name of our function at this address; NULL: it is not ours. */
const char *pl_function_name(uint64_t address);

/* The address of our function of this name; 0: there is none. */
uint64_t pl_function_address(const char *name);

/* A call by the program. */
typedef struct pl_entry {
  uint64_t ip;             /* the return address */
  uint64_t sp;             /* the caller's stack pointer after the return */
  uint64_t fp;             /* the caller's frame pointer, if it has one */
  const pl_function_t *in; /* NULL: a request. The innermost frame is the program's own function. */
} pl_entry_t;

/* The call of the current function. */
#define PL_ENTRY_IN(function)                                                                      \
  ((pl_entry_t){.ip = (uint64_t)__builtin_return_address(0),                                       \
                .sp = (uint64_t)__builtin_dwarf_cfa(),                                             \
                .fp = *(const uint64_t *)__builtin_frame_address(0),                               \
                .in = (function)})
#define PL_ENTRY(id) PL_ENTRY_IN(&pl_function_##id)

#endif
