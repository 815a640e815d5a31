/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/slabs.h"

#include "base/mem.h"

enum {
  MAX_BLOCKS = DMD_SLAB_SZB / DMD_SLAB_UNIT,
  N_WORDS = MAX_BLOCKS / 64,
  FINE_MAX = 256, /* bytes up to which there is a class for each unit */
  N_FINE = FINE_MAX / DMD_SLAB_UNIT,
  PER_DOUBLING = 8,
  INVERSE_BITS = 20,
  RECORDS_ALIGN = 64, /* so that a record lies in as few of the processor's cache lines as it can */
  N_ZEROED = 32       /* records at a time, of blocks that were never taken */
};

/* As small as it can be: heaps have thousands of slabs, programs go from one to another, and what
 * does not fit into the nearer caches costs more than all that is done with it. */
struct dmd_slab {
  uint64_t addr;
  char *records;           /* NULL once the slab is gone */
  uint64_t *free;          /* N_WORDS of bits, set for blocks that are free, by their number */
  uint64_t summary;        /* the words of these that are not 0 */
  uint32_t id;             /* in both pools */
  uint32_t next, previous; /* in the list of its class */
  uint16_t n_taken;
  uint16_t n_used; /* blocks ever taken: the first ones; those behind have no records yet */
  uint8_t size_class;
  uint8_t skipped; /* bytes before the records, to align them */
};

typedef struct {
  uint64_t free[N_WORDS];
} bits_t;

_Static_assert(N_WORDS == 64, "the summary is one word");
_Static_assert(MAX_BLOCKS <= UINT16_MAX && RECORDS_ALIGN <= UINT8_MAX, "the fields hold them");
_Static_assert((uint64_t)MAX_BLOCKS *DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT <= 1 << INVERSE_BITS,
               "a unit's number times the inverse's error stays below one");

static uint32_t szB_of_class(uint32_t size_class) {
  if (size_class < N_FINE)
    return (size_class + 1) * DMD_SLAB_UNIT;
  uint32_t i = size_class - N_FINE;
  uint32_t base = (uint32_t)FINE_MAX << i / PER_DOUBLING;
  return base + base / PER_DOUBLING * (i % PER_DOUBLING + 1);
}

static uint64_t no_memory(void *ctx) {
  (void)ctx;
  return 0;
}

static void init_classes(dmd_slabs_t *slabs) {
  for (uint32_t i = 0; i < DMD_SLAB_CLASSES; i++) {
    uint32_t block_szB = szB_of_class(i), units = block_szB / DMD_SLAB_UNIT;
    slabs->classes[i] =
        (dmd_slab_class_t){.block_szB = block_szB,
                           .n_blocks = DMD_SLAB_SZB / block_szB,
                           /* times 2^INVERSE_BITS, of the size in units, rounded up */
                           .inverse = ((1u << INVERSE_BITS) + units - 1) / units};
  }
  uint32_t size_class = 0;
  for (uint32_t units = 0; units <= DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT; units++) {
    if (units * DMD_SLAB_UNIT > slabs->classes[size_class].block_szB)
      size_class++;
    slabs->class_of[units] = (uint8_t)size_class;
  }
}

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, size_t record_szB) {
  dmd_mem_zero(slabs, sizeof *slabs);
  slabs->env = env;
  slabs->record_szB = record_szB;
  slabs->source.take = no_memory;
  dmd_pool_init(&slabs->pool, env, "dmd.slabs", sizeof(dmd_slab_t));
  dmd_pool_init(&slabs->bits, env, "dmd.slabs.bits", sizeof(bits_t));
  dmd_slabmap_init(&slabs->map, env);
  init_classes(slabs);
}

void dmd_slabs_use(dmd_slabs_t *slabs, const dmd_slab_source_t *source) {
  slabs->source = *source;
}

static dmd_slab_t *slab_at(const dmd_slabs_t *slabs, uint32_t id) {
  return DMD_POOL_AT(&slabs->pool, dmd_slab_t, id);
}

static void free_records(const dmd_slabs_t *slabs, dmd_slab_t *slab) {
  if (slab->records != NULL)
    dmd_env_free(slabs->env, slab->records - slab->skipped);
  slab->records = NULL;
}

void dmd_slabs_destroy(dmd_slabs_t *slabs) {
  for (uint32_t id = 1; id <= slabs->pool.last; id++)
    free_records(slabs, slab_at(slabs, id));
  dmd_slabmap_destroy(&slabs->map);
  dmd_pool_destroy(&slabs->bits);
  dmd_pool_destroy(&slabs->pool);
}

/* ---- Slabs that have room, beside the current one of each class. ---- */

static void put_in(dmd_slabs_t *slabs, dmd_slab_t *slab) {
  dmd_slab_t **first = &slabs->classes[slab->size_class].open;
  slab->previous = DMD_NONE;
  slab->next = DMD_NONE;
  if (*first != NULL) {
    slab->next = (*first)->id;
    (*first)->previous = slab->id;
  }
  *first = slab;
}

static void take_out(dmd_slabs_t *slabs, dmd_slab_t *slab) {
  dmd_slab_t *next = slab->next == DMD_NONE ? NULL : slab_at(slabs, slab->next);
  if (next != NULL)
    next->previous = slab->previous;
  if (slab->previous == DMD_NONE)
    slabs->classes[slab->size_class].open = next;
  else
    slab_at(slabs, slab->previous)->next = slab->next;
}

/* ---- Slabs and their blocks. ---- */

/* The slab that addr lies in, or NULL. */
static dmd_slab_t *find_slab(const dmd_slabs_t *slabs, uint64_t addr) {
  uint32_t id = dmd_slabmap_find(&slabs->map, addr);
  dmd_slab_t *slab = id == DMD_NONE ? NULL : slab_at(slabs, id);
  return slab != NULL && addr - slab->addr < DMD_SLAB_SZB ? slab : NULL;
}

static const dmd_slab_class_t *class_of(const dmd_slabs_t *slabs, const dmd_slab_t *slab) {
  return &slabs->classes[slab->size_class];
}

/* The number of the block that addr, which lies in the slab, is in the room of; what is left behind
 * the last block counts as one more. */
static uint32_t block_number(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint64_t addr) {
  uint32_t unit = (uint32_t)(addr - slab->addr) / DMD_SLAB_UNIT;
  return unit * class_of(slabs, slab)->inverse >> INVERSE_BITS;
}

static uint64_t block_addr(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint32_t number) {
  return slab->addr + number * class_of(slabs, slab)->block_szB;
}

static void *record_at(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint32_t number) {
  return slab->records + number * slabs->record_szB;
}

static dmd_slab_t *add_slab(dmd_slabs_t *slabs, uint32_t size_class) {
  uint64_t addr = slabs->source.take(slabs->source.ctx);
  if (addr == 0)
    return NULL;
  uint32_t id = dmd_pool_add(&slabs->pool), n_blocks = slabs->classes[size_class].n_blocks;
  size_t records_szB = n_blocks * slabs->record_szB;
  char *memory = dmd_env_alloc(slabs->env, "dmd.slabs.records", records_szB + RECORDS_ALIGN);
  dmd_slab_t *slab = slab_at(slabs, id);
  *slab = (dmd_slab_t){.addr = addr,
                       .id = id,
                       .size_class = (uint8_t)size_class,
                       .skipped = (uint8_t)(-(uintptr_t)memory & (RECORDS_ALIGN - 1))};
  slab->records = memory + slab->skipped;
  dmd_pool_reach(&slabs->bits, id);
  slab->free = DMD_POOL_AT(&slabs->bits, bits_t, id)->free;
  for (uint32_t left = n_blocks, word = 0; left > 0; word++) {
    slab->free[word] = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    slab->summary |= UINT64_C(1) << word;
    left -= left < 64 ? left : 64;
  }
  dmd_slabmap_add(&slabs->map, addr, id);
  return slab;
}

static void remove_slab(dmd_slabs_t *slabs, dmd_slab_t *slab) {
  take_out(slabs, slab);
  dmd_slabmap_remove(&slabs->map, slab->addr);
  slabs->source.give_back(slabs->source.ctx, slab->addr);
  free_records(slabs, slab);
  dmd_pool_release(&slabs->pool, slab->id);
}

/* The block with the next number is taken for the first time. */
static void add_record(const dmd_slabs_t *slabs, dmd_slab_t *slab) {
  uint32_t number = slab->n_used++;
  if (number % N_ZEROED == 0) {
    uint32_t left = class_of(slabs, slab)->n_blocks - number;
    uint32_t n = left < N_ZEROED ? left : N_ZEROED;
    dmd_mem_zero(record_at(slabs, slab, number), n * slabs->record_szB);
  }
}

/* A slab of the class that has room; NULL when there is no memory. */
static dmd_slab_t *slab_with_room(dmd_slabs_t *slabs, uint32_t size_class) {
  dmd_slab_class_t *its = &slabs->classes[size_class];
  if (its->current != NULL && its->current->summary != 0)
    return its->current;
  dmd_slab_t *slab = its->open;
  if (slab != NULL)
    take_out(slabs, slab);
  else if ((slab = add_slab(slabs, size_class)) == NULL)
    return NULL;
  its->current = slab;
  return slab;
}

uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB) {
  uint32_t size_class = slabs->class_of[(szB + DMD_SLAB_UNIT - 1) / DMD_SLAB_UNIT];
  dmd_slab_t *slab = slab_with_room(slabs, size_class);
  if (slab == NULL)
    return 0;
  uint32_t i = (uint32_t)__builtin_ctzll(slab->summary);
  uint64_t word = slab->free[i];
  uint32_t number = i * 64 + (uint32_t)__builtin_ctzll(word);
  slab->free[i] = word &= word - 1;
  if (word == 0)
    slab->summary &= slab->summary - 1;
  slab->n_taken++;
  if (number == slab->n_used)
    add_record(slabs, slab);
  slabs->newest = slab->addr + number * slabs->classes[size_class].block_szB;
  slabs->newest_record = record_at(slabs, slab, number);
  return slabs->newest;
}

bool dmd_slabs_find_to_free(const dmd_slabs_t *slabs, uint64_t addr, dmd_slab_block_t *block) {
  dmd_slab_t *slab = find_slab(slabs, addr);
  block->slab = NULL;
  if (slab == NULL)
    return false;
  uint32_t number = block_number(slabs, slab, addr);
  if (block_addr(slabs, slab, number) != addr || number >= slab->n_used)
    return false;
  void *record = record_at(slabs, slab, number);
  const uint64_t *word = &slab->free[number / 64];
  __builtin_prefetch(record);
  /* Where all are taken, so is this one, and the word can come in its own time. */
  if (slab->summary == 0)
    __builtin_prefetch(word);
  else if (*word >> number % 64 & 1)
    return false;
  *block = (dmd_slab_block_t){.slab = slab, .record = record, .number = number};
  return true;
}

void dmd_slabs_free(dmd_slabs_t *slabs, const dmd_slab_block_t *block) {
  dmd_slab_t *slab = block->slab;
  /* The current one stays, or a program that takes and frees one block would make and unmake a
   * slab each time. */
  bool is_current = class_of(slabs, slab)->current == slab;
  if (slab->summary == 0 && !is_current)
    put_in(slabs, slab);
  slab->free[block->number / 64] |= UINT64_C(1) << block->number % 64;
  slab->summary |= UINT64_C(1) << block->number / 64;
  if (--slab->n_taken == 0 && !is_current)
    remove_slab(slabs, slab);
}

uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr) {
  const dmd_slab_t *slab = find_slab(slabs, addr);
  return slab == NULL ? 0 : class_of(slabs, slab)->block_szB;
}

/* ---- Records. ---- */

void *dmd_slabs_record_around(const dmd_slabs_t *slabs, uint64_t addr, uint64_t *start) {
  const dmd_slab_t *slab = find_slab(slabs, addr);
  if (slab == NULL)
    return NULL;
  uint32_t number = block_number(slabs, slab, addr);
  *start = block_addr(slabs, slab, number);
  return number < slab->n_used ? record_at(slabs, slab, number) : NULL;
}

void *dmd_slabs_record(const dmd_slabs_t *slabs, uint64_t addr) {
  if (addr == slabs->newest)
    return slabs->newest_record;
  uint64_t start;
  void *record = dmd_slabs_record_around(slabs, addr, &start);
  return record != NULL && start == addr ? record : NULL;
}

static void next_slab(dmd_slab_walk_t *walk) {
  uint32_t id = dmd_slabmap_walk_next(&walk->map);
  walk->slab = id == DMD_NONE ? NULL : slab_at(walk->slabs, id);
  walk->block = 0;
}

void dmd_slab_walk_begin(dmd_slab_walk_t *walk, const dmd_slabs_t *slabs) {
  *walk = (dmd_slab_walk_t){.slabs = slabs};
  dmd_slabmap_walk_begin(&walk->map, &slabs->map);
  next_slab(walk);
}

void *dmd_slab_walk_next(dmd_slab_walk_t *walk, uint64_t *addr) {
  for (; walk->slab != NULL; next_slab(walk))
    if (walk->block < walk->slab->n_used) {
      *addr = block_addr(walk->slabs, walk->slab, walk->block);
      return record_at(walk->slabs, walk->slab, walk->block++);
    }
  return NULL;
}

void dmd_slab_walk_end(dmd_slab_walk_t *walk) {
  dmd_slabmap_walk_end(&walk->map);
}
