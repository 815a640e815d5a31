/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcsetjmp.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_signals.h"
#include "pub_tool_vki.h"

#include "valgrind/dm_memory.h"

/*--- The kernel's page map ---*/

/* Bits of a page's entry, see proc_pid_pagemap(5). */
enum { PAGE_PRESENT = 63, PAGE_SWAPPED = 62, PAGE_EXCLUSIVE = 56 };

enum { PAGES_AT_ONCE = 512 };

static Int open_pagemap(void) {
  return VG_(fd_open)("/proc/self/pagemap", VKI_O_RDONLY, 0);
}

static Bool read_pagemap(Int fd, Addr addr, ULong *entries, Int n) {
  Off64T place = addr / VKI_PAGE_SIZE * sizeof *entries;
  Int szB = n * (Int)sizeof *entries;
  return fd >= 0 && VG_(lseek)(fd, place, VKI_SEEK_SET) == place &&
         VG_(read)(fd, entries, szB) == szB;
}

/* -1: not open. */
static Int g_fd = -1;

static void close_pagemap(void) {
  if (g_fd >= 0)
    VG_(close)(g_fd);
  g_fd = -1;
}

/* A page that is neither in memory nor swapped out is empty, or belongs to a file. */
bool dm_memory_holds(void *ctx, uint64_t addr, size_t n, bool *holds) {
  ULong entries[PAGES_AT_ONCE];
  (void)ctx;
  if (g_fd < 0)
    g_fd = open_pagemap();
  if (n > PAGES_AT_ONCE || !read_pagemap(g_fd, addr, entries, (Int)n))
    return false;
  for (size_t i = 0; i < n; i++)
    holds[i] = (entries[i] >> PAGE_PRESENT & 1) || (entries[i] >> PAGE_SWAPPED & 1);
  return true;
}

/*--- Reading ---*/

/* The signal handling that ours replaced. */
static struct {
  fault_catcher_t catcher;
  vki_sigset_t mask;
  Int depth; /* of begin */
} g_before;

/* Where to continue if reading the program's memory traps. */
static VG_MINIMAL_JMP_BUF(g_trap);
static volatile Bool g_is_reading;

/* If no read of ours caused the trap, it is Valgrind's own: Valgrind reports it after this
 * returns. */
static void catch_trap(Int signo, Addr a) {
  (void)signo, (void)a;
  if (g_is_reading)
    VG_MINIMAL_LONGJMP(g_trap);
}

void dm_memory_begin(void *ctx) {
  (void)ctx;
  if (g_before.depth++ > 0)
    return;
  VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &g_before.mask);
  g_before.catcher = VG_(set_fault_catcher)(catch_trap);
}

void dm_memory_end(void *ctx) {
  (void)ctx;
  if (--g_before.depth > 0)
    return;
  close_pagemap();
  VG_(set_fault_catcher)(g_before.catcher);
}

/* Prefetches the next page, if it is mapped, since a caller that reads a whole page reads the next
 * one afterwards. */
static void fetch_next_page(Addr addr, SizeT n) {
  enum { LINE_SZB = 64 };
  for (SizeT i = 0; n == VKI_PAGE_SIZE && i < n; i += LINE_SZB)
    __builtin_prefetch((const void *)(addr + n + i));
}

size_t dm_memory_read(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx;
  if (!VG_(am_is_valid_for_client)((Addr)addr, n, VKI_PROT_READ))
    return 0;
  if (VG_MINIMAL_SETJMP(g_trap) == 0) {
    g_is_reading = True;
    VG_(memcpy)(to, (const void *)(Addr)addr, n);
    g_is_reading = False;
    fetch_next_page((Addr)addr, n);
    return n;
  }
  g_is_reading = False;
  VG_(sigprocmask)(VKI_SIG_SETMASK, &g_before.mask, NULL); /* the mask was the signal handler's */
  return 0;
}

/*--- The program's segments of the address space ---*/

Addr *dm_segment_starts(Int *n) {
  Int room = 256;
  Addr *starts = VG_(malloc)("dm.segments", room * sizeof *starts);
  /* Allocating the array may add segments, but not of the program. */
  while ((*n = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, starts, room)) < 0) {
    room = -*n;
    VG_(free)(starts);
    starts = VG_(malloc)("dm.segments", room * sizeof *starts);
  }
  return starts;
}

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
  ULong resident_szB, unique_szB, all_szB;
} reader_t;

/* Adds up the pages of a range, from the kernel's page map. */
static void count_pages(reader_t *r, range_t range) {
  ULong pages[PAGES_AT_ONCE];
  if (r->pagemap_fd < 0)
    r->pagemap_fd = open_pagemap();
  for (Addr page = range.from; page < range.to && !r->failed;) {
    Addr n_left = (range.to - page) / VKI_PAGE_SIZE;
    Int n = n_left < PAGES_AT_ONCE ? n_left : PAGES_AT_ONCE;
    r->failed = !read_pagemap(r->pagemap_fd, page, pages, n);
    for (Int i = 0; i < n && !r->failed; i++) {
      Bool present = pages[i] >> PAGE_PRESENT & 1;
      r->resident_szB += present ? VKI_PAGE_SIZE : 0;
      r->unique_szB += present && (pages[i] >> PAGE_EXCLUSIVE & 1) ? VKI_PAGE_SIZE : 0;
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
  r->all_szB += r->rss_szB;
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

/*--- The kernel's list of mappings, and its maximum ---*/

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

static void read_line(void *reader, const HChar *line) {
  reader_t *r = reader;
  if (begin_mapping(r, line))
    return;
  r->rss_szB += figure(line, "Rss:");
  r->private_szB += figure(line, "Private_Clean:") + figure(line, "Private_Dirty:");
}

/* Passes on each line, truncated if it is too long. Returns False if the file could not be read
 * completely. */
static Bool read_lines(Int fd, void (*visit)(void *ctx, const HChar *line), void *ctx) {
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
      visit(ctx, line);
      n_line = 0;
    }
  }
  return n == 0;
}

static Bool read_mappings(reader_t *r, Int fd) {
  Bool is_complete = read_lines(fd, read_line, r);
  end_mapping(r);
  return is_complete && !r->failed;
}

dmd_physical_t dm_resident_measure(void *ctx) {
  client_t client;
  (void)ctx;
  find_client(&client);
  dmd_physical_t sum = {.resident = DMD_MEMORY_UNKNOWN,
                        .unique = DMD_MEMORY_UNKNOWN,
                        .own = DMD_MEMORY_UNKNOWN,
                        .arena = client.heap_szB};
  reader_t reader = {.client = &client, .pagemap_fd = -1};
  Int fd = VG_(fd_open)("/proc/self/smaps", VKI_O_RDONLY, 0);
  if (fd >= 0 && read_mappings(&reader, fd)) {
    sum.resident = reader.resident_szB;
    sum.unique = reader.unique_szB;
    sum.own = reader.all_szB - reader.resident_szB;
  }
  if (fd >= 0)
    VG_(close)(fd);
  if (reader.pagemap_fd >= 0)
    VG_(close)(reader.pagemap_fd);
  VG_(free)(client.ranges);
  return sum;
}

static void read_most(void *most, const HChar *line) {
  ULong szB = figure(line, "VmHWM:");
  if (szB > 0)
    *(uint64_t *)most = szB;
}

uint64_t dm_most_resident(void *ctx) {
  uint64_t most = DMD_MEMORY_UNKNOWN;
  (void)ctx;
  Int fd = VG_(fd_open)("/proc/self/status", VKI_O_RDONLY, 0);
  if (fd < 0)
    return most;
  read_lines(fd, read_most, &most);
  VG_(close)(fd);
  return most;
}
