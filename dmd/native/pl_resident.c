/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_resident.h"

#include "base/str.h"
#include "native/pl_channel.h"
#include "native/pl_lines.h"
#include "native/pl_memory.h"
#include "native/pl_objects.h"

/* Parses a line such as "Rss:                  12 kB". */
static bool is_figure(const char *line, const char *name, uint64_t *szB) {
  if (!dmd_str_begins(line, name))
    return false;
  line += dmd_str_length(name);
  line += dmd_str_span(line, " ");
  uint64_t kib = 0;
  for (; *line >= '0' && *line <= '9'; line++)
    kib = kib * 10 + (uint64_t)(*line - '0');
  *szB = kib * 1024;
  return true;
}

/* A mapping's first line begins with its address, in lower-case hexadecimal; the other lines begin
 * with a capital. */
static bool is_first_line(const char *line) {
  return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f');
}

static bool is_engines(const pl_mapping_t *mapping) {
  uint32_t object = pl_object_around(mapping->start);
  uint64_t channel;
  return pl_memory_has(mapping->start) ||
         (pl_channel_range(&channel) > 0 && mapping->start == channel) ||
         (object != DMD_NONE && object == pl_object_around((uintptr_t)&g_env));
}

/* Adds up the resident bytes, and those resident in no other process, of the engine's mappings or
 * of all others. Returns false if unknown. */
static bool add_up(bool of_engine, uint64_t *resident, uint64_t *unique) {
  pl_lines_t lines;
  const char *line;
  bool counts = false, is_known = false;
  uint64_t szB;
  *resident = *unique = 0;
  pl_lines_open(&lines, "/proc/thread-self/smaps");
  while ((line = pl_lines_next(&lines)) != NULL) {
    if (is_first_line(line)) {
      pl_mapping_t mapping = pl_read_mapping(line);
      counts = is_engines(&mapping) == of_engine;
    } else if (counts && is_figure(line, "Rss:", &szB)) {
      *resident += szB;
      is_known = true;
    } else if (counts && (is_figure(line, "Private_Clean:", &szB) ||
                          is_figure(line, "Private_Dirty:", &szB) ||
                          is_figure(line, "Private_Hugetlb:", &szB))) {
      *unique += szB;
    }
  }
  pl_lines_close(&lines);
  return is_known;
}

void pl_resident_measure(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks_szB) {
  uint64_t resident, unique;
  (void)ctx, (void)in_blocks_szB;
  if (!add_up(false, &resident, &unique))
    return;
  memory->resident = resident;
  memory->resident_unique = unique;
}

uint64_t pl_resident_own(void) {
  uint64_t resident, unique;
  return add_up(true, &resident, &unique) ? resident : 0;
}
