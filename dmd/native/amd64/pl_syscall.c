/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_syscall.c: replaces the C library's syscall, and notes calls that install a seccomp filter.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#define SAVE "push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; sub $8, %rsp\n"
#define RESTORE "add $8, %rsp; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n"
#define TEXT_OF(x) #x
#define NUMBER_OF(x) TEXT_OF(x)

/* Jumps to the C library's function with the caller's frame unchanged: a call such as vfork returns
 * twice, and clone returns on another stack. Until that function is found only the engine calls
 * this one, to end the process or to wait. */
__attribute__((visibility("default"), naked)) long syscall(__attribute__((unused)) long number,
                                                           ...) {
  __asm__("cmp $" NUMBER_OF(__NR_seccomp) ", %rdi\n"
                                          "jne 1f\n" SAVE "mov %rsi, %rdi; mov %rcx, %rsi\n"
                                          "call pl_note_seccomp\n" RESTORE
                                          "1: cmpq $0, pl_real_syscall(%rip)\n"
                                          "jne 2f\n" SAVE "call pl_find_syscall\n" RESTORE
                                          "cmpq $0, pl_real_syscall(%rip)\n"
                                          "je 3f\n"
                                          "2: jmp *pl_real_syscall(%rip)\n"
                                          "3: mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi; mov "
                                          "%rcx, %rdx; mov %r8, %r10\n"
                                          "mov %r9, %r8; mov 8(%rsp), %r9\n"
                                          "syscall\n"
                                          "ret\n");
}
