/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/addressmap.h"

#include "base/mem.h"

enum {
  CHUNK_BITS = DMD_CHUNK_BITS,
  SLOT_BITS = 6, /* 64 bytes */
  UNIT_BITS = 4, /* 16 bytes: blocks of common allocators start at multiples of this */
  N_UNITS = 1 << (SLOT_BITS - UNIT_BITS),
  ID_BITS = 32 - N_UNITS,
  N_SLOTS = 1 << (CHUNK_BITS - SLOT_BITS)
};

struct dmd_chunk {
  uint64_t number; /* address >> CHUNK_BITS */
  uint32_t n_blocks;
  dmd_chunk_t *next_spare;
  uint32_t slot[N_SLOTS]; /* the first block of each chain, and start bits */
};

/* A slot holds the id of the first block of its chain and, in the bits above, one start bit for
 * each unit: set if exactly one block starts in the unit, and that one is plain. No bits at all:
 * this does not hold for some block of the slot. */
static const uint32_t MOST_BLOCKS = (1u << ID_BITS) - 1;

_Static_assert(
    offsetof(dmd_block_t, next) == 0 && sizeof(uint32_t) <= offsetof(dmd_block_t, req),
    "the pool's link overwrites only the chain's link; the rest of a removed block stays readable");

static uint64_t chunk_number(uint64_t addr) {
  return addr >> CHUNK_BITS;
}

static uint32_t chunk_offset(uint64_t addr) {
  return (uint32_t)addr & ((1u << CHUNK_BITS) - 1);
}

static dmd_block_t *block_at(const dmd_addressmap_t *slots, uint32_t id) {
  return DMD_POOL_AT(&slots->blocks, dmd_block_t, id);
}

static uint32_t *slot_of(dmd_chunk_t *chunk, uint32_t offset) {
  return &chunk->slot[offset >> SLOT_BITS];
}

static uint32_t first_of(uint32_t slot) {
  return slot & MOST_BLOCKS;
}

static uint32_t starts_of(uint32_t slot) {
  return slot >> ID_BITS;
}

/* The start bit of a plain block at this offset; 0 if none. */
static uint32_t start_bit(uint32_t offset) {
  bool is_at_unit = (offset & ((1u << UNIT_BITS) - 1)) == 0;
  return is_at_unit ? 1u << (offset >> UNIT_BITS & (N_UNITS - 1)) : 0;
}

void dmd_addressmap_init(dmd_addressmap_t *slots, const dmd_env_t *env) {
  dmd_mem_zero(slots, sizeof *slots);
  slots->env = env;
  slots->last_number = UINT64_MAX;
  dmd_pool_init(&slots->blocks, env, "dmd.slots.blocks", sizeof(dmd_block_t));
  dmd_map_init(&slots->chunks, env, "dmd.slots.chunks");
}

void dmd_addressmap_destroy(dmd_addressmap_t *slots) {
  for (uint32_t i = 0; i < slots->chunks.n_places; i++)
    dmd_env_free(slots->env, slots->chunks.places[i].value);
  dmd_map_destroy(&slots->chunks);
  while (slots->spare != NULL) {
    dmd_chunk_t *next = slots->spare->next_spare;
    dmd_env_free(slots->env, slots->spare);
    slots->spare = next;
  }
  dmd_pool_destroy(&slots->blocks);
  dmd_addressmap_init(slots, slots->env);
}

/* ---- Chunks. ---- */

__attribute__((noinline)) static dmd_chunk_t *look_up_chunk(const dmd_addressmap_t *slots,
                                                            uint64_t number) {
  return dmd_map_find(&slots->chunks, number);
}

static inline dmd_chunk_t *find_chunk(const dmd_addressmap_t *slots, uint64_t number) {
  return slots->last_number == number ? slots->last : look_up_chunk(slots, number);
}

__attribute__((noinline)) static dmd_chunk_t *add_chunk(dmd_addressmap_t *slots, uint64_t number) {
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

/* The chunk's own number is in a cache line that each event in it writes to. */
static inline void turn_to(dmd_addressmap_t *slots, dmd_chunk_t *chunk, uint64_t number) {
  slots->last = chunk;
  slots->last_number = number;
}

__attribute__((noinline)) static void remove_last_chunk(dmd_addressmap_t *slots) {
  dmd_chunk_t *chunk = slots->last;
  dmd_map_remove(&slots->chunks, slots->last_number);
  slots->last = NULL;
  slots->last_number = UINT64_MAX;
  chunk->next_spare = slots->spare;
  slots->spare = chunk;
}

/* ---- Blocks. ---- */

/* The last block of the chain that starts before this offset, or DMD_NONE. Reads no record if the
 * start bits show that no block does. */
static uint32_t find_before(const dmd_addressmap_t *slots, uint32_t slot, uint32_t offset) {
  uint32_t starts = starts_of(slot), bit = start_bit(offset), before = DMD_NONE;
  if (starts != 0 && bit != 0 && (starts & (bit - 1)) == 0)
    return DMD_NONE;
  for (uint32_t id = first_of(slot); id != DMD_NONE && block_at(slots, id)->offset < offset;
       id = block_at(slots, id)->next)
    before = id;
  return before;
}

/* The start bits of the slot, in place, after one more block with this bit is added; 0 if they are
 * unknown. */
static uint32_t starts_with(uint32_t slot, uint32_t bit) {
  uint32_t starts = starts_of(slot);
  bool is_known = bit != 0 && (slot == 0 || starts != 0) && (starts & bit) == 0;
  return is_known ? (starts | bit) << ID_BITS : 0;
}

static inline dmd_chunk_t *chunk_for(dmd_addressmap_t *slots, uint64_t number) {
  dmd_chunk_t *chunk = find_chunk(slots, number);
  turn_to(slots, chunk != NULL ? chunk : add_chunk(slots, number), number);
  return slots->last;
}

static inline uint32_t new_id(dmd_addressmap_t *slots) {
  uint32_t id = dmd_pool_add_sized(&slots->blocks, sizeof(dmd_block_t));
  if (__builtin_expect(id > MOST_BLOCKS, 0))
    slots->env->panic(slots->env->ctx, "more than 2^28 blocks in one shard");
  return id;
}

dmd_block_t *dmd_addressmap_add(dmd_addressmap_t *slots, uint64_t addr, bool is_plain) {
  dmd_chunk_t *chunk = chunk_for(slots, chunk_number(addr));
  uint32_t offset = chunk_offset(addr), *slot = slot_of(chunk, offset);
  uint32_t id = new_id(slots), before = find_before(slots, *slot, offset);
  dmd_block_t *block = block_at(slots, id);
  *block = (dmd_block_t){.offset = offset, .is_live = 1, .next = first_of(*slot)};
  uint32_t starts = starts_with(*slot, is_plain ? start_bit(offset) : 0);
  if (before == DMD_NONE) {
    *slot = starts | id;
  } else {
    block->next = block_at(slots, before)->next;
    block_at(slots, before)->next = id;
    *slot = starts | first_of(*slot);
  }
  chunk->n_blocks++;
  return block;
}

/* For a slot with known starts: the last block of its chain before the one with this bit, or
 * DMD_NONE. Counts bits instead of reading offsets, since each start has exactly one block. */
static inline uint32_t known_before(const dmd_addressmap_t *slots, uint32_t slot, uint32_t bit) {
  uint32_t starts = starts_of(slot) & (bit - 1), id = first_of(slot);
  if (starts == 0)
    return DMD_NONE;
  for (starts &= starts - 1; starts != 0; starts &= starts - 1)
    id = block_at(slots, id)->next;
  return id;
}

dmd_block_t *dmd_addressmap_add_plain(dmd_addressmap_t *slots, uint64_t addr, uint32_t flags) {
  uint32_t offset = chunk_offset(addr), bit = start_bit(offset);
  dmd_chunk_t *chunk = chunk_for(slots, chunk_number(addr));
  uint32_t *slot = slot_of(chunk, offset), was = *slot;
  uint32_t starts = starts_with(was, bit);
  if (starts == 0)
    return NULL;
  uint32_t id = new_id(slots), before = known_before(slots, was, bit), next = first_of(was);
  dmd_block_t *block = block_at(slots, id);
  if (before == DMD_NONE) {
    *slot = starts | id;
  } else {
    next = block_at(slots, before)->next;
    block_at(slots, before)->next = id;
    *slot = starts | first_of(was);
  }
  block->next = next;
  block->offset = offset;
  block->is_live = 1;
  block->is_moving = 0;
  block->flags = flags;
  chunk->n_blocks++;
  return block;
}

void dmd_addressmap_note_special(dmd_addressmap_t *slots, uint64_t addr) {
  dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  if (chunk != NULL)
    *slot_of(chunk, chunk_offset(addr)) &= MOST_BLOCKS;
}

static bool is_at(const dmd_block_t *block, uint32_t offset) {
  return block->offset == offset && !block->is_moving;
}

/* The first block of a chain that starts at this offset, with its predecessor in *before; DMD_NONE
 * if none. Uses the start bits to avoid reading records. */
static uint32_t find_in_chain(const dmd_addressmap_t *slots, uint32_t slot, uint32_t offset,
                              uint32_t *before) {
  uint32_t starts = starts_of(slot), bit = start_bit(offset), id = first_of(slot);
  *before = DMD_NONE;
  if (starts != 0 && (starts & bit) == 0)
    return DMD_NONE;
  if (starts != 0 && (starts & (bit - 1)) == 0)
    return id;
  for (; id != DMD_NONE && !is_at(block_at(slots, id), offset); id = block_at(slots, id)->next)
    *before = id;
  return id;
}

dmd_block_t *dmd_addressmap_find(const dmd_addressmap_t *slots, uint64_t addr) {
  dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  if (chunk == NULL)
    return NULL;
  uint32_t offset = chunk_offset(addr), before;
  uint32_t id = find_in_chain(slots, *slot_of(chunk, offset), offset, &before);
  return id == DMD_NONE ? NULL : block_at(slots, id);
}

dmd_block_t *dmd_addressmap_find_older(const dmd_addressmap_t *slots, const dmd_block_t *block) {
  for (uint32_t id = block->next; id != DMD_NONE; id = block_at(slots, id)->next)
    if (is_at(block_at(slots, id), block->offset))
      return block_at(slots, id);
  return NULL;
}

/* Unlinks the block of the last chunk with this id, whose predecessor is `before`. Does not read
 * its record if it is the only block. */
static void unlink_block(dmd_addressmap_t *slots, uint32_t offset, uint32_t before, uint32_t id) {
  uint32_t *slot = slot_of(slots->last, offset), starts = starts_of(*slot), bit = start_bit(offset);
  if (starts == bit && starts != 0) {
    *slot = 0;
  } else if (before == DMD_NONE) {
    uint32_t next = block_at(slots, id)->next;
    *slot = next == DMD_NONE ? 0 : next | (starts & ~bit) << ID_BITS;
  } else {
    block_at(slots, before)->next = block_at(slots, id)->next;
    *slot = first_of(*slot) | (starts & ~bit) << ID_BITS;
  }
  if (--slots->last->n_blocks == 0)
    remove_last_chunk(slots);
}

bool dmd_addressmap_take_out(dmd_addressmap_t *slots, uint64_t addr, uint32_t *id) {
  dmd_chunk_t *chunk = find_chunk(slots, chunk_number(addr));
  uint32_t offset = chunk_offset(addr), bit = start_bit(offset);
  if (chunk == NULL || (starts_of(*slot_of(chunk, offset)) & bit) == 0)
    return false;
  turn_to(slots, chunk, chunk_number(addr));
  uint32_t slot = *slot_of(chunk, offset), before = known_before(slots, slot, bit);
  *id = before == DMD_NONE ? first_of(slot) : block_at(slots, before)->next;
  __builtin_prefetch(block_at(slots, *id), 1);
  unlink_block(slots, offset, before, *id);
  return true;
}

const dmd_block_t *dmd_addressmap_taken_out(const dmd_addressmap_t *slots, uint32_t id) {
  return block_at(slots, id);
}

void dmd_addressmap_release(dmd_addressmap_t *slots, uint32_t id) {
  block_at(slots, id)->is_live = 0;
  dmd_pool_release_sized(&slots->blocks, id, sizeof(dmd_block_t));
}

static void remove_block(dmd_addressmap_t *slots, uint64_t addr, const dmd_block_t *block) {
  uint32_t offset = block->offset, before = DMD_NONE;
  uint32_t id = first_of(*slot_of(chunk_for(slots, chunk_number(addr)), offset));
  for (; block_at(slots, id) != block; id = block_at(slots, id)->next)
    before = id;
  unlink_block(slots, offset, before, id);
  block_at(slots, id)->is_live = 0;
  dmd_pool_release(&slots->blocks, id); /* overwrites only `next` */
}

dmd_block_t *dmd_addressmap_remove(dmd_addressmap_t *slots, uint64_t addr) {
  dmd_block_t *block = dmd_addressmap_find(slots, addr);
  while (block != NULL && (block->flags & DMD_BLOCK_POOLED))
    block = dmd_addressmap_find_older(slots, block);
  if (block != NULL)
    remove_block(slots, addr, block);
  return block;
}

void dmd_addressmap_remove_this(dmd_addressmap_t *slots, uint64_t addr, const dmd_block_t *block) {
  remove_block(slots, addr, block);
}

dmd_block_t *dmd_addressmap_move(dmd_addressmap_t *slots, uint64_t addr, dmd_block_t *block,
                                 dmd_addressmap_t *into, uint64_t to) {
  dmd_block_t *moved = dmd_addressmap_add(into, to, false);
  dmd_block_t now = *block;
  now.next = moved->next;
  now.offset = moved->offset;
  *moved = now;
  dmd_addressmap_remove_this(slots, addr, block);
  return moved;
}

/* ---- Interior pointers. ---- */

typedef struct {
  const dmd_addressmap_t *slots;
  uint64_t addr;  /* the address to find */
  bool saw_other; /* a block that starts at or below addr does not contain it */
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

/* The chunk with the highest number in [lowest, number), or NULL. Usually it is a neighbour. If
 * not, scanning the table beats trying every number: the program can make the range as large as it
 * likes by announcing one absurd block. */
static const dmd_chunk_t *chunk_below(const dmd_addressmap_t *slots, uint64_t number,
                                      uint64_t lowest) {
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

dmd_block_t *dmd_addressmap_find_containing(const dmd_addressmap_t *slots, uint64_t addr,
                                            uint64_t max_szB, bool may_nest, uint64_t *start) {
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
      dmd_block_t *block =
          search_chain(&s, chunk->number << CHUNK_BITS, first_of(chunk->slot[slot]));
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

/* ---- Walking in address order. ---- */

/* The first block of a chunk that starts at or after from. */
static dmd_block_t *first_in_chunk(const dmd_addressmap_t *slots, const dmd_chunk_t *chunk,
                                   uint64_t from) {
  bool from_start = chunk_number(from) != chunk->number;
  uint32_t offset = from_start ? 0 : chunk_offset(from);
  for (uint32_t slot = offset >> SLOT_BITS; slot < N_SLOTS; slot++)
    for (uint32_t id = first_of(chunk->slot[slot]); id != DMD_NONE; id = block_at(slots, id)->next)
      if (block_at(slots, id)->offset >= offset)
        return block_at(slots, id);
  return NULL;
}

/* The chunk with the lowest number in [number, last], or NULL. */
static const dmd_chunk_t *chunk_from(const dmd_addressmap_t *slots, uint64_t number,
                                     uint64_t last) {
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

dmd_block_t *dmd_addressmap_find_from(const dmd_addressmap_t *slots, uint64_t from, uint64_t end,
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

/* Prefetches a block that the walk will reach soon: records are not in the order of their
 * blocks. */
static void look_ahead(const dmd_addressmap_t *slots, const dmd_chunk_t *chunk, uint32_t slot) {
  enum { AHEAD = 16 };
  if (slot + AHEAD < N_SLOTS && chunk->slot[slot + AHEAD] != 0)
    __builtin_prefetch(block_at(slots, first_of(chunk->slot[slot + AHEAD])));
}

void dmd_addressmap_walk_begin(dmd_addressmap_walk_t *walk, const dmd_addressmap_t *slots) {
  *walk = (dmd_addressmap_walk_t){.slots = slots, .order = dmd_map_in_order(&slots->chunks)};
}

void dmd_addressmap_walk_end(dmd_addressmap_walk_t *walk) {
  dmd_env_free(walk->slots->env, walk->order);
}

static const dmd_chunk_t *next_chunk(const dmd_addressmap_walk_t *walk) {
  const dmd_map_t *chunks = &walk->slots->chunks;
  return walk->next == chunks->n ? NULL : chunks->places[walk->order[walk->next]].value;
}

bool dmd_addressmap_walk_at(const dmd_addressmap_walk_t *walk, uint64_t *addr) {
  const dmd_chunk_t *chunk = next_chunk(walk);
  if (chunk == NULL)
    return false;
  *addr = chunk->number << CHUNK_BITS;
  return true;
}

void dmd_addressmap_walk_on(dmd_addressmap_walk_t *walk,
                            void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block),
                            void *ctx) {
  const dmd_addressmap_t *slots = walk->slots;
  const dmd_chunk_t *chunk = next_chunk(walk);
  uint64_t base = chunk->number << CHUNK_BITS;
  for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
    look_ahead(slots, chunk, slot);
    for (uint32_t id = first_of(chunk->slot[slot]); id != DMD_NONE; id = block_at(slots, id)->next)
      visit(ctx, base + block_at(slots, id)->offset, block_at(slots, id));
  }
  walk->next++;
}

void dmd_addressmap_walk(const dmd_addressmap_t *slots,
                         void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_addressmap_walk_t walk;
  uint64_t addr;
  dmd_addressmap_walk_begin(&walk, slots);
  while (dmd_addressmap_walk_at(&walk, &addr))
    dmd_addressmap_walk_on(&walk, visit, ctx);
  dmd_addressmap_walk_end(&walk);
}

void dmd_addressmap_each(const dmd_addressmap_t *slots,
                         void (*visit)(void *ctx, dmd_block_t *block), void *ctx) {
  for (uint32_t id = 1; id <= slots->blocks.last; id++)
    if (block_at(slots, id)->is_live)
      visit(ctx, block_at(slots, id));
}
