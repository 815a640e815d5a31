/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_syscall.h: makes system calls for which Valgrind's tool interface has no function.
 *
 * The kernel is entered directly, so this works with every Valgrind.
 */
#ifndef DMD_VALGRIND_DM_SYSCALL_H
#define DMD_VALGRIND_DM_SYSCALL_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Makes system call `number`. Returns its result, or a negative error number. */
static inline Word dm_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e) {
#if defined(VGA_amd64)
  Word result;
  register UWord fourth __asm__("r10") = d;
  register UWord fifth __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                   : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(VGA_x86)
  Word result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
                   : "memory", "cc");
  return result;
#elif defined(VGA_arm64)
  register UWord which __asm__("x8") = number;
  register UWord first __asm__("x0") = a;
  register UWord second __asm__("x1") = b;
  register UWord third __asm__("x2") = c;
  register UWord fourth __asm__("x3") = d;
  register UWord fifth __asm__("x4") = e;
  __asm__ volatile("svc 0"
                   : "+r"(first)
                   : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
                   : "memory", "cc");
  return (Word)first;
#else
#error "how system calls are made on this machine is not known"
#endif
}

#endif
