/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_context.h"

pl_context_t pl_context_of(const ucontext_t *from) {
  pl_context_t context = {.n_registers = 0};
#if defined(__x86_64__)
  const greg_t *registers = from->uc_mcontext.gregs;
  context.ip = (uint64_t)registers[REG_RIP];
  context.sp = (uint64_t)registers[REG_RSP];
  context.fp = (uint64_t)registers[REG_RBP];
  for (int i = REG_R8; i <= REG_RSP; i++)
    context.registers[context.n_registers++] = (uint64_t)registers[i];
#else
  (void)from;
#endif
  return context;
}
