/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * machine.h: x86-64, and what needs no processor in particular (x86, WebAssembly).
 */
#ifndef DMD_BASE_AMD64_MACHINE_H
#define DMD_BASE_AMD64_MACHINE_H

#include <stdint.h>

enum { DMD_REGISTER_FP = 6, DMD_REGISTER_SP = 7, DMD_REGISTER_IP = 16 };
enum { DMD_STORAGE_FOLLOWS = 0 };

#define DMD_SIGNAL_CODE UINT64_C(0)
enum { DMD_SIGNAL_FP, DMD_SIGNAL_LINK, DMD_SIGNAL_SP, DMD_SIGNAL_IP };

static inline void dmd_machine_pause(void) {
#if defined __x86_64__ || defined __i386__
  __asm__ volatile("pause");
#endif
}

static inline uintptr_t dmd_machine_code(uintptr_t word) {
  return word;
}

#endif
