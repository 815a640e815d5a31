/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/faultnames.h"

#include "base/mem.h"

/* Faults that differ only in names and numbers. */
typedef struct {
  dmd_fault_t fault; /* the first of them, then their sum */
  uint32_t n;
  uint32_t place; /* place in the resulting list, + 1; 0: not there yet */
} class_t;

/* A name of a class. */
typedef struct {
  uint32_t of, name;
} named_t;

typedef struct {
  dmd_pool_t classes, named;
  dmd_table_t class_index, named_index;
} joiner_t;

static class_t *class_at(const joiner_t *j, uint32_t id) {
  return DMD_POOL_AT(&j->classes, class_t, id);
}

/* The fault's key without its names. */
static dmd_fault_t nameless(const dmd_fault_t *fault) {
  return (dmd_fault_t){.kind = fault->kind,
                       .stack = fault->stack,
                       .reason = fault->reason,
                       .allocated = fault->allocated,
                       .freed = fault->freed,
                       .reported = fault->reported};
}

static bool class_equal(const void *owner, uint32_t id, const void *key) {
  dmd_fault_t known = nameless(&class_at(owner, id)->fault);
  return dmd_fault_same(&known, key);
}

static bool named_equal(const void *owner, uint32_t id, const void *key) {
  const joiner_t *j = owner;
  const named_t *known = DMD_POOL_AT(&j->named, const named_t, id), *wanted = key;
  return known->of == wanted->of && known->name == wanted->name;
}

static void begin(joiner_t *j, const dmd_env_t *env) {
  dmd_pool_init(&j->classes, env, "dmd.faultnames", sizeof(class_t));
  dmd_pool_init(&j->named, env, "dmd.faultnames.named", sizeof(named_t));
  dmd_table_init(&j->class_index, env, "dmd.faultnames.index", class_equal, j);
  dmd_table_init(&j->named_index, env, "dmd.faultnames.named.index", named_equal, j);
}

static void end(joiner_t *j) {
  dmd_table_destroy(&j->named_index);
  dmd_table_destroy(&j->class_index);
  dmd_pool_destroy(&j->named);
  dmd_pool_destroy(&j->classes);
}

/* The class of the fault, which may be new. */
static uint32_t classify(joiner_t *j, const dmd_fault_t *fault) {
  dmd_fault_t key = nameless(fault);
  uint64_t hash = dmd_fault_hash(&key, j->class_index.env->hash_seed);
  uint32_t id = dmd_table_find(&j->class_index, hash, &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&j->classes);
    *class_at(j, id) = (class_t){.fault = *fault};
    dmd_table_add(&j->class_index, hash, id);
  }
  return id;
}

/* The name that the fault is about. */
static uint32_t *subject(dmd_fault_t *fault) {
  return fault->kind == DMD_FAULT_SCOPE_LEFT_OPEN ? &fault->scope : &fault->reporter;
}

/* Counts a name if it is new in this class. */
static void count_name(joiner_t *j, uint32_t id, uint32_t name) {
  named_t key = {id, name};
  uint64_t hash = dmd_table_hash(&j->named_index, (uint64_t)id << 32 | name);
  if (name == DMD_NONE || dmd_table_find(&j->named_index, hash, &key) != DMD_NONE)
    return;
  uint32_t added = dmd_pool_add(&j->named);
  *DMD_POOL_AT(&j->named, named_t, added) = key;
  dmd_table_add(&j->named_index, hash, added);
  dmd_fault_add_name(&class_at(j, id)->fault, name);
}

/* Clears a name that not all faults of the class have. */
static void keep_common(uint32_t *common, uint32_t name) {
  if (*common != name)
    *common = DMD_NONE;
}

/* Adds a fault to the class's sum. */
static void join(joiner_t *j, uint32_t id, dmd_fault_t fault) {
  class_t *class = class_at(j, id);
  dmd_fault_t names = class->fault;
  keep_common(&names.reporter, fault.reporter);
  keep_common(&names.other_reporter, fault.other_reporter);
  keep_common(&names.scope, fault.scope);
  keep_common(&names.memory, fault.memory);
  dmd_fault_join(&class->fault, &fault);
  class->fault.reporter = names.reporter;
  class->fault.other_reporter = names.other_reporter;
  class->fault.scope = names.scope;
  class->fault.memory = names.memory;
}

/* Merges n faults in the same array. Returns how many are left. */
static uint32_t join_all(joiner_t *j, dmd_fault_t *list, uint32_t n) {
  uint32_t n_left = 0;
  for (uint32_t i = 0; i < n; i++)
    class_at(j, classify(j, &list[i]))->n++;
  for (uint32_t i = 0; i < n; i++) {
    dmd_fault_t fault = list[i];
    uint32_t id = classify(j, &fault);
    class_t *class = class_at(j, id);
    if (class->n <= DMD_FAULT_NAMES || fault.n_names > 0) {
      list[n_left++] = fault;
      continue;
    }
    if (class->place == 0) {
      class->fault = fault;
      class->place = ++n_left;
    } else {
      join(j, id, fault);
    }
    count_name(j, id, *subject(&fault));
  }
  for (uint32_t id = 1; id <= j->classes.last; id++) {
    class_t *class = class_at(j, id);
    if (class->place == 0)
      continue;
    if (*subject(&class->fault) != DMD_NONE)
      dmd_fault_forget_names(&class->fault); /* all have the same name */
    list[class->place - 1] = class->fault;
  }
  return n_left;
}

void dmd_faults_join_names(dmd_faults_t *faults) {
  const dmd_env_t *env = faults->pool.env;
  uint32_t n = dmd_faults_count(faults);
  if (n <= DMD_FAULT_NAMES)
    return;
  dmd_fault_t *list = dmd_faults_list(faults);
  joiner_t j;
  begin(&j, env);
  uint32_t n_left = join_all(&j, list, n);
  end(&j);
  if (n_left < n)
    dmd_faults_replace(faults, list, n_left);
  dmd_env_free(env, list);
}
