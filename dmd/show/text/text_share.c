/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "show/text/printer.h"

/* An owner's share in the blocks of a record. */
typedef struct {
  uint32_t reporter; /* DMD_NONE: */
  uint32_t frame;    /* outside of any reporter: the function that reported */
  int64_t bytes;
} owner_t;

/* The innermost frame of a report's stack. */
static uint32_t frame_of(const dmd_printer_t *p, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(p->profile, stack, &n);
  return n == 0 ? DMD_NONE : dmd_frames_at(&p->profile->frames, frames[0])->alike;
}

typedef struct {
  const dmd_profile_t *profile;
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
  if (!dmd_reports_are_shared(reports, g->reports))
    return;
  dmd_report_walk_t walk = dmd_reports_walk(reports, g->reports);
  while (dmd_reports_next(&walk)) {
    bool named = walk.report->reporter != DMD_NONE;
    uint64_t part = dmd_reports_part(reports, g->reports, walk.is_first, g->req + g->slop);
    add_share(owners, (owner_t){.reporter = walk.report->reporter,
                                .frame = named ? DMD_NONE : frame_of(p, walk.report->stack),
                                .bytes = dmd_group_bytes(p->profile, g, part)});
  }
}

/* The name of an owner; "" without a reporter and a stack. */
static const char *name_of(const dmd_profile_t *profile, const owner_t *owner) {
  return owner->reporter != DMD_NONE ? dmd_intern_get_str(&profile->names, owner->reporter)
         : owner->frame != DMD_NONE  ? dmd_frames_text(&profile->frames, owner->frame)
                                     : "";
}

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const owners_t *owners = ctx;
  const owner_t *x = owner_at(owners, a), *y = owner_at(owners, b);
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return dmd_str_compare(name_of(owners->profile, x), name_of(owners->profile, y));
}

static void print_owner(const dmd_printer_t *p, const owner_t *owner, bool sampled) {
  dmd_out_str(p->out, "    ");
  dmd_print_number(p->out, owner->bytes, sampled);
  dmd_out_str(p->out, " bytes: ");
  dmd_out_safe(p->out, name_of(p->profile, owner));
  dmd_out_char(p->out, '\n');
}

void dmd_print_sharers(const dmd_printer_t *p, const dmd_record_t *r) {
  const dmd_env_t *env = p->profile->env;
  owners_t owners = {.profile = p->profile};
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
