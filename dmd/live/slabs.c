/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/slabs.h"

#include "base/mem.h"

enum {
  N_UNITS = DMD_SLAB_SZB / DMD_SLAB_UNIT,
  N_WORDS = N_UNITS / 64,
  FINE_MAX = 256, /* bytes up to which there is a class for each unit */
  N_FINE = FINE_MAX / DMD_SLAB_UNIT,
  PER_DOUBLING = 8
};

/* Free blocks are set bits: one for each unit at which a block starts. */
struct dmd_slab {
  uint64_t addr;
  uint64_t summary; /* the words of `free` that are not 0 */
  uint64_t free[N_WORDS];
  uint32_t n_live;
  uint32_t size_class;
  dmd_slab_t *next, **link; /* in the list that the slab is in; link leads to it */
};

_Static_assert(N_WORDS == 64, "the summary is one word");

static uint32_t szB_of_class(uint32_t size_class) {
  if (size_class < N_FINE)
    return (size_class + 1) * DMD_SLAB_UNIT;
  uint32_t i = size_class - N_FINE;
  uint32_t base = (uint32_t)FINE_MAX << i / PER_DOUBLING;
  return base + base / PER_DOUBLING * (i % PER_DOUBLING + 1);
}

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, const dmd_slab_source_t *source) {
  dmd_mem_zero(slabs, sizeof *slabs);
  slabs->env = env;
  slabs->source = *source;
  dmd_map_init(&slabs->slabs, env, "dmd.slabs.map");
  uint32_t size_class = 0;
  for (uint32_t units = 0; units <= DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT; units++) {
    if (units * DMD_SLAB_UNIT > szB_of_class(size_class))
      size_class++;
    slabs->class_of[units] = (uint8_t)size_class;
  }
}

void dmd_slabs_destroy(dmd_slabs_t *slabs) {
  for (uint32_t i = 0; i < slabs->slabs.n_places; i++)
    dmd_env_free(slabs->env, slabs->slabs.places[i].value);
  while (slabs->spare != NULL) {
    dmd_slab_t *next = slabs->spare->next;
    dmd_env_free(slabs->env, slabs->spare);
    slabs->spare = next;
  }
  dmd_map_destroy(&slabs->slabs);
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

static uint64_t number_of(uint64_t addr) {
  return addr / DMD_SLAB_SZB;
}

/* The slab that addr lies in, or NULL. It starts in the same 64 KiB of address space or the last.
 */
static dmd_slab_t *find_slab(const dmd_slabs_t *slabs, uint64_t addr) {
  dmd_slab_t *slab = dmd_map_find(&slabs->slabs, number_of(addr));
  if (slab != NULL && addr >= slab->addr)
    return slab;
  slab = dmd_map_find(&slabs->slabs, number_of(addr) - 1);
  return slab != NULL && addr - slab->addr < DMD_SLAB_SZB ? slab : NULL;
}

static dmd_slab_t *add_slab(dmd_slabs_t *slabs, uint32_t size_class) {
  uint64_t addr = slabs->source.take(slabs->source.ctx);
  if (addr == 0)
    return NULL;
  dmd_slab_t *slab = slabs->spare;
  if (slab != NULL)
    slabs->spare = slab->next;
  else
    slab = dmd_env_alloc(slabs->env, "dmd.slabs", sizeof *slab);
  dmd_mem_zero(slab, sizeof *slab);
  slab->addr = addr;
  slab->size_class = size_class;
  uint32_t szB = szB_of_class(size_class);
  for (uint32_t at = 0; at + szB <= DMD_SLAB_SZB; at += szB) {
    uint32_t unit = at / DMD_SLAB_UNIT;
    slab->free[unit / 64] |= UINT64_C(1) << unit % 64;
    slab->summary |= UINT64_C(1) << unit / 64;
  }
  dmd_map_add(&slabs->slabs, number_of(addr), slab);
  put_in(&slabs->open[size_class], slab);
  return slab;
}

static void remove_slab(dmd_slabs_t *slabs, dmd_slab_t *slab) {
  take_out(slab);
  dmd_map_remove(&slabs->slabs, number_of(slab->addr));
  slabs->source.give_back(slabs->source.ctx, slab->addr);
  slab->next = slabs->spare;
  slabs->spare = slab;
}

uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB) {
  uint32_t size_class = slabs->class_of[(szB + DMD_SLAB_UNIT - 1) / DMD_SLAB_UNIT];
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
  slab->n_live++;
  return slab->addr + (word * 64 + bit) * DMD_SLAB_UNIT;
}

bool dmd_slabs_free(dmd_slabs_t *slabs, uint64_t addr) {
  dmd_slab_t *slab = find_slab(slabs, addr);
  if (slab == NULL)
    return false;
  if (slab->summary == 0)
    put_in(&slabs->open[slab->size_class], slab);
  uint32_t unit = (uint32_t)(addr - slab->addr) / DMD_SLAB_UNIT;
  slab->free[unit / 64] |= UINT64_C(1) << unit % 64;
  slab->summary |= UINT64_C(1) << unit / 64;
  /* The last slab of a class that has room stays, or a program that takes and frees one block
   * would make and unmake a slab each time. */
  if (--slab->n_live == 0 && (slabs->open[slab->size_class] != slab || slab->next != NULL))
    remove_slab(slabs, slab);
  return true;
}

uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr) {
  const dmd_slab_t *slab = find_slab(slabs, addr);
  return slab == NULL ? 0 : szB_of_class(slab->size_class);
}
