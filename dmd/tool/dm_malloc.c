/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_clreq.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#include "dmd-config.h"
#include "engine/loaded.h"
#include "tool/dm_arena.h"
#include "tool/dm_env.h"
#include "tool/dm_malloc.h"

/* A fault is counted, and told at once the first time that it happens at a place, since the program
 * may not live to see a dump. */
static void tell_fault(ThreadId tid, dmd_fault_kind_t kind, const HChar *what, Addr a) {
  UInt stack = dm_capture_stack(tid);
  if (!dmd_live_fault(&g_engine.live, kind, tid, stack) || VG_(clo_verbosity) == 0)
    return;
  VG_(umsg)("%s: %s 0x%lx\n", dmd_fault_text(kind), what, a);
  VG_(pp_ExeContext)(dm_stack(stack));
  VG_(umsg)("\n");
}

/* A size of which half of all are negative numbers: no such block can be had. Memcheck calls these
 * fishy. */
static Bool is_absurd(ThreadId tid, SizeT szB) {
  if ((SSizeT)szB >= 0)
    return False;
  tell_fault(tid, DMD_FAULT_ABSURD_SIZE, "the size is", szB);
  return True;
}

/*--- Allocating ---*/

static dmd_new_block_t describe_block(ThreadId tid, Addr p, SizeT req_szB, SizeT usable_szB) {
  dmd_plan_t plan = dmd_live_plan(&g_engine.live, usable_szB);
  dmd_new_block_t block = {
      .addr = p, .req = req_szB, .usable = usable_szB, .thread = tid, .flags = plan.flags};
  if (plan.stack || g_engine.rules.tag) {
    UInt stack = dm_capture_stack(tid);
    if (plan.stack)
      block.stack = stack;
    if (g_engine.rules.tag)
      block.tag = dmd_rules_tag(&g_engine.rules, stack);
  }
  return block;
}

static SizeT usable_of(SizeT req_szB, SizeT alignB) {
  dmd_engine_settle_allocator(&g_engine);
  return dmd_live_usable(&g_engine.live, req_szB, alignB);
}

static void *new_block(ThreadId tid, SizeT req_szB, SizeT usable_szB, SizeT alignB,
                       Bool is_zeroed) {
  void *p = dm_arena_alloc(alignB, usable_szB);
  if (p == NULL)
    return NULL;
  if (is_zeroed)
    VG_(memset)(p, 0, usable_szB);
  dmd_new_block_t block = describe_block(tid, (Addr)p, req_szB, usable_szB);
  dmd_live_add(&g_engine.live, &block);
  return p;
}

static void *dm_malloc(ThreadId tid, SizeT szB) {
  if (is_absurd(tid, szB))
    return NULL;
  return new_block(tid, szB, usable_of(szB, 1), 1, False);
}

static void *dm_calloc(ThreadId tid, SizeT nmemb, SizeT szB) {
  /* The product does not overflow: the replacement function in the program has checked that. */
  if (is_absurd(tid, nmemb) || is_absurd(tid, szB) || is_absurd(tid, nmemb * szB))
    return NULL;
  return new_block(tid, nmemb * szB, usable_of(nmemb * szB, 1), 1, True);
}

/* orig_alignB is what the program asked for, alignB the power of two that does for both the program
 * and Valgrind. An original that is none says no more than alignB. */
static SizeT model_alignment(SizeT alignB, SizeT orig_alignB) {
  Bool is_power = orig_alignB != 0 && (orig_alignB & (orig_alignB - 1)) == 0;
  return is_power ? orig_alignB : alignB;
}

static void *memalign_block(ThreadId tid, SizeT szB, SizeT alignB, SizeT orig_alignB) {
  if (is_absurd(tid, szB))
    return NULL;
  SizeT usable_szB = usable_of(szB, model_alignment(alignB, orig_alignB));
  return new_block(tid, szB, usable_szB, alignB, False);
}

static void *new_aligned_block(ThreadId tid, SizeT szB, SizeT alignB, SizeT orig_alignB) {
  if (is_absurd(tid, szB))
    return NULL;
  SizeT model_alignB = model_alignment(alignB, orig_alignB);
  dmd_engine_settle_allocator(&g_engine);
  SizeT asked_szB = szB;
  if (g_engine.new_rounds_up)
    asked_szB = dmd_allocator_new_request(g_engine.live.config.allocator, szB, model_alignB);
  SizeT usable_szB = usable_of(asked_szB, model_alignB);
  return new_block(tid, szB, usable_szB, alignB, False);
}

/* Older Valgrinds do not tell what the program asked for. */
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

/*--- Freeing ---*/

/* Every form of free and delete. An announced block's memory is not ours to free, even when the
 * program frees it with free(). */
static void dm_free(ThreadId tid, void *p) {
  UInt stack = dmd_live_wants_stack_of_free(&g_engine.live) ? dm_capture_stack(tid) : DMD_NONE;
  switch (dmd_live_remove(&g_engine.live, (Addr)p, stack)) {
  case DMD_REMOVE_FAILED:
    tell_fault(tid, DMD_FAULT_INVALID_FREE, "no block starts at", (Addr)p);
    break;
  case DMD_REMOVE_MEMORY:
    dm_arena_free(p);
    break;
  case DMD_REMOVE_DONE:
    break;
  }
}

static void dm_free_aligned(ThreadId tid, void *p, SizeT alignB) {
  (void)alignB;
  dm_free(tid, p);
}

/*--- Reallocating ---*/

/* Whether a block of the arena with room for room_szB bytes does for usable_szB: what does not fit
 * moves, and so does what would leave more than half of its room unused. */
static Bool fits_in_place(SizeT room_szB, SizeT usable_szB) {
  return usable_szB <= room_szB && usable_szB >= room_szB / 2;
}

static void *renew_block(ThreadId tid, const dmd_block_t *old, void *p_old, SizeT req_szB) {
  Bool is_ours = !(old->flags & DMD_BLOCK_ANNOUNCED);
  SizeT usable_szB = is_ours ? dmd_live_resized(&g_engine.live, dmd_block_usable(old), req_szB)
                             : usable_of(req_szB, 1);
  if (is_ours && fits_in_place(dm_arena_room(p_old), usable_szB)) {
    dmd_new_block_t now = describe_block(tid, (Addr)p_old, req_szB, usable_szB);
    dmd_live_resize(&g_engine.live, &now);
    return p_old;
  }
  void *p_new = usable_szB > dmd_block_usable(old) ? dm_arena_alloc_grown(usable_szB)
                                                   : dm_arena_alloc(1, usable_szB);
  if (p_new == NULL) {
    dmd_blocks_count_failed_realloc(g_engine.live.blocks, req_szB);
    return NULL;
  }
  /* The program may have written to all that malloc_usable_size promised it. Of an announced block
   * only the program's word says that it is there. */
  SizeT kept_szB = dmd_block_usable(old);
  if (!is_ours && !VG_(am_is_valid_for_client)((Addr)p_old, kept_szB, VKI_PROT_READ))
    kept_szB = 0;
  VG_(memcpy)(p_new, p_old, kept_szB < usable_szB ? kept_szB : usable_szB);
  dm_free(tid, p_old);
  dmd_new_block_t block = describe_block(tid, (Addr)p_new, req_szB, usable_szB);
  dmd_live_add(&g_engine.live, &block);
  return p_new;
}

/* What realloc to size 0 does: newer Valgrinds let the user choose. */
static Bool zero_frees(void) {
#if DMD_VG_HAVE_REALLOC_ZERO
  return VG_(clo_realloc_zero_bytes_frees);
#else
  return True;
#endif
}

static void *dm_realloc(ThreadId tid, void *p_old, SizeT szB) {
  if (is_absurd(tid, szB))
    return NULL;
  if (p_old == NULL)
    return dm_malloc(tid, szB);
  if (szB == 0) {
    if (zero_frees()) {
      dm_free(tid, p_old);
      return NULL;
    }
    szB = 1; /* as Valgrind's other tools do, which the C library's callers cannot tell from 0 */
  }
  const dmd_block_t *old = dmd_live_find(&g_engine.live, (Addr)p_old);
  if (old == NULL) {
    dmd_blocks_count_failed_realloc(g_engine.live.blocks, szB);
    tell_fault(tid, DMD_FAULT_INVALID_REALLOC, "no block starts at", (Addr)p_old);
    return NULL;
  }
  return renew_block(tid, old, p_old, szB);
}

/* The program asks for a block's size: where rules want it, that is a report. A reporter scope that
 * the thread is in has a better name than the rules have. */
static SizeT dm_malloc_usable_size(ThreadId tid, void *p) {
  if (!g_engine.rules.report || !dmd_live_keeps_reports(&g_engine.live))
    return dmd_live_usable_at(&g_engine.live, (Addr)p);
  const dmd_block_t *block = dmd_live_find(&g_engine.live, (Addr)p);
  UInt stack = dm_capture_stack(tid), reporter;
  if (!dmd_rules_reports(&g_engine.rules, stack, block == NULL ? DMD_NONE : block->stack,
                         &reporter))
    return dmd_live_usable_at(&g_engine.live, (Addr)p);
  if (dmd_scopes_top(&g_engine.live.reporters, tid) != DMD_NONE)
    reporter = DMD_NONE;
  return dmd_live_report(&g_engine.live, tid, (Addr)p, stack, 0, reporter);
}

/*--- Announced blocks ---*/

void dm_announce_block(ThreadId tid, Addr p, SizeT szB) {
  dmd_new_block_t block = describe_block(tid, p, szB, szB);
  block.flags |= DMD_BLOCK_ANNOUNCED;
  dmd_live_add(&g_engine.live, &block);
}

void dm_announced_block_freed(ThreadId tid, Addr p) {
  dm_free(tid, (void *)p);
}

void dm_announced_block_resized(ThreadId tid, Addr p, SizeT old_szB, SizeT new_szB) {
  const dmd_block_t *block = dmd_live_find(&g_engine.live, p);
  /* Refused where Memcheck refuses it. */
  if (block == NULL || block->req != old_szB || new_szB == 0)
    tell_fault(tid, DMD_FAULT_INVALID_REALLOC, "no such block to resize in place at", p);
  else
    dmd_live_resize_announced(&g_engine.live, p, new_szB);
}

/*--- Registration ---*/

Bool dm_answer_allocator_call(ThreadId tid, const UWord *arg, UWord *ret) {
  const void *callee = (const void *)arg[1];
  switch (arg[0]) {
  case VG_USERREQ__CLIENT_CALL1:
    if (callee == dm_malloc)
      *ret = (UWord)dm_malloc(tid, arg[2]);
    else if (callee == dm_free)
      dm_free(tid, (void *)arg[2]), *ret = 0;
    else
      return False;
    return True;
  case VG_USERREQ__CLIENT_CALL2:
    if (callee == dm_calloc)
      *ret = (UWord)dm_calloc(tid, arg[2], arg[3]);
    else if (callee == dm_realloc)
      *ret = (UWord)dm_realloc(tid, (void *)arg[2], arg[3]);
    else
      return False;
    return True;
  default:
    return False;
  }
}

void dm_register_malloc(void) {
  /* No red zones: what lies around the program's blocks is not watched. */
  VG_(needs_malloc_replacement)
  (dm_malloc, dm_malloc, dm_new_aligned, dm_malloc, dm_new_aligned, dm_memalign, dm_calloc, dm_free,
   dm_free, dm_free_aligned, dm_free, dm_free_aligned, dm_realloc, dm_malloc_usable_size,
   0 /*client_malloc_redzone_szB*/);
}
