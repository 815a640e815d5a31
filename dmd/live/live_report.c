/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reports, and what is wrong with them.
 */
#include "base/mem.h"
#include "live/live.h"

bool dmd_live_fault(dmd_live_t *live, dmd_fault_kind_t kind, uint32_t thread, uint32_t stack) {
  dmd_fault_t fault = {
      .num = 1, .kind = kind, .stack = stack, .reporter = dmd_scopes_top(&live->reporters, thread)};
  return dmd_faults_add(&live->faults, &fault);
}

/* Adds to the fault by whom the block was reported before. */
static void add_other_report(const dmd_live_t *live, dmd_fault_t *fault, uint32_t reports) {
  if (reports == DMD_NONE)
    return;
  const dmd_report_t *other = &dmd_reports_at(&live->reports, reports)->report[0];
  fault->reported = other->stack;
  fault->other_reporter = other->reporter;
}

/* Completes the fault of a report of memory that is no block's. */
static void classify(dmd_live_t *live, dmd_fault_t *fault, uint64_t addr) {
  const dmd_live_host_t *host = &live->config.host;
  char text[256] = "";
  fault->kind = DMD_FAULT_REPORT_NO_BLOCK;
  if (host->classify != NULL)
    fault->kind = host->classify(host->ctx, addr, text, sizeof text);
  if (text[0] != '\0')
    fault->memory = dmd_intern_text(&live->reporter_names, text);
}

static void fault_of_report(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack,
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
    uint32_t claim = dmd_live_claim(live, thread, 0);
    if (claim != DMD_NONE)
      dmd_claims_at(&live->claims, claim)->no_block = fault.memory;
  }
  fault.bytes = fault.size;
  dmd_faults_add(&live->faults, &fault);
}

/* What is wrong with a report of a live block. */
static void check_report(dmd_live_t *live, const dmd_block_t *block, const dmd_report_t *report) {
  dmd_fault_t fault = {.num = 1,
                       .stack = report->stack,
                       .reporter = report->reporter,
                       .allocated = block->stack,
                       .size = dmd_block_usable(block),
                       .bytes = dmd_block_usable(block)};
  if (live->config.require_scope && report->reporter == DMD_NONE) {
    fault.kind = DMD_FAULT_REPORT_UNSCOPED;
    dmd_faults_add(&live->faults, &fault);
  }
  if (block->reports != DMD_NONE && dmd_reports_are_shared(&live->reports, block->reports) !=
                                        ((report->flags & DMD_REPORT_SHARED) != 0)) {
    fault.kind = DMD_FAULT_REPORT_MIXED;
    add_other_report(live, &fault, block->reports);
    dmd_faults_add(&live->faults, &fault);
  }
}

uint64_t dmd_live_report(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack,
                         uint32_t flags, uint32_t reporter) {
  dmd_block_t *block = dmd_blocks_find(live->blocks, addr);
  if (!dmd_live_keeps_reports(live))
    return block == NULL ? 0 : dmd_block_usable(block);
  live->wants_stack_of_free = true;
  if (reporter == DMD_NONE)
    reporter = dmd_scopes_top(&live->reporters, thread);
  if (block == NULL) {
    if (addr != 0)
      fault_of_report(live, thread, addr, stack, reporter);
    return 0;
  }
  dmd_report_t report = {.stack = stack, .reporter = reporter, .flags = (uint16_t)flags};
  check_report(live, block, &report);
  block->reports = dmd_reports_add(&live->reports, block->reports, report);
  uint32_t claim = dmd_live_claim(live, thread, 0);
  if (claim != DMD_NONE)
    dmd_claims_note_report(&live->claims, claim, dmd_block_usable(block), block->req, stack);
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

uint64_t dmd_live_unreport(dmd_live_t *live, uint64_t addr) {
  dmd_block_t *block = dmd_blocks_find(live->blocks, addr);
  if (block == NULL)
    return 0;
  block->reports = DMD_NONE;
  return dmd_block_usable(block);
}

static void clear_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  dmd_live_t *live = ctx;
  (void)addr;
  block->reports = dmd_reports_clear(&live->reports, block->reports);
}

void dmd_live_clear_reports(dmd_live_t *live) {
  dmd_blocks_walk(live->blocks, clear_block, live);
  dmd_memreports_clear(&live->memreports);
  for (uint32_t name = 1; name <= live->ended.last; name++)
    *DMD_POOL_AT(&live->ended, uint64_t, name) = 0;
  dmd_blocks_clear_freed_reported(live->blocks);
}
