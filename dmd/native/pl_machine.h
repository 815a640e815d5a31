/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_machine.h: what the native engine must know of the processor.
 *
 * Each processor has a folder that defines these functions (pl_machine.c), those of pl_rawexit.h,
 * and the replacement of syscall (pl_syscall.c).
 */
#ifndef DMD_NATIVE_PL_MACHINE_H
#define DMD_NATIVE_PL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum {
  PL_MAX_REGISTERS = 32,
  PL_RED_ZONE_SZB = 128 /* below the stack pointer, used by leaf functions */
};

typedef struct pl_context {
  uint64_t ip, sp, fp;
  uint64_t link;                        /* the link register; 0: the processor lacks one */
  uint64_t registers[PL_MAX_REGISTERS]; /* those that may hold a pointer */
  uint32_t n_registers;
} pl_context_t;

/* The registers where a signal handler interrupted the thread. */
pl_context_t pl_machine_context(const ucontext_t *from);

/* Of the calling thread. */
uint64_t pl_machine_thread_pointer(void);

/* As dlopen, called by the code at caller: the loader looks for libraries in its folders, too. */
void *pl_machine_dlopen(const char *name, int mode, const void *caller);

/* Whether a relocation of this type stores the address of a function, and whether the loader may do
 * so only when the function is first called. */
bool pl_machine_is_binding(uint32_t type, bool *is_call);

#endif
