/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/blockstarts.h"

#include "base/mem.h"

/* The first and the last n / PARTS blocks may be far from the others: they do not decide which
 * addresses the table covers. */
enum { PARTS = 1024 };

#define LINE_SZB (UINT64_C(1) << DMD_STARTS_LINE_BITS)
#define GRAIN_SZB (UINT64_C(1) << DMD_STARTS_GRAIN_BITS)

/* Fills the line of the block at this place with all blocks in it. Returns the place of the first
 * block of the next line. */
static uint32_t fill_line(dmd_blockstarts_t *starts, const dmd_blockindex_t *index,
                          uint32_t place) {
  uint64_t number = (index->blocks[place].addr - starts->from) >> DMD_STARTS_LINE_BITS;
  dmd_starts_line_t *line = &starts->lines[number];
  bool is_known = true;
  line->first = place;
  for (; place < index->n; place++) {
    uint64_t at = index->blocks[place].addr - starts->from;
    if (at >> DMD_STARTS_LINE_BITS != number)
      break;
    uint64_t bit = UINT64_C(1) << (at >> DMD_STARTS_GRAIN_BITS & 63);
    is_known = is_known && at % GRAIN_SZB == 0 && !(line->starts & bit);
    line->starts |= bit;
  }
  if (!is_known)
    line->starts = 0;
  return place;
}

void dmd_blockstarts_init(dmd_blockstarts_t *starts, const dmd_blockindex_t *index) {
  *starts = (dmd_blockstarts_t){.env = index->env};
  if (index->n == 0)
    return;
  uint32_t first = index->n / PARTS, last = index->n - 1 - first;
  uint64_t from = index->blocks[first].addr & ~(LINE_SZB - 1);
  uint64_t n_lines = (index->blocks[last].addr - from) / LINE_SZB + 1;
  if (n_lines > index->n)
    return;
  size_t szB = (size_t)n_lines * sizeof *starts->lines;
  starts->lines = dmd_env_alloc(index->env, "dmd.blockstarts", szB);
  dmd_mem_zero(starts->lines, szB);
  starts->from = from;
  starts->szB = n_lines * LINE_SZB;
  while (first > 0 && index->blocks[first - 1].addr >= from)
    first--;
  for (uint32_t place = first; place < index->n;) {
    if (index->blocks[place].addr - from >= starts->szB)
      break;
    place = fill_line(starts, index, place);
  }
}

void dmd_blockstarts_destroy(dmd_blockstarts_t *starts) {
  dmd_env_free(starts->env, starts->lines);
}
