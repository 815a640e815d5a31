/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcsetjmp.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_signals.h"
#include "pub_tool_vki.h"

#include "tool/dm_memory.h"

/* Where to go on when the program's memory cannot be read after all. */
static VG_MINIMAL_JMP_BUF(g_fault);
static volatile Bool g_is_reading;

/* A fault that no read made is Valgrind's own: when this returns, Valgrind says so. */
static void catch_fault(Int signo, Addr a) {
  (void)signo, (void)a;
  if (g_is_reading)
    VG_MINIMAL_LONGJMP(g_fault);
}

void dm_memory_open(dm_memory_t *memory) {
  VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &memory->mask);
  memory->before = VG_(set_fault_catcher)(catch_fault);
}

void dm_memory_close(dm_memory_t *memory) {
  VG_(set_fault_catcher)(memory->before);
}

SizeT dm_memory_read(const dm_memory_t *memory, Addr a, void *to, SizeT n) {
  if (!VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
    return 0;
  if (VG_MINIMAL_SETJMP(g_fault) == 0) {
    g_is_reading = True;
    VG_(memcpy)(to, (const void *)a, n);
    g_is_reading = False;
    return n;
  }
  g_is_reading = False;
  VG_(sigprocmask)(VKI_SIG_SETMASK, &memory->mask, NULL); /* it was the signal handler's */
  return 0;
}
