/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_context.h: what a thread has in hand where it was interrupted.
 *
 * Concurrency: none.
 */
#ifndef DMD_PRELOAD_PL_CONTEXT_H
#define DMD_PRELOAD_PL_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

enum {
  PL_MAX_REGISTERS = 32,
  PL_RED_ZONE_SZB = 128 /* below the stack pointer, that functions use */
};

typedef struct pl_context {
  uint64_t ip, sp, fp;
  uint64_t registers[PL_MAX_REGISTERS]; /* that may hold a pointer */
  uint32_t n_registers;
} pl_context_t;

pl_context_t pl_context_of(const ucontext_t *from);

#endif
