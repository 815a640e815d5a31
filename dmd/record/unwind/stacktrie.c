/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/stacktrie.h"

#include "base/mem.h"

/* Written before its number appears in the index; only `stack` changes later. */
typedef struct dmd_stack_node {
  uint32_t ip_low, ip_high, epoch;
  uint32_t parent; /* 0: outermost frame */
  uint32_t stack;  /* number of the stack that ends here; 0: none */
} node_t;

/* Hash table of node numbers, 0: free. Open addressing, linear probing, at most 3/4 full. An older,
 * smaller index stays allocated, since a thread may still be reading it. */
typedef struct dmd_stack_index {
  struct dmd_stack_index *older;
  uint32_t n_slots;
  uint32_t slots[];
} index_t;

enum { LEAST_SLOTS = 1 << 11 };

void dmd_stacktrie_init(dmd_stacktrie_t *table, const dmd_env_t *env,
                        const dmd_waiting_t *waiting) {
  *table = (dmd_stacktrie_t){.env = env, .waiting = waiting};
}

void dmd_stacktrie_destroy(dmd_stacktrie_t *table) {
  for (uint32_t i = 0; i < DMD_STACK_SEGMENTS; i++) {
    dmd_env_free(table->env, table->nodes[i]);
    dmd_env_free(table->env, table->stacks[i]);
  }
  while (table->index != NULL) {
    index_t *index = table->index;
    table->index = index->older;
    dmd_env_free(table->env, index);
  }
}

void dmd_stacktrie_take(dmd_stacktrie_t *table) {
  if (table->waiting != NULL)
    dmd_lock_take(&table->lock, table->waiting);
}

void dmd_stacktrie_let_go(dmd_stacktrie_t *table) {
  if (table->waiting != NULL)
    dmd_lock_let_go(&table->lock, table->waiting);
}

/*--- Segments ---*/

/* The segment of the element with this number (from 1), and its place in it. */
static uint32_t segment_of(uint32_t number, uint32_t *place) {
  uint64_t i = (uint64_t)(number - 1) + (1u << DMD_STACK_LEAST_SHIFT);
  uint32_t highest = 63 - (uint32_t)__builtin_clzll(i);
  *place = (uint32_t)(i - (UINT64_C(1) << highest));
  return highest - DMD_STACK_LEAST_SHIFT;
}

static size_t elements_of(uint32_t segment) {
  return (size_t)1 << (DMD_STACK_LEAST_SHIFT + segment);
}

static node_t *node_at(const dmd_stacktrie_t *table, uint32_t number) {
  uint32_t place, segment = segment_of(number, &place);
  return __atomic_load_n(&table->nodes[segment], __ATOMIC_ACQUIRE) + place;
}

static uint32_t *stack_at(const dmd_stacktrie_t *table, uint32_t number) {
  uint32_t place, segment = segment_of(number, &place);
  return __atomic_load_n(&table->stacks[segment], __ATOMIC_ACQUIRE) + place;
}

/* The segment for the next number. */
static uint32_t reach(dmd_stacktrie_t *table, uint32_t number) {
  uint32_t place, segment = segment_of(number, &place);
  if (segment >= DMD_STACK_SEGMENTS)
    table->env->panic(table->env->ctx, "too many stacks");
  return segment;
}

/* --- Lookup --- */

static uint64_t hash_of(const dmd_stacktrie_t *table, uint32_t parent, dmd_code_t code) {
  return dmd_hash_u64(dmd_code_hash(code) ^ table->env->hash_seed ^ (uint64_t)parent << 20);
}

static bool is_node(const node_t *node, uint32_t parent, dmd_code_t code) {
  return node->parent == parent && node->ip_low == (uint32_t)code.ip &&
         node->ip_high == (uint32_t)(code.ip >> 32) && node->epoch == code.epoch;
}

/* The node, or 0. */
static uint32_t find(const dmd_stacktrie_t *table, uint64_t hash, uint32_t parent,
                     dmd_code_t code) {
  const index_t *index = __atomic_load_n(&table->index, __ATOMIC_ACQUIRE);
  if (index == NULL)
    return 0;
  for (uint32_t i = (uint32_t)hash;; i++) {
    uint32_t number = __atomic_load_n(&index->slots[i & (index->n_slots - 1)], __ATOMIC_ACQUIRE);
    if (number == 0 || is_node(node_at(table, number), parent, code))
      return number;
  }
}

/* --- Adding, with the lock held --- */

static void put(index_t *index, uint64_t hash, uint32_t number) {
  uint32_t i = (uint32_t)hash;
  while (index->slots[i & (index->n_slots - 1)] != 0)
    i++;
  __atomic_store_n(&index->slots[i & (index->n_slots - 1)], number, __ATOMIC_RELEASE);
}

static void grow_index(dmd_stacktrie_t *table) {
  uint32_t n_slots = table->index == NULL ? LEAST_SLOTS : table->index->n_slots * 2;
  size_t szB = sizeof(index_t) + (size_t)n_slots * sizeof(uint32_t);
  index_t *index = dmd_env_alloc(table->env, "dmd.stacks.index", szB);
  dmd_mem_zero(index, szB);
  index->older = table->index;
  index->n_slots = n_slots;
  for (uint32_t i = 1; i <= table->n_nodes; i++) {
    const node_t *node = node_at(table, i);
    dmd_code_t code = {(uint64_t)node->ip_high << 32 | node->ip_low, node->epoch};
    put(index, hash_of(table, node->parent, code), i);
  }
  __atomic_store_n(&table->index, index, __ATOMIC_RELEASE);
}

static uint32_t add_node(dmd_stacktrie_t *table, uint64_t hash, uint32_t parent, dmd_code_t code) {
  uint32_t number = table->n_nodes + 1, segment = reach(table, number);
  if (table->nodes[segment] == NULL) {
    node_t *nodes = dmd_env_alloc(table->env, "dmd.stacks", elements_of(segment) * sizeof *nodes);
    __atomic_store_n(&table->nodes[segment], nodes, __ATOMIC_RELEASE);
  }
  if (table->index == NULL || number > table->index->n_slots / 4 * 3)
    grow_index(table);
  *node_at(table, number) = (node_t){.ip_low = (uint32_t)code.ip,
                                     .ip_high = (uint32_t)(code.ip >> 32),
                                     .epoch = code.epoch,
                                     .parent = parent};
  table->n_nodes = number;
  put(table->index, hash, number);
  return number;
}

static uint32_t child(dmd_stacktrie_t *table, uint32_t parent, dmd_code_t code) {
  uint64_t hash = hash_of(table, parent, code);
  uint32_t number = find(table, hash, parent, code);
  if (number != 0)
    return number;
  dmd_stacktrie_take(table);
  number = find(table, hash, parent, code);
  if (number == 0)
    number = add_node(table, hash, parent, code);
  dmd_stacktrie_let_go(table);
  return number;
}

static void add_stack(dmd_stacktrie_t *table, uint32_t number, node_t *node) {
  uint32_t stack = table->n_stacks + 1, segment = reach(table, stack);
  if (table->stacks[segment] == NULL) {
    uint32_t *stacks =
        dmd_env_alloc(table->env, "dmd.stacks.ends", elements_of(segment) * sizeof *stacks);
    __atomic_store_n(&table->stacks[segment], stacks, __ATOMIC_RELEASE);
  }
  *stack_at(table, stack) = number;
  __atomic_store_n(&table->n_stacks, stack, __ATOMIC_RELEASE);
  __atomic_store_n(&node->stack, stack, __ATOMIC_RELEASE);
}

/* The number of the stack that ends at a node. */
static uint32_t stack_of(dmd_stacktrie_t *table, uint32_t number) {
  node_t *node = node_at(table, number);
  uint32_t stack = __atomic_load_n(&node->stack, __ATOMIC_ACQUIRE);
  if (stack != 0)
    return stack;
  dmd_stacktrie_take(table);
  if (node->stack == 0)
    add_stack(table, number, node);
  stack = node->stack;
  dmd_stacktrie_let_go(table);
  return stack;
}

uint32_t dmd_stacktrie_number(dmd_stacktrie_t *table, dmd_stack_path_t *path,
                              const dmd_code_t *codes, uint32_t n) {
  uint32_t i = 0, number = 0;
  if (path != NULL) {
    for (; i < n && i < path->n; i++) {
      if (!is_node(node_at(table, path->nodes[i]), number, codes[n - 1 - i]))
        break;
      number = path->nodes[i];
    }
    path->n = n;
  }
  for (; i < n; i++) {
    number = child(table, number, codes[n - 1 - i]);
    if (path != NULL)
      path->nodes[i] = number;
  }
  return stack_of(table, number);
}

/*--- Reading ---*/

uint32_t dmd_stacktrie_count(const dmd_stacktrie_t *table) {
  return __atomic_load_n(&table->n_stacks, __ATOMIC_ACQUIRE);
}

uint32_t dmd_stacktrie_codes(const dmd_stacktrie_t *table, uint32_t stack, dmd_code_t *codes,
                             uint32_t max) {
  uint32_t n = 0;
  for (uint32_t number = *stack_at(table, stack); number != 0; n++) {
    const node_t *node = node_at(table, number);
    if (n < max)
      codes[n] = (dmd_code_t){(uint64_t)node->ip_high << 32 | node->ip_low, node->epoch};
    number = node->parent;
  }
  return n;
}
