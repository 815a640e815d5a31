/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "valgrind/dm_pagemap.h"
#include "valgrind/dm_resident.h"
#include "valgrind/dm_segments.h"

/*--- The program's segments of the address space ---*/

typedef struct {
  Addr from, to; /* to is exclusive */
} range_t;

typedef struct {
  range_t *ranges; /* in ascending order */
  Int n;
  ULong heap_szB; /* total size of those that form the arena for the program's blocks */
} client_t;

static void find_client(client_t *client) {
  Int n;
  Addr *starts = dm_segment_starts(&n);
  *client = (client_t){VG_(malloc)("dm.resident.ranges", (n + 1) * sizeof(range_t)), 0, 0};
  for (Int i = 0; i < n; i++) {
    const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
    if (segment == NULL)
      continue;
    client->ranges[client->n++] = (range_t){segment->start, segment->end + 1};
    if (segment->isCH)
      client->heap_szB += segment->end + 1 - segment->start;
  }
  VG_(free)(starts);
}

/*--- The resident part of a mapping ---*/

/* One of the kernel's mappings, and sums over the mappings so far. */
typedef struct {
  const client_t *client;
  Int next;       /* the first of its ranges that may reach into the mapping or beyond */
  Int pagemap_fd; /* -1: not opened yet */
  Bool failed;
  range_t mapping;
  Bool is_valgrinds; /* a file that Valgrind preloads */
  ULong rss_szB, private_szB;
  ULong resident_szB, unique_szB;
} reader_t;

/* Adds up the pages of a range, from the kernel's page map. */
static void count_pages(reader_t *r, range_t range) {
  ULong pages[DM_PAGES_AT_ONCE];
  if (r->pagemap_fd < 0)
    r->pagemap_fd = dm_pagemap_open();
  for (Addr page = range.from; page < range.to && !r->failed;) {
    Addr n_left = (range.to - page) / VKI_PAGE_SIZE;
    Int n = n_left < DM_PAGES_AT_ONCE ? n_left : DM_PAGES_AT_ONCE;
    r->failed = !dm_pagemap_read(r->pagemap_fd, page, pages, n);
    for (Int i = 0; i < n && !r->failed; i++) {
      Bool present = pages[i] >> DM_PAGE_PRESENT & 1;
      r->resident_szB += present ? VKI_PAGE_SIZE : 0;
      r->unique_szB += present && (pages[i] >> DM_PAGE_EXCLUSIVE & 1) ? VKI_PAGE_SIZE : 0;
    }
    page += (Addr)n * VKI_PAGE_SIZE;
  }
}

static range_t common(range_t a, range_t b) {
  return (range_t){a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
}

/* Adds the current mapping: all of it, nothing, or the program's pages in it. */
static void end_mapping(reader_t *r) {
  const client_t *client = r->client;
  Addr in_client = 0;
  while (r->next < client->n && client->ranges[r->next].to <= r->mapping.from)
    r->next++;
  for (Int i = r->next; i < client->n && client->ranges[i].from < r->mapping.to; i++) {
    range_t part = common(client->ranges[i], r->mapping);
    in_client += part.to - part.from;
  }
  if (r->is_valgrinds || in_client == 0 || r->rss_szB == 0)
    return;
  if (in_client == r->mapping.to - r->mapping.from) {
    r->resident_szB += r->rss_szB;
    r->unique_szB += r->private_szB;
    return;
  }
  for (Int i = r->next; i < client->n && client->ranges[i].from < r->mapping.to; i++)
    count_pages(r, common(client->ranges[i], r->mapping));
}

/*--- The kernel's list of mappings ---*/

/* Parses "7f00-7f80 rw-p 00000000 fe:00 1234    /lib/x.so". */
static Bool begin_mapping(reader_t *r, const HChar *line) {
  HChar *end;
  Addr from = VG_(strtoull16)(line, &end);
  if (end == line || *end != '-')
    return False;
  end_mapping(r);
  const HChar *name = VG_(strrchr)(line, '/');
  r->mapping = (range_t){from, VG_(strtoull16)(end + 1, NULL)};
  r->is_valgrinds = name != NULL && VG_(strncmp)(name, "/vgpreload_", 11) == 0;
  r->rss_szB = r->private_szB = 0;
  return True;
}

/* The number in "KEY   8 kB", in bytes; 0 if the line has another key. */
static ULong figure(const HChar *line, const HChar *key) {
  SizeT n = VG_(strlen)(key);
  return VG_(strncmp)(line, key, n) == 0 ? VG_(strtoull10)(line + n, NULL) * 1024 : 0;
}

static void read_line(reader_t *r, const HChar *line) {
  if (begin_mapping(r, line))
    return;
  r->rss_szB += figure(line, "Rss:");
  r->private_szB += figure(line, "Private_Clean:") + figure(line, "Private_Dirty:");
}

/* Passes on each line, truncated if it is too long. Returns False if the file could not be read
 * completely. */
static Bool read_lines(reader_t *r, Int fd) {
  HChar line[VKI_PATH_MAX + 128], bytes[4096];
  SizeT n_line = 0;
  Int n;
  while ((n = VG_(read)(fd, bytes, sizeof bytes)) > 0) {
    for (Int i = 0; i < n; i++) {
      if (bytes[i] != '\n') {
        if (n_line < sizeof line - 1)
          line[n_line++] = bytes[i];
        continue;
      }
      line[n_line] = '\0';
      read_line(r, line);
      n_line = 0;
    }
  }
  end_mapping(r);
  return n == 0 && !r->failed;
}

void dm_resident_measure(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks_szB) {
  client_t client;
  (void)ctx;
  find_client(&client);
  if (client.heap_szB >= in_blocks_szB)
    memory->heap_overhead = client.heap_szB - in_blocks_szB;
  reader_t reader = {.client = &client, .pagemap_fd = -1};
  Int fd = VG_(fd_open)("/proc/self/smaps", VKI_O_RDONLY, 0);
  if (fd >= 0 && read_lines(&reader, fd)) {
    memory->resident = reader.resident_szB;
    memory->resident_unique = reader.unique_szB;
  }
  if (fd >= 0)
    VG_(close)(fd);
  if (reader.pagemap_fd >= 0)
    VG_(close)(reader.pagemap_fd);
  VG_(free)(client.ranges);
}
