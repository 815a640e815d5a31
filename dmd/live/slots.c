/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/slots.h"

#include "base/mem.h"

enum {
  CHUNK_BITS = DMD_CHUNK_BITS,
  SLOT_BITS = 6, /* 64 bytes */
  N_SLOTS = 1 << (CHUNK_BITS - SLOT_BITS)
};

struct dmd_chunk {
  uint64_t number; /* address >> CHUNK_BITS */
  uint32_t n_blocks;
  dmd_chunk_t *next_spare;
  uint32_t slot[N_SLOTS]; /* the first block of each chain */
};

_Static_assert(offsetof(dmd_block_t, next) == 0 && sizeof(uint32_t) <= offsetof(dmd_block_t, req),
               "the pool's link takes the place of ours; all else of a removed block can be read");

static uint64_t chunk_number(uint64_t addr) {
  return addr >> CHUNK_BITS;
}

static uint32_t chunk_offset(uint64_t addr) {
  return (uint32_t)addr & ((1u << CHUNK_BITS) - 1);
}

static dmd_block_t *block_at(const dmd_slots_t *slots, uint32_t id) {
  return DMD_POOL_AT(&slots->blocks, dmd_block_t, id);
}

void dmd_slots_init(dmd_slots_t *slots, const dmd_env_t *env) {
  dmd_mem_zero(slots, sizeof *slots);
  slots->env = env;
  dmd_pool_init(&slots->blocks, env, "dmd.slots.blocks", sizeof(dmd_block_t));
  dmd_map_init(&slots->chunks, env, "dmd.slots.chunks");
}

void dmd_slots_destroy(dmd_slots_t *slots) {
  for (uint32_t i = 0; i < slots->chunks.n_places; i++)
    dmd_env_free(slots->env, slots->chunks.places[i].value);
  dmd_map_destroy(&slots->chunks);
  while (slots->spare != NULL) {
    dmd_chunk_t *next = slots->spare->next_spare;
    dmd_env_free(slots->env, slots->spare);
    slots->spare = next;
  }
  dmd_pool_destroy(&slots->blocks);
  dmd_slots_init(slots, slots->env);
}

/* ---- Chunks. ---- */

static dmd_chunk_t *find_chunk(const dmd_slots_t *slots, uint64_t number) {
  return dmd_map_find(&slots->chunks, number);
}

static dmd_chunk_t *add_chunk(dmd_slots_t *slots, uint64_t number) {
  dmd_chunk_t *chunk = slots->spare;
  if (chunk != NULL) {
    slots->spare = chunk->next_spare;
  } else {
    chunk = dmd_env_alloc(slots->env, "dmd.slots.chunk", sizeof *chunk);
    dmd_mem_zero(chunk, sizeof *chunk);
  }
  chunk->number = number;
  chunk->n_blocks = 0;
  dmd_map_add(&slots->chunks, number, chunk);
  return chunk;
}

static void remove_chunk(dmd_slots_t *slots, dmd_chunk_t *chunk) {
  dmd_map_remove(&slots->chunks, chunk->number);
  chunk->next_spare = slots->spare;
  slots->spare = chunk;
}

/* ---- Blocks. ---- */

dmd_block_t *dmd_slots_add(dmd_slots_t *slots, uint64_t addr) {
  uint64_t number = chunk_number(addr);
  dmd_chunk_t *chunk = find_chunk(slots, number);
  if (chunk == NULL)
    chunk = add_chunk(slots, number);
  uint32_t id = dmd_pool_add(&slots->blocks);
  uint32_t offset = chunk_offset(addr);
  uint32_t *link = &chunk->slot[offset >> SLOT_BITS];
  while (*link != DMD_NONE && block_at(slots, *link)->offset < offset)
    link = &block_at(slots, *link)->next;
  dmd_block_t *block = block_at(slots, id);
  *block = (dmd_block_t){.offset = offset, .next = *link};
  *link = id;
  chunk->n_blocks++;
  return block;
}

static bool is_at(const dmd_block_t *block, uint32_t offset) {
  return block->offset == offset && !block->is_moving;
}

/* The link that leads to the first block of this chunk that starts at this offset, or NULL. */
static uint32_t *find_link(const dmd_slots_t *slots, dmd_chunk_t *chunk, uint32_t offset) {
  uint32_t *link = &chunk->slot[offset >> SLOT_BITS];
  while (*link != DMD_NONE) {
    dmd_block_t *block = block_at(slots, *link);
    if (is_at(block, offset))
      return link;
    link = &block->next;
  }
  return NULL;
}

dmd_block_t *dmd_slots_find(const dmd_slots_t *slots, uint64_t addr) {
  dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  if (chunk == NULL)
    return NULL;
  uint32_t *link = find_link(slots, chunk, chunk_offset(addr));
  return link == NULL ? NULL : block_at(slots, *link);
}

dmd_block_t *dmd_slots_find_older(const dmd_slots_t *slots, const dmd_block_t *block) {
  for (uint32_t id = block->next; id != DMD_NONE; id = block_at(slots, id)->next)
    if (is_at(block_at(slots, id), block->offset))
      return block_at(slots, id);
  return NULL;
}

/* Removes the block that a link of this chunk leads to. */
static dmd_block_t *unlink_block(dmd_slots_t *slots, dmd_chunk_t *chunk, uint32_t *link) {
  uint32_t id = *link;
  dmd_block_t *removed = block_at(slots, id);
  *link = removed->next;
  dmd_pool_release(&slots->blocks, id); /* which takes `next`, and nothing else */
  if (--chunk->n_blocks == 0)
    remove_chunk(slots, chunk);
  return removed;
}

dmd_block_t *dmd_slots_remove(dmd_slots_t *slots, uint64_t addr) {
  dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  uint32_t *link = chunk == NULL ? NULL : find_link(slots, chunk, chunk_offset(addr));
  dmd_block_t *block = link == NULL ? NULL : block_at(slots, *link);
  while (block != NULL && (block->flags & DMD_BLOCK_POOLED))
    block = dmd_slots_find_older(slots, block);
  if (block == NULL)
    return NULL;
  while (block_at(slots, *link) != block)
    link = &block_at(slots, *link)->next;
  return unlink_block(slots, chunk, link);
}

void dmd_slots_remove_this(dmd_slots_t *slots, uint64_t addr, dmd_block_t *block) {
  dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  uint32_t *link = &chunk->slot[chunk_offset(addr) >> SLOT_BITS];
  while (block_at(slots, *link) != block)
    link = &block_at(slots, *link)->next;
  unlink_block(slots, chunk, link);
}

dmd_block_t *dmd_slots_move(dmd_slots_t *slots, uint64_t addr, dmd_block_t *block,
                            dmd_slots_t *into, uint64_t to) {
  dmd_block_t *moved = dmd_slots_add(into, to);
  dmd_block_t now = *block;
  now.next = moved->next;
  now.offset = moved->offset;
  *moved = now;
  dmd_slots_remove_this(slots, addr, block);
  return moved;
}

/* ---- Interior pointers. ---- */

typedef struct {
  const dmd_slots_t *slots;
  uint64_t addr;  /* looked for */
  bool saw_other; /* a block at or below addr that does not contain it */
  uint64_t start; /* of the block found */
} search_t;

/* The innermost block of one chain that contains the address: the one that starts last. */
static dmd_block_t *search_chain(search_t *s, uint64_t base, uint32_t id) {
  dmd_block_t *found = NULL;
  for (; id != DMD_NONE; id = block_at(s->slots, id)->next) {
    dmd_block_t *block = block_at(s->slots, id);
    uint64_t start = base + block->offset;
    if (start > s->addr)
      break;
    if (!dmd_block_is_around(block, start, s->addr)) {
      s->saw_other = true;
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
static const dmd_chunk_t *chunk_below(const dmd_slots_t *slots, uint64_t number, uint64_t lowest) {
  enum { N_TRIES = 64 };
  const dmd_chunk_t *chunk = NULL;
  for (int i = 0; i < N_TRIES && number > lowest && chunk == NULL; i++)
    chunk = find_chunk(slots, --number);
  if (chunk != NULL || number <= lowest)
    return chunk;
  for (uint32_t i = 0; i < slots->chunks.n_places; i++) {
    const dmd_chunk_t *other = slots->chunks.places[i].value;
    if (other != NULL && other->number < number && other->number >= lowest &&
        (chunk == NULL || other->number > chunk->number))
      chunk = other;
  }
  return chunk;
}

dmd_block_t *dmd_slots_find_containing(const dmd_slots_t *slots, uint64_t addr, uint64_t max_szB,
                                       bool may_nest, uint64_t *start) {
  search_t s = {.slots = slots, .addr = addr};
  uint64_t lowest = chunk_number(addr < max_szB ? 0 : addr - max_szB);
  uint32_t slot = (chunk_offset(addr) >> SLOT_BITS) + 1;
  const dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  if (chunk == NULL) {
    chunk = chunk_below(slots, chunk_number(addr), lowest);
    slot = N_SLOTS;
  }
  for (; chunk != NULL; chunk = chunk_below(slots, chunk->number, lowest), slot = N_SLOTS) {
    while (slot-- > 0) {
      dmd_block_t *block = search_chain(&s, chunk->number << CHUNK_BITS, chunk->slot[slot]);
      if (block != NULL) {
        *start = s.start;
        return block;
      }
      if (s.saw_other && !may_nest)
        return NULL;
    }
  }
  return NULL;
}

/* ---- In order. ---- */

/* The first block of a chunk that starts at from or later. */
static dmd_block_t *first_in_chunk(const dmd_slots_t *slots, const dmd_chunk_t *chunk,
                                   uint64_t from) {
  bool from_start = chunk_number(from) != chunk->number;
  uint32_t offset = from_start ? 0 : chunk_offset(from);
  for (uint32_t slot = offset >> SLOT_BITS; slot < N_SLOTS; slot++)
    for (uint32_t id = chunk->slot[slot]; id != DMD_NONE; id = block_at(slots, id)->next)
      if (block_at(slots, id)->offset >= offset)
        return block_at(slots, id);
  return NULL;
}

/* The chunk with the lowest number from this one to the last, or NULL. */
static const dmd_chunk_t *chunk_from(const dmd_slots_t *slots, uint64_t number, uint64_t last) {
  const dmd_chunk_t *chunk = NULL;
  if (last - number < slots->chunks.n_places) {
    for (; chunk == NULL && number <= last; number++)
      chunk = find_chunk(slots, number);
    return chunk;
  }
  for (uint32_t i = 0; i < slots->chunks.n_places; i++) {
    const dmd_chunk_t *other = slots->chunks.places[i].value;
    if (other != NULL && other->number >= number && other->number <= last &&
        (chunk == NULL || other->number < chunk->number))
      chunk = other;
  }
  return chunk;
}

dmd_block_t *dmd_slots_find_from(const dmd_slots_t *slots, uint64_t from, uint64_t end,
                                 uint64_t *start) {
  if (from >= end)
    return NULL;
  uint64_t last = chunk_number(end - 1), number = chunk_number(from);
  while (number <= last) {
    const dmd_chunk_t *chunk = chunk_from(slots, number, last);
    dmd_block_t *block = chunk == NULL ? NULL : first_in_chunk(slots, chunk, from);
    if (block != NULL) {
      *start = (chunk->number << CHUNK_BITS) + block->offset;
      return *start < end ? block : NULL;
    }
    if (chunk == NULL)
      break;
    number = chunk->number + 1;
  }
  return NULL;
}

/* Has the processor fetch a block that the walk will come to: records do not lie in the order of
 * their blocks. */
static void look_ahead(const dmd_slots_t *slots, const dmd_chunk_t *chunk, uint32_t slot) {
  enum { AHEAD = 16 };
  if (slot + AHEAD < N_SLOTS && chunk->slot[slot + AHEAD] != DMD_NONE)
    __builtin_prefetch(block_at(slots, chunk->slot[slot + AHEAD]));
}

void dmd_slots_walk_begin(dmd_slots_walk_t *walk, const dmd_slots_t *slots) {
  *walk = (dmd_slots_walk_t){.slots = slots, .order = dmd_map_in_order(&slots->chunks)};
}

void dmd_slots_walk_end(dmd_slots_walk_t *walk) {
  dmd_env_free(walk->slots->env, walk->order);
}

static const dmd_chunk_t *next_chunk(const dmd_slots_walk_t *walk) {
  const dmd_map_t *chunks = &walk->slots->chunks;
  return walk->next == chunks->n ? NULL : chunks->places[walk->order[walk->next]].value;
}

bool dmd_slots_walk_at(const dmd_slots_walk_t *walk, uint64_t *addr) {
  const dmd_chunk_t *chunk = next_chunk(walk);
  if (chunk == NULL)
    return false;
  *addr = chunk->number << CHUNK_BITS;
  return true;
}

void dmd_slots_walk_on(dmd_slots_walk_t *walk,
                       void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  const dmd_slots_t *slots = walk->slots;
  const dmd_chunk_t *chunk = next_chunk(walk);
  uint64_t base = chunk->number << CHUNK_BITS;
  for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
    look_ahead(slots, chunk, slot);
    for (uint32_t id = chunk->slot[slot]; id != DMD_NONE; id = block_at(slots, id)->next)
      visit(ctx, base + block_at(slots, id)->offset, block_at(slots, id));
  }
  walk->next++;
}

void dmd_slots_walk(const dmd_slots_t *slots,
                    void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_slots_walk_t walk;
  uint64_t addr;
  dmd_slots_walk_begin(&walk, slots);
  while (dmd_slots_walk_at(&walk, &addr))
    dmd_slots_walk_on(&walk, visit, ctx);
  dmd_slots_walk_end(&walk);
}
