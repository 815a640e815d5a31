/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/amounts.h"

#include <stdbool.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/strbuf.h"

/* ---- Plain names. ---- */

static const char DECIMAL[] = "0123456789";
static const char HEXADECIMAL[] = "0123456789abcdefABCDEF";

/* The text before a variable number, and after it ("": any). */
static const struct {
  const char *before, *digits, *after;
} forms[] = {
    {"pid ", DECIMAL, ""},     {"pid=", DECIMAL, ""},      {"(tid=", DECIMAL, ")"},
    {"(0x", HEXADECIMAL, ")"}, {", 0x", HEXADECIMAL, ")"},
};

/* If one of the forms begins at s: its length, and the length before the number; else 0. */
static size_t match(const char *s, size_t *before) {
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    *before = dmd_str_length(forms[i].before);
    if (!dmd_str_begins(s, forms[i].before))
      continue;
    size_t n = dmd_str_span(s + *before, forms[i].digits);
    if (n > 0 && dmd_str_begins(s + *before + n, forms[i].after))
      return *before + n;
  }
  return 0;
}

char *dmd_normalize(const dmd_env_t *env, const char *name) {
  /* The shortest form, "pid 1", grows by two characters. */
  char *normal = dmd_env_alloc(env, "dmd.normalize", dmd_str_length(name) * 2 + 1);
  char *to = normal;
  while (*name != '\0') {
    size_t before, n = match(name, &before);
    if (n == 0) {
      *to++ = *name++;
      continue;
    }
    dmd_mem_copy(to, name, before);
    dmd_mem_copy(to + before, "NNN", 3);
    to += before + 3;
    name += n;
  }
  *to = '\0';
  return normal;
}

/* ---- Amounts. ---- */

/* All absolute amounts together are limited to this: with what complete adds, and doubled in a
 * difference, the sum stays below 2^63. */

static const char EXPLICIT[] = "explicit/";
static const char UNCLASSIFIED[] = "explicit/heap-unclassified";
static const char OWN[] = "/(own)";

/* ---- The collection. ---- */

typedef struct {
  uint32_t process, path;
} place_t;

/* String ids. */
typedef struct {
  uint32_t process, lines;
} note_t;

static uint64_t hash_key(const dmd_amounts_t *m, uint32_t process, uint32_t path) {
  return dmd_table_hash(&m->index, (uint64_t)process << 32 | path);
}

static bool amount_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_amount_t *r = dmd_amounts_at(owner, id);
  const place_t *k = key;
  return r->process == k->process && r->path == k->path && !r->dropped;
}

void dmd_amounts_init(dmd_amounts_t *m, const dmd_env_t *env, bool for_diff) {
  dmd_mem_zero(m, sizeof *m);
  m->env = env;
  m->is_diff = for_diff;
  dmd_intern_init(&m->strings, env, "dmd.amounts.strings");
  dmd_pool_init(&m->pool, env, "dmd.amounts", sizeof(dmd_amount_t));
  dmd_table_init(&m->index, env, "dmd.amounts.index", amount_equal, m);
  dmd_pool_init(&m->notes, env, "dmd.amounts.notes", sizeof(note_t));
}

void dmd_amounts_destroy(dmd_amounts_t *m) {
  dmd_env_free(m->env, m->order);
  dmd_pool_destroy(&m->notes);
  dmd_table_destroy(&m->index);
  dmd_pool_destroy(&m->pool);
  dmd_intern_destroy(&m->strings);
}

static uint32_t find(const dmd_amounts_t *m, uint32_t process, uint32_t path) {
  place_t key = {process, path};
  return dmd_table_find(&m->index, hash_key(m, process, path), &key);
}

uint32_t dmd_amounts_find(dmd_amounts_t *m, const char *process, const char *path) {
  return find(m, dmd_intern_str(&m->strings, process), dmd_intern_str(&m->strings, path));
}

/* Adds to the amount with the same process and path, or adds a new one. */
static const char *add_amount(dmd_amounts_t *m, const dmd_amount_t *amount) {
  uint32_t id = find(m, amount->process, amount->path);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&m->pool);
    *dmd_amounts_at(m, id) = *amount;
    dmd_table_add(&m->index, hash_key(m, amount->process, amount->path), id);
    return NULL;
  }
  dmd_amount_t *r = dmd_amounts_at(m, id);
  if (r->units != amount->units)
    return "was reported before in other units";
  r->amount += amount->amount;
  r->heap += amount->heap;
  r->shared += amount->shared;
  r->times += amount->times;
  return NULL;
}

static uint32_t intern(dmd_amounts_t *m, const char *s) {
  if (!m->is_diff)
    return dmd_intern_str(&m->strings, s);
  char *normal = dmd_normalize(m->env, s);
  uint32_t id = dmd_intern_str(&m->strings, normal);
  dmd_env_free(m->env, normal);
  return id;
}

const char *dmd_amounts_add(dmd_amounts_t *m, const dmd_memreport_t *report, int64_t shared) {
  uint64_t size = report->amount < 0 ? -(uint64_t)report->amount : (uint64_t)report->amount;
  size += (uint64_t)shared;
  if (size > DMD_MAX_AMOUNTS - m->total)
    return "brings the sum of all amounts above " DMD_MAX_AMOUNTS_TEXT;
  if (dmd_str_begins(report->path, EXPLICIT) &&
      (report->kind == DMD_MEMREPORT_OTHER || report->units != DMD_MEMREPORT_BYTES))
    return "is under explicit but not memory in bytes";
  m->total += size;
  dmd_amount_t amount = {.amount = report->amount,
                         .heap = report->kind == DMD_MEMREPORT_HEAP ? report->amount : 0,
                         .shared = shared,
                         .process = intern(m, report->process != NULL ? report->process : ""),
                         .path = intern(m, report->path),
                         .times = report->times > UINT32_MAX / 2 ? UINT32_MAX / 2
                                                                 : (uint32_t)report->times,
                         .kind = (uint8_t)report->kind,
                         .units = (uint8_t)report->units,
                         .presence = DMD_IN_BOTH};
  if (report->description != NULL)
    amount.description = dmd_intern_str(&m->strings, report->description);
  return add_amount(m, &amount);
}

/* ---- Notes, and merging collections. ---- */

void dmd_amounts_add_note(dmd_amounts_t *m, const char *process, const char *lines) {
  if (lines[0] == '\0')
    return;
  uint32_t id = dmd_pool_add(&m->notes);
  *DMD_POOL_AT(&m->notes, note_t, id) =
      (note_t){intern(m, process), dmd_intern_str(&m->strings, lines)};
}

static const char *note_of(const dmd_amounts_t *m, uint32_t process) {
  for (uint32_t id = 1; id <= m->notes.last; id++) {
    const note_t *note = DMD_POOL_AT(&m->notes, note_t, id);
    if (note->process == process)
      return dmd_intern_get_str(&m->strings, note->lines);
  }
  return "";
}

const char *dmd_amounts_note(const dmd_amounts_t *m, uint32_t id) {
  return note_of(m, dmd_amounts_at(m, id)->process);
}

/* A name for a process that differs from all known ones. */
static uint32_t new_process(dmd_amounts_t *m, const dmd_intern_t *known, const char *process,
                            const char *file) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, m->env);
  dmd_strbuf_str(&name, process);
  while (dmd_intern_find_str(known, name.text) != DMD_NONE) {
    dmd_strbuf_str(&name, name.n == 0 ? "Main Process, " : ", ");
    dmd_strbuf_str(&name, file);
  }
  uint32_t id = intern(m, name.text);
  dmd_strbuf_destroy(&name);
  return id;
}

const char *dmd_amounts_join(dmd_amounts_t *m, const dmd_amounts_t *from, const char *file,
                             const char **path) {
  dmd_intern_t known;
  dmd_pool_t processes; /* by string of from: the string of m, or DMD_NONE */
  const char *why = NULL;
  dmd_intern_init(&known, m->env, "dmd.amounts.known");
  dmd_pool_init(&processes, m->env, "dmd.amounts.known", sizeof(uint32_t));
  for (uint32_t id = 1; id <= m->pool.last; id++)
    dmd_intern_str(&known, dmd_amounts_process(m, id));
  if (from->total > DMD_MAX_AMOUNTS - m->total) {
    *path = "heap-allocated";
    why = "brings the sum of all amounts above " DMD_MAX_AMOUNTS_TEXT;
  }
  for (uint32_t id = 1; id <= from->pool.last && why == NULL; id++) {
    dmd_amount_t amount = *dmd_amounts_at(from, id);
    dmd_pool_reach(&processes, amount.process);
    uint32_t *process = DMD_POOL_AT(&processes, uint32_t, amount.process);
    if (*process == DMD_NONE) {
      *process = new_process(m, &known, dmd_amounts_process(from, id), file);
      dmd_amounts_add_note(m, dmd_intern_get_str(&m->strings, *process),
                           dmd_amounts_note(from, id));
    }
    *path = dmd_amounts_path(from, id);
    amount.process = *process;
    amount.path = intern(m, *path);
    if (amount.description != DMD_NONE)
      amount.description =
          dmd_intern_str(&m->strings, dmd_intern_get_str(&from->strings, amount.description));
    why = add_amount(m, &amount);
  }
  m->total += from->total;
  dmd_pool_destroy(&processes);
  dmd_intern_destroy(&known);
  return why;
}

/* ---- Sorting. ---- */

static int compare_amounts(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_amounts_t *m = ctx;
  uint32_t p = dmd_amounts_at(m, a)->process, q = dmd_amounts_at(m, b)->process;
  if (p != q)
    return p < q ? -1 : 1;
  return dmd_path_compare(dmd_amounts_path(m, a), dmd_amounts_path(m, b));
}

static void sort(dmd_amounts_t *m, bool without_zeros) {
  if (m->order == NULL)
    m->order = dmd_env_alloc(m->env, "dmd.amounts.order", (m->pool.last + 1) * sizeof *m->order);
  m->n_order = 0;
  for (uint32_t id = 1; id <= m->pool.last; id++) {
    const dmd_amount_t *r = dmd_amounts_at(m, id);
    if (!r->dropped && (r->amount != 0 || !without_zeros))
      m->order[m->n_order++] = id;
  }
  dmd_sort(m->env, m->order, m->n_order, compare_amounts, m);
}

static void forget_order(dmd_amounts_t *m) {
  dmd_env_free(m->env, m->order);
  m->order = NULL;
  m->n_order = 0;
}

/* ---- heap-unclassified. ---- */

/* For the process with the amounts order[from] up to, but excluding, order[to]. */
static void complete_process(dmd_amounts_t *m, uint32_t from, uint32_t to) {
  uint32_t process = dmd_amounts_at(m, m->order[from])->process;
  uint32_t allocated = find(m, process, dmd_intern_str(&m->strings, "heap-allocated"));
  if (allocated == DMD_NONE || dmd_amounts_at(m, allocated)->units != DMD_MEMREPORT_BYTES)
    return;
  int64_t unclassified = dmd_amounts_at(m, allocated)->amount;
  for (uint32_t i = from; i < to; i++) {
    const char *path = dmd_amounts_path(m, m->order[i]);
    if (dmd_path_is_at_or_below(path, UNCLASSIFIED))
      return;
    if (dmd_str_begins(path, EXPLICIT))
      unclassified -= dmd_amounts_at(m, m->order[i])->heap;
  }
  dmd_amount_t amount = {.amount = unclassified,
                         .process = process,
                         .path = dmd_intern_str(&m->strings, UNCLASSIFIED),
                         .times = 1,
                         .kind = DMD_MEMREPORT_HEAP,
                         .units = DMD_MEMREPORT_BYTES};
  add_amount(m, &amount);
}

void dmd_amounts_complete(dmd_amounts_t *m) {
  sort(m, false);
  for (uint32_t from = 0, to; from < m->n_order; from = to) {
    uint32_t process = dmd_amounts_at(m, m->order[from])->process;
    for (to = from + 1; to < m->n_order; to++)
      if (dmd_amounts_at(m, m->order[to])->process != process)
        break;
    complete_process(m, from, to);
  }
  forget_order(m);
}

/* ---- Differences. ---- */

const char *dmd_amounts_subtract(dmd_amounts_t *m, const dmd_amounts_t *old, const char **path) {
  for (uint32_t id = 1; id <= m->pool.last; id++)
    dmd_amounts_at(m, id)->presence = DMD_IN_NEW;
  for (uint32_t id = 1; id <= old->pool.last; id++) {
    dmd_amount_t amount = *dmd_amounts_at(old, id);
    amount.process = dmd_intern_str(&m->strings, dmd_amounts_process(old, id));
    amount.path = dmd_intern_str(&m->strings, dmd_amounts_path(old, id));
    amount.description = DMD_NONE;
    amount.amount = -amount.amount;
    amount.heap = -amount.heap;
    amount.shared = -amount.shared;
    amount.presence = DMD_IN_OLD;
    uint32_t same = find(m, amount.process, amount.path);
    uint32_t times = same == DMD_NONE ? 0 : dmd_amounts_at(m, same)->times;
    if (add_amount(m, &amount) != NULL) {
      *path = dmd_amounts_path(old, id);
      return "has different units in the two files";
    }
    if (same != DMD_NONE) {
      dmd_amounts_at(m, same)->times = times > amount.times ? times : amount.times;
      dmd_amounts_at(m, same)->presence = DMD_IN_BOTH;
    }
  }
  return NULL;
}

/* ---- Making trees possible. ---- */

static uint32_t own_path(dmd_amounts_t *m, const char *path) {
  size_t n = dmd_str_length(path);
  char *own = dmd_env_alloc(m->env, "dmd.amounts.own", n + sizeof OWN);
  dmd_mem_copy(own, path, n);
  dmd_mem_copy(own + n, OWN, sizeof OWN);
  uint32_t id = dmd_intern_str(&m->strings, own);
  dmd_env_free(m->env, own);
  return id;
}

/* Moves each amount whose path is also a parent to the path's "(own)"; returns true if there were
 * any. */
static bool move_own_amounts(dmd_amounts_t *m) {
  bool any = false;
  for (uint32_t i = 0; i + 1 < m->n_order; i++) {
    dmd_amount_t *r = dmd_amounts_at(m, m->order[i]);
    const char *path = dmd_amounts_path(m, m->order[i]);
    if (r->process != dmd_amounts_at(m, m->order[i + 1])->process ||
        dmd_str_find_char(path, '/') == NULL ||
        !dmd_path_is_at_or_below(dmd_amounts_path(m, m->order[i + 1]), path))
      continue;
    uint32_t own = own_path(m, path), id = find(m, r->process, own);
    if (id != DMD_NONE) {
      r->path = own;
      add_amount(m, r);
      r->dropped = true;
    } else {
      r->path = own;
      dmd_table_add(&m->index, hash_key(m, r->process, own), m->order[i]);
    }
    any = true;
  }
  return any;
}

static const char *check_units(const dmd_amounts_t *m, const char **path) {
  for (uint32_t i = 0; i + 1 < m->n_order; i++) {
    const dmd_amount_t *a = dmd_amounts_at(m, m->order[i]);
    const dmd_amount_t *b = dmd_amounts_at(m, m->order[i + 1]);
    const char *p = dmd_amounts_path(m, m->order[i]);
    const char *q = dmd_amounts_path(m, m->order[i + 1]);
    const char *slash = dmd_str_find_char(p, '/');
    if (a->process == b->process && a->units != b->units && slash != NULL &&
        dmd_str_equal_n(p, q, (size_t)(slash - p) + 1)) {
      *path = q;
      return "has different units from the rest of its tree";
    }
  }
  return NULL;
}

const char *dmd_amounts_settle(dmd_amounts_t *m, const char **path) {
  /* More rounds are needed for files that contain children called "(own)". */
  for (int round = 0; round < 3; round++) {
    sort(m, m->is_diff);
    if (!move_own_amounts(m))
      return check_units(m, path);
  }
  *path = m->n_order > 0 ? dmd_amounts_path(m, m->order[0]) : "";
  return "and paths below it are amounts and parents at once, also those called \"(own)\"";
}
