/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lets the distribution's zlib, built for programs with a libc, work in a tool. Its memory comes
 * from our own allocator. The few libc functions that it still refers to are at the end of this
 * file. Where the compiler gave one of its functions a stack guard, the guard is read from the
 * thread control block, which a tool does not have (its FS base is 0): so around each call into
 * zlib the FS base points to a small block of ours.
 */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

#include "base/zip/gzip.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_gzip.h"
#include "valgrind/dm_syscall.h"

#if DM_GZIP_AVAILABLE

#if defined(VGA_amd64)
/* The stack guard is read from 0x28 bytes above the FS base. */
static UWord g_thread_block[16];

static void arch_prctl(UWord code, UWord arg) {
  dm_syscall(__NR_arch_prctl, code, arg, 0, 0, 0);
}

enum { SET_FS = 0x1002, GET_FS = 0x1003 };

static uintptr_t enter_zlib(void) {
  UWord before = 0;
  arch_prctl(GET_FS, (UWord)&before);
  arch_prctl(SET_FS, (UWord)g_thread_block);
  return before;
}

static void leave_zlib(uintptr_t before) {
  arch_prctl(SET_FS, before);
}
#define ENTER_ZLIB enter_zlib
#define LEAVE_ZLIB leave_zlib
#else
/* The guard is an ordinary variable (see the end of this file). */
#define ENTER_ZLIB NULL
#define LEAVE_ZLIB NULL
#endif

/* Level 1: profiles are very repetitive, and the program waits while a dump is written. */
static const dmd_gzip_way_t gzip_way = {
    .env = &g_env, .level = 1, .stores_noise = true, .enter = ENTER_ZLIB, .leave = LEAVE_ZLIB};

void *dm_gzip_open(void *ctx, dmd_write_fn write, void *to) {
  (void)ctx;
  return dmd_gzip_open(&gzip_way, write, to);
}

void dm_gzip_close(void *compressor) {
  dmd_gzip_close(compressor, true);
}

/*--- Symbols that zlib's objects refer to ---*/

void *malloc(size_t szB);
void *malloc(size_t szB) {
  return VG_(malloc)("dm.gzip.malloc", szB);
}

void free(void *p);
void free(void *p) {
  VG_(free)(p);
}

void __stack_chk_fail(void);
void __stack_chk_fail(void) {
  VG_(tool_panic)("the stack guard in zlib was overwritten");
}

#if defined(VGA_arm64)
UWord __stack_chk_guard = 0x5bd1e9955bd1e995UL;
#endif

#endif
