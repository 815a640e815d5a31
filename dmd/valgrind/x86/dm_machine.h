/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_machine.h: x86, 32 bits.
 */
#ifndef DMD_VALGRIND_X86_DM_MACHINE_H
#define DMD_VALGRIND_X86_DM_MACHINE_H

#include "libvex_guest_x86.h"

typedef VexGuestX86State dm_guest_t;

#define DM_REQUEST guest_EAX
#define DM_ANSWER guest_EDX
#define DM_IP guest_EIP
#define DM_SP guest_ESP
#define DM_FP guest_EBP
#define DM_FP_OFFSET -1
#define DM_STORAGE_OFFSET -1
#define DM_FINDS_WORDS 0
#define DM_GETS_GUEST 1
#define DM_ANSWERS_CALLS 0
#define DM_SEES_CLAIMS 0

static inline ULong dm_ticks(void) {
  return __builtin_ia32_rdtsc();
}

#endif
