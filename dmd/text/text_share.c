/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"
#include "base/sort.h"
#include "text/printer.h"

/* Shares of one owner in the blocks of a record. */
typedef struct {
  uint32_t reporter; /* DMD_NONE: */
  uint32_t frame;    /* outside of any, and this is the function that reported */
  int64_t bytes;
} owner_t;

/* The innermost frame of a report's stack. */
static uint32_t frame_of(const dmd_printer_t *p, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(p->profile, stack, &n);
  return n == 0 ? DMD_NONE : frames[0];
}

typedef struct {
  dmd_pool_t pool; /* of owner_t */
  dmd_table_t index;
} owners_t;

static owner_t *owner_at(const owners_t *owners, uint32_t id) {
  return DMD_POOL_AT(&owners->pool, owner_t, id);
}

static bool owner_equal(const void *owners, uint32_t id, const void *key) {
  const owner_t *a = owner_at(owners, id), *b = key;
  return a->reporter == b->reporter && a->frame == b->frame;
}

static void add_share(owners_t *owners, owner_t share) {
  uint64_t hash = dmd_table_hash(&owners->index, (uint64_t)share.reporter << 32 | share.frame);
  uint32_t id = dmd_table_find(&owners->index, hash, &share);
  if (id != DMD_NONE) {
    owner_at(owners, id)->bytes += share.bytes;
    return;
  }
  id = dmd_pool_add(&owners->pool);
  *owner_at(owners, id) = share;
  dmd_table_add(&owners->index, hash, id);
}

static void add_group(const dmd_printer_t *p, owners_t *owners, const dmd_group_t *g) {
  const dmd_reports_t *reports = &p->profile->reports;
  const dmd_report_t *sharer;
  if (!dmd_reports_are_shared(reports, g->reports))
    return;
  for (uint32_t i = 0; (sharer = dmd_reports_sharer(reports, g->reports, i)) != NULL; i++) {
    bool named = sharer->reporter != DMD_NONE;
    uint64_t share = dmd_reports_share(reports, g->reports, i, g->req + g->slop);
    add_share(owners, (owner_t){.reporter = sharer->reporter,
                                .frame = named ? DMD_NONE : frame_of(p, sharer->stack),
                                .bytes = (int64_t)(share * g->num)});
  }
}

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const owner_t *x = owner_at(ctx, a), *y = owner_at(ctx, b);
  return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static void print_owner(const dmd_printer_t *p, const owner_t *owner, bool sampled) {
  dmd_out_str(p->out, "    ");
  dmd_print_number(p->out, owner->bytes, sampled);
  dmd_out_str(p->out, " bytes: ");
  if (owner->reporter != DMD_NONE)
    dmd_print_name(p, owner->reporter);
  else if (owner->frame != DMD_NONE)
    dmd_out_safe(p->out, dmd_intern_get_str(&p->profile->frames, owner->frame));
  dmd_out_char(p->out, '\n');
}

void dmd_print_sharers(const dmd_printer_t *p, const dmd_record_t *r) {
  const dmd_env_t *env = p->profile->env;
  owners_t owners;
  dmd_pool_init(&owners.pool, env, "dmd.text.owners", sizeof(owner_t));
  dmd_table_init(&owners.index, env, "dmd.text.owners.index", owner_equal, &owners);
  for (uint32_t i = 0; i < r->n_groups; i++)
    add_group(p, &owners, dmd_record_group(p->records, r, i));
  uint32_t n = owners.pool.last;
  uint32_t *ids = dmd_sorted_ids(env, n, compare, &owners);
  dmd_out_str(p->out, "  Shared, and counted in parts {\n");
  for (uint32_t i = 0; i < n; i++)
    print_owner(p, owner_at(&owners, ids[i]), r->sampled);
  dmd_out_str(p->out, "  }\n");
  dmd_env_free(env, ids);
  dmd_table_destroy(&owners.index);
  dmd_pool_destroy(&owners.pool);
}
