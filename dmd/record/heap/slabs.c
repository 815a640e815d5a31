/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks have 48 size classes: multiples of 16 bytes up to 256, then eight per doubling. Within a
 * slab the lowest free block is taken first. Empty slabs go back to the source so that their memory
 * can serve blocks of any size.
 */
#include "record/heap/slabs.h"

#include "base/mem.h"

enum {
  MAX_BLOCKS = DMD_SLAB_SZB / DMD_SLAB_UNIT,
  N_WORDS = MAX_BLOCKS / 64,
  FINE_MAX = 256, /* bytes up to which each unit has a class of its own */
  N_FINE = FINE_MAX / DMD_SLAB_UNIT,
  PER_DOUBLING = 8,
  INVERSE_BITS = 20
};

typedef struct {
  uint64_t free[N_WORDS];
} bits_t;

_Static_assert(N_WORDS == 64, "the summary is one word");
_Static_assert(MAX_BLOCKS <= UINT16_MAX && DMD_SLAB_LINE <= UINT8_MAX,
               "block numbers and alignment gaps fit their fields");
_Static_assert(offsetof(dmd_slab_t, attached) >= sizeof(uint32_t),
               "the pool's link must not overwrite the attached memory of a slab that is gone");
_Static_assert((uint64_t)MAX_BLOCKS *DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT <= 1 << INVERSE_BITS,
               "a unit's number times the inverse's error stays below one");

static uint32_t szB_of_class(uint32_t size_class) {
  if (size_class < N_FINE)
    return (size_class + 1) * DMD_SLAB_UNIT;
  uint32_t i = size_class - N_FINE;
  uint32_t base = (uint32_t)FINE_MAX << i / PER_DOUBLING;
  return base + base / PER_DOUBLING * (i % PER_DOUBLING + 1);
}

static void init_classes(dmd_slabs_t *slabs) {
  for (uint32_t i = 0; i < DMD_SLAB_CLASSES; i++) {
    uint32_t block_szB = szB_of_class(i), units = block_szB / DMD_SLAB_UNIT;
    slabs->classes[i] = (dmd_slab_class_t){.block_szB = block_szB,
                                           .n_blocks = DMD_SLAB_SZB / block_szB,
                                           /* 2^INVERSE_BITS / size in units, rounded up */
                                           .inverse = ((1u << INVERSE_BITS) + units - 1) / units};
  }
  uint32_t size_class = 0;
  for (uint32_t units = 0; units <= DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT; units++) {
    if (units * DMD_SLAB_UNIT > slabs->classes[size_class].block_szB)
      size_class++;
    slabs->class_of[units] = (uint8_t)size_class;
  }
}

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, const dmd_slab_source_t *source) {
  dmd_mem_zero(slabs, sizeof *slabs);
  slabs->env = env;
  slabs->source = *source;
  dmd_pool_init(&slabs->pool, env, "dmd.slabs", sizeof(dmd_slab_t));
  dmd_pool_init(&slabs->bits, env, "dmd.slabs.bits", sizeof(bits_t));
  dmd_slabmap_init(&slabs->map, env);
  init_classes(slabs);
}

static dmd_slab_t *slab_at(const dmd_slabs_t *slabs, uint32_t id) {
  return DMD_POOL_AT(&slabs->pool, dmd_slab_t, id);
}

void dmd_slabs_attach(const dmd_slabs_t *slabs, dmd_slab_t *slab, const char *cost_centre,
                      size_t szB) {
  char *memory = dmd_env_alloc(slabs->env, cost_centre, szB + DMD_SLAB_LINE);
  slab->skipped = (uint8_t)(-(uintptr_t)memory & (DMD_SLAB_LINE - 1));
  slab->attached = memory + slab->skipped;
}

static void free_attached(const dmd_slabs_t *slabs, dmd_slab_t *slab) {
  if (slab->attached != NULL)
    dmd_env_free(slabs->env, slab->attached - slab->skipped);
  slab->attached = NULL;
}

void dmd_slabs_destroy(dmd_slabs_t *slabs) {
  for (uint32_t id = 1; id <= slabs->pool.last; id++)
    free_attached(slabs, slab_at(slabs, id));
  dmd_slabmap_destroy(&slabs->map);
  dmd_pool_destroy(&slabs->bits);
  dmd_pool_destroy(&slabs->pool);
}

/* ---- Slabs with free blocks, except the current one of each class. ---- */

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

/* The slab that contains addr, or NULL. */
static inline dmd_slab_t *find_slab(const dmd_slabs_t *slabs, uint64_t addr) {
  uint32_t id = dmd_slabmap_find(&slabs->map, addr);
  dmd_slab_t *slab = id == DMD_NONE ? NULL : slab_at(slabs, id);
  return slab != NULL && addr - slab->addr < DMD_SLAB_SZB ? slab : NULL;
}

static const dmd_slab_class_t *class_of(const dmd_slabs_t *slabs, const dmd_slab_t *slab) {
  return &slabs->classes[slab->size_class];
}

/* The number of the block whose space contains addr, which lies in the slab. The rest behind the
 * last block counts as one more. */
static uint32_t block_number(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint64_t addr) {
  uint32_t unit = (uint32_t)(addr - slab->addr) / DMD_SLAB_UNIT;
  return unit * class_of(slabs, slab)->inverse >> INVERSE_BITS;
}

static uint64_t block_addr(const dmd_slabs_t *slabs, const dmd_slab_t *slab, uint32_t number) {
  return slab->addr + number * class_of(slabs, slab)->block_szB;
}

static dmd_slab_t *add_slab(dmd_slabs_t *slabs, uint32_t size_class) {
  uint64_t addr = slabs->source.take(slabs->source.ctx);
  if (addr == 0)
    return NULL;
  uint32_t id = dmd_pool_add(&slabs->pool), n_blocks = slabs->classes[size_class].n_blocks;
  dmd_slab_t *slab = slab_at(slabs, id);
  *slab =
      (dmd_slab_t){.addr = addr, .id = id, .n_blocks = n_blocks, .size_class = (uint8_t)size_class};
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
  free_attached(slabs, slab);
  dmd_pool_release(&slabs->pool, slab->id);
}

/* A slab of the class with a free block; NULL if there is no memory. */
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
    slab->n_used++;
  slabs->newest.slab = slab;
  slabs->newest.number = number;
  slabs->newest.start = slab->addr + number * slabs->classes[size_class].block_szB;
  return slabs->newest.start;
}

bool dmd_slabs_search(const dmd_slabs_t *slabs, uint64_t addr, dmd_slab_place_t *place) {
  dmd_slab_t *slab = find_slab(slabs, addr);
  if (slab == NULL)
    return false;
  place->slab = slab;
  place->number = block_number(slabs, slab, addr);
  place->start = block_addr(slabs, slab, place->number);
  return place->number < slab->n_used;
}

void dmd_slabs_free(dmd_slabs_t *slabs, const dmd_slab_place_t *place) {
  dmd_slab_t *slab = place->slab;
  /* The current slab stays: otherwise a program that repeatedly takes and frees one block would
   * create and destroy a slab each time. */
  bool is_current = class_of(slabs, slab)->current == slab;
  if (slab->summary == 0 && !is_current)
    put_in(slabs, slab);
  slab->free[place->number / 64] |= UINT64_C(1) << place->number % 64;
  slab->summary |= UINT64_C(1) << place->number / 64;
  if (--slab->n_taken == 0 && !is_current)
    remove_slab(slabs, slab);
}

uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr) {
  const dmd_slab_t *slab = find_slab(slabs, addr);
  return slab == NULL ? 0 : class_of(slabs, slab)->block_szB;
}

/* ---- Walking in address order. ---- */

static void enter_word(dmd_slab_walk_t *walk, uint32_t word) {
  walk->word = word;
  walk->taken = ~walk->slab->free[word];
}

static void enter_next_slab(dmd_slab_walk_t *walk) {
  uint32_t id = dmd_slabmap_walk_next(&walk->map);
  walk->slab = id == DMD_NONE ? NULL : slab_at(walk->slabs, id);
  if (walk->slab != NULL)
    enter_word(walk, 0);
}

void dmd_slab_walk_begin(dmd_slab_walk_t *walk, const dmd_slabs_t *slabs) {
  *walk = (dmd_slab_walk_t){.slabs = slabs};
  dmd_slabmap_walk_begin(&walk->map, &slabs->map);
  enter_next_slab(walk);
}

bool dmd_slab_walk_next(dmd_slab_walk_t *walk, dmd_slab_place_t *place) {
  while (walk->slab != NULL) {
    dmd_slab_t *slab = walk->slab;
    if (walk->taken != 0) {
      uint32_t number = walk->word * 64 + (uint32_t)__builtin_ctzll(walk->taken);
      walk->taken &= walk->taken - 1;
      if (number < slab->n_used) {
        *place = (dmd_slab_place_t){
            .slab = slab, .number = number, .start = block_addr(walk->slabs, slab, number)};
        return true;
      }
    } else if ((walk->word + 1) * 64 < slab->n_used) {
      enter_word(walk, walk->word + 1);
    } else {
      enter_next_slab(walk);
    }
  }
  return false;
}

void dmd_slab_walk_end(dmd_slab_walk_t *walk) {
  dmd_slabmap_walk_end(&walk->map);
}
