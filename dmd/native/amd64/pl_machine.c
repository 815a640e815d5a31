/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_machine.h"

#include <dlfcn.h>
#include <elf.h>
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

uint64_t pl_machine_thread_pointer(void) {
  return (uint64_t)pthread_self();
}

bool pl_machine_is_binding(uint32_t type, bool *is_call) {
  *is_call = type == R_X86_64_JUMP_SLOT;
  return *is_call || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}

/* Calls function so that it returns to ret, an instruction `ret`, which comes back here: code that
 * looks at its return address takes the object with this instruction for its caller. */
void *pl_machine_call_by(const void *ret, void *(*function)(const char *, int), const char *name,
                         int mode);

__asm__(".text\n"
        ".type pl_machine_call_by, @function\n"
        ".hidden pl_machine_call_by\n"
        ".globl pl_machine_call_by\n"
        "pl_machine_call_by:\n"
        ".cfi_startproc\n"
        "  push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_offset %rbp, -16\n"
        "  mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "  sub $8, %rsp\n" /* function begins with the stack as after a call */
        "  lea 1f(%rip), %rax\n"
        "  push %rax\n"
        "  push %rdi\n"
        "  mov %rsi, %rax\n"
        "  mov %rdx, %rdi\n"
        "  mov %ecx, %esi\n"
        "  jmp *%rax\n"
        "1:\n"
        "  leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size pl_machine_call_by, . - pl_machine_call_by\n");

/* The instruction `ret` in the caller's page, or NULL. */
static const void *find_ret(const void *caller) {
  enum { PAGE_SZB = 4096, RET = 0xc3 };
  const uint8_t *page = (const uint8_t *)((uintptr_t)caller & ~(uintptr_t)(PAGE_SZB - 1));
  for (int i = 0; i < PAGE_SZB; i++)
    if (page[i] == RET)
      return page + i;
  return NULL;
}

void *pl_machine_dlopen(const char *name, int mode, const void *caller) {
  const void *ret = find_ret(caller);
  return ret == NULL ? dlopen(name, mode) : pl_machine_call_by(ret, dlopen, name, mode);
}
