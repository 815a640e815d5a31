/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_syscall.c: replaces the C library's syscall, and notes calls that install a seccomp filter.
 */
#include <sys/syscall.h>

#define TEXT_OF(x) #x
#define NUMBER_OF(x) TEXT_OF(x)

#define SAVE                                                                                       \
  "stp x29, x30, [sp, #-80]!\n"                                                                    \
  "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n"
#define RESTORE                                                                                    \
  "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"   \
  "ldp x29, x30, [sp], #80\n"
#define LOAD_REAL "adrp x9, pl_real_syscall\nldr x9, [x9, :lo12:pl_real_syscall]\n"

/* Jumps to the C library's function with the caller's frame unchanged: a call such as clone returns
 * on another stack. Until that function is found only the engine calls this one, to end the process
 * or to wait. */
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, %function\n"
        "syscall:\n"
        "cmp x0, #" NUMBER_OF(__NR_seccomp) "\n"
                                            "b.ne 1f\n" SAVE "mov x0, x1\n"
                                            "mov x1, x3\n"
                                            "bl pl_note_seccomp\n" RESTORE "1:\n" LOAD_REAL
                                            "cbnz x9, 2f\n" SAVE
                                            "bl pl_find_syscall\n" RESTORE LOAD_REAL "cbz x9, 3f\n"
                                            "2: br x9\n"
                                            "3: mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, "
                                            "x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\n"
                                            "svc #0\n"
                                            "ret\n"
                                            ".size syscall, . - syscall\n");
