/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_clreq.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#include "dmd-config.h"
#include "record/engine/allocation.h"
#include "record/engine/dump.h"
#include "record/engine/graphdump.h"
#include "record/engine/heapstats.h"
#include "valgrind/dm_claims.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_malloc.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_preload.h"

/* A new block; makes the dump that is due. */
static void *answer(ULong addr) {
  if (UNLIKELY(g_engine.due != NULL))
    dmd_engine_dump_due(&g_engine);
  return (void *)(Addr)addr;
}

static void *dm_malloc(ThreadId tid, SizeT szB) {
  return answer(dmd_engine_malloc(&g_engine, tid, szB));
}

/* The product does not overflow: the replacement function in the program has checked it. */
static void *dm_calloc(ThreadId tid, SizeT nmemb, SizeT szB) {
  return answer(dmd_engine_calloc(&g_engine, tid, nmemb, szB));
}

static void *memalign_block(ThreadId tid, SizeT szB, SizeT alignB, SizeT orig_alignB) {
  dmd_alignment_t align = {.asked = orig_alignB, .granted = alignB};
  return answer(dmd_engine_memalign(&g_engine, tid, szB, align));
}

static void *new_aligned_block(ThreadId tid, SizeT szB, SizeT alignB, SizeT orig_alignB) {
  dmd_alignment_t align = {.asked = orig_alignB, .granted = alignB};
  return answer(dmd_engine_new_aligned(&g_engine, tid, szB, align));
}

/* Older Valgrinds do not pass the alignment that the program requested. */
#if DMD_VG_HAVE_ORIG_ALIGN
static void *dm_memalign(ThreadId tid, SizeT alignB, SizeT orig_alignB, SizeT szB) {
  return memalign_block(tid, szB, alignB, orig_alignB);
}

static void *dm_new_aligned(ThreadId tid, SizeT szB, SizeT alignB, SizeT orig_alignB) {
  return new_aligned_block(tid, szB, alignB, orig_alignB);
}
#else
static void *dm_memalign(ThreadId tid, SizeT alignB, SizeT szB) {
  return memalign_block(tid, szB, alignB, alignB);
}

static void *dm_new_aligned(ThreadId tid, SizeT szB, SizeT alignB) {
  return new_aligned_block(tid, szB, alignB, alignB);
}
#endif

/* A graph is written first if claims need the block. That reads memory that may trap, which
 * translated code must not do; so whoever calls from there asks dm_claims_need before, and leaves
 * the call to the core. */
static void dm_free(ThreadId tid, void *p) {
  if (dm_claims_need(p))
    dmd_engine_keep_claims(&g_engine);
  dmd_engine_free(&g_engine, tid, (Addr)p);
}

static void dm_free_aligned(ThreadId tid, void *p, SizeT alignB) {
  (void)alignB;
  dm_free(tid, p);
}

static void *dm_realloc(ThreadId tid, void *p, SizeT szB) {
  if (dm_claims_need(p))
    dmd_engine_keep_claims(&g_engine);
  return answer(dmd_engine_realloc(&g_engine, tid, (Addr)p, szB));
}

static SizeT dm_malloc_usable_size(ThreadId tid, void *p) {
  return dmd_engine_usable_size(&g_engine, tid, (Addr)p);
}

/* Rounds up to whole pages, as the C library does. If that overflows, the engine refuses the
 * size. */
static UWord pvalloc_block(ThreadId tid, SizeT szB) {
  SizeT pages_szB = VG_ROUNDUP(szB, VKI_PAGE_SIZE);
  const dmd_alignment_t align = {.asked = VKI_PAGE_SIZE, .granted = VKI_PAGE_SIZE};
  return dmd_engine_memalign(&g_engine, tid, pages_szB < szB ? szB : pages_szB, align);
}

/* The address is that of a variable of our replacement, on the program's stack. */
static void fill_heapstats(Addr to) {
  dmd_heapstats_t stats = dmd_engine_heapstats(&g_engine);
  VG_(memcpy)((void *)to, &stats, sizeof stats);
}

static void fill_heapstats_text(Addr to, SizeT szB, UWord which) {
  dmd_heapstats_t stats = dmd_engine_heapstats(&g_engine);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &g_env);
  if (which == DM_TEXT_INFO)
    dmd_heapstats_info(&stats, &text);
  else
    dmd_heapstats_print(&stats, &text);
  SizeT n = text.n < szB ? text.n : szB - 1;
  VG_(memcpy)((void *)to, text.text, n);
  ((HChar *)to)[n] = '\0';
  dmd_strbuf_destroy(&text);
}

Bool dm_answer_preload(ThreadId tid, const UWord *arg, UWord *ret) {
  dmd_engine_t *engine = &g_engine;
  switch (arg[0]) {
  case DM_PRELOAD_MALLOCX:
    *ret = dmd_engine_mallocx(engine, tid, arg[1], arg[2]);
    return True;
  case DM_PRELOAD_RALLOCX:
    *ret = dmd_engine_rallocx(engine, tid, arg[1], arg[2], arg[3]);
    return True;
  case DM_PRELOAD_XALLOCX:
    *ret = dmd_engine_xallocx(engine, tid, arg[1], arg[2], arg[3], arg[4]);
    return True;
  case DM_PRELOAD_SALLOCX:
    *ret = dmd_engine_usable_size(engine, tid, arg[1]);
    return True;
  case DM_PRELOAD_NALLOCX:
    *ret = dmd_engine_nallocx(engine, arg[1], arg[2]);
    return True;
  case DM_PRELOAD_PVALLOC:
    *ret = pvalloc_block(tid, arg[1]);
    return True;
  case DM_PRELOAD_FREE:
    dmd_engine_free(engine, tid, arg[1]);
    *ret = 0;
    return True;
  case DM_PRELOAD_HEAPSTATS:
    fill_heapstats(arg[1]);
    *ret = 0;
    return True;
  case DM_PRELOAD_HEAPSTATS_TEXT:
    fill_heapstats_text(arg[1], arg[2], arg[3]);
    *ret = 0;
    return True;
  default:
    return False;
  }
}

/* Without a dump that is due. */
static Bool answer_quickly(ThreadId tid, const UWord *arg, UWord *ret) {
  const void *callee = (const void *)arg[1];
  switch (arg[0]) {
  case VG_USERREQ__CLIENT_CALL1:
    if (callee == dm_malloc)
      *ret = dmd_engine_malloc(&g_engine, tid, arg[2]);
    else if (callee == dm_free)
      dm_free(tid, (void *)arg[2]), *ret = 0;
    else if (callee == dm_malloc_usable_size)
      *ret = dm_malloc_usable_size(tid, (void *)arg[2]);
    else
      return False;
    return True;
  case VG_USERREQ__CLIENT_CALL2:
    if (callee == dm_calloc)
      *ret = dmd_engine_calloc(&g_engine, tid, arg[2], arg[3]);
    else if (callee == dm_realloc)
      *ret = dmd_engine_realloc(&g_engine, tid, arg[2], arg[3]);
    else
      return False;
    return True;
  default:
    return dm_answer_preload(tid, arg, ret);
  }
}

/* The core makes dumps that are due. It makes the request again if one became due since there was
 * no memory, which a second try of realloc would count twice. */
Bool dm_answer_allocator_call(ThreadId tid, const UWord *arg, UWord *ret) {
  const void *callee = (const void *)arg[1];
  if (g_engine.due != NULL || (callee == dm_realloc && g_options.dump_at_failure) ||
      ((callee == dm_free || callee == dm_realloc) && dm_claims_need((const void *)arg[2])))
    return False;
  return answer_quickly(tid, arg, ret) && (*ret != 0 || g_engine.due == NULL);
}

void dm_register_malloc(void) {
  /* No red zones: memory around the program's blocks is not checked. */
  VG_(needs_malloc_replacement)
  (dm_malloc, dm_malloc, dm_new_aligned, dm_malloc, dm_new_aligned, dm_memalign, dm_calloc, dm_free,
   dm_free, dm_free_aligned, dm_free, dm_free_aligned, dm_realloc, dm_malloc_usable_size,
   0 /*client_malloc_redzone_szB*/);
}
