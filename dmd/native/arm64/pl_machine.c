/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_machine.h"

#include <dlfcn.h>
#include <elf.h>

pl_context_t pl_machine_context(const ucontext_t *from) {
  const mcontext_t *machine = &from->uc_mcontext;
  pl_context_t context = {
      .ip = machine->pc, .sp = machine->sp, .fp = machine->regs[29], .link = machine->regs[30]};
  for (int i = 0; i < 31; i++)
    context.registers[context.n_registers++] = machine->regs[i];
  return context;
}

uint64_t pl_machine_thread_pointer(void) {
  return (uint64_t)__builtin_thread_pointer();
}

bool pl_machine_is_binding(uint32_t type, bool *is_call) {
  *is_call = type == R_AARCH64_JUMP_SLOT;
  return *is_call || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}

/* The loader looks in this library's folders instead. */
void *pl_machine_dlopen(const char *name, int mode, const void *caller) {
  (void)caller;
  return dlopen(name, mode);
}
