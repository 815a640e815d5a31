/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcsetjmp.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_signals.h"
#include "pub_tool_vki.h"

#include "valgrind/dm_memory.h"
#include "valgrind/dm_pagemap.h"

/* The signal handling that ours replaced. */
static struct {
  fault_catcher_t catcher;
  vki_sigset_t mask;
} g_before;

/* Where to continue if reading the program's memory traps. */
static VG_MINIMAL_JMP_BUF(g_trap);
static volatile Bool g_is_reading;

/* If no read of ours caused the trap, it is Valgrind's own: Valgrind reports it after this
 * returns. */
static void catch_trap(Int signo, Addr a) {
  (void)signo, (void)a;
  if (g_is_reading)
    VG_MINIMAL_LONGJMP(g_trap);
}

void dm_memory_begin(void *ctx) {
  (void)ctx;
  VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &g_before.mask);
  g_before.catcher = VG_(set_fault_catcher)(catch_trap);
}

void dm_memory_end(void *ctx) {
  (void)ctx;
  dm_pagemap_end();
  VG_(set_fault_catcher)(g_before.catcher);
}

/* Prefetches the next page, if it is mapped, since a caller that reads a whole page reads the next
 * one afterwards. */
static void fetch_next_page(Addr addr, SizeT n) {
  enum { LINE_SZB = 64 };
  for (SizeT i = 0; n == VKI_PAGE_SIZE && i < n; i += LINE_SZB)
    __builtin_prefetch((const void *)(addr + n + i));
}

size_t dm_memory_read(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx;
  if (!VG_(am_is_valid_for_client)((Addr)addr, n, VKI_PROT_READ))
    return 0;
  if (VG_MINIMAL_SETJMP(g_trap) == 0) {
    g_is_reading = True;
    VG_(memcpy)(to, (const void *)(Addr)addr, n);
    g_is_reading = False;
    fetch_next_page((Addr)addr, n);
    return n;
  }
  g_is_reading = False;
  VG_(sigprocmask)(VKI_SIG_SETMASK, &g_before.mask, NULL); /* the mask was the signal handler's */
  return 0;
}
