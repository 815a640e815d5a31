/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/history/stackset.h"

#include "base/wire.h"

void dmd_stackset_init(dmd_stackset_t *set, const dmd_env_t *env, size_t room) {
  *set = (dmd_stackset_t){.env = env};
  set->records = dmd_env_alloc(env, "dmd.recordset", (room + 1) * sizeof *set->records);
}

void dmd_stackset_destroy(dmd_stackset_t *set) {
  if (set->records != NULL)
    dmd_env_free(set->env, set->records);
  set->records = NULL;
}

int dmd_stack_record_compare(const dmd_stack_record_t *a, const dmd_stack_record_t *b) {
  int stacks = (a->stack > b->stack) - (a->stack < b->stack);
  return stacks != 0 ? stacks : (a->section > b->section) - (a->section < b->section);
}

const dmd_stack_record_t *dmd_stackset_find(const dmd_stackset_t *set,
                                            const dmd_stack_record_t *which) {
  size_t first = 0, end = set->n;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    int order = dmd_stack_record_compare(&set->records[middle], which);
    if (order == 0)
      return &set->records[middle];
    if (order < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return NULL;
}

/* ---- Differences and sums. ---- */

/* Numbers from untrusted bytes may be arbitrarily large, so sums wrap around. */
static int64_t plus(int64_t a, int64_t b, bool is_minus) {
  return (int64_t)(is_minus ? (uint64_t)a - (uint64_t)b : (uint64_t)a + (uint64_t)b);
}

static void combine(dmd_stackset_t *result, const dmd_stackset_t *a, const dmd_stackset_t *b,
                    bool is_minus) {
  size_t i = 0, j = 0;
  dmd_stackset_init(result, a->env, a->n + b->n);
  while (i < a->n || j < b->n) {
    int order = i == a->n   ? 1
                : j == b->n ? -1
                            : dmd_stack_record_compare(&a->records[i], &b->records[j]);
    dmd_stack_record_t record = order <= 0 ? a->records[i] : b->records[j];
    if (order > 0)
      record.bytes = record.blocks = 0;
    if (order >= 0) {
      record.bytes = plus(record.bytes, b->records[j].bytes, is_minus);
      record.blocks = plus(record.blocks, b->records[j].blocks, is_minus);
    }
    if (record.bytes != 0 || record.blocks != 0)
      result->records[result->n++] = record;
    i += order <= 0;
    j += order >= 0;
  }
}

void dmd_stackset_subtract(dmd_stackset_t *difference, const dmd_stackset_t *a,
                           const dmd_stackset_t *b) {
  combine(difference, a, b, true);
}

void dmd_stackset_add(dmd_stackset_t *sum, const dmd_stackset_t *a, const dmd_stackset_t *b) {
  combine(sum, a, b, false);
}

/* ---- Encoding. ---- */

enum { SECTION_BITS = 2, LEAST_SZB = 3 /* minimum size of a record */ };

void dmd_stackset_encode(dmd_strbuf_t *to, const dmd_stackset_t *set) {
  int64_t stack = 0;
  dmd_wire_number(to, set->n);
  for (size_t i = 0; i < set->n; i++) {
    const dmd_stack_record_t *record = &set->records[i];
    dmd_wire_number(to, (uint64_t)(record->stack - stack) << SECTION_BITS | record->section);
    dmd_wire_number(to, dmd_wire_fold((uint64_t)record->bytes));
    dmd_wire_number(to, dmd_wire_fold((uint64_t)record->blocks));
    stack = record->stack;
  }
}

typedef struct {
  const uint8_t *at, *end;
  bool failed;
} bytes_t;

static uint64_t take_number(bytes_t *bytes) {
  uint64_t number = 0;
  bytes->failed |= !dmd_wire_take_number(&bytes->at, bytes->end, &number);
  return number;
}

/* Records must ascend by stack and section, without duplicates. */
static bool take_record(bytes_t *bytes, dmd_stackset_t *set) {
  const uint32_t sections = DMD_RECORDSET_SECTIONS - 1;
  const dmd_stack_record_t *last = set->n > 0 ? &set->records[set->n - 1] : NULL;
  uint64_t place = take_number(bytes);
  uint64_t stack = (last != NULL ? (uint64_t)last->stack : 0) + (place >> SECTION_BITS);
  dmd_stack_record_t record = {.stack = (int64_t)stack, .section = (uint32_t)place & sections};
  record.bytes = (int64_t)dmd_wire_unfold(take_number(bytes));
  record.blocks = (int64_t)dmd_wire_unfold(take_number(bytes));
  if (bytes->failed || (last != NULL && dmd_stack_record_compare(last, &record) >= 0))
    return false;
  set->records[set->n++] = record;
  return true;
}

bool dmd_stackset_decode(dmd_stackset_t *set, const dmd_env_t *env, const void *bytes, size_t n) {
  bytes_t at = {bytes, (const uint8_t *)bytes + n, false};
  uint64_t left = take_number(&at);
  *set = (dmd_stackset_t){.env = env};
  if (at.failed || left > (uint64_t)(at.end - at.at) / LEAST_SZB)
    return false;
  dmd_stackset_init(set, env, (size_t)left);
  for (; left > 0; left--)
    if (!take_record(&at, set))
      return false;
  return at.at == at.end;
}
