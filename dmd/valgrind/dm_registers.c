/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include "valgrind/dm_registers.h"

/* The thread for which a helper was last called, and its guest state; NULL: none yet. */
static const void *g_guest;
static ThreadId g_tid;

ThreadId dm_running_thread(const void *guest) {
  if (guest != g_guest) {
    g_tid = VG_(get_running_tid)();
    g_guest = guest;
  }
  return g_tid;
}

#if defined(VGA_amd64)
#include "libvex_guest_amd64.h"

dm_registers_t dm_registers(ThreadId tid) {
  const VexGuestAMD64State *guest = g_guest;
  dm_registers_t registers = {.ip = 0};
  if (guest != NULL && tid == g_tid)
    return (dm_registers_t){.ip = guest->guest_RIP, .sp = guest->guest_RSP, .fp = guest->guest_RBP};
  registers.ip = VG_(get_IP)(tid);
  registers.sp = VG_(get_SP)(tid);
  VG_(get_shadow_regs_area)
  (tid, (UChar *)&registers.fp, 0, offsetof(VexGuestAMD64State, guest_RBP), sizeof registers.fp);
  return registers;
}
#else
dm_registers_t dm_registers(ThreadId tid) {
  return (dm_registers_t){.ip = VG_(get_IP)(tid), .sp = VG_(get_SP)(tid)};
}
#endif
