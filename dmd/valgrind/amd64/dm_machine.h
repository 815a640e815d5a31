/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_machine.h: x86-64.
 */
#ifndef DMD_VALGRIND_AMD64_DM_MACHINE_H
#define DMD_VALGRIND_AMD64_DM_MACHINE_H

#include "libvex_guest_amd64.h"

typedef VexGuestAMD64State dm_guest_t;

#define DM_REQUEST guest_RAX
#define DM_ANSWER guest_RDX
#define DM_IP guest_RIP
#define DM_SP guest_RSP
#define DM_FP guest_RBP
#define DM_FIRST guest_RDI
#define DM_SECOND guest_RSI
#define DM_RESULT guest_RAX
#define DM_FP_OFFSET (Int) offsetof(dm_guest_t, guest_RBP)
#define DM_STORAGE_OFFSET (Int) offsetof(dm_guest_t, guest_FS_CONST)
#define DM_FINDS_WORDS 1
#define DM_GETS_GUEST 1
#define DM_ANSWERS_CALLS 1
#define DM_SEES_CLAIMS 1
#define DM_ARGUMENT_OFFSETS                                                                        \
  offsetof(dm_guest_t, guest_RDI), offsetof(dm_guest_t, guest_RSI),                                \
      offsetof(dm_guest_t, guest_RDX), offsetof(dm_guest_t, guest_RCX),                            \
      offsetof(dm_guest_t, guest_R8), offsetof(dm_guest_t, guest_R9)
#define DM_RETURN_SZB 8

static inline ULong dm_ticks(void) {
  return __builtin_ia32_rdtsc();
}

#endif
