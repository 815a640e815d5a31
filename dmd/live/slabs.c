/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/slabs.h"

#include "base/mem.h"

enum {
  SLAB_BITS = 16,
  MAX_BLOCKS = DMD_SLAB_SZB / DMD_SLAB_UNIT,
  N_WORDS = MAX_BLOCKS / 64,
  FINE_MAX = 256, /* bytes up to which there is a class for each unit */
  N_FINE = FINE_MAX / DMD_SLAB_UNIT,
  PER_DOUBLING = 8,
  INVERSE_BITS = 20,
  RECORDS_ALIGN = 64 /* so that a record lies in as few of the processor's cache lines as it can */
};

/* What a look-up needs is in one line of the cache, and as near to that of other slabs as it can
 * be: heaps have thousands of slabs, and programs go from one to another. */
struct dmd_slab {
  uint64_t addr;
  char *records;
  uint32_t block_szB;
  uint32_t inverse;  /* of block_szB in units, times 2^INVERSE_BITS, rounded up */
  uint32_t n_blocks; /* that it has room for */
  uint32_t n_taken;
  uint64_t summary; /* the words of `free` that are not 0 */
  uint64_t *free;   /* N_WORDS of bits, set for blocks that are not taken, by their number */
  uint32_t id;      /* in both pools */
  char *memory;     /* that the records are in */
  dmd_slab_t *next, **link; /* in the list that the slab is in; link leads to it */
};

typedef struct {
  uint64_t free[N_WORDS];
} bits_t;

_Static_assert(N_WORDS == 64, "the summary is one word");
_Static_assert(DMD_SLAB_SZB == 1 << SLAB_BITS, "bits that slabs are found without");
_Static_assert((uint64_t)MAX_BLOCKS *DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT <= 1 << INVERSE_BITS,
               "a unit's number times the inverse's error stays below one");

static uint32_t szB_of_class(uint32_t size_class) {
  if (size_class < N_FINE)
    return (size_class + 1) * DMD_SLAB_UNIT;
  uint32_t i = size_class - N_FINE;
  uint32_t base = (uint32_t)FINE_MAX << i / PER_DOUBLING;
  return base + base / PER_DOUBLING * (i % PER_DOUBLING + 1);
}

static uint32_t class_of(const dmd_slabs_t *slabs, uint64_t szB) {
  return slabs->class_of[(szB + DMD_SLAB_UNIT - 1) / DMD_SLAB_UNIT];
}

static uint64_t no_memory(void *ctx) {
  (void)ctx;
  return 0;
}

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, size_t record_szB) {
  dmd_mem_zero(slabs, sizeof *slabs);
  slabs->env = env;
  slabs->record_szB = record_szB;
  slabs->source.take = no_memory;
  dmd_pool_init(&slabs->pool, env, "dmd.slabs", sizeof(dmd_slab_t));
  dmd_pool_init(&slabs->bits, env, "dmd.slabs.bits", sizeof(bits_t));
  dmd_map_init(&slabs->slabs, env, "dmd.slabs.map", SLAB_BITS);
  uint32_t size_class = 0;
  for (uint32_t units = 0; units <= DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT; units++) {
    if (units * DMD_SLAB_UNIT > szB_of_class(size_class))
      size_class++;
    slabs->class_of[units] = (uint8_t)size_class;
  }
}

void dmd_slabs_use(dmd_slabs_t *slabs, const dmd_slab_source_t *source) {
  slabs->source = *source;
}

void dmd_slabs_destroy(dmd_slabs_t *slabs) {
  for (uint32_t i = 0; i < slabs->slabs.n_places; i++) {
    const dmd_slab_t *slab = slabs->slabs.places[i].value;
    if (slab != NULL)
      dmd_env_free(slabs->env, slab->memory);
  }
  dmd_map_destroy(&slabs->slabs);
  dmd_pool_destroy(&slabs->bits);
  dmd_pool_destroy(&slabs->pool);
}

static void put_in(dmd_slab_t **list, dmd_slab_t *slab) {
  slab->next = *list;
  slab->link = list;
  if (slab->next != NULL)
    slab->next->link = &slab->next;
  *list = slab;
}

static void take_out(dmd_slab_t *slab) {
  *slab->link = slab->next;
  if (slab->next != NULL)
    slab->next->link = slab->link;
}

/* ---- Slabs and their blocks. ---- */

/* The slab that addr lies in, or NULL. It starts in the same 64 KiB of address space or the last.
 */
static dmd_slab_t *find_slab(const dmd_slabs_t *slabs, uint64_t addr) {
  if (slabs->last != NULL && addr - slabs->last->addr < DMD_SLAB_SZB)
    return slabs->last;
  dmd_map_place_t entry = dmd_map_entry(&slabs->slabs, addr);
  if (entry.value == NULL || addr < entry.number)
    entry = dmd_map_entry(&slabs->slabs, addr - DMD_SLAB_SZB);
  return entry.value != NULL && addr - entry.number < DMD_SLAB_SZB ? entry.value : NULL;
}

/* The number of the block that addr, which lies in the slab, is in the room of; what is left behind
 * the last block counts as one more. */
static uint32_t block_number(const dmd_slab_t *slab, uint64_t addr) {
  uint32_t unit = (uint32_t)(addr - slab->addr) / DMD_SLAB_UNIT;
  return unit * slab->inverse >> INVERSE_BITS;
}

static uint64_t block_addr(const dmd_slab_t *slab, uint32_t number) {
  return slab->addr + number * slab->block_szB;
}

static void *record_at(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint32_t number) {
  return slab->records + number * slabs->record_szB;
}

static bool is_free(const dmd_slab_t *slab, uint32_t number) {
  return slab->free[number / 64] >> number % 64 & 1;
}

static void set_free(dmd_slab_t *slab, uint32_t number) {
  slab->free[number / 64] |= UINT64_C(1) << number % 64;
  slab->summary |= UINT64_C(1) << number / 64;
}

static dmd_slab_t *new_slab(dmd_slabs_t *slabs, uint64_t addr, uint32_t block_szB) {
  uint32_t id = dmd_pool_add(&slabs->pool), n_blocks = DMD_SLAB_SZB / block_szB;
  size_t records_szB = n_blocks * slabs->record_szB;
  dmd_slab_t *slab = DMD_POOL_AT(&slabs->pool, dmd_slab_t, id);
  dmd_mem_zero(slab, sizeof *slab);
  slab->id = id;
  dmd_pool_reach(&slabs->bits, id);
  slab->free = DMD_POOL_AT(&slabs->bits, bits_t, id)->free;
  dmd_mem_zero(slab->free, sizeof(bits_t));
  slab->addr = addr;
  slab->memory = dmd_env_alloc(slabs->env, "dmd.slabs.records", records_szB + RECORDS_ALIGN);
  slab->records = slab->memory + (-(uintptr_t)slab->memory & (RECORDS_ALIGN - 1));
  dmd_mem_zero(slab->records, records_szB);
  slab->block_szB = block_szB;
  uint32_t units = block_szB / DMD_SLAB_UNIT;
  slab->inverse = ((1u << INVERSE_BITS) + units - 1) / units;
  slab->n_blocks = n_blocks;
  for (uint32_t number = 0; number < n_blocks; number++)
    set_free(slab, number);
  return slab;
}

static dmd_slab_t *add_slab(dmd_slabs_t *slabs, uint32_t size_class) {
  uint64_t addr = slabs->source.take(slabs->source.ctx);
  if (addr == 0)
    return NULL;
  dmd_slab_t *slab = new_slab(slabs, addr, szB_of_class(size_class));
  dmd_map_add(&slabs->slabs, addr, slab);
  put_in(&slabs->open[size_class], slab);
  return slab;
}

static void remove_slab(dmd_slabs_t *slabs, dmd_slab_t *slab) {
  take_out(slab);
  if (slabs->last == slab)
    slabs->last = NULL;
  dmd_map_remove(&slabs->slabs, slab->addr);
  slabs->source.give_back(slabs->source.ctx, slab->addr);
  dmd_env_free(slabs->env, slab->memory);
  dmd_pool_release(&slabs->pool, slab->id);
}

uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB) {
  uint32_t size_class = class_of(slabs, szB);
  dmd_slab_t *slab = slabs->open[size_class];
  if (slab == NULL && (slab = add_slab(slabs, size_class)) == NULL)
    return 0;
  uint32_t word = (uint32_t)__builtin_ctzll(slab->summary);
  uint32_t bit = (uint32_t)__builtin_ctzll(slab->free[word]);
  slab->free[word] &= slab->free[word] - 1;
  if (slab->free[word] == 0)
    slab->summary &= slab->summary - 1;
  if (slab->summary == 0)
    take_out(slab);
  slab->n_taken++;
  slabs->last = slab;
  return block_addr(slab, word * 64 + bit);
}

bool dmd_slabs_free(dmd_slabs_t *slabs, uint64_t addr) {
  dmd_slab_t *slab = find_slab(slabs, addr);
  if (slab == NULL)
    return false;
  dmd_slab_t **open = &slabs->open[class_of(slabs, slab->block_szB)];
  if (slab->summary == 0)
    put_in(open, slab);
  set_free(slab, block_number(slab, addr));
  /* The last slab of a class that has room stays, or a program that takes and frees one block
   * would make and unmake a slab each time. */
  if (--slab->n_taken == 0 && (*open != slab || slab->next != NULL))
    remove_slab(slabs, slab);
  return true;
}

uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr) {
  const dmd_slab_t *slab = find_slab(slabs, addr);
  return slab == NULL ? 0 : slab->block_szB;
}

/* ---- Records. ---- */

static void *record_around(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint64_t addr,
                           uint64_t *start) {
  if (slab == NULL)
    return NULL;
  uint32_t number = block_number(slab, addr);
  *start = block_addr(slab, number);
  return number < slab->n_blocks ? record_at(slabs, slab, number) : NULL;
}

static void *record_of(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint64_t addr) {
  uint64_t start;
  void *record = record_around(slabs, slab, addr, &start);
  return record != NULL && start == addr ? record : NULL;
}

void *dmd_slabs_record(const dmd_slabs_t *slabs, uint64_t addr) {
  return record_of(slabs, find_slab(slabs, addr), addr);
}

void *dmd_slabs_record_to_free(dmd_slabs_t *slabs, uint64_t addr) {
  dmd_slab_t *slab = find_slab(slabs, addr);
  if (slab != NULL)
    slabs->last = slab;
  return record_of(slabs, slab, addr);
}

void *dmd_slabs_record_around(const dmd_slabs_t *slabs, uint64_t addr, uint64_t *start) {
  return record_around(slabs, find_slab(slabs, addr), addr, start);
}

void dmd_slab_walk_begin(dmd_slab_walk_t *walk, const dmd_slabs_t *slabs) {
  *walk = (dmd_slab_walk_t){.slabs = slabs, .order = dmd_map_in_order(&slabs->slabs)};
}

void *dmd_slab_walk_next(dmd_slab_walk_t *walk, uint64_t *addr) {
  for (; walk->slab < walk->slabs->slabs.n; walk->slab++, walk->block = 0) {
    const dmd_slab_t *slab = walk->slabs->slabs.places[walk->order[walk->slab]].value;
    while (walk->block < slab->n_blocks && is_free(slab, walk->block))
      walk->block++;
    if (walk->block < slab->n_blocks) {
      *addr = block_addr(slab, walk->block);
      return record_at(walk->slabs, slab, walk->block++);
    }
  }
  return NULL;
}

void dmd_slab_walk_end(dmd_slab_walk_t *walk) {
  dmd_env_free(walk->slabs->env, walk->order);
}
