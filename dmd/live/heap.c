/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/heap.h"

#include "base/mem.h"
#include "base/sort.h"

enum {
  CHUNK_BITS = 20, /* 1 MiB of address space */
  SLOT_BITS = 6,   /* 64 bytes */
  N_SLOTS = 1 << (CHUNK_BITS - SLOT_BITS),
  FIRST_PLACES = 64
};

struct dmd_chunk {
  uint64_t number; /* address >> CHUNK_BITS */
  uint32_t n_blocks;
  dmd_chunk_t *next_spare;
  uint32_t slot[N_SLOTS]; /* the first block of each chain */
};

static uint64_t chunk_number(uint64_t addr) {
  return addr >> CHUNK_BITS;
}

static uint32_t chunk_offset(uint64_t addr) {
  return (uint32_t)addr & ((1u << CHUNK_BITS) - 1);
}

static dmd_block_t *block_at(const dmd_heap_t *heap, uint32_t id) {
  return DMD_POOL_AT(&heap->blocks, dmd_block_t, id);
}

void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env) {
  dmd_mem_zero(heap, sizeof *heap);
  heap->env = env;
  dmd_pool_init(&heap->blocks, env, "dmd.heap.blocks", sizeof(dmd_block_t));
}

void dmd_heap_destroy(dmd_heap_t *heap) {
  for (uint32_t i = 0; i < heap->n_places; i++)
    dmd_env_free(heap->env, heap->chunks[i]);
  dmd_env_free(heap->env, heap->chunks);
  while (heap->spare != NULL) {
    dmd_chunk_t *next = heap->spare->next_spare;
    dmd_env_free(heap->env, heap->spare);
    heap->spare = next;
  }
  dmd_pool_destroy(&heap->blocks);
  dmd_heap_init(heap, heap->env);
}

/* ---- The table of chunks. ---- */

static uint32_t home_of(const dmd_heap_t *heap, uint64_t number) {
  return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (heap->n_places - 1);
}

/* The place of the chunk with this number, or the empty place where its search ends. */
static uint32_t place_of(const dmd_heap_t *heap, uint64_t number) {
  uint32_t i = home_of(heap, number);
  while (heap->chunks[i] != NULL && heap->chunks[i]->number != number)
    i = (i + 1) & (heap->n_places - 1);
  return i;
}

static dmd_chunk_t *find_chunk(const dmd_heap_t *heap, uint64_t number) {
  return heap->n_places == 0 ? NULL : heap->chunks[place_of(heap, number)];
}

static void grow_table(dmd_heap_t *heap) {
  dmd_chunk_t **old = heap->chunks;
  uint32_t n_old = heap->n_places;
  heap->n_places = n_old == 0 ? FIRST_PLACES : n_old * 2;
  heap->chunks = dmd_env_alloc(heap->env, "dmd.heap.table", heap->n_places * sizeof *heap->chunks);
  dmd_mem_zero(heap->chunks, heap->n_places * sizeof *heap->chunks);
  for (uint32_t i = 0; i < n_old; i++)
    if (old[i] != NULL)
      heap->chunks[place_of(heap, old[i]->number)] = old[i];
  dmd_env_free(heap->env, old);
}

static dmd_chunk_t *add_chunk(dmd_heap_t *heap, uint64_t number) {
  if (heap->n_chunks * 2 >= heap->n_places)
    grow_table(heap);
  dmd_chunk_t *chunk = heap->spare;
  if (chunk != NULL) {
    heap->spare = chunk->next_spare;
  } else {
    chunk = dmd_env_alloc(heap->env, "dmd.heap.chunk", sizeof *chunk);
    dmd_mem_zero(chunk, sizeof *chunk);
  }
  chunk->number = number;
  chunk->n_blocks = 0;
  heap->chunks[place_of(heap, number)] = chunk;
  heap->n_chunks++;
  return chunk;
}

/* Takes an empty chunk out and closes the gap: chunks behind it whose search passes the gap move
 * into it. */
static void remove_chunk(dmd_heap_t *heap, dmd_chunk_t *chunk) {
  uint32_t mask = heap->n_places - 1;
  uint32_t gap = place_of(heap, chunk->number);
  for (uint32_t i = (gap + 1) & mask; heap->chunks[i] != NULL; i = (i + 1) & mask) {
    uint32_t home = home_of(heap, heap->chunks[i]->number);
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      heap->chunks[gap] = heap->chunks[i];
      gap = i;
    }
  }
  heap->chunks[gap] = NULL;
  heap->n_chunks--;
  chunk->next_spare = heap->spare;
  heap->spare = chunk;
}

/* ---- Blocks. ---- */

dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr) {
  uint64_t number = chunk_number(addr);
  dmd_chunk_t *chunk = find_chunk(heap, number);
  if (chunk == NULL)
    chunk = add_chunk(heap, number);
  uint32_t id = dmd_pool_add(&heap->blocks);
  uint32_t offset = chunk_offset(addr);
  uint32_t *link = &chunk->slot[offset >> SLOT_BITS];
  while (*link != DMD_NONE && block_at(heap, *link)->offset < offset)
    link = &block_at(heap, *link)->next;
  dmd_block_t *block = block_at(heap, id);
  *block = (dmd_block_t){.offset = offset, .next = *link};
  *link = id;
  chunk->n_blocks++;
  heap->n_blocks++;
  return block;
}

void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block) {
  uint64_t szB = dmd_block_usable(block);
  if (szB > heap->max_szB)
    heap->max_szB = szB;
  if (block->flags & DMD_BLOCK_ANNOUNCED)
    heap->may_nest = true;
}

/* The link that leads to the first block of this chunk that starts at this offset, or NULL. */
static uint32_t *find_link(const dmd_heap_t *heap, dmd_chunk_t *chunk, uint32_t offset) {
  uint32_t *link = &chunk->slot[offset >> SLOT_BITS];
  while (*link != DMD_NONE) {
    dmd_block_t *block = block_at(heap, *link);
    if (block->offset == offset)
      return link;
    link = &block->next;
  }
  return NULL;
}

dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr) {
  dmd_chunk_t *chunk = find_chunk(heap, chunk_number(addr));
  if (chunk == NULL)
    return NULL;
  uint32_t *link = find_link(heap, chunk, chunk_offset(addr));
  return link == NULL ? NULL : block_at(heap, *link);
}

bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr, dmd_block_t *removed) {
  dmd_chunk_t *chunk = find_chunk(heap, chunk_number(addr));
  uint32_t *link = chunk == NULL ? NULL : find_link(heap, chunk, chunk_offset(addr));
  if (link == NULL)
    return false;
  uint32_t id = *link;
  *removed = *block_at(heap, id);
  *link = removed->next;
  dmd_pool_release(&heap->blocks, id);
  heap->n_blocks--;
  if (--chunk->n_blocks == 0)
    remove_chunk(heap, chunk);
  return true;
}

/* ---- Interior pointers. ---- */

typedef struct {
  const dmd_heap_t *heap;
  uint64_t addr;  /* looked for */
  bool met_other; /* a block at or below addr that does not contain it */
  uint64_t start; /* of the block found */
} search_t;

/* The innermost block of one chain that contains the address: the one that starts last. */
static dmd_block_t *search_chain(search_t *s, uint64_t base, uint32_t id) {
  dmd_block_t *found = NULL;
  for (; id != DMD_NONE; id = block_at(s->heap, id)->next) {
    dmd_block_t *block = block_at(s->heap, id);
    uint64_t start = base + block->offset;
    if (start > s->addr)
      break;
    uint64_t szB = dmd_block_usable(block);
    if (s->addr - start >= (szB > 0 ? szB : 1)) {
      s->met_other = true;
    } else if (found == NULL || start > s->start) {
      found = block;
      s->start = start;
    }
  }
  return found;
}

/* The chunk with the highest number below this one and not below lowest, or NULL. It mostly is a
 * neighbour; where it is not, going over the table beats trying every number of a range that a
 * program made as large as it liked by announcing one absurd block. */
static const dmd_chunk_t *chunk_below(const dmd_heap_t *heap, uint64_t number, uint64_t lowest) {
  enum { N_TRIES = 64 };
  const dmd_chunk_t *chunk = NULL;
  for (int i = 0; i < N_TRIES && number > lowest && chunk == NULL; i++)
    chunk = find_chunk(heap, --number);
  if (chunk != NULL || number <= lowest)
    return chunk;
  for (uint32_t i = 0; i < heap->n_places; i++) {
    const dmd_chunk_t *other = heap->chunks[i];
    if (other != NULL && other->number < number && other->number >= lowest &&
        (chunk == NULL || other->number > chunk->number))
      chunk = other;
  }
  return chunk;
}

dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start) {
  search_t s = {.heap = heap, .addr = addr};
  uint64_t lowest = chunk_number(addr < heap->max_szB ? 0 : addr - heap->max_szB);
  uint32_t slot = (chunk_offset(addr) >> SLOT_BITS) + 1;
  const dmd_chunk_t *chunk = find_chunk(heap, chunk_number(addr));
  if (chunk == NULL) {
    chunk = chunk_below(heap, chunk_number(addr), lowest);
    slot = N_SLOTS;
  }
  for (; chunk != NULL; chunk = chunk_below(heap, chunk->number, lowest), slot = N_SLOTS) {
    while (slot-- > 0) {
      dmd_block_t *block = search_chain(&s, chunk->number << CHUNK_BITS, chunk->slot[slot]);
      if (block != NULL) {
        *start = s.start;
        return block;
      }
      if (s.met_other && !heap->may_nest)
        return NULL;
    }
  }
  return NULL;
}

/* ---- In order. ---- */

static int compare_chunks(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_heap_t *heap = ctx;
  uint64_t x = heap->chunks[a]->number, y = heap->chunks[b]->number;
  return (x > y) - (x < y);
}

void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  if (heap->n_chunks == 0)
    return;
  uint32_t *places = dmd_env_alloc(heap->env, "dmd.heap.walk", heap->n_chunks * sizeof *places);
  uint32_t n = 0;
  for (uint32_t i = 0; i < heap->n_places; i++)
    if (heap->chunks[i] != NULL)
      places[n++] = i;
  dmd_sort(heap->env, places, n, compare_chunks, heap);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_chunk_t *chunk = heap->chunks[places[i]];
    uint64_t base = chunk->number << CHUNK_BITS;
    for (uint32_t slot = 0; slot < N_SLOTS; slot++)
      for (uint32_t id = chunk->slot[slot]; id != DMD_NONE; id = block_at(heap, id)->next)
        visit(ctx, base + block_at(heap, id)->offset, block_at(heap, id));
  }
  dmd_env_free(heap->env, places);
}
