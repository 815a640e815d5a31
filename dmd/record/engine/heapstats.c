/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/heapstats.h"

#include "base/limits.h"
#include "record/engine/loaded.h"

/* ---- Counting. ---- */

typedef struct {
  dmd_heapstats_t stats;
  uint64_t header_szB; /* of each block; 0: the allocator has none */
  bool has_mappings;   /* large blocks have mappings of their own */
} count_t;

/* glibc's blocks have a size that is odd by one word if they have a mapping of their own. */
static bool is_mapping(const count_t *count, uint64_t usable) {
  enum { GLIBC_ALIGN = 16 };
  return count->has_mappings && (usable + count->header_szB) % GLIBC_ALIGN != 0;
}

/* The mapping begins at the page in which the block's first word is. */
static uint64_t mapping_szB(const count_t *count, uint64_t usable) {
  uint64_t with_headers = usable + 2 * count->header_szB;
  return (with_headers + DMD_PAGE_SZB - 1) / DMD_PAGE_SZB * DMD_PAGE_SZB;
}

static void count_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  count_t *count = ctx;
  (void)addr;
  if (block->flags & DMD_BLOCK_ANNOUNCED)
    return;
  uint64_t usable = dmd_block_usable(block);
  count->stats.usable += usable;
  if (is_mapping(count, usable)) {
    count->stats.hblks++;
    count->stats.hblkhd += mapping_szB(count, usable);
  } else
    count->stats.uordblks += usable + count->header_szB;
}

/* The system gives glibc memory in steps, and the rest of the last one is free. */
static void add_rest(dmd_heapstats_t *stats, uint64_t step_szB) {
  stats->arena = (stats->uordblks + step_szB - 1) / step_szB * step_szB;
  stats->fordblks = stats->arena - stats->uordblks;
  stats->ordblks = stats->fordblks > 0;
}

dmd_heapstats_t dmd_engine_heapstats(dmd_engine_t *engine) {
  enum { GLIBC_STEP_SZB = 132 * 1024, TCMALLOC_STEP_SZB = 1024 * 1024 };
  dmd_engine_settle_allocator(engine);
  dmd_allocator_t allocator = engine->live.config.allocator;
  uint64_t word_szB = engine->host->word_szB;
  count_t count = {.header_szB = allocator == DMD_ALLOCATOR_GLIBC ? word_szB : 0,
                   .has_mappings = allocator == DMD_ALLOCATOR_GLIBC};
  dmd_blocks_settle(engine->live.blocks);
  dmd_blocks_walk(engine->live.blocks, count_block, &count);
  dmd_heapstats_t *stats = &count.stats;
  switch (allocator) {
  case DMD_ALLOCATOR_GLIBC:
    if (stats->uordblks > 0) /* the first thread's cache: counts of 2 bytes */
      stats->uordblks += 64 * (2 + word_szB) + 2 * word_szB; /* and lists of 64 sizes, in a block */
    add_rest(stats, GLIBC_STEP_SZB);
    break;
  case DMD_ALLOCATOR_TCMALLOC:
  case DMD_ALLOCATOR_EXACT:
    add_rest(stats, TCMALLOC_STEP_SZB);
    break;
  default:
    *stats = (dmd_heapstats_t){.usable = stats->usable};
  }
  return *stats;
}

/* ---- Texts of the C library. ---- */

static void add(dmd_strbuf_t *text, const char *before, uint64_t number, const char *after) {
  dmd_strbuf_str(text, before);
  dmd_strbuf_u64(text, number);
  dmd_strbuf_str(text, after);
}

static void add_total(dmd_strbuf_t *text, const char *type, uint64_t n, uint64_t szB) {
  dmd_strbuf_str(text, "<total type=\"");
  dmd_strbuf_str(text, type);
  add(text, "\" count=\"", n, "\"");
  add(text, " size=\"", szB, "\"/>\n");
}

static void add_system(dmd_strbuf_t *text, uint64_t szB) {
  add(text, "<system type=\"current\" size=\"", szB, "\"/>\n");
  add(text, "<system type=\"max\" size=\"", szB, "\"/>\n");
  add(text, "<aspace type=\"total\" size=\"", szB, "\"/>\n");
  add(text, "<aspace type=\"mprotect\" size=\"", szB, "\"/>\n");
}

void dmd_heapstats_info(const dmd_heapstats_t *stats, dmd_strbuf_t *text) {
  dmd_strbuf_str(text, "<malloc version=\"1\">\n<heap nr=\"0\">\n<sizes>\n</sizes>\n");
  add_total(text, "fast", 0, 0);
  add_total(text, "rest", stats->ordblks, stats->fordblks);
  add_system(text, stats->arena);
  dmd_strbuf_str(text, "</heap>\n");
  add_total(text, "fast", 0, 0);
  add_total(text, "rest", stats->ordblks, stats->fordblks);
  add_total(text, "mmap", stats->hblks, stats->hblkhd);
  add_system(text, stats->arena);
  dmd_strbuf_str(text, "</malloc>\n");
}

static void add_line(dmd_strbuf_t *text, const char *name, uint64_t number) {
  enum { WIDTH = 10 };
  dmd_strbuf_str(text, name);
  dmd_strbuf_str(text, " = ");
  for (uint64_t limit = 10, i = 1; i < WIDTH; i++, limit *= 10)
    if (number < limit)
      dmd_strbuf_str(text, " ");
  add(text, "", number, "\n");
}

void dmd_heapstats_print(const dmd_heapstats_t *stats, dmd_strbuf_t *text) {
  dmd_strbuf_str(text, "Arena 0:\n");
  add_line(text, "system bytes    ", stats->arena);
  add_line(text, "in use bytes    ", stats->uordblks);
  dmd_strbuf_str(text, "Total (incl. mmap):\n");
  add_line(text, "system bytes    ", stats->arena + stats->hblkhd);
  add_line(text, "in use bytes    ", stats->uordblks + stats->hblkhd);
  add_line(text, "max mmap regions", stats->hblks);
  add_line(text, "max mmap bytes  ", stats->hblkhd);
}
