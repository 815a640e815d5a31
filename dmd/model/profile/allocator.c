/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/allocator.h"

#include <stdbool.h>

enum { PAGE = 4096, KIB = 1024, MIB = 1024 * 1024 };

const char *dmd_allocator_name(dmd_allocator_t allocator) {
  static const char *const names[DMD_N_ALLOCATORS] = {"glibc",       "exact",    "jemalloc",
                                                      "mozjemalloc", "tcmalloc", "mimalloc"};
  return names[allocator];
}

/* Rounds n up to a multiple of step, a power of two. */
static uint64_t round_up(uint64_t n, uint64_t step) {
  return (n + step - 1) & ~(step - 1);
}

/* The largest power of two <= n; n > 0. */
static uint64_t power_below(uint64_t n) {
  return (uint64_t)1 << (63 - __builtin_clzll(n));
}

/* Rounds up to a size class. Each doubling has n_steps classes (a power of two): between 2^k and
 * 2^(k+1) they are 2^k / n_steps apart. n > 1. */
static uint64_t round_to_class(uint64_t n, uint64_t n_steps) {
  return round_up(n, power_below(n - 1) / n_steps);
}

/* ---- glibc: malloc/malloc.c of the GNU C library. ---- */

enum { GLIBC_ALIGN = 16, GLIBC_MMAP_THRESHOLD = 128 * KIB };

/* A chunk is the request plus one word (the size field; the next chunk's first word is the user's
 * too), rounded up to 16 bytes and at least four words. */
static uint64_t glibc_chunk(uint64_t word_szB, uint64_t req) {
  uint64_t chunk = round_up(req + word_szB, GLIBC_ALIGN);
  return chunk < word_szB * 4 ? word_szB * 4 : chunk;
}

/* Usable bytes of a chunk that has its own mapping: whole pages minus two words of overhead. */
static uint64_t glibc_mapped(uint64_t word_szB, uint64_t chunk) {
  return round_up(chunk + word_szB, PAGE) - 2 * word_szB;
}

/* memalign allocates a chunk that is larger by the alignment plus the smallest chunk. It gives back
 * the part before the first aligned place that leaves room for a chunk in front, and the part
 * behind the request if that is larger than the smallest chunk. A smaller rest stays in the block,
 * so a real block may have slightly more than the model says, depending on the state of the heap.
 * Mappings give nothing back. They begin at a page boundary, so alignments up to a page are exact;
 * for larger ones the model assumes the farthest aligned place. */
static uint64_t glibc_aligned(uint64_t word_szB, uint64_t req, uint64_t align) {
  uint64_t smallest = word_szB * 4, head = 2 * word_szB;
  if (align < smallest)
    align = smallest;
  uint64_t chunk = glibc_chunk(word_szB, req);
  uint64_t with_room = glibc_chunk(word_szB, chunk + align + smallest);
  if (with_room < GLIBC_MMAP_THRESHOLD)
    return chunk - word_szB;
  uint64_t before = align - head < smallest ? 2 * align - head : align - head;
  return glibc_mapped(word_szB, with_room) - before;
}

static uint64_t glibc_usable(uint64_t word_szB, uint64_t req, uint64_t align) {
  if (align > GLIBC_ALIGN)
    return glibc_aligned(word_szB, req, align);
  uint64_t chunk = glibc_chunk(word_szB, req);
  return chunk < GLIBC_MMAP_THRESHOLD ? chunk - word_szB : glibc_mapped(word_szB, chunk);
}

/* A chunk shrinks if the tail is large enough to be a chunk. It grows to the size that malloc would
 * give, or slightly more if a free chunk follows. A mapping (recognised by its size) stays a
 * mapping and keeps to whole pages, counted from the start of its pages: memalign may have left a
 * part of them in front of the block. */
static uint64_t glibc_resized(uint64_t word_szB, uint64_t old_usable, uint64_t req) {
  uint64_t chunk = glibc_chunk(word_szB, req), old_chunk = old_usable + word_szB;
  if (old_chunk % GLIBC_ALIGN != 0) {
    uint64_t before = (0 - (old_usable + 2 * word_szB)) % PAGE;
    return glibc_mapped(word_szB, chunk + before) - before;
  }
  if (chunk > old_chunk)
    return glibc_usable(word_szB, req, 1);
  return old_chunk - chunk < word_szB * 4 ? old_usable : chunk - word_szB;
}

/* ---- jemalloc: its manual's table of size classes, doc/jemalloc.xml. ---- */

enum { JEMALLOC_LARGE = 16 * KIB };

/* 8, multiples of 16 up to 128, then four classes in each doubling, without an upper bound. */
static uint64_t jemalloc_class(uint64_t req) {
  if (req <= 8)
    return 8;
  return req <= 128 ? round_up(req, 16) : round_to_class(req, 4);
}

/* A small class holds aligned blocks if its size is a multiple of the alignment. Large blocks begin
 * at a page boundary and have at least 16 KiB. */
static uint64_t jemalloc_usable(uint64_t req, uint64_t align) {
  if (align > 1 && req == 0)
    req = 1; /* like posix_memalign and its relatives; memalign differs, but the tool cannot tell
                them apart */
  if (align <= PAGE && req < JEMALLOC_LARGE) {
    uint64_t class = jemalloc_class(round_up(req, align));
    if (class < JEMALLOC_LARGE)
      return class;
  }
  return align > 1 && req <= JEMALLOC_LARGE ? JEMALLOC_LARGE : jemalloc_class(req);
}

/* A small block stays in its size class. A large one grows into free space behind it, to most if
 * possible, else to least; it never shrinks below the smallest large size. */
uint64_t dmd_allocator_resized_in_place(uint64_t old_usable, uint64_t least, uint64_t most,
                                        uint64_t room) {
  bool is_large = old_usable >= JEMALLOC_LARGE;
  if (is_large && most > old_usable && most <= room)
    return most;
  if (is_large && least > old_usable && least <= room)
    return least;
  return is_large && most < old_usable && most >= JEMALLOC_LARGE ? most : old_usable;
}

/* ---- mozjemalloc: the table at the top of memory/build/mozjemalloc.cpp. ---- */

/* One word, then multiples of 16 up to 512 and of 256 up to a page, then whole pages, whether in a
 * chunk or in a mapping of their own. */
static uint64_t mozjemalloc_class(uint64_t word_szB, uint64_t req) {
  if (req <= 8)
    return req <= word_szB ? word_szB : 8;
  if (req <= 512)
    return round_up(req, 16);
  return round_up(req, req <= PAGE ? 256 : PAGE);
}

static uint64_t mozjemalloc_usable(uint64_t word_szB, uint64_t req, uint64_t align) {
  return mozjemalloc_class(word_szB, round_up(req == 0 ? 1 : req, align < PAGE ? align : PAGE));
}

/* ---- tcmalloc: the size classes that src/common.cc of gperftools computes at start-up. ---- */

enum { TC_PAGE = 8 * KIB, TC_LARGEST = 256 * KIB };

/* Candidate classes: 8, multiples of 16 up to 128, then eight in each doubling, in steps of at most
 * a page. */
static uint64_t tcmalloc_candidate(uint64_t req) {
  if (req <= 8)
    return 8;
  if (req <= 128)
    return round_up(req, 16);
  uint64_t step = power_below(req - 1) / 8;
  return round_up(req, step < TC_PAGE ? step : TC_PAGE);
}

/* Bytes in a span for objects of this size. At most an eighth may be wasted, and a span holds at
 * least a quarter of the batch that moves between threads (64 KiB worth of objects, 2 to 32 of
 * them). */
static uint64_t tcmalloc_span(uint64_t size) {
  uint64_t at_a_time = 64 * KIB / size;
  at_a_time = at_a_time < 2 ? 2 : at_a_time > 32 ? 32 : at_a_time;
  uint64_t span = 0;
  do {
    span += TC_PAGE;
    while (span % size > span / 8)
      span += TC_PAGE;
  } while (span / size < at_a_time / 4);
  return span;
}

/* Adjacent candidates merge into the largest if their spans have the same length and hold the same
 * number of objects. */
static uint64_t tcmalloc_class(uint64_t req) {
  uint64_t class = tcmalloc_candidate(req), span = tcmalloc_span(class);
  for (;;) {
    uint64_t next = tcmalloc_candidate(class + 1);
    if (next > TC_LARGEST || tcmalloc_span(next) != span || span / next != span / class)
      return class;
    class = next;
  }
}

static uint64_t tcmalloc_usable(uint64_t req, uint64_t align) {
  if (align > 1 && req == 0)
    req = 1;
  if (align > TC_PAGE)
    return round_up(req, TC_PAGE);
  req = round_up(req, align);
  return req <= TC_LARGEST ? tcmalloc_class(req) : round_up(req, TC_PAGE);
}

/* When a block grows, it grows by at least a quarter; it shrinks only to less than half. */
static uint64_t tcmalloc_resized(uint64_t old_usable, uint64_t req) {
  if (req <= old_usable && req >= old_usable / 2)
    return old_usable;
  uint64_t quarter_more = old_usable + old_usable / 4;
  return tcmalloc_usable(req > old_usable && req < quarter_more ? quarter_more : req, 1);
}

/* ---- mimalloc: include/mimalloc/types.h, src/page-queue.c, src/segment.c, src/os.c. ---- */

static uint64_t mimalloc_class(uint64_t req) {
  enum { SLICE = 64 * KIB };
  if (req <= 128 * KIB)
    return jemalloc_class(req); /* the bins are jemalloc's classes */
  uint64_t step = req < 512 * KIB  ? PAGE
                  : req < 2 * MIB  ? SLICE
                  : req < 8 * MIB  ? 256 * KIB
                  : req < 32 * MIB ? MIB
                                   : 4 * MIB;
  uint64_t size = round_up(req, step);
  /* A mimalloc page for this block alone; up to 16 MiB it consists of several slices. */
  return round_up(size, size <= 512 * KIB || size > 16 * MIB ? SLICE : 512 * KIB);
}

/* Blocks up to 1 KiB are aligned if their size is a power of two; small blocks of other sizes are
 * if the next free block happens to be. Otherwise mimalloc takes a larger block and loses the part
 * before the aligned address. How much that is depends on the block's place in its page: blocks
 * follow each other in a page that begins at a slice, after 128 bytes if blocks are small. */
static uint64_t mimalloc_usable(uint64_t req, uint64_t align) {
  enum { SMALL = KIB, SMALL_PAGES_BEGIN = 128 };
  if (align == 1 || (align <= req && req <= SMALL))
    return mimalloc_class(req);
  uint64_t size = mimalloc_class(req + align - 1);
  uint64_t apart = size > 128 * KIB ? 64 * KIB : size & -size;
  uint64_t begin = size <= SMALL ? SMALL_PAGES_BEGIN : 0;
  if (apart > align)
    apart = align;
  return size - (align - apart + (0 - begin) % apart) % align;
}

static uint64_t mimalloc_resized(uint64_t old_usable, uint64_t req) {
  return req <= old_usable && req >= old_usable / 2 ? old_usable : mimalloc_class(req);
}

/* ---- Entry points for all models. ---- */

/* Rejects requests larger than any address space, so that the sums above cannot overflow. */
static bool is_too_large(uint64_t req, uint64_t align) {
  return (req | align) >> 62 != 0;
}

uint64_t dmd_allocator_usable(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req,
                              uint64_t align) {
  if (is_too_large(req, align))
    return req;
  switch (allocator) {
  case DMD_ALLOCATOR_GLIBC:
    return glibc_usable(word_szB, req, align);
  case DMD_ALLOCATOR_JEMALLOC:
    return jemalloc_usable(req, align);
  case DMD_ALLOCATOR_MOZJEMALLOC:
    return mozjemalloc_usable(word_szB, req, align);
  case DMD_ALLOCATOR_TCMALLOC:
    return tcmalloc_usable(req, align);
  case DMD_ALLOCATOR_MIMALLOC:
    return mimalloc_usable(req, align);
  default:
    return req;
  }
}

uint64_t dmd_allocator_header(dmd_allocator_t allocator, uint64_t word_szB) {
  return allocator == DMD_ALLOCATOR_GLIBC ? word_szB : 0;
}

uint64_t dmd_allocator_size_below(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req) {
  uint64_t low = 0, high = req, usable = dmd_allocator_usable(allocator, word_szB, req, 1);
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (dmd_allocator_usable(allocator, word_szB, middle, 1) < usable)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? 0 : low - 1;
}

uint64_t dmd_allocator_resized(dmd_allocator_t allocator, uint64_t word_szB, uint64_t old_usable,
                               uint64_t req) {
  if (is_too_large(req | old_usable, 1))
    return req;
  switch (allocator) {
  case DMD_ALLOCATOR_GLIBC:
    return glibc_resized(word_szB, old_usable, req);
  case DMD_ALLOCATOR_TCMALLOC:
    return tcmalloc_resized(old_usable, req);
  case DMD_ALLOCATOR_MIMALLOC:
    return mimalloc_resized(old_usable, req);
  default:
    return dmd_allocator_usable(allocator, word_szB, req, 1);
  }
}

uint64_t dmd_allocator_new_request(dmd_allocator_t allocator, uint64_t req, uint64_t align) {
  bool by_the_library = allocator == DMD_ALLOCATOR_GLIBC || allocator == DMD_ALLOCATOR_MOZJEMALLOC;
  return by_the_library && !is_too_large(req, align) ? round_up(req == 0 ? 1 : req, align) : req;
}
