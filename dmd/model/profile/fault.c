/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/fault.h"

#include "base/mem.h"
#include "base/sort.h"

static const struct {
  const char *name, *text;
  unsigned numbers;
  bool is_misreport;
} kinds[DMD_N_FAULTS] = {
    [DMD_FAULT_INVALID_FREE] = {"invalid-free", "invalid free", 0, false},
    [DMD_FAULT_INVALID_REALLOC] = {"invalid-realloc", "invalid realloc", 0, false},
    [DMD_FAULT_REPORT_INTERIOR] = {"report-interior", "report of an interior pointer",
                                   DMD_FAULT_HAS_SIZE | DMD_FAULT_HAS_OFFSET, true},
    [DMD_FAULT_REPORT_NO_BLOCK] = {"report-no-block",
                                   "report of something that is not a live block", 0, true},
    [DMD_FAULT_SCOPE_UNDERFLOW] = {"scope-underflow", "end of a scope that had not begun", 0,
                                   false},
    [DMD_FAULT_ABSURD_SIZE] = {"absurd-size", "allocation of an impossible size", 0, false},
    [DMD_FAULT_REPORT_FREED] = {"report-freed", "report of a freed block", DMD_FAULT_HAS_SIZE,
                                true},
    [DMD_FAULT_REPORT_STACK] = {"report-stack", "report of an object on the stack", 0, true},
    [DMD_FAULT_REPORT_GLOBAL] = {"report-global", "report of a global object", 0, true},
    [DMD_FAULT_REPORT_MAPPED] = {"report-mapped", "report of mapped memory", 0, true},
    [DMD_FAULT_REPORT_NO_ADDRESS] = {"report-no-address", "report of an unmapped address", 0, true},
    [DMD_FAULT_REPORT_LENGTH] = {"report-length", "report of a wrong length",
                                 DMD_FAULT_HAS_SIZE | DMD_FAULT_HAS_LENGTH, true},
    [DMD_FAULT_REPORT_UNSCOPED] = {"report-unscoped", "report outside of any reporter",
                                   DMD_FAULT_HAS_SIZE, true},
    [DMD_FAULT_REPORT_MIXED] = {"report-mixed", "shared and plain reports of one block",
                                DMD_FAULT_HAS_SIZE, true},
    [DMD_FAULT_REPORT_SHARED_AGAIN] = {"report-shared-again",
                                       "shared block counted again by one of its owners",
                                       DMD_FAULT_HAS_SIZE, true},
    [DMD_FAULT_UNREPORT_NO_BLOCK] = {"unreport-no-block",
                                     "unreport of something that is not a live block",
                                     DMD_FAULT_HAS_SIZE | DMD_FAULT_HAS_OFFSET, true},
    [DMD_FAULT_CLAIM] = {"claim", "claim that does not add up", DMD_FAULT_HAS_AMOUNTS, true},
    [DMD_FAULT_MEMORY_REPORT] = {"memory-report", "memory report that differs from its reporter",
                                 DMD_FAULT_HAS_AMOUNTS, true},
    [DMD_FAULT_SCOPE_LEFT_OPEN] = {"scope-left-open", "scope that was never ended", 0, false},
    [DMD_FAULT_MEMORY_REPORT_REFUSED] = {"memory-report-refused", "memory report that was refused",
                                         0, false},
    [DMD_FAULT_SCOPE_JOIN] = {"scope-join", "join of a reporter that is not open", 0, false},
    [DMD_FAULT_FREED_COUNTED] = {"freed-counted", "freed block that a sum still counts",
                                 DMD_FAULT_HAS_AMOUNTS, true},
    [DMD_FAULT_ALLOCATION_FAILED] = {"allocation-failed", "allocation that failed", 0, false},
    [DMD_FAULT_INVALID_POOL] = {"invalid-pool", "invalid memory pool", 0, false},
    [DMD_FAULT_SIZE_FUNCTION] = {"size-function", "wrong size from a function",
                                 DMD_FAULT_HAS_AMOUNTS, true},
};

const char *dmd_fault_name(dmd_fault_kind_t kind) {
  return kinds[kind].name;
}

const char *dmd_fault_text(dmd_fault_kind_t kind) {
  return kinds[kind].text;
}

bool dmd_fault_is_misreport(dmd_fault_kind_t kind) {
  return kinds[kind].is_misreport;
}

unsigned dmd_fault_numbers(dmd_fault_kind_t kind) {
  return kinds[kind].numbers;
}

const char *dmd_reason_name(dmd_reason_t reason) {
  static const char *const names[DMD_N_REASONS] = {
      [DMD_REASON_NONE] = "",
      [DMD_REASON_CLAIMED_NOTHING] = "claimed-nothing",
      [DMD_REASON_NOT_MEASURED] = "not-measured",
      [DMD_REASON_NEGATIVE] = "negative",
      [DMD_REASON_REQUESTED] = "requested",
      [DMD_REASON_CHILD_LEFT_OUT] = "child-left-out",
      [DMD_REASON_CHILDREN_LEFT_OUT] = "children-left-out",
      [DMD_REASON_REPORTS_LEFT_OUT] = "reports-left-out",
      [DMD_REASON_CONCURRENT] = "concurrent",
      [DMD_REASON_TWICE] = "twice",
      [DMD_REASON_CHILD_TWICE] = "child-twice",
      [DMD_REASON_REPORTS_TWICE] = "reports-twice",
      [DMD_REASON_NOT_A_BLOCK] = "not-a-block",
      [DMD_REASON_USABLE_SIZE] = "usable-size",
      [DMD_REASON_OTHER_THREADS] = "other-threads",
      [DMD_REASON_IN_KIB] = "in-kib",
      [DMD_REASON_IN_BITS] = "in-bits",
      [DMD_REASON_IN_WORDS] = "in-words",
      [DMD_REASON_WRAPPED_16] = "wrapped-16",
      [DMD_REASON_WRAPPED_32] = "wrapped-32",
      [DMD_REASON_FREED_COUNTED] = "freed-counted",
      [DMD_REASON_BLOCK_TWICE] = "block-twice",
      [DMD_REASON_BLOCK_LEFT_OUT] = "block-left-out",
      [DMD_REASON_HELD_BLOCKS] = "held-blocks",
      [DMD_REASON_STRUCT_SIZE] = "struct-size",
      [DMD_REASON_STILL_RUNNING] = "still-running",
  };
  return names[reason];
}

/* The key is contiguous, without gaps. */
enum {
  KEY_START = offsetof(dmd_fault_t, kind),
  KEY_SZB = offsetof(dmd_fault_t, bytes) - offsetof(dmd_fault_t, kind)
};
_Static_assert(KEY_SZB == 10 * sizeof(uint32_t), "the key of a fault has gaps");

static const void *key_of(const dmd_fault_t *fault) {
  return (const char *)fault + KEY_START;
}

/* Whether the faults are equal except for numbers, and a hash of what decides that. */
static bool fault_same(const dmd_fault_t *a, const dmd_fault_t *b) {
  return dmd_mem_equal(key_of(a), key_of(b), KEY_SZB);
}

static uint64_t fault_hash(const dmd_fault_t *fault, uint64_t seed) {
  return dmd_hash_bytes(seed, key_of(fault), KEY_SZB);
}

static bool fault_equal(const void *owner, uint32_t id, const void *key) {
  return fault_same(dmd_faults_at(owner, id), key);
}

void dmd_faults_init(dmd_faults_t *faults, const dmd_env_t *env) {
  dmd_pool_init(&faults->pool, env, "dmd.faults", sizeof(dmd_fault_t));
  dmd_table_init(&faults->index, env, "dmd.faults.index", fault_equal, faults);
}

void dmd_faults_destroy(dmd_faults_t *faults) {
  dmd_table_destroy(&faults->index);
  dmd_pool_destroy(&faults->pool);
}

/* How far one fault is off, to choose the numbers to keep. */
static uint64_t weight(const dmd_fault_t *f) {
  unsigned numbers = dmd_fault_numbers(f->kind);
  return numbers & DMD_FAULT_HAS_AMOUNTS  ? dmd_distance(f->claimed, f->measured)
         : numbers & DMD_FAULT_HAS_LENGTH ? dmd_distance(f->length, f->size)
                                          : f->size;
}

void dmd_fault_add_name(dmd_fault_t *fault, uint32_t name) {
  if (fault->n_names < DMD_FAULT_NAMES)
    fault->names[fault->n_names] = name;
  fault->n_names++;
}

static void fault_forget_names(dmd_fault_t *fault) {
  fault->n_names = 0;
  dmd_mem_zero(fault->names, sizeof fault->names);
}

static uint32_t n_kept(const dmd_fault_t *fault) {
  return fault->n_names < DMD_FAULT_NAMES ? fault->n_names : DMD_FAULT_NAMES;
}

static bool is_among(const dmd_fault_t *fault, uint32_t n, uint32_t name) {
  uint32_t i = 0;
  while (i < n && fault->names[i] != name)
    i++;
  return i < n;
}

/* Adds the other fault's names to the known one's. */
static void join_names(dmd_fault_t *known, const dmd_fault_t *fault) {
  bool complete = known->n_names <= DMD_FAULT_NAMES && fault->n_names <= DMD_FAULT_NAMES;
  uint32_t n_before = n_kept(known), n = known->n_names;
  uint32_t kept = n_before;
  for (uint32_t i = 0; i < n_kept(fault); i++) {
    if (is_among(known, n_before, fault->names[i]))
      continue;
    n++;
    if (kept < DMD_FAULT_NAMES)
      known->names[kept++] = fault->names[i];
  }
  if (complete)
    known->n_names = n;
  else if (known->n_names < fault->n_names)
    known->n_names = fault->n_names;
}

void dmd_fault_join(dmd_fault_t *known, const dmd_fault_t *fault) {
  uint64_t num = known->num + fault->num;
  uint64_t bytes = known->bytes + fault->bytes;
  if (bytes < fault->bytes)
    bytes = UINT64_MAX;
  dmd_fault_t names = *known;
  join_names(&names, fault);
  if (weight(fault) > weight(known))
    *known = *fault;
  known->num = num;
  known->bytes = bytes;
  known->n_names = names.n_names;
  dmd_mem_copy(known->names, names.names, sizeof names.names);
}

bool dmd_faults_add(dmd_faults_t *faults, const dmd_fault_t *fault) {
  uint64_t hash = fault_hash(fault, faults->index.env->hash_seed);
  uint32_t id = dmd_table_find(&faults->index, hash, fault);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&faults->pool);
    *DMD_POOL_AT(&faults->pool, dmd_fault_t, id) = *fault;
    dmd_table_add(&faults->index, hash, id);
    return true;
  }
  dmd_fault_join(DMD_POOL_AT(&faults->pool, dmd_fault_t, id), fault);
  return false;
}

dmd_fault_t *dmd_faults_list(const dmd_faults_t *faults) {
  uint32_t n = dmd_faults_count(faults);
  dmd_fault_t *list = dmd_env_alloc(faults->pool.env, "dmd.faults.list", (n + 1) * sizeof *list);
  for (uint32_t id = 1; id <= n; id++)
    list[id - 1] = *dmd_faults_at(faults, id);
  return list;
}

void dmd_faults_replace(dmd_faults_t *faults, const dmd_fault_t *list, uint32_t n) {
  const dmd_env_t *env = faults->pool.env;
  dmd_faults_destroy(faults);
  dmd_faults_init(faults, env);
  for (uint32_t i = 0; i < n; i++)
    dmd_faults_add(faults, &list[i]);
}

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_fault_t *x = dmd_faults_at(ctx, a), *y = dmd_faults_at(ctx, b);
  bool is_misreport = dmd_fault_is_misreport(x->kind);
  if (is_misreport != dmd_fault_is_misreport(y->kind))
    return is_misreport ? -1 : 1;
  if (is_misreport && x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (!is_misreport && x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return (x->num < y->num) - (x->num > y->num);
}

uint32_t *dmd_faults_sorted(const dmd_faults_t *faults, const dmd_env_t *env) {
  return dmd_sorted_ids(env, dmd_faults_count(faults), compare, faults);
}

const dmd_fault_field_t dmd_fault_fields[DMD_N_FAULT_FIELDS] = {
    {"claimed", DMD_FIELD_NUMBER, DMD_FAULT_HAS_AMOUNTS, offsetof(dmd_fault_t, claimed)},
    {"measured", DMD_FIELD_NUMBER, DMD_FAULT_HAS_AMOUNTS, offsetof(dmd_fault_t, measured)},
    {"size", DMD_FIELD_NUMBER, DMD_FAULT_HAS_SIZE, offsetof(dmd_fault_t, size)},
    {"offset", DMD_FIELD_NUMBER, DMD_FAULT_HAS_OFFSET, offsetof(dmd_fault_t, offset)},
    {"length", DMD_FIELD_NUMBER, DMD_FAULT_HAS_LENGTH, offsetof(dmd_fault_t, length)},
    {"at", DMD_FIELD_STACK, 0, offsetof(dmd_fault_t, stack)},
    {"allocatedAt", DMD_FIELD_STACK, 0, offsetof(dmd_fault_t, allocated)},
    {"freedAt", DMD_FIELD_STACK, 0, offsetof(dmd_fault_t, freed)},
    {"reportedAt", DMD_FIELD_STACK, 0, offsetof(dmd_fault_t, reported)},
    {"reporter", DMD_FIELD_NAME, 0, offsetof(dmd_fault_t, reporter)},
    {"otherReporter", DMD_FIELD_NAME, 0, offsetof(dmd_fault_t, other_reporter)},
    {"scope", DMD_FIELD_NAME, 0, offsetof(dmd_fault_t, scope)},
    {"memory", DMD_FIELD_NAME, 0, offsetof(dmd_fault_t, memory)},
};

dmd_fault_kind_t dmd_fault_kind_of(const char *name) {
  dmd_fault_kind_t kind = 0;
  while (kind < DMD_N_FAULTS && !dmd_str_equal(name, kinds[kind].name))
    kind++;
  return kind;
}

dmd_reason_t dmd_reason_of(const char *name) {
  dmd_reason_t reason = 0;
  while (reason < DMD_N_REASONS && !dmd_str_equal(name, dmd_reason_name(reason)))
    reason++;
  return reason < DMD_N_REASONS ? reason : DMD_REASON_NONE;
}

void dmd_fault_translate(dmd_fault_t *fault, dmd_translate_fn stack, dmd_translate_fn name,
                         void *ctx) {
  for (uint32_t i = 0; i < DMD_N_FAULT_FIELDS; i++) {
    const dmd_fault_field_t *field = &dmd_fault_fields[i];
    if (field->kind == DMD_FIELD_STACK)
      dmd_translate(dmd_fault_id(field, fault), stack, ctx);
    else if (field->kind == DMD_FIELD_NAME)
      dmd_translate(dmd_fault_id(field, fault), name, ctx);
  }
  for (uint32_t i = 0; i < DMD_FAULT_NAMES; i++)
    dmd_translate(&fault->names[i], name, ctx);
}

/* ---- Faults that differ only in names. ---- */

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
  return fault_same(&known, key);
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
  uint64_t hash = fault_hash(&key, j->class_index.env->hash_seed);
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
      fault_forget_names(&class->fault); /* all have the same name */
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
