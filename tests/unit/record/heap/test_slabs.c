/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/slabs.h"

/* ---- a program's memory, which exists only as addresses ---- */

/* Slabs are this far apart, so that they start anywhere in the 64 KiB units by which they are
 * found. */
enum { MAX_SLABS = 200, UNITS = DMD_SLAB_SZB / DMD_SLAB_UNIT, APART = DMD_SLAB_SZB + 48 };

typedef struct {
  bool is_out[MAX_SLABS];
  bool is_taken[MAX_SLABS][UNITS]; /* by a block */
  size_t n_out, n_takes, limit;
} memory_t;

static memory_t g_memory;

/* Above what 32 bits hold. */
static const uint64_t BASE = UINT64_C(0x7f3200004320);

static uint64_t take(void *ctx) {
  memory_t *memory = ctx;
  if (memory->n_out == memory->limit)
    return 0;
  size_t i = 0;
  while (memory->is_out[i])
    i++;
  memory->is_out[i] = true;
  memory->n_out++;
  memory->n_takes++;
  return BASE + i * APART;
}

static void give_back(void *ctx, uint64_t addr) {
  memory_t *memory = ctx;
  size_t i = (addr - BASE) / APART;
  assert_true(memory->is_out[i] && (addr - BASE) % APART == 0);
  for (size_t unit = 0; unit < UNITS; unit++)
    assert_false(memory->is_taken[i][unit]);
  memory->is_out[i] = false;
  memory->n_out--;
}

static const dmd_slab_source_t *new_memory(size_t limit) {
  static const dmd_slab_source_t source = {.take = take, .give_back = give_back, .ctx = &g_memory};
  memset(&g_memory, 0, sizeof g_memory);
  g_memory.limit = limit;
  return &source;
}

static void new_slabs(dmd_slabs_t *slabs, const dmd_env_t *env, size_t limit) {
  dmd_slabs_init(slabs, env, new_memory(limit));
}

/* Finds the taken block that starts there; returns false if none does. */
static bool find_taken(const dmd_slabs_t *slabs, uint64_t addr, dmd_slab_place_t *place) {
  return dmd_slabs_find(slabs, addr, place) && place->start == addr && dmd_slabs_is_taken(place);
}

static bool free_block(dmd_slabs_t *slabs, uint64_t addr) {
  dmd_slab_place_t place;
  bool found = find_taken(slabs, addr, &place);
  if (found)
    dmd_slabs_free(slabs, &place);
  return found;
}

/* The whole block is memory that was taken, and belongs to no other block. */
static void mark(uint64_t addr, uint64_t szB, bool taken) {
  size_t i = (addr - BASE) / APART;
  assert_true(addr >= BASE && i < MAX_SLABS && g_memory.is_out[i]);
  assert_int_equal(addr % DMD_SLAB_UNIT, 0);
  uint64_t offset = (addr - BASE) % APART;
  assert_true(offset + szB <= DMD_SLAB_SZB);
  for (uint64_t at = offset; at < offset + szB || at == offset; at += DMD_SLAB_UNIT) {
    assert_int_equal(g_memory.is_taken[i][at / DMD_SLAB_UNIT], !taken);
    g_memory.is_taken[i][at / DMD_SLAB_UNIT] = taken;
  }
}

/* ---- tests ---- */

static void every_size_has_little_waste(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, MAX_SLABS);
  size_t n_classes = 0;
  uint64_t last_room = 0;
  for (uint64_t szB = 0; szB <= DMD_SLAB_MAX_BLOCK; szB++) {
    uint64_t addr = dmd_slabs_alloc(&slabs, szB);
    uint64_t room = dmd_slabs_room(&slabs, addr);
    assert_true(room >= szB && room > 0 && room % DMD_SLAB_UNIT == 0);
    if (szB > 0)
      assert_true(room - szB < (szB / 8 < 16 ? 16 : szB / 8));
    mark(addr, room, true);
    n_classes += room != last_room;
    last_room = room;
  }
  assert_int_equal(n_classes, DMD_SLAB_CLASSES);
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

/* Mostly small ones. */
static uint64_t any_size(dice_t *dice) {
  return dice_below(dice, dice_below(dice, 8) == 0 ? DMD_SLAB_MAX_BLOCK + 1 : 200);
}

typedef struct {
  uint64_t addr, szB;
} block_t;

static void random_blocks_never_overlap(void **state) {
  (void)state;
  enum { MAX = 20000 };
  static block_t live[MAX];
  size_t n = 0;
  dice_t dice = {99};
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, MAX_SLABS);
  for (int step = 0; step < 400000; step++) {
    bool growing = step / 40000 % 2 == 0;
    if (n > 0 && (n == MAX || dice_below(&dice, 10) < (growing ? 3 : 7))) {
      size_t i = dice_below(&dice, n);
      mark(live[i].addr, live[i].szB, false);
      assert_true(free_block(&slabs, live[i].addr));
      live[i] = live[--n];
      continue;
    }
    uint64_t szB = any_size(&dice);
    uint64_t addr = dmd_slabs_alloc(&slabs, szB);
    assert_true(addr != 0 && dmd_slabs_room(&slabs, addr) >= szB);
    mark(addr, szB, true);
    live[n++] = (block_t){addr, szB};
  }
  assert_true(g_memory.n_takes > g_memory.n_out); /* some went back on the way */
  while (n > 0) {
    mark(live[n - 1].addr, live[n - 1].szB, false);
    assert_true(free_block(&slabs, live[--n].addr));
  }
  assert_true(g_memory.n_out <= DMD_SLAB_CLASSES); /* one for each class at most */
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

static int compare_addrs(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* A user's records of the blocks in a slab, here in the attachment: each block's address. */
static uint64_t *note_of(const dmd_slabs_t *slabs, const dmd_slab_place_t *place) {
  dmd_slab_t *slab = place->slab;
  assert_in_range(place->number, 0, slab->n_blocks - 1);
  if (slab->attached == NULL)
    dmd_slabs_attach(slabs, slab, "test", slab->n_blocks * sizeof(uint64_t));
  assert_int_equal((uintptr_t)slab->attached % DMD_SLAB_LINE, 0);
  return (uint64_t *)(void *)slab->attached + place->number;
}

/* Blocks of all sizes, some of which were freed: each has a record of its own, which is found from
 * any address in the block, and the walk visits the remaining ones. */
static void places_belong_to_blocks(void **state) {
  (void)state;
  enum { N = 20000 };
  static uint64_t addrs[N];
  size_t n = 0;
  dice_t dice = {98};
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  dmd_slab_place_t place;
  new_slabs(&slabs, &host.env, MAX_SLABS);
  while (n < N) {
    uint64_t addr = dmd_slabs_alloc(&slabs, any_size(&dice));
    assert_true(find_taken(&slabs, addr, &place));
    *note_of(&slabs, &place) = addr;
    addrs[n++] = addr;
  }
  for (size_t i = 0; i < N / 3; i++) {
    size_t k = dice_below(&dice, n);
    assert_true(find_taken(&slabs, addrs[k], &place));
    assert_true(*note_of(&slabs, &place) == addrs[k]);
    dmd_slabs_free(&slabs, &place);
    assert_false(free_block(&slabs, addrs[k]));
    addrs[k] = addrs[--n];
  }
  qsort(addrs, n, sizeof *addrs, compare_addrs);
  dmd_slab_walk_t walk;
  dmd_slab_walk_begin(&walk, &slabs);
  for (size_t i = 0; i < n; i++) {
    uint64_t inside = addrs[i] + dice_below(&dice, dmd_slabs_room(&slabs, addrs[i]));
    dmd_slab_place_t found;
    assert_true(dmd_slab_walk_next(&walk, &place));
    assert_true(place.start == addrs[i] && *note_of(&slabs, &place) == addrs[i]);
    assert_true(dmd_slabs_find(&slabs, inside, &found) && dmd_slabs_is_taken(&found));
    assert_true(found.slab == place.slab && found.number == place.number);
    assert_true(found.start == place.start);
  }
  assert_false(dmd_slab_walk_next(&walk, &place));
  dmd_slab_walk_end(&walk);
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

/* Slabs that a class no longer needs serve another class. */
static void empty_slabs_go_back(void **state) {
  (void)state;
  enum { N = 5000 };
  static uint64_t addrs[N];
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, 10); /* of which 5,000 blocks of 128 bytes take 10 */
  for (uint64_t szB = 128; szB >= 96; szB -= 16) {
    for (size_t i = 0; i < N; i++)
      assert_true((addrs[i] = dmd_slabs_alloc(&slabs, szB)) != 0);
    for (size_t i = 0; i < N; i++) {
      assert_true(free_block(&slabs, addrs[i]));
      bool gone = !g_memory.is_out[(addrs[i] - BASE) / APART];
      assert_int_equal(dmd_slabs_room(&slabs, addrs[i]) == 0, gone);
    }
    assert_true(g_memory.n_out <= (128 - szB) / 16 + 1);
  }
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

static void a_block_that_comes_and_goes_keeps_its_slab(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, MAX_SLABS);
  for (int i = 0; i < 100; i++)
    assert_true(free_block(&slabs, dmd_slabs_alloc(&slabs, 40)));
  assert_int_equal(g_memory.n_takes, 1);
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

static void where_there_is_no_memory(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, 1);
  uint64_t first = dmd_slabs_alloc(&slabs, 4096);
  for (unsigned i = 1; i < DMD_SLAB_SZB / 4096; i++)
    assert_true(dmd_slabs_alloc(&slabs, 4096) != 0);
  assert_true(dmd_slabs_alloc(&slabs, 4096) == 0);
  assert_true(dmd_slabs_alloc(&slabs, 16) == 0);
  assert_true(free_block(&slabs, first));
  assert_true(dmd_slabs_alloc(&slabs, 4096) == first);
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

/* The program may query any number as an address. */
static void before_the_first_block(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, MAX_SLABS);
  for (uint64_t addr = 0; addr < 4; addr++) {
    assert_false(free_block(&slabs, addr));
    assert_false(free_block(&slabs, UINT64_MAX - addr));
  }
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

static void other_addresses_are_not_ours(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  new_slabs(&slabs, &host.env, MAX_SLABS);
  assert_false(free_block(&slabs, BASE));
  assert_true(dmd_slabs_alloc(&slabs, 1) == BASE);
  assert_int_equal(dmd_slabs_room(&slabs, BASE - 16), 0);
  assert_int_equal(dmd_slabs_room(&slabs, BASE + DMD_SLAB_SZB - 16), 16);
  assert_int_equal(dmd_slabs_room(&slabs, BASE + DMD_SLAB_SZB), 0);
  assert_false(free_block(&slabs, BASE + DMD_SLAB_SZB));
  assert_false(free_block(&slabs, 0));
  dmd_slab_place_t place;
  assert_false(dmd_slabs_find(&slabs, 0, &place));
  assert_false(dmd_slabs_find(&slabs, BASE + DMD_SLAB_SZB, &place));
  assert_false(dmd_slabs_find(&slabs, BASE - 1, &place));
  /* Memory that was never handed out contains no block, and the rest behind the last block is not
   * one.
   */
  uint64_t large = dmd_slabs_alloc(&slabs, 3584);
  assert_true(large == BASE + APART);
  for (uint64_t i = 1; i < 18; i++) {
    assert_false(dmd_slabs_find(&slabs, large + i * 3584, &place));
    assert_true(dmd_slabs_alloc(&slabs, 3584) == large + i * 3584);
    assert_true(dmd_slabs_find(&slabs, large + i * 3584 + 3583, &place));
    assert_int_equal(place.number, i);
  }
  assert_false(dmd_slabs_find(&slabs, large + 18 * 3584, &place));
  assert_false(dmd_slabs_find(&slabs, large + DMD_SLAB_SZB - 1, &place));
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dmd_slabs_t slabs;
  dmd_slab_place_t place;
  (void)arg;
  new_slabs(&slabs, &host->env, MAX_SLABS);
  for (uint64_t szB = 16; szB <= DMD_SLAB_MAX_BLOCK; szB += 16) {
    dmd_slabs_find(&slabs, dmd_slabs_alloc(&slabs, szB), &place);
    *note_of(&slabs, &place) = szB;
  }
  dmd_slabs_destroy(&slabs);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= DMD_SLAB_CLASSES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size_has_little_waste),
      cmocka_unit_test(random_blocks_never_overlap),
      cmocka_unit_test(places_belong_to_blocks),
      cmocka_unit_test(empty_slabs_go_back),
      cmocka_unit_test(a_block_that_comes_and_goes_keeps_its_slab),
      cmocka_unit_test(where_there_is_no_memory),
      cmocka_unit_test(before_the_first_block),
      cmocka_unit_test(other_addresses_are_not_ours),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
