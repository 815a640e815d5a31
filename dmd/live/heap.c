/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/heap.h"

#include "base/mem.h"
#include "base/sort.h"

enum {
  CHUNK_BITS = 20, /* 1 MiB of address space */
  SLOT_BITS = 6,   /* 64 bytes */
  N_SLOTS = 1 << (CHUNK_BITS - SLOT_BITS)
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
  dmd_map_init(&heap->chunks, env, "dmd.heap.chunks");
}

void dmd_heap_destroy(dmd_heap_t *heap) {
  for (uint32_t i = 0; i < heap->chunks.n_places; i++)
    dmd_env_free(heap->env, heap->chunks.places[i].value);
  dmd_map_destroy(&heap->chunks);
  while (heap->spare != NULL) {
    dmd_chunk_t *next = heap->spare->next_spare;
    dmd_env_free(heap->env, heap->spare);
    heap->spare = next;
  }
  dmd_pool_destroy(&heap->blocks);
  dmd_heap_init(heap, heap->env);
}

/* ---- Chunks. ---- */

static dmd_chunk_t *find_chunk(const dmd_heap_t *heap, uint64_t number) {
  return dmd_map_find(&heap->chunks, number);
}

static dmd_chunk_t *add_chunk(dmd_heap_t *heap, uint64_t number) {
  dmd_chunk_t *chunk = heap->spare;
  if (chunk != NULL) {
    heap->spare = chunk->next_spare;
  } else {
    chunk = dmd_env_alloc(heap->env, "dmd.heap.chunk", sizeof *chunk);
    dmd_mem_zero(chunk, sizeof *chunk);
  }
  chunk->number = number;
  chunk->n_blocks = 0;
  dmd_map_add(&heap->chunks, number, chunk);
  return chunk;
}

static void remove_chunk(dmd_heap_t *heap, dmd_chunk_t *chunk) {
  dmd_map_remove(&heap->chunks, chunk->number);
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
  for (uint32_t i = 0; i < heap->chunks.n_places; i++) {
    const dmd_chunk_t *other = heap->chunks.places[i].value;
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
  uint64_t x = heap->chunks.places[a].number, y = heap->chunks.places[b].number;
  return (x > y) - (x < y);
}

/* Has the processor fetch a block that the walk will come to: records do not lie in the order of
 * their blocks. */
static void look_ahead(const dmd_heap_t *heap, const dmd_chunk_t *chunk, uint32_t slot) {
  enum { AHEAD = 16 };
  if (slot + AHEAD < N_SLOTS && chunk->slot[slot + AHEAD] != DMD_NONE)
    __builtin_prefetch(block_at(heap, chunk->slot[slot + AHEAD]));
}

void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  if (heap->chunks.n == 0)
    return;
  uint32_t *places = dmd_env_alloc(heap->env, "dmd.heap.walk", heap->chunks.n * sizeof *places);
  uint32_t n = 0;
  for (uint32_t i = 0; i < heap->chunks.n_places; i++)
    if (heap->chunks.places[i].value != NULL)
      places[n++] = i;
  dmd_sort(heap->env, places, n, compare_chunks, heap);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_chunk_t *chunk = heap->chunks.places[places[i]].value;
    uint64_t base = chunk->number << CHUNK_BITS;
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
      look_ahead(heap, chunk, slot);
      for (uint32_t id = chunk->slot[slot]; id != DMD_NONE; id = block_at(heap, id)->next)
        visit(ctx, base + block_at(heap, id)->offset, block_at(heap, id));
    }
  }
  dmd_env_free(heap->env, places);
}
