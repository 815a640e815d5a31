/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_machine.h: arm64.
 */
#ifndef DMD_VALGRIND_ARM64_DM_MACHINE_H
#define DMD_VALGRIND_ARM64_DM_MACHINE_H

#include "libvex_guest_arm64.h"

typedef VexGuestARM64State dm_guest_t;

/* Valgrind's compiler for arm64 stops at a call that gets the guest state ("ATC"). */
#define DM_GETS_GUEST 0

#define DM_REQUEST guest_X4
#define DM_ANSWER guest_X3
#define DM_IP guest_PC
#define DM_SP guest_XSP
#define DM_FP guest_X29
#define DM_FIRST guest_X0
#define DM_SECOND guest_X1
#define DM_RESULT guest_X0
#define DM_RETURN guest_X30
#define DM_FP_OFFSET (Int) offsetof(dm_guest_t, guest_X29)
#define DM_STORAGE_OFFSET (Int) offsetof(dm_guest_t, guest_TPIDR_EL0)
#define DM_FINDS_WORDS 0
#define DM_ANSWERS_CALLS 1
#define DM_SEES_CLAIMS 1
#define DM_ARGUMENT_OFFSETS                                                                        \
  offsetof(dm_guest_t, guest_X0), offsetof(dm_guest_t, guest_X1), offsetof(dm_guest_t, guest_X2),  \
      offsetof(dm_guest_t, guest_X3), offsetof(dm_guest_t, guest_X4),                              \
      offsetof(dm_guest_t, guest_X5)
#define DM_RETURN_SZB 0

static inline ULong dm_ticks(void) {
  ULong ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

#endif
