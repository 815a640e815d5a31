/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_entry.h: where the program called one of our functions.
 *
 * Concurrency: any thread; there is no state.
 */
#ifndef DMD_NATIVE_PL_ENTRY_H
#define DMD_NATIVE_PL_ENTRY_H

#include <stdint.h>

/* A call by the program. */
typedef struct pl_entry {
  uint64_t ip; /* the return address */
  uint64_t sp; /* the caller's stack pointer after the return */
  uint64_t fp; /* the caller's frame pointer, if it has one */
  uint64_t in; /* our function that the program called: the innermost frame of the stack; 0: a
                * request, where that is the program's own function */
} pl_entry_t;

/* The call of the current function. */
#define PL_ENTRY(function)                                                                         \
  ((pl_entry_t){.ip = (uint64_t)__builtin_return_address(0),                                       \
                .sp = (uint64_t)__builtin_frame_address(0) + 2 * sizeof(void *),                   \
                .fp = *(const uint64_t *)__builtin_frame_address(0),                               \
                .in = (uintptr_t)(function)})

/* Gives the name of one of our functions, where that is defined. The linker collects them. */
typedef struct pl_function {
  uint64_t address;
  const char *name;
} pl_function_t;

#define PL_NAMED(function, as)                                                                     \
  static const pl_function_t named_##function                                                      \
      __attribute__((section("pl_functions"), used)) = {(uintptr_t)(function), as};

/* The name of our function at this address; NULL: it is none of ours. */
const char *pl_function_name(uint64_t address);

#endif
