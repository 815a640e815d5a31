/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/allocation.h"

#include "model/profile/allocator.h"
#include "record/engine/loaded.h"
#include "record/heap/interleave.h"

/* ---- Faults. ---- */

void dmd_engine_say_fault(dmd_engine_t *engine, uint32_t thread, dmd_fault_kind_t kind,
                          const char *what, uint64_t number) {
  const dmd_engine_host_t *host = engine->host;
  uint32_t stack = dmd_engine_capture(engine, thread);
  if (!dmd_live_fault(&engine->live, kind, thread, stack) || host->is_quiet(host->ctx))
    return;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, engine->env);
  dmd_strbuf_str(&line, dmd_fault_text(kind));
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, what);
  dmd_strbuf_str(&line, " 0x");
  dmd_strbuf_hex(&line, number);
  host->say(host->ctx, line.text);
  host->say_stack(host->ctx, stack);
  host->say(host->ctx, "");
  dmd_strbuf_destroy(&line);
}

/* True for a size of half the address space or more, which is a negative number in disguise: no
 * such block can exist. Memcheck calls these fishy. */
static bool is_absurd(dmd_engine_t *engine, uint32_t thread, uint64_t szB) {
  if (__builtin_expect(szB >> (engine->host->word_szB * 8 - 1) == 0, 1))
    return false;
  dmd_engine_say_fault(engine, thread, DMD_FAULT_ABSURD_SIZE, "the size is", szB);
  return true;
}

void dmd_engine_note_failure(dmd_engine_t *engine, uint32_t thread, uint64_t szB) {
  if (!engine->options->dump_at_failure || szB == 0)
    return;
  engine->failure = (dmd_failure_t){szB, thread, dmd_engine_capture(engine, thread)};
  engine->due = DMD_DUE_AT_FAILURE;
}

/* Returns the address 0. */
static uint64_t fail(dmd_engine_t *engine, uint32_t thread, uint64_t szB) {
  dmd_engine_note_failure(engine, thread, szB);
  return 0;
}

/* ---- Memory. ---- */

static uint64_t take(const dmd_engine_t *engine, uint64_t alignB, uint64_t szB) {
  return engine->host->heap_alloc(engine->host->ctx, alignB, szB);
}

/* Aligned to alignB and to the host's minimum alignment for all blocks. */
static uint64_t get_memory(dmd_engine_t *engine, uint64_t alignB, uint64_t szB) {
  if (engine->heap_alignB > alignB)
    alignB = engine->heap_alignB;
  if (__builtin_expect(szB <= DMD_SLAB_MAX_BLOCK && alignB <= DMD_SLAB_UNIT, 1))
    return dmd_slabs_alloc(&engine->slabs, szB);
  return take(engine, alignB, szB);
}

/* Memory for a block that replaces a smaller one. Slabs leave it some room to grow in place; beyond
 * their sizes it gets an eighth more, which is only address space until the program uses it. */
static uint64_t get_grown_memory(dmd_engine_t *engine, uint64_t alignB, uint64_t szB) {
  uint64_t addr = szB > DMD_SLAB_MAX_BLOCK ? get_memory(engine, alignB, szB + szB / 8) : 0;
  return addr != 0 ? addr : get_memory(engine, alignB, szB);
}

static uint64_t room_of(const dmd_engine_t *engine, uint64_t addr) {
  uint64_t room_szB = dmd_slabs_room(&engine->slabs, addr);
  return room_szB != 0 ? room_szB : engine->host->heap_room(engine->host->ctx, addr);
}

static void *pointer_to(uint64_t addr) {
  return (void *)(uintptr_t)addr;
}

/* Makes n bytes of new memory what the program expects of them, if it expects anything. */
static void prepare(const dmd_engine_t *engine, uint64_t addr, uint64_t n, bool zeroed) {
  if (zeroed)
    dmd_mem_zero(pointer_to(addr), (size_t)n);
  else if (__builtin_expect(engine->options->fill, 0))
    dmd_mem_fill(pointer_to(addr), DMD_FILL, (size_t)n);
}

/* ---- Allocating. ---- */

dmd_new_block_t dmd_engine_describe_block(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                          uint64_t req_szB, uint64_t usable_szB) {
  dmd_engine_look_for_left_tag(engine, thread, true);
  dmd_plan_t plan = dmd_live_plan(&engine->live, usable_szB);
  dmd_new_block_t block = {
      .addr = addr, .req = req_szB, .usable = usable_szB, .thread = thread, .flags = plan.flags};
  if (plan.stack || engine->rules.tag) {
    uint32_t stack = dmd_engine_capture(engine, thread);
    if (plan.stack)
      block.stack = stack;
    if (engine->rules.tag)
      block.tag = dmd_rules_tag(&engine->rules, stack);
  }
  return block;
}

/* The usable size of a block of req_szB bytes with this alignment. */
static uint64_t usable_of(dmd_engine_t *engine, uint64_t req_szB, uint64_t alignB) {
  dmd_engine_settle_allocator(engine);
  return dmd_live_usable(&engine->live, req_szB, alignB);
}

void dmd_engine_add_block(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req_szB,
                          uint64_t usable_szB) {
  dmd_new_block_t block = dmd_engine_describe_block(engine, thread, addr, req_szB, usable_szB);
  dmd_live_add(&engine->live, &block);
  const char *due = dmd_blocks_take_due(engine->live.blocks);
  if (__builtin_expect(due != NULL, 0))
    engine->due = due;
}

static uint64_t new_block(dmd_engine_t *engine, uint32_t thread, uint64_t req_szB,
                          uint64_t usable_szB, uint64_t alignB, bool zeroed) {
  uint64_t addr = get_memory(engine, alignB, usable_szB);
  if (addr == 0)
    return fail(engine, thread, req_szB);
  dmd_engine_add_block(engine, thread, addr, req_szB, usable_szB);
  prepare(engine, addr, usable_szB, zeroed);
  return addr;
}

uint64_t dmd_engine_malloc(dmd_engine_t *engine, uint32_t thread, uint64_t szB) {
  if (is_absurd(engine, thread, szB))
    return 0;
  return new_block(engine, thread, szB, usable_of(engine, szB, 1), 1, false);
}

/* A request: size, alignment (a power of two; 1: none), and whether all new usable memory must be
 * zeroed. */
typedef struct {
  uint64_t szB, alignB;
  bool zeroed;
} wanted_t;

static uint64_t allocate(dmd_engine_t *engine, uint32_t thread, wanted_t wanted) {
  if (is_absurd(engine, thread, wanted.szB))
    return 0;
  uint64_t usable_szB = usable_of(engine, wanted.szB, wanted.alignB);
  return new_block(engine, thread, wanted.szB, usable_szB, wanted.alignB, wanted.zeroed);
}

uint64_t dmd_engine_calloc(dmd_engine_t *engine, uint32_t thread, uint64_t n, uint64_t szB) {
  if (is_absurd(engine, thread, n) || is_absurd(engine, thread, szB))
    return 0;
  wanted_t wanted = {.szB = n * szB, .alignB = 1, .zeroed = true};
  return allocate(engine, thread, wanted);
}

/* The alignment that the program requested or, if that is not valid, the one that it got. */
static uint64_t model_alignment(dmd_alignment_t align) {
  bool is_power = align.asked != 0 && (align.asked & (align.asked - 1)) == 0;
  return is_power ? align.asked : align.granted;
}

uint64_t dmd_engine_memalign(dmd_engine_t *engine, uint32_t thread, uint64_t szB,
                             dmd_alignment_t align) {
  if (is_absurd(engine, thread, szB))
    return 0;
  uint64_t usable_szB = usable_of(engine, szB, model_alignment(align));
  return new_block(engine, thread, szB, usable_szB, align.granted, false);
}

uint64_t dmd_engine_new_aligned(dmd_engine_t *engine, uint32_t thread, uint64_t szB,
                                dmd_alignment_t align) {
  if (is_absurd(engine, thread, szB))
    return 0;
  uint64_t model_alignB = model_alignment(align), asked_szB = szB;
  dmd_engine_settle_allocator(engine);
  if (engine->new_rounds_up)
    asked_szB = dmd_allocator_new_request(engine->live.config.allocator, szB, model_alignB);
  uint64_t usable_szB = usable_of(engine, asked_szB, model_alignB);
  return new_block(engine, thread, szB, usable_szB, align.granted, false);
}

/* ---- Freeing. ---- */

/* An announced block's memory is not ours to free, even if the program frees it with free(). */
void dmd_engine_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr) {
  if (addr == 0)
    return;
  switch (dmd_live_remove(&engine->live, addr, dmd_engine_capture_free(engine, thread))) {
  case DMD_REMOVE_FAILED:
    dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_FREE, "no block starts at", addr);
    break;
  case DMD_REMOVE_MEMORY:
    engine->host->heap_free(engine->host->ctx, addr);
    break;
  case DMD_REMOVE_DONE:
    break;
  }
}

/* ---- Reallocating. ---- */

/* True if a block with room for room_szB bytes can stay in place for usable_szB: it moves if they
 * do not fit, or if more than half of the room would be unused. */
static bool fits_in_place(uint64_t room_szB, uint64_t usable_szB) {
  return usable_szB <= room_szB && usable_szB >= room_szB / 2;
}

/* Bytes to copy from a block: the program may have written all that malloc_usable_size promised.
 * The memory of an announced block may not exist, so it is checked. */
static uint64_t content_of(const dmd_engine_t *engine, const dmd_block_t *block, uint64_t addr) {
  const dmd_engine_host_t *host = engine->host;
  uint64_t szB = dmd_block_usable(block);
  bool is_there = !(block->flags & DMD_BLOCK_ANNOUNCED) || host->is_readable(host->ctx, addr, szB);
  return is_there ? szB : 0;
}

static uint64_t move_block(dmd_engine_t *engine, uint32_t thread, const dmd_block_t *old,
                           uint64_t old_addr, const wanted_t *wanted, uint64_t usable_szB) {
  uint64_t addr = usable_szB > dmd_block_usable(old)
                      ? get_grown_memory(engine, wanted->alignB, usable_szB)
                      : get_memory(engine, wanted->alignB, usable_szB);
  if (addr == 0) {
    dmd_blocks_count_failed_realloc(engine->live.blocks, wanted->szB);
    return fail(engine, thread, wanted->szB);
  }
  uint64_t kept_szB = content_of(engine, old, old_addr);
  if (kept_szB > usable_szB)
    kept_szB = usable_szB;
  dmd_mem_copy(pointer_to(addr), pointer_to(old_addr), (size_t)kept_szB);
  prepare(engine, addr + kept_szB, usable_szB - kept_szB, wanted->zeroed);
  dmd_engine_free(engine, thread, old_addr);
  dmd_engine_add_block(engine, thread, addr, wanted->szB, usable_szB);
  return addr;
}

static void resize_block(dmd_engine_t *engine, uint32_t thread, const dmd_block_t *block,
                         uint64_t addr, const wanted_t *wanted, uint64_t usable_szB) {
  uint64_t old_szB = dmd_block_usable(block);
  if (usable_szB > old_szB)
    prepare(engine, addr + old_szB, usable_szB - old_szB, wanted->zeroed);
  dmd_new_block_t now = dmd_engine_describe_block(engine, thread, addr, wanted->szB, usable_szB);
  dmd_live_resize(&engine->live, &now);
}

static uint64_t renew_block(dmd_engine_t *engine, uint32_t thread, const dmd_block_t *old,
                            uint64_t addr, const wanted_t *wanted) {
  bool is_announced = old->flags & DMD_BLOCK_ANNOUNCED;
  uint64_t usable_szB = is_announced || wanted->alignB > 1
                            ? usable_of(engine, wanted->szB, wanted->alignB)
                            : dmd_live_resized(&engine->live, dmd_block_usable(old), wanted->szB);
  if (is_announced || addr & (wanted->alignB - 1) ||
      !fits_in_place(room_of(engine, addr), usable_szB))
    return move_block(engine, thread, old, addr, wanted, usable_szB);
  resize_block(engine, thread, old, addr, wanted, usable_szB);
  return addr;
}

/* For an address at which no block starts. */
static void say_invalid_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr) {
  dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_REALLOC, "no block starts at", addr);
}

/* Like dmd_engine_realloc, with alignment and zeroing; size 0 is not special. New memory begins at
 * the end of the old usable bytes. */
static uint64_t reallocate(dmd_engine_t *engine, uint32_t thread, uint64_t addr, wanted_t wanted) {
  if (is_absurd(engine, thread, wanted.szB))
    return 0;
  const dmd_block_t *old = dmd_live_find_freeable(&engine->live, addr);
  if (old == NULL) {
    dmd_blocks_count_failed_realloc(engine->live.blocks, wanted.szB);
    say_invalid_realloc(engine, thread, addr);
    return 0;
  }
  return renew_block(engine, thread, old, addr, &wanted);
}

uint64_t dmd_engine_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB) {
  const dmd_engine_host_t *host = engine->host;
  if (is_absurd(engine, thread, szB))
    return 0;
  if (addr == 0)
    return dmd_engine_malloc(engine, thread, szB);
  if (szB == 0) {
    if (host->realloc_zero_frees(host->ctx)) {
      dmd_engine_free(engine, thread, addr);
      return 0;
    }
    szB = 1; /* like Valgrind's other tools; callers of the C library cannot tell the difference */
  }
  return reallocate(engine, thread, addr, (wanted_t){.szB = szB, .alignB = 1});
}

/* Resizes the block in place to wanted.szB bytes plus as many of extra_szB as fit. Returns the
 * usable size afterwards. Leaves the block unchanged if there is no room, or if the allocator never
 * resizes such a block in place. Returns 0 and counts a fault if no block starts at addr. */
static uint64_t resize_in_place(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                wanted_t wanted, uint64_t extra_szB) {
  const dmd_block_t *block = dmd_live_find_freeable(&engine->live, addr);
  if (block == NULL) {
    say_invalid_realloc(engine, thread, addr);
    return 0;
  }
  uint64_t old_szB = dmd_block_usable(block), most_szB = wanted.szB + extra_szB;
  if (block->flags & DMD_BLOCK_ANNOUNCED || addr & (wanted.alignB - 1) ||
      is_absurd(engine, thread, wanted.szB))
    return old_szB;
  if (most_szB < wanted.szB)
    most_szB = UINT64_MAX;
  uint64_t least_usable_szB = usable_of(engine, wanted.szB, 1);
  uint64_t most_usable_szB = usable_of(engine, most_szB, 1);
  uint64_t usable_szB = dmd_allocator_resized_in_place(old_szB, least_usable_szB, most_usable_szB,
                                                       room_of(engine, addr));
  if (usable_szB < least_usable_szB || usable_szB > most_usable_szB)
    return old_szB;
  wanted.szB = most_szB < usable_szB ? most_szB : usable_szB;
  resize_block(engine, thread, block, addr, &wanted, usable_szB);
  return usable_szB;
}

/* ---- Sizes. ---- */

/* This is not a report, but a later claim may include these bytes. */
static uint64_t answer_size(dmd_live_t *live, uint32_t thread, const dmd_block_t *block) {
  uint64_t usable = block == NULL ? 0 : dmd_block_usable(block);
  dmd_live_note_asked(live, thread, usable);
  return usable;
}

/* If the thread is in a reporter scope, that names the report rather than the rules. */
uint64_t dmd_engine_usable_size(dmd_engine_t *engine, uint32_t thread, uint64_t addr) {
  dmd_live_t *live = &engine->live;
  const dmd_block_t *block = dmd_live_find_freeable(live, addr);
  if (!engine->rules.report || !dmd_live_keeps_reports(live))
    return answer_size(live, thread, block);
  uint32_t stack = dmd_engine_capture(engine, thread), reporter;
  if (!dmd_rules_reports(&engine->rules, stack, block == NULL ? DMD_NONE : block->stack, &reporter))
    return answer_size(live, thread, block);
  if (dmd_live_name_at(live, &live->reporters, thread, stack) != DMD_NONE)
    reporter = DMD_NONE;
  return dmd_live_report(live, thread, addr, stack, 0, reporter);
}

/* ---- Announced blocks. ---- */

/* Nothing else checks what a program announces, not even that all blocks together fit the totals of
 * a profile. Real blocks never come near these limits. */
static bool is_absurd_announced(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                uint64_t szB) {
  const uint64_t address_space = UINT64_C(1) << 47, most_in_all = DMD_MAX_TOTAL / 2;
  if (is_absurd(engine, thread, szB))
    return true;
  if (szB <= address_space && addr + szB >= addr && szB <= most_in_all - engine->announced_szB)
    return false;
  dmd_engine_say_fault(engine, thread, DMD_FAULT_ABSURD_SIZE, "the size is", szB);
  return true;
}

uint64_t dmd_engine_announced_size(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                   uint64_t szB) {
  if (is_absurd_announced(engine, thread, addr, szB))
    return 0;
  engine->announced_szB += szB;
  return szB;
}

void dmd_engine_announce_as(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags) {
  szB = dmd_engine_announced_size(engine, thread, addr, szB);
  dmd_new_block_t block = dmd_engine_describe_block(engine, thread, addr, szB, szB);
  block.flags |= DMD_BLOCK_ANNOUNCED | flags;
  dmd_live_add(&engine->live, &block);
}

/* Refuses what Memcheck refuses. */
void dmd_engine_resize_announced(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                 uint64_t old_szB, uint64_t new_szB) {
  const dmd_block_t *block = dmd_live_find_freeable(&engine->live, addr);
  if (block == NULL || block->req != old_szB || new_szB == 0)
    dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_REALLOC,
                         "no block of this size to resize in place at", addr);
  else if (!is_absurd_announced(engine, thread, addr, new_szB)) {
    engine->announced_szB += new_szB;
    dmd_live_resize_announced(&engine->live, addr, new_szB);
  }
}

/* ---- jemalloc's own functions. ---- */

enum { LG_ALIGN = 0x3f, ZERO = 0x40 };

static wanted_t read_flags(uint64_t szB, uint32_t flags) {
  return (wanted_t){
      .szB = szB, .alignB = UINT64_C(1) << (flags & LG_ALIGN), .zeroed = (flags & ZERO) != 0};
}

uint64_t dmd_engine_mallocx(dmd_engine_t *engine, uint32_t thread, uint64_t szB, uint32_t flags) {
  return allocate(engine, thread, read_flags(szB, flags));
}

uint64_t dmd_engine_rallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags) {
  return reallocate(engine, thread, addr, read_flags(szB, flags));
}

uint64_t dmd_engine_xallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint64_t extra_szB, uint32_t flags) {
  return resize_in_place(engine, thread, addr, read_flags(szB, flags), extra_szB);
}

uint64_t dmd_engine_nallocx(dmd_engine_t *engine, uint64_t szB, uint32_t flags) {
  wanted_t wanted = read_flags(szB, flags);
  if ((wanted.szB | wanted.alignB) >> (engine->host->word_szB * 8 - 2) != 0)
    return 0;
  return usable_of(engine, wanted.szB, wanted.alignB);
}
