/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/unwindcache.h"

#include "base/mem.h"

/* A cached walk is found by the return addresses of its frames, in a hash table. Two cheaper
 * attempts come first: the walk that followed the previous one last time, since programs repeat
 * sequences, and it was prefetched; then the last two walks that began at the same place, which
 * finds most stacks of programs without a fixed order. If few stacks are found, the cache pauses
 * for a while. */
enum {
  WORD = sizeof(uintptr_t),
  N_HASHED = 16,              /* frames that select a walk's set in the table */
  N_WAYS = 4,                 /* walks per set (associativity) */
  N_BEGUN = 256,              /* sets of walks with the same start */
  N_BEGUN_WAYS = 2,           /* walks per such set */
  SET_WORDS_EXPONENT = 5,     /* log2 of the words of `room` per set */
  HASH_BITS = 64,             /* of which the upper ones select a set */
  N_OUTER = 256,              /* shared lists of outer frames' words */
  N_OUTER_FRAMES = 5,         /* outer frames whose words may be shared */
  WORDS_PER_SIZES = 16,       /* words of `room` per pair of frame sizes */
  MOST_SIZES = 1 << 12,       /* pairs */
  AT_ONCE = 4,                /* words compared per branch */
  LINE_SZB = 64,              /* cache line size */
  FETCHED_SZB = 3 * LINE_SZB, /* prefetched bytes of the walk expected next */
  PERIOD = 2048,              /* stacks after which the hit rate is checked */
  LONGEST_PAUSE = 64 * PERIOD /* maximum number of stacks to skip if it is low */
};

static const size_t BEGUN_SZB = sizeof(uint32_t) * N_BEGUN * N_BEGUN_WAYS;

static const uint64_t MIX = UINT64_C(0x9e3779b97f4a7c15);

/* A list of words of a stack, padded to a multiple of AT_ONCE by repeating the last one. Their
 * values follow, then their distances from base, in ascending order. */
typedef struct {
  uintptr_t base;
  uint32_t n;
  uint32_t hash; /* of all of this */
} words_t;

typedef struct {
  uintptr_t ip, fp; /* start of the walk, with inner.base */
  uint32_t stack;   /* the resulting stack */
  uint16_t key;
  bool needs_fp;     /* the walk depends on fp */
  uint32_t outer;    /* place of the outer frames' words, shared by many walks */
  uint32_t next;     /* the walk that followed this one last time, or 0 */
  uintptr_t highest; /* highest address of its words; 0: no words */
  words_t inner;     /* words of the inner frames; last, since its data follows */
} walk_t;

/* The size of the frame of an address, as last seen; only used to select a set of the table. Each
 * address has two possible entries. */
struct dmd_frame_size {
  uintptr_t ip;
  size_t szB;
};

static uint32_t szB_of_words(uint32_t n) {
  return (uint32_t)((n * (WORD + sizeof(uint32_t)) + WORD - 1) / WORD * WORD);
}

static uint32_t filled_up(uint32_t n) {
  return (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
}

static uintptr_t *values_of(words_t *words) {
  return (uintptr_t *)(void *)(words + 1);
}

static uint32_t *distances_of(words_t *words) {
  return (uint32_t *)(void *)(values_of(words) + words->n);
}

static walk_t *walk_at(const dmd_unwindcache_t *walks, uint32_t place) {
  return (walk_t *)(void *)&walks->room[place - 1];
}

static words_t *words_at(const dmd_unwindcache_t *walks, uint32_t place) {
  return (words_t *)(void *)&walks->room[place - 1];
}

/* --- Memory --- */

static size_t table_szB(const dmd_unwindcache_t *walks) {
  return (sizeof(uint32_t) * N_WAYS) << (HASH_BITS - walks->set_shift);
}

static void *zeroed(const dmd_unwindcache_t *walks, const char *cost_centre, size_t szB) {
  void *p = dmd_env_alloc(walks->env, cost_centre, szB);
  dmd_mem_zero(p, szB);
  return p;
}

static void make_room(dmd_unwindcache_t *walks) {
  uint32_t n = walks->n_room / WORDS_PER_SIZES;
  walks->n_sizes = n < MOST_SIZES ? n : MOST_SIZES;
  walks->room = dmd_env_alloc(walks->env, "dmd.walks", walks->n_room * sizeof *walks->room);
  walks->table = zeroed(walks, "dmd.walks.table", table_szB(walks));
  walks->outer = zeroed(walks, "dmd.walks.outer", N_OUTER * sizeof *walks->outer);
  walks->begun = zeroed(walks, "dmd.walks.begun", BEGUN_SZB);
  walks->sizes = zeroed(walks, "dmd.walks.sizes", 2 * walks->n_sizes * sizeof *walks->sizes);
}

static void free_room(dmd_unwindcache_t *walks) {
  dmd_env_free(walks->env, walks->room);
  dmd_env_free(walks->env, walks->table);
  dmd_env_free(walks->env, walks->outer);
  dmd_env_free(walks->env, walks->begun);
  dmd_env_free(walks->env, walks->sizes);
  walks->room = NULL;
  walks->table = walks->outer = walks->begun = NULL;
  walks->sizes = NULL;
}

void dmd_unwindcache_init(dmd_unwindcache_t *walks, const dmd_env_t *env, uint32_t max_frames,
                          uint32_t exponent) {
  *walks = (dmd_unwindcache_t){.env = env,
                               .max_frames = max_frames,
                               .n_room = 1u << exponent,
                               .set_shift = HASH_BITS + SET_WORDS_EXPONENT - exponent};
}

void dmd_unwindcache_destroy(dmd_unwindcache_t *walks) {
  free_room(walks);
}

void dmd_unwindcache_forget(dmd_unwindcache_t *walks) {
  if (walks->n_used > 0) {
    dmd_mem_zero(walks->table, table_szB(walks));
    dmd_mem_zero(walks->outer, N_OUTER * sizeof *walks->outer);
    dmd_mem_zero(walks->begun, BEGUN_SZB);
  }
  walks->last = 0;
  walks->n_used = 0;
}

/* Called when `room` is full. Drops all walks; they are made again when needed. */
static void grow(dmd_unwindcache_t *walks) {
  dmd_unwindcache_forget(walks);
  if (walks->n_room >= 1u << DMD_UNWINDCACHE_MOST)
    return;
  free_room(walks);
  walks->n_room *= 2;
  walks->set_shift--;
  make_room(walks);
}

/*--- The table ---*/

static struct dmd_frame_size *sizes_at(const dmd_unwindcache_t *walks, uintptr_t ip) {
  return &walks->sizes[2 * ((ip * MIX >> 32) & (walks->n_sizes - 1))];
}

/* 0: unknown. */
static size_t frame_size(const dmd_unwindcache_t *walks, uintptr_t ip) {
  const struct dmd_frame_size *entry = sizes_at(walks, ip);
  return entry[0].ip == ip ? entry[0].szB : entry[1].ip == ip ? entry[1].szB : 0;
}

static void note_size(dmd_unwindcache_t *walks, uintptr_t ip, size_t szB) {
  struct dmd_frame_size *entry = sizes_at(walks, ip);
  if (entry[0].ip != ip && entry[1].ip != ip)
    entry[1] = entry[0];
  entry[entry[1].ip == ip] = (struct dmd_frame_size){ip, szB};
}

/* The table's set for the walk with this start: by its innermost return addresses, as far as their
 * places are known. Return addresses of frames beyond a walk's maximum do not count. */
static uint32_t *set_of(const dmd_unwindcache_t *walks, const dmd_walk_start_t *start) {
  uintptr_t ip = start->ip, sp = start->sp;
  uint64_t hash = ip ^ (uint64_t)sp << 20;
  uint32_t n = N_HASHED < walks->max_frames ? N_HASHED : walks->max_frames - 1;
  for (uint32_t i = 0; i < n; i++) {
    size_t szB = frame_size(walks, ip);
    uintptr_t slot = sp + szB - WORD;
    if (szB == 0 || slot > start->top)
      break;
    uintptr_t return_address = dmd_stack_word(slot);
    hash = (hash ^ return_address) * MIX;
    ip = return_address - 1;
    sp = slot + WORD;
  }
  return &walks->table[((hash * MIX) >> walks->set_shift) * N_WAYS];
}

/* The last walks with this start: few enough to compare before computing set_of, in which each load
 * depends on the previous one. */
static uint32_t *begun_at(const dmd_unwindcache_t *walks, const dmd_walk_start_t *start) {
  uint64_t hash = (start->ip ^ (uint64_t)start->sp << 20) * MIX;
  return &walks->begun[(hash >> 32) % N_BEGUN * N_BEGUN_WAYS];
}

static void put_in_front(uint32_t *set, uint32_t n, uint32_t place) {
  for (uint32_t i = n - 1; i > 0; i--)
    set[i] = set[i - 1];
  set[0] = place;
}

/* True if the words, which must be readable, have not changed. They rarely have, so leaving the
 * loop after each word would only cost branches. */
static inline bool are_unchanged(words_t *words) {
  const uintptr_t *value = values_of(words), *end = value + words->n;
  const uint32_t *distance = distances_of(words);
  uintptr_t base = words->base;
  for (; value < end; value += AT_ONCE, distance += AT_ONCE)
    if (((dmd_stack_word(base + distance[0]) ^ value[0]) |
         (dmd_stack_word(base + distance[1]) ^ value[1]) |
         (dmd_stack_word(base + distance[2]) ^ value[2]) |
         (dmd_stack_word(base + distance[3]) ^ value[3])) != 0)
      return false;
  return true;
}

/* True if all inputs of the walk are unchanged. */
static inline bool still_holds(const dmd_unwindcache_t *walks, walk_t *walk,
                               const dmd_walk_start_t *now) {
  return ((walk->ip ^ now->ip) | (walk->inner.base ^ now->sp) | (walk->key ^ now->key)) == 0 &&
         (!walk->needs_fp || walk->fp == now->fp) && walk->highest <= now->top &&
         are_unchanged(&walk->inner) && are_unchanged(words_at(walks, walk->outer));
}

/* Programs repeat sequences: prefetches the walk that followed this one last time, which is tried
 * first next time. */
static inline void go_on_from(dmd_unwindcache_t *walks, uint32_t place) {
  walks->last = place;
  uint32_t next = walk_at(walks, place)->next;
  if (next != 0 && next != place)
    for (uint32_t i = 0; i < FETCHED_SZB; i += LINE_SZB)
      __builtin_prefetch((const char *)walk_at(walks, next) + i);
}

/* Records that this walk followed the last one. */
static void note_order(dmd_unwindcache_t *walks, uint32_t place) {
  if (walks->last != 0)
    walk_at(walks, walks->last)->next = place;
  go_on_from(walks, place);
}

/* --- Lookup --- */

/* Caching a walk costs more than a hit saves, so a low hit rate pauses the cache. */
static void end_period(dmd_unwindcache_t *walks) {
  if (walks->n_hits >= walks->n_asked / 4 * 3 || walks->is_restless)
    walks->last_pause = 0;
  else if (walks->last_pause < LONGEST_PAUSE)
    walks->last_pause = walks->last_pause == 0 ? PERIOD : walks->last_pause * 2;
  walks->pause = walks->last_pause;
  walks->n_all_asked += walks->n_asked;
  walks->n_all_hits += walks->n_hits;
  walks->n_asked = walks->n_hits = 0;
}

static uint32_t known_stack(dmd_unwindcache_t *walks, uint32_t place) {
  walks->n_hits++;
  note_order(walks, place);
  return walk_at(walks, place)->stack;
}

/* Returns 0 if no walk of the set matches. */
static uint32_t find_in_set(const dmd_unwindcache_t *walks, const uint32_t *set, uint32_t n,
                            const dmd_walk_start_t *start) {
  for (uint32_t i = 0; i < n && set[i] != 0; i++)
    if (still_holds(walks, walk_at(walks, set[i]), start))
      return set[i];
  return 0;
}

/* The start is passed as separate values so that the caller can keep it in registers. */
__attribute__((noinline)) static uint32_t find_out_of_order(dmd_unwindcache_t *walks, uintptr_t ip,
                                                            uintptr_t sp, uintptr_t fp,
                                                            uintptr_t top, uint32_t key) {
  const dmd_walk_start_t begin = {.ip = ip, .sp = sp, .fp = fp, .top = top, .key = key};
  const dmd_walk_start_t *start = &begin;
  if (walks->n_used == 0)
    return 0;
  uint32_t *begun = begun_at(walks, start);
  uint32_t place = find_in_set(walks, begun, N_BEGUN_WAYS, start);
  if (place == 0) {
    place = find_in_set(walks, set_of(walks, start), N_WAYS, start);
    if (place != 0)
      put_in_front(begun, N_BEGUN_WAYS, place);
  }
  return place == 0 ? 0 : known_stack(walks, place);
}

uint32_t dmd_unwindcache_find(dmd_unwindcache_t *walks, const dmd_walk_start_t *start) {
  if (__builtin_expect(walks->n_asked++ == PERIOD, 0))
    end_period(walks);
  uint32_t next = walks->last == 0 ? 0 : walk_at(walks, walks->last)->next;
  if (next == 0 || !still_holds(walks, walk_at(walks, next), start))
    return find_out_of_order(walks, start->ip, start->sp, start->fp, start->top, start->key);
  walks->n_hits++;
  go_on_from(walks, next);
  return walk_at(walks, next)->stack;
}

/* --- Adding --- */

bool dmd_trace_add_word(dmd_trace_t *trace, uintptr_t at) {
  for (uint32_t i = 0; i < trace->n_words; i++)
    if (trace->at[i] == at)
      return true;
  if (trace->n_words == DMD_TRACE_WORDS)
    return false;
  trace->at[trace->n_words++] = at;
  return true;
}

/* Insertion sort, since there are few words. */
static void sort_words(dmd_trace_t *trace) {
  for (uint32_t i = 1; i < trace->n_words; i++) {
    uintptr_t at = trace->at[i];
    uint32_t k = i;
    for (; k > 0 && trace->at[k - 1] > at; k--)
      trace->at[k] = trace->at[k - 1];
    trace->at[k] = at;
  }
}

static void note_sizes(dmd_unwindcache_t *walks, const dmd_trace_t *trace, uintptr_t sp) {
  for (uint32_t i = 0; i + 1 < trace->n; i++) {
    note_size(walks, trace->ips[i], trace->slots[i] + WORD - sp);
    sp = trace->slots[i] + WORD;
  }
}

/* Stores n words of the stack, relative to base. */
static void write_words(words_t *words, uintptr_t base, const uintptr_t *at, uint32_t n) {
  uint64_t hash = base;
  words->base = base;
  words->n = filled_up(n);
  for (uint32_t i = 0; i < words->n; i++) {
    uintptr_t from = at[i < n ? i : n - 1];
    values_of(words)[i] = dmd_stack_word(from);
    distances_of(words)[i] = (uint32_t)(from - base);
    hash = (hash ^ dmd_stack_word(from) ^ from) * MIX;
  }
  words->hash = (uint32_t)(hash >> 32);
}

/* The place of the outer words: those of another walk if equal. `room` must have space. */
static uint32_t outer_words(dmd_unwindcache_t *walks, const uintptr_t *at, uint32_t n) {
  words_t *fresh = (words_t *)(void *)&walks->room[walks->n_used];
  write_words(fresh, n > 0 ? at[0] : 0, at, n);
  uint32_t *place = &walks->outer[fresh->hash % N_OUTER];
  if (*place != 0) {
    words_t *known = words_at(walks, *place);
    if (known->base == fresh->base && known->n == fresh->n &&
        dmd_mem_equal(values_of(known), values_of(fresh), szB_of_words(fresh->n)))
      return *place;
  }
  *place = walks->n_used + 1;
  walks->n_used += (uint32_t)(sizeof *fresh + szB_of_words(fresh->n)) / WORD;
  return *place;
}

/* How many of the sorted words belong to inner frames. */
static uint32_t inner_words(const dmd_trace_t *trace, uintptr_t sp) {
  uintptr_t first_outer = sp;
  if (trace->n > N_OUTER_FRAMES)
    first_outer = trace->slots[trace->n - N_OUTER_FRAMES - 1];
  uint32_t n = 0;
  while (n < trace->n_words && trace->at[n] < first_outer)
    n++;
  return n;
}

void dmd_unwindcache_remember(dmd_unwindcache_t *walks, const dmd_walk_start_t *start,
                              dmd_trace_t *trace, uint32_t stack) {
  if (walks->room == NULL)
    make_room(walks);
  uint32_t most_szB = (uint32_t)(sizeof(words_t) + sizeof(walk_t) + 2 * WORD) +
                      2 * szB_of_words(filled_up(trace->n_words));
  if (walks->n_used + most_szB / WORD > walks->n_room)
    grow(walks);
  sort_words(trace);
  uint32_t n_inner = inner_words(trace, start->sp);
  uint32_t outer = outer_words(walks, trace->at + n_inner, trace->n_words - n_inner);
  uint32_t place = walks->n_used + 1;
  walk_t *walk = walk_at(walks, place);
  *walk = (walk_t){.ip = start->ip,
                   .fp = start->fp,
                   .stack = stack,
                   .key = (uint16_t)start->key,
                   .needs_fp = trace->needs_fp,
                   .outer = outer,
                   .highest = trace->n_words > 0 ? trace->at[trace->n_words - 1] : 0};
  write_words(&walk->inner, start->sp, trace->at, n_inner);
  note_sizes(walks, trace, start->sp);
  put_in_front(set_of(walks, start), N_WAYS, place);
  put_in_front(begun_at(walks, start), N_BEGUN_WAYS, place);
  note_order(walks, place);
  walks->n_used += (uint32_t)(sizeof *walk + szB_of_words(walk->inner.n)) / WORD;
}
