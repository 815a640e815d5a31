/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"
#include "profile/printer.h"

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

static void add_share(dmd_pool_t *owners, owner_t share) {
  for (uint32_t id = 1; id <= owners->last; id++) {
    owner_t *owner = DMD_POOL_AT(owners, owner_t, id);
    if (owner->reporter == share.reporter && owner->frame == share.frame) {
      owner->bytes += share.bytes;
      return;
    }
  }
  uint32_t id = dmd_pool_add(owners);
  *DMD_POOL_AT(owners, owner_t, id) = share;
}

static void add_group(const dmd_printer_t *p, dmd_pool_t *owners, const dmd_group_t *g) {
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
  const owner_t *x = DMD_POOL_AT((const dmd_pool_t *)ctx, owner_t, a);
  const owner_t *y = DMD_POOL_AT((const dmd_pool_t *)ctx, owner_t, b);
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
  const dmd_groups_t *groups = &p->profile->groups;
  const dmd_env_t *env = p->profile->env;
  dmd_pool_t owners;
  dmd_pool_init(&owners, env, "dmd.text.owners", sizeof(owner_t));
  for (uint32_t id = r->first_group; id != DMD_NONE; id = dmd_groups_at(groups, id)->next)
    add_group(p, &owners, dmd_groups_at(groups, id));
  uint32_t *ids = dmd_env_alloc(env, "dmd.text.owners.ids", (owners.last + 1) * sizeof *ids);
  for (uint32_t i = 0; i < owners.last; i++)
    ids[i] = i + 1;
  dmd_sort(env, ids, owners.last, compare, &owners);
  dmd_out_str(p->out, "  Shared, and counted in parts {\n");
  for (uint32_t i = 0; i < owners.last; i++)
    print_owner(p, DMD_POOL_AT(&owners, owner_t, ids[i]), r->sampled);
  dmd_out_str(p->out, "  }\n");
  dmd_env_free(env, ids);
  dmd_pool_destroy(&owners);
}
