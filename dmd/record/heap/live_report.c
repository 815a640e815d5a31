/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reports of blocks, and their faults.
 */
#include "base/mem.h"
#include "record/heap/interleave.h"

bool dmd_live_fault(dmd_live_t *live, dmd_fault_kind_t kind, uint32_t thread, uint32_t stack) {
  dmd_fault_t fault = {.num = 1,
                       .kind = kind,
                       .stack = stack,
                       .reporter = dmd_live_name_at(live, &live->reporters, thread, stack)};
  return dmd_faults_add(&live->faults, &fault);
}

/* Adds to the fault who had reported the block before. */
static void add_other_report(const dmd_live_t *live, dmd_fault_t *fault, uint32_t reports) {
  if (reports == DMD_NONE)
    return;
  const dmd_report_t *other = &dmd_reports_at(&live->reports, reports)->report[0];
  fault->reported = other->stack;
  fault->other_reporter = other->reporter;
}

/* Completes a fault about memory outside of all blocks: determines what memory it is. */
static void classify(dmd_live_t *live, dmd_fault_t *fault, uint64_t addr) {
  const dmd_live_host_t *host = &live->config.host;
  char text[256] = "";
  fault->kind = DMD_FAULT_REPORT_NO_BLOCK;
  if (host->classify != NULL)
    fault->kind = host->classify(host->ctx, addr, text, sizeof text);
  if (text[0] != '\0')
    fault->memory = dmd_intern_text(&live->reporter_names, text);
}

/* The fault for a report of an address at which no live block starts. */
static dmd_fault_t fault_of_address(dmd_live_t *live, uint64_t addr, uint32_t stack,
                                    uint32_t reporter) {
  dmd_fault_t fault = {.num = 1, .stack = stack, .reporter = reporter};
  const dmd_freed_block_t *freed = dmd_blocks_find_freed(live->blocks, addr);
  uint64_t start;
  const dmd_block_t *around =
      freed != NULL ? NULL : dmd_blocks_find_containing(live->blocks, addr, &start);
  if (freed != NULL) {
    fault.kind = DMD_FAULT_REPORT_FREED;
    fault.allocated = freed->allocated;
    fault.freed = freed->freed;
    fault.size = freed->usable;
  } else if (around != NULL) {
    fault.kind = DMD_FAULT_REPORT_INTERIOR;
    fault.allocated = around->stack;
    fault.size = dmd_block_usable(around);
    fault.offset = addr - start;
    add_other_report(live, &fault, around->reports);
  } else {
    classify(live, &fault, addr);
  }
  fault.bytes = fault.size;
  return fault;
}

static void fault_of_report(dmd_live_t *live, uint64_t addr, uint32_t stack, uint32_t reporter,
                            uint32_t claim) {
  dmd_fault_t fault = fault_of_address(live, addr, stack, reporter);
  bool in_block = fault.kind == DMD_FAULT_REPORT_FREED || fault.kind == DMD_FAULT_REPORT_INTERIOR;
  if (claim != DMD_NONE && !in_block)
    dmd_claims_at(&live->claims, claim)->no_block = fault.memory;
  dmd_faults_add(&live->faults, &fault);
}

/* Adds the fault for withdrawing a report: it has only one kind, whose text says what memory it
 * is. */
static void fault_of_unreport(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack) {
  dmd_fault_t fault =
      fault_of_address(live, addr, stack, dmd_live_name_at(live, &live->reporters, thread, stack));
  const char *words = fault.kind == DMD_FAULT_REPORT_NO_BLOCK ? "heap memory without a live block"
                      : fault.kind == DMD_FAULT_REPORT_NO_ADDRESS ? "no memory at all"
                                                                  : NULL;
  if (words != NULL && fault.memory == DMD_NONE)
    fault.memory = dmd_intern_str(&live->reporter_names, words);
  fault.kind = DMD_FAULT_UNREPORT_NO_BLOCK;
  dmd_faults_add(&live->faults, &fault);
}

/* Adds a fault of a report of a live block. Not inline: a fault is large, and few reports are
 * wrong. */
__attribute__((noinline, cold)) static void fault_of_block(dmd_live_t *live, dmd_fault_kind_t kind,
                                                           const dmd_block_t *block,
                                                           const dmd_report_t *report,
                                                           uint32_t others) {
  dmd_fault_t fault = {.num = 1,
                       .kind = kind,
                       .stack = report->stack,
                       .reporter = report->reporter,
                       .allocated = block->stack,
                       .size = dmd_block_usable(block),
                       .bytes = dmd_block_usable(block)};
  add_other_report(live, &fault, others);
  dmd_faults_add(&live->faults, &fault);
}

/* Checks a report of a live block for faults. */
static inline void check_report(dmd_live_t *live, const dmd_block_t *block,
                                const dmd_report_t *report) {
  bool is_shared = (report->flags & DMD_REPORT_SHARED) != 0;
  if (live->config.require_scope && report->reporter == DMD_NONE)
    fault_of_block(live, DMD_FAULT_REPORT_UNSCOPED, block, report, DMD_NONE);
  if (block->reports != DMD_NONE &&
      dmd_reports_are_shared(&live->reports, block->reports) != is_shared)
    fault_of_block(live, DMD_FAULT_REPORT_MIXED, block, report, block->reports);
}

/* A reporter counts a shared block again, once for each referrer: its sum then contains the block
 * several times. For reports outside of any reporter it is unknown which ones are added up. */
__attribute__((noinline, cold)) static void
fault_of_sharer(dmd_live_t *live, const dmd_block_t *block, const dmd_report_t *report) {
  const dmd_report_t *before = dmd_reports_find_sharer(&live->reports, block->reports, report);
  dmd_fault_t fault = {.num = 1,
                       .kind = DMD_FAULT_REPORT_SHARED_AGAIN,
                       .stack = report->stack,
                       .reporter = report->reporter,
                       .allocated = block->stack,
                       .reported = before->stack,
                       .other_reporter = before->reporter,
                       .size = dmd_block_usable(block),
                       .bytes = dmd_block_usable(block)};
  dmd_faults_add(&live->faults, &fault);
}

/* The block that a report of this address means. If a piece lies at the very start of its pool,
 * both have the address and the meaning is ambiguous: takes the latest block not yet reported, else
 * the latest. */
static dmd_block_t *find_reported(const dmd_live_t *live, uint64_t addr) {
  dmd_block_t *first = dmd_blocks_find(live->blocks, addr);
  if (first == NULL || !(first->flags & DMD_BLOCK_ANNOUNCED))
    return first;
  for (dmd_block_t *block = first; block != NULL;
       block = dmd_blocks_find_older(live->blocks, addr, block))
    if (block->reports == DMD_NONE)
      return block;
  return first;
}

uint64_t dmd_live_report(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack,
                         uint32_t flags, uint32_t reporter) {
  dmd_block_t *block = find_reported(live, addr);
  if (!dmd_live_keeps_reports(live))
    return block == NULL ? 0 : dmd_block_usable(block);
  dmd_live_want_stack_of_free(live);
  const dmd_scope_t *scope = dmd_live_scope_at(live, &live->reporters, thread, stack);
  uint32_t claim = scope == NULL ? DMD_NONE : scope->data;
  if (claim != DMD_NONE && dmd_claims_at(&live->claims, claim)->ignored &&
      !(flags & DMD_REPORT_ON_ALLOC))
    return block == NULL ? 0 : dmd_block_usable(block);
  if (reporter == DMD_NONE && scope != NULL)
    reporter = scope->name;
  if (block == NULL) {
    if (addr != 0)
      fault_of_report(live, addr, stack, reporter, claim);
    return 0;
  }
  dmd_report_t report = {.stack = stack, .reporter = reporter, .flags = flags};
  check_report(live, block, &report);
  uint32_t before = block->reports;
  uint32_t now = dmd_reports_added_last(&live->reports, before, &report);
  if (now == DMD_NONE)
    now = dmd_reports_add(&live->reports, before, report);
  dmd_blocks_set_reports(live->blocks, addr, block, now);
  if (block->reports == before && reporter != DMD_NONE &&
      dmd_reports_are_shared(&live->reports, before))
    fault_of_sharer(live, block, &report);
  live->claims.reported += dmd_block_usable(block);
  if (claim != DMD_NONE)
    dmd_claims_note_report(&live->claims, claim, dmd_block_usable(block), block->req, stack);
  if (flags & DMD_REPORT_ON_ALLOC) {
    dmd_counters_change(&live->counters, dmd_block_usable(block), before, block->reports);
    dmd_counters_note_thread(&live->counters, reporter, thread, dmd_block_usable(block));
    if (claim != DMD_NONE)
      dmd_claims_at(&live->claims, claim)->counted += dmd_block_usable(block);
  }
  return dmd_block_usable(block);
}

void dmd_live_check_length(dmd_live_t *live, uint64_t addr, uint64_t length, uint32_t stack,
                           uint32_t reporter) {
  const dmd_block_t *block = dmd_blocks_find(live->blocks, addr);
  if (!dmd_live_keeps_reports(live) || block == NULL || length == dmd_block_usable(block) ||
      length == block->req)
    return;
  uint64_t szB = dmd_block_usable(block);
  dmd_fault_t fault = {.num = 1,
                       .kind = DMD_FAULT_REPORT_LENGTH,
                       .stack = stack,
                       .reporter = reporter,
                       .allocated = block->stack,
                       .bytes = dmd_distance(length, szB),
                       .size = szB,
                       .length = length};
  dmd_faults_add(&live->faults, &fault);
}

uint64_t dmd_live_unreport(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack) {
  dmd_block_t *block = dmd_blocks_find(live->blocks, addr);
  if (block == NULL && addr != 0 && dmd_live_keeps_reports(live))
    fault_of_unreport(live, thread, addr, stack);
  if (block == NULL)
    return 0;
  dmd_counters_change(&live->counters, dmd_block_usable(block), block->reports, DMD_NONE);
  if (block->reports != DMD_NONE)
    dmd_counters_note_thread(&live->counters,
                             dmd_reports_at(&live->reports, block->reports)->report[0].reporter,
                             thread, 0 - dmd_block_usable(block));
  block->reports = DMD_NONE;
  return dmd_block_usable(block);
}

void dmd_live_note_asked(dmd_live_t *live, uint32_t thread, uint64_t usable) {
  uint32_t claim = dmd_live_claim(live, thread, 0);
  if (claim != DMD_NONE)
    dmd_claims_at(&live->claims, claim)->asked += usable;
}

bool dmd_live_publish(dmd_live_t *live, uint32_t thread, const dmd_memreport_t *report) {
  if (dmd_live_is_ignored(live, thread))
    return true;
  if (!dmd_memreports_add(&live->memreports, report))
    return false;
  dmd_blocks_settle(live->blocks);
  dmd_counters_publish(&live->counters, dmd_intern_find_text(&live->reporter_names, report->path),
                       thread);
  return true;
}

static void clear_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  dmd_live_t *live = ctx;
  uint32_t before = block->reports;
  (void)addr;
  block->reports = dmd_reports_clear(&live->reports, before);
  if (before != DMD_NONE && block->reports == DMD_NONE)
    dmd_lastreports_clear_block(&live->last_time, block->stack, before);
}

uint64_t dmd_live_report_mapped(dmd_live_t *live, uint32_t thread, uint64_t addr, uint64_t end,
                                uint64_t szB, uint32_t stack) {
  const dmd_scope_t *scope = dmd_live_scope_at(live, &live->reporters, thread, stack);
  uint32_t claim = scope == NULL ? DMD_NONE : scope->data;
  bool counts = dmd_live_keeps_reports(live) &&
                (claim == DMD_NONE || !dmd_claims_at(&live->claims, claim)->ignored);
  if (!counts)
    return szB;
  dmd_live_want_stack_of_free(live);
  uint64_t there =
      dmd_regions_report(&live->regions, addr, end, scope == NULL ? DMD_NONE : scope->name);
  if (there > szB)
    there = szB;
  live->claims.reported += there;
  if (claim != DMD_NONE)
    dmd_claims_note_report(&live->claims, claim, there, there, stack);
  return there;
}

void dmd_live_clear_reports(dmd_live_t *live) {
  dmd_blocks_walk(live->blocks, clear_block, live);
  dmd_memreports_clear(&live->memreports);
  dmd_regions_clear_reports(&live->regions);
  dmd_lastreports_clear_runs(&live->last_time);
  dmd_blocks_clear_freed_reported(live->blocks);
}
