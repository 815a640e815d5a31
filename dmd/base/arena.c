/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory is a row of pieces without gaps. Each header has the piece's size and that of the piece
 * before it, so that a free finds both neighbours; no two free pieces are neighbours. Free pieces
 * are in lists by size: one for each multiple of 8 up to 512 bytes, above that four for each power
 * of two. A bitmap says which lists are not empty.
 */
#include "base/arena.h"

enum {
  UNIT = 2 * sizeof(size_t), /* sizes are multiples of it; also the size of a header */
  LEAST = 2 * UNIT,          /* a header, and space for the links of a free piece */
  TRIES = 16                 /* pieces to try in a list with different sizes */
};

typedef struct dmd_arena_piece {
  size_t before; /* size of the piece before; 0: this is the first */
  size_t szB;    /* header included; lowest bit: in use */
  /* Only in a free piece, in its memory: */
  struct dmd_arena_piece *next, *previous;
} piece_t;

static size_t size_of(const piece_t *piece) {
  return piece->szB & ~(size_t)1;
}

static bool is_used(const piece_t *piece) {
  return piece->szB & 1;
}

/* Only the end of a region is so small. */
static bool is_end(const piece_t *piece) {
  return size_of(piece) == UNIT;
}

static piece_t *behind(const piece_t *piece) {
  return (piece_t *)((char *)piece + size_of(piece));
}

static piece_t *in_front(const piece_t *piece) {
  return (piece_t *)((char *)piece - piece->before);
}

/* ---- Lists. ---- */

/* The list of free pieces of this size. */
static unsigned list_of(size_t szB) {
  if (szB < DMD_ARENA_SMALL_LISTS * 8)
    return (unsigned)(szB / 8);
  unsigned log = 63u - (unsigned)__builtin_clzll(szB);
  return DMD_ARENA_SMALL_LISTS + 4 * (log - 9) + (unsigned)(szB >> (log - 2) & 3);
}

static void set_any(dmd_arena_t *memory, unsigned list) {
  uint64_t bit = UINT64_C(1) << list % 64;
  if (memory->list[list] != NULL)
    memory->any[list / 64] |= bit;
  else
    memory->any[list / 64] &= ~bit;
}

static void put(dmd_arena_t *memory, piece_t *piece) {
  unsigned list = list_of(piece->szB);
  piece->previous = NULL;
  piece->next = memory->list[list];
  if (piece->next != NULL)
    piece->next->previous = piece;
  memory->list[list] = piece;
  set_any(memory, list);
}

static void take(dmd_arena_t *memory, piece_t *piece) {
  if (piece->next != NULL)
    piece->next->previous = piece->previous;
  if (piece->previous != NULL) {
    piece->previous->next = piece->next;
    return;
  }
  unsigned list = list_of(piece->szB);
  memory->list[list] = piece->next;
  set_any(memory, list);
}

/* The first non-empty list from this one on; DMD_ARENA_LISTS: none. */
static unsigned next_list(const dmd_arena_t *memory, unsigned list) {
  while (list < DMD_ARENA_LISTS) {
    uint64_t any = memory->any[list / 64] >> list % 64;
    if (any != 0)
      return list + (unsigned)__builtin_ctzll(any);
    list = (list / 64 + 1) * 64;
  }
  return DMD_ARENA_LISTS;
}

/* A free piece of at least this size; NULL if not found. */
static piece_t *find(const dmd_arena_t *memory, size_t szB) {
  unsigned list = list_of(szB);
  piece_t *piece = memory->list[list];
  for (int i = 0; i < TRIES && piece != NULL; i++, piece = piece->next)
    if (piece->szB >= szB)
      return piece;
  list = next_list(memory, list + 1);
  return list == DMD_ARENA_LISTS ? NULL : memory->list[list];
}

/* ---- Pieces. ---- */

/* Frees these bytes and merges them with free neighbours. */
static void release(dmd_arena_t *memory, piece_t *piece, size_t szB) {
  piece->szB = szB;
  piece_t *next = behind(piece);
  if (!is_used(next)) {
    take(memory, next);
    piece->szB += next->szB;
  }
  if (piece->before > 0 && !is_used(in_front(piece))) {
    piece_t *first = in_front(piece);
    take(memory, first);
    first->szB += piece->szB;
    piece = first;
  }
  behind(piece)->before = piece->szB;
  put(memory, piece);
}

/* The end of a region is a used piece without any bytes. */
static void set_end(dmd_arena_t *memory, piece_t *end) {
  end->szB = UNIT | 1;
  memory->end = (char *)end;
}

void dmd_arena_init(dmd_arena_t *memory, void *start, size_t szB,
                    size_t (*grow)(void *ctx, size_t szB), void *ctx) {
  *memory = (dmd_arena_t){.grow = grow, .ctx = ctx};
  dmd_arena_add_region(memory, start, szB);
}

void dmd_arena_add_region(dmd_arena_t *memory, void *start, size_t szB) {
  piece_t *first = start;
  first->before = 0;
  set_end(memory, (piece_t *)((char *)start + szB - UNIT));
  release(memory, first, szB - UNIT);
}

/* The old end becomes the header of a new free piece. */
static bool grow(dmd_arena_t *memory, size_t szB) {
  size_t more = memory->grow == NULL ? 0 : memory->grow(memory->ctx, szB);
  if (more == 0)
    return false;
  piece_t *piece = (piece_t *)memory->end;
  set_end(memory, (piece_t *)(memory->end + more));
  release(memory, piece, more);
  return true;
}

/* Uses the first bytes of a free piece; the rest becomes another free piece. */
static void *use(dmd_arena_t *memory, piece_t *piece, size_t szB) {
  take(memory, piece);
  size_t rest = piece->szB - szB;
  bool is_split = rest >= LEAST;
  piece->szB = (is_split ? szB : piece->szB) | 1;
  if (is_split) {
    piece_t *left = behind(piece);
    left->before = szB;
    release(memory, left, rest);
  }
  return (char *)piece + UNIT;
}

void *dmd_arena_alloc(dmd_arena_t *memory, size_t szB) {
  if (szB > SIZE_MAX / 2)
    return NULL;
  szB = (szB + UNIT + UNIT - 1) & ~(size_t)(UNIT - 1);
  szB = szB < LEAST ? LEAST : szB;
  piece_t *piece = find(memory, szB);
  if (piece == NULL && grow(memory, szB))
    piece = find(memory, szB);
  return piece == NULL ? NULL : use(memory, piece, szB);
}

void dmd_arena_free(dmd_arena_t *memory, void *p) {
  if (p == NULL)
    return;
  piece_t *piece = (piece_t *)((char *)p - UNIT);
  release(memory, piece, size_of(piece));
}

/* ---- For tests. ---- */

static bool is_listed(const dmd_arena_t *memory, const piece_t *wanted) {
  const piece_t *piece = memory->list[list_of(wanted->szB)];
  while (piece != NULL && piece != wanted)
    piece = piece->next;
  return piece != NULL;
}

size_t dmd_arena_check(const dmd_arena_t *memory, const void *start, bool *good) {
  const piece_t *piece = start;
  size_t before = 0, n_free = 0;
  bool after_free = false;
  for (*good = true; *good && !is_end(piece); piece = behind(piece)) {
    *good = piece->before == before && size_of(piece) >= LEAST && size_of(piece) % UNIT == 0 &&
            (is_used(piece) || (!after_free && is_listed(memory, piece)));
    after_free = !is_used(piece);
    before = size_of(piece);
    n_free += after_free ? before : 0;
  }
  *good = *good && piece->before == before;
  return n_free;
}
