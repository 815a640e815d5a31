/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_context.h: the registers of a thread where it was interrupted.
 *
 * Concurrency: any thread; there is no shared state.
 */
#ifndef DMD_NATIVE_PL_CONTEXT_H
#define DMD_NATIVE_PL_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

enum {
  PL_MAX_REGISTERS = 32,
  PL_RED_ZONE_SZB = 128 /* below the stack pointer, used by leaf functions */
};

typedef struct pl_context {
  uint64_t ip, sp, fp;
  uint64_t registers[PL_MAX_REGISTERS]; /* those that may hold a pointer */
  uint32_t n_registers;
} pl_context_t;

pl_context_t pl_context_of(const ucontext_t *from);

#endif
