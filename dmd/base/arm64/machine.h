/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * machine.h: arm64.
 */
#ifndef DMD_BASE_ARM64_MACHINE_H
#define DMD_BASE_ARM64_MACHINE_H

#include <stdint.h>

/* The return address is in the link register, and is saved where the function wants. */
enum { DMD_REGISTER_FP = 29, DMD_REGISTER_SP = 31, DMD_REGISTER_IP = 30 };
enum { DMD_STORAGE_FOLLOWS = 1 };

/* mov x8, #139 (rt_sigreturn); svc #0. The frame is a siginfo_t of 128 bytes, then a ucontext_t, in
 * which the registers begin 184 bytes from the start. */
#define DMD_SIGNAL_CODE UINT64_C(0xd4000001d2801168)
enum {
  DMD_SIGNAL_FP = 128 + 184 + 29 * 8,
  DMD_SIGNAL_LINK = 128 + 184 + 30 * 8,
  DMD_SIGNAL_SP = 128 + 184 + 31 * 8,
  DMD_SIGNAL_IP = 128 + 184 + 32 * 8
};

static inline void dmd_machine_pause(void) {
  __asm__ volatile("yield");
}

/* Pointer authentication signs return addresses in their upper bits. Programs have at most 48 bits
 * of addresses unless they ask for more. */
static inline uintptr_t dmd_machine_code(uintptr_t word) {
  return word & ((UINT64_C(1) << 48) - 1);
}

#endif
