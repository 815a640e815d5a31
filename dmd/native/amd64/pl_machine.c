/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_machine.h"

#include <pthread.h>

pl_context_t pl_machine_context(const ucontext_t *from) {
  const greg_t *registers = from->uc_mcontext.gregs;
  pl_context_t context = {.ip = (uint64_t)registers[REG_RIP],
                          .sp = (uint64_t)registers[REG_RSP],
                          .fp = (uint64_t)registers[REG_RBP]};
  for (int i = REG_R8; i <= REG_RSP; i++)
    context.registers[context.n_registers++] = (uint64_t)registers[i];
  return context;
}

uint64_t pl_machine_storage_end(void) {
  return (uint64_t)pthread_self();
}
