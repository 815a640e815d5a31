/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * floor.c: the least that a tool like dmd can cost, as two tools that keep nothing.
 *
 *   dmdfloora  replaces the program's allocator and keeps nothing;
 *   dmdfloorb  (DMD_FLOOR_STACKS) also takes the stack of each allocation.
 *
 * No heap profiler for Valgrind can be faster than the first, and none that asks Valgrind for every
 * block's stack faster than the second. They work like dm_malloc.c: usable sizes are glibc's, and
 * realloc stays in place if the block fits.
 */
#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"

/* As dmd does, so that reading debug information takes as long. */
extern Bool VG_(clo_read_inline_info);

static void take_stack(ThreadId tid) {
#ifdef DMD_FLOOR_STACKS
  VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/);
#else
  (void)tid;
#endif
}

/* What glibc would give: malloc(szB) of a 64-bit program, or whole pages. */
static SizeT usable(SizeT szB) {
  if (szB >= 128 * 1024)
    return VG_ROUNDUP(szB + 16, 4096) - 16;
  SizeT chunk = VG_ROUNDUP(szB + 8, 16);
  return (chunk < 32 ? 32 : chunk) - 8;
}

static void *new_block(ThreadId tid, SizeT szB, SizeT alignB, Bool is_zeroed) {
  if ((SSizeT)szB < 0)
    return NULL;
  void *p = VG_(cli_malloc)(alignB, usable(szB));
  if (p == NULL)
    return NULL;
  if (is_zeroed)
    VG_(memset)(p, 0, usable(szB));
  take_stack(tid);
  return p;
}

static void *floor_malloc(ThreadId tid, SizeT szB) {
  return new_block(tid, szB, VG_(clo_alignment), False);
}

static void *floor_calloc(ThreadId tid, SizeT nmemb, SizeT szB) {
  return new_block(tid, nmemb * szB, VG_(clo_alignment), True);
}

#if DMD_VG_HAVE_ORIG_ALIGN
static void *floor_memalign(ThreadId tid, SizeT alignB, SizeT orig_alignB, SizeT szB) {
  (void)orig_alignB;
  return new_block(tid, szB, alignB, False);
}

static void *floor_new_aligned(ThreadId tid, SizeT szB, SizeT alignB, SizeT orig_alignB) {
  (void)orig_alignB;
  return new_block(tid, szB, alignB, False);
}
#else
static void *floor_memalign(ThreadId tid, SizeT alignB, SizeT szB) {
  return new_block(tid, szB, alignB, False);
}

static void *floor_new_aligned(ThreadId tid, SizeT szB, SizeT alignB) {
  return new_block(tid, szB, alignB, False);
}
#endif

static void floor_free(ThreadId tid, void *p) {
  (void)tid;
  VG_(cli_free)(p);
}

static void floor_free_aligned(ThreadId tid, void *p, SizeT alignB) {
  (void)tid, (void)alignB;
  VG_(cli_free)(p);
}

static void *floor_realloc(ThreadId tid, void *p_old, SizeT szB) {
  if (p_old == NULL)
    return floor_malloc(tid, szB);
  if (szB == 0) {
    VG_(cli_free)(p_old);
    return NULL;
  }
  SizeT room_szB = VG_(cli_malloc_usable_size)(p_old);
  if (usable(szB) <= room_szB && usable(szB) >= room_szB / 2) {
    take_stack(tid);
    return p_old;
  }
  void *p_new = floor_malloc(tid, szB);
  if (p_new != NULL) {
    VG_(memcpy)(p_new, p_old, room_szB < szB ? room_szB : szB);
    VG_(cli_free)(p_old);
  }
  return p_new;
}

static SizeT floor_usable_size(ThreadId tid, void *p) {
  (void)tid;
  return p == NULL ? 0 : VG_(cli_malloc_usable_size)(p);
}

static void post_clo_init(void) {}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *sb_in, const VexGuestLayout *layout,
                        const VexGuestExtents *vge, const VexArchInfo *archinfo, IRType gWordTy,
                        IRType hWordTy) {
  (void)closure, (void)layout, (void)vge, (void)archinfo, (void)gWordTy, (void)hWordTy;
  return sb_in;
}

static void fini(Int exit_code) {
  (void)exit_code;
}

/* The requests of dmd.h; none of them has an effect here. */
static Bool handle_client_request(ThreadId tid, UWord *arg, UWord *ret) {
  (void)tid;
  *ret = 0;
  return arg[0] >> 16 == ('D' << 8 | 'M');
}

static void pre_clo_init(void) {
  VG_(details_name)("dmdfloor");
  VG_(details_version)(DMD_VERSION);
  VG_(details_description)("what dmd is measured against");
  VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by the dmd authors.");
  VG_(details_bug_reports_to)("the dmd authors, see its README");
  VG_(details_avg_translation_sizeB)(190);

  VG_(basic_tool_funcs)(post_clo_init, instrument, fini);
  VG_(needs_libc_freeres)();
  VG_(needs_cxx_freeres)();
  VG_(needs_client_requests)(handle_client_request);
  VG_(needs_malloc_replacement)
  (floor_malloc, floor_malloc, floor_new_aligned, floor_malloc, floor_new_aligned, floor_memalign,
   floor_calloc, floor_free, floor_free, floor_free_aligned, floor_free, floor_free_aligned,
   floor_realloc, floor_usable_size, 0 /*client_malloc_redzone_szB*/);
  VG_(clo_read_inline_info) = True;
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
