/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/allocsite.h"
#include "analyse/records/record.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "show/text/printer.h"

/* ---- Shared blocks. ---- */

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

static void print_sharer(const dmd_printer_t *p, const owner_t *owner, bool sampled) {
  dmd_out_str(p->out, "    ");
  dmd_print_number(p->out, owner->bytes, sampled);
  dmd_out_str(p->out, " bytes: ");
  dmd_out_safe(p->out, name_of(p->profile, owner));
  dmd_out_char(p->out, '\n');
}

/* The owners that share the record's blocks, and the share of each. */
static void print_sharers(const dmd_printer_t *p, const dmd_record_t *r) {
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
    print_sharer(p, owner_at(&owners, ids[i]), r->sampled);
  dmd_out_str(p->out, "  }\n");
  dmd_env_free(env, ids);
  dmd_table_destroy(&owners.index);
  dmd_pool_destroy(&owners.pool);
}

/* ---- One record. ---- */

static const char *section_colour(dmd_section_t section) {
  static const char *const colours[DMD_N_SECTIONS] = {
      [DMD_SECTION_TWICE] = DMD_YELLOW,
      [DMD_SECTION_UNREPORTED] = DMD_RED,
      [DMD_SECTION_ONCE] = DMD_GREEN,
      [DMD_SECTION_ALL] = DMD_BOLD,
  };
  return colours[section];
}

const char *dmd_print_section_name(const dmd_printer_t *p, dmd_section_t section) {
  if (section != DMD_SECTION_ALL)
    return dmd_section_name(section);
  if (p->profile->shows_peak)
    return "peak";
  /* A scan counts as the live heap, as in Mozilla's script. */
  return p->profile->mode == DMD_MODE_SCAN ? "live" : dmd_mode_name(p->profile->mode);
}

/* One item of the line of sizes, "; 1,024 x 3", on a new line if it does not fit on this one.
 * Returns the column where it ends. */
static size_t print_size(const dmd_printer_t *p, const dmd_size_count_t *size, bool is_first,
                         bool sampled, size_t column) {
  char usable[DMD_FORMAT_MAX], num[DMD_FORMAT_MAX];
  size_t n = dmd_format_commas(usable, size->usable);
  size_t n_num = dmd_format_commas(num, size->num);
  size_t width = n + (size->num > 1 ? 3 + sampled + n_num : 0) + 1 /*a semicolon may follow*/;
  if (!is_first) {
    dmd_out_char(p->out, ';');
    bool fold = p->columns > 0 && column + 2 + width > p->columns;
    dmd_out_str(p->out, fold ? "\n   " : "");
    column = fold ? 3 : column + 1;
    dmd_out_char(p->out, ' ');
    column++;
  }
  dmd_out_str(p->out, usable);
  if (size->num > 1) {
    dmd_out_str(p->out, sampled ? " x ~" : " x ");
    dmd_out_str(p->out, num);
  }
  return column + width - 1;
}

static void print_sizes(const dmd_printer_t *p, const dmd_record_t *r) {
  static const char label[] = "  Individual block sizes: ";
  size_t n;
  dmd_size_count_t *sizes = dmd_record_sizes(p->records, r, &n);
  if (n != 1 || sizes[0].num != 1) {
    size_t column = sizeof label - 1;
    dmd_out_str(p->out, label);
    if (n == 0)
      dmd_out_str(p->out, "(no change)");
    for (size_t i = 0; i < n; i++)
      column = print_size(p, &sizes[i], i == 0, r->sampled, column);
    dmd_out_char(p->out, '\n');
  }
  dmd_env_free(p->profile->env, sizes);
}

/* Sorts by text, as Mozilla's script does: "0x10" comes before "0x9". */
static int compare_addresses(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_scanned_t *scanned = ctx;
  uint64_t x = dmd_scanned_of(scanned, a)->addr, y = dmd_scanned_of(scanned, b)->addr;
  uint64_t of_x = x << (__builtin_clzll(x) & ~3), of_y = y << (__builtin_clzll(y) & ~3);
  return of_x == of_y ? (x > y) - (x < y) : of_x < of_y ? -1 : 1;
}

/* A copy of the ids of the record's groups. The caller frees it. */
static uint32_t *groups_of(const dmd_printer_t *p, const dmd_record_t *r) {
  size_t szB = r->n_groups * sizeof(uint32_t);
  uint32_t *ids = dmd_env_alloc(p->profile->env, "dmd.text.groups", szB + 1);
  dmd_mem_copy(ids, p->records->groups + r->first_group, szB);
  return ids;
}

/* In scan mode: the addresses of the record's blocks, sorted by text. */
static void print_addresses(const dmd_printer_t *p, const dmd_record_t *r) {
  const dmd_scanned_t *scanned = &p->profile->scanned;
  char digits[DMD_FORMAT_MAX];
  if (dmd_scanned_is_empty(scanned))
    return;
  size_t n = 0;
  uint32_t *ids = groups_of(p, r);
  for (size_t i = 0; i < r->n_groups; i++) {
    const dmd_scanned_block_t *block = dmd_scanned_of(scanned, ids[i]);
    if (block != NULL && block->addr != 0)
      ids[n++] = ids[i];
  }
  dmd_sort(p->profile->env, ids, n, compare_addresses, scanned);
  for (size_t i = 0; i < n; i++) {
    dmd_format_hex(digits, dmd_scanned_of(scanned, ids[i])->addr);
    dmd_out_str(p->out, i == 0 ? "  block addresses: 0x" : ", 0x");
    dmd_out_str(p->out, p->for_testing ? "dadadada" : digits);
  }
  if (n > 0)
    dmd_out_char(p->out, '\n');
  dmd_env_free(p->profile->env, ids);
}

static int compare_tags(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_groups_t *groups = ctx;
  return (int)dmd_groups_at(groups, a)->tag - (int)dmd_groups_at(groups, b)->tag;
}

static void print_tag(const dmd_printer_t *p, const dmd_record_t *r, uint32_t tag, int64_t blocks,
                      bool first) {
  bool all = blocks == r->num;
  dmd_out_str(p->out, !first ? ", " : all ? "  Tag: " : "  Tags: ");
  dmd_out_safe(p->out, dmd_intern_get_str(&p->profile->tags, tag));
  if (!all) {
    dmd_out_str(p->out, " (");
    dmd_print_number(p->out, blocks, r->sampled);
    dmd_out_str(p->out, " of ");
    dmd_print_number(p->out, r->num, r->sampled);
    dmd_out_str(p->out, " blocks)");
  }
}

/* `  Tag: sqlite` if all blocks of the record have it, else e.g. `  Tags: sqlite (3 of 5 blocks),
 * lua (1 of 5 blocks)`; nothing if no block has a tag. */
static void print_tags(const dmd_printer_t *p, const dmd_record_t *r) {
  const dmd_groups_t *groups = &p->profile->groups;
  if (dmd_intern_count(&p->profile->tags) == 0)
    return;
  size_t n = r->n_groups;
  uint32_t *ids = groups_of(p, r);
  dmd_sort(p->profile->env, ids, n, compare_tags, groups);
  bool any = false;
  for (size_t i = 0; i < n;) {
    uint32_t tag = dmd_groups_at(groups, ids[i])->tag;
    int64_t blocks = 0;
    for (; i < n && dmd_groups_at(groups, ids[i])->tag == tag; i++)
      blocks += dmd_group_blocks(p->profile, dmd_groups_at(groups, ids[i]));
    if (tag == DMD_NONE || blocks == 0)
      continue;
    print_tag(p, r, tag, blocks, !any);
    any = true;
  }
  if (any)
    dmd_out_char(p->out, '\n');
  dmd_env_free(p->profile->env, ids);
}

static void print_reporter(const dmd_printer_t *p, const dmd_record_t *r,
                           dmd_record_field_id_t field) {
  bool several;
  uint32_t name = dmd_record_name(p->records, r, field, &several);
  if (several)
    dmd_out_str(p->out, "  Reporter: (several)\n");
  else
    dmd_print_reporter(p, name);
}

static void print_stack(const dmd_printer_t *p, const dmd_record_t *r,
                        dmd_record_field_id_t field) {
  const dmd_record_field_t *f = &dmd_record_fields[field];
  dmd_print_stack(p, f->words, dmd_record_stack(f, r));
}

/* True if all blocks of the record were reported twice from one place, by one reporter. */
static bool repeats_itself(const dmd_printer_t *p, const dmd_record_t *r) {
  for (uint32_t i = 0; i < r->n_groups; i++) {
    const dmd_report_t *report =
        dmd_reports_at(&p->profile->reports, dmd_record_group(p->records, r, i)->reports)->report;
    if (report[0].stack != report[1].stack || report[0].reporter != report[1].reporter)
      return false;
  }
  return true;
}

/* `  Reported 5,000 times: 4,999,000 bytes too many` */
static void print_excess(const dmd_printer_t *p, const dmd_record_t *r) {
  bool has_several = r->num != 1 || r->n_groups != 1;
  dmd_out_str(p->out, has_several ? "  Reported up to " : "  Reported ");
  dmd_print_number(p->out, r->most_reports, false);
  dmd_out_str(p->out, r->most_reports == DMD_REPORTS_COUNTED ? " or more times: " : " times: ");
  dmd_print_number(p->out, r->excess, r->sampled);
  dmd_out_str(p->out, " bytes too many\n");
}

static void print_reports(const dmd_printer_t *p, const dmd_record_t *r) {
  if (r->n_reported > 0) {
    print_reporter(p, r, DMD_RECORD_REPORTER);
    print_stack(p, r, DMD_RECORD_REPORTED_AT);
  }
  if (r->n_reported > 1) {
    print_reporter(p, r, DMD_RECORD_REPORTER_AGAIN);
    print_stack(p, r, DMD_RECORD_REPORTED_AGAIN_AT);
  }
  if (r->n_reported > 1 && repeats_itself(p, r))
    dmd_out_str(p->out, "  The same place reported it twice: a loop, or a structure that is walked "
                        "twice\n");
  if (r->most_reports > DMD_REPORTS_KEPT)
    print_excess(p, r);
  if (r->shared)
    print_sharers(p, r);
}

/* `  Allocated by cookies_new (cookies.c:12) and 2 others, further out`, if the stack does not show
 * it. */
static void print_owner(const dmd_printer_t *p, const dmd_record_t *r) {
  dmd_owner_t owner;
  if (!dmd_record_owner(p->records, r, p->allocfns, &owner))
    return;
  dmd_out_str(p->out, "  Allocated by ");
  dmd_print_frame_text(p->out, p->profile, owner.frame);
  if (owner.n_others > 0) {
    dmd_out_str(p->out, " and ");
    dmd_out_u64(p->out, owner.n_others);
    dmd_out_str(p->out, owner.n_others == 1 ? " other" : " others");
  }
  dmd_out_str(p->out, ", further out\n");
}

/* `  Known: the C++ library's memory ...` */
static void print_known(const dmd_printer_t *p, const dmd_record_t *r) {
  const char *known = dmd_known_block(p->records, r, p->allocfns);
  if (known == NULL)
    return;
  dmd_out_str(p->out, "  Known: ");
  dmd_out_str(p->out, known);
  dmd_out_char(p->out, '\n');
}

void dmd_print_record(const dmd_printer_t *p, dmd_section_t section, uint32_t i,
                      const dmd_record_t *r, int64_t cumulative) {
  dmd_out_t *out = p->out;
  const dmd_section_records_t *s = &p->records->section[section];
  dmd_print_opening(p, dmd_print_section_name(p, section), section_colour(section));
  dmd_out_str(out, "  ");
  dmd_print_number(out, r->num, r->sampled);
  dmd_print_error(out, r->variance.blocks);
  dmd_out_str(out, r->num == 1 ? " block" : " blocks");
  dmd_out_str(out, " in heap block record ");
  dmd_print_number(out, i, false);
  dmd_out_str(out, " of ");
  dmd_print_number(out, s->n_all, false);
  dmd_out_char(out, '\n');
  print_addresses(p, r);
  dmd_out_str(out, "  ");
  dmd_print_number(out, r->usable, r->sampled);
  dmd_print_error(out, r->variance.bytes);
  dmd_out_str(out, " bytes (");
  dmd_print_number(out, r->req, r->sampled);
  dmd_out_str(out, " requested / ");
  dmd_print_number(out, r->slop, r->sampled);
  dmd_out_str(out, " slop)\n");
  print_sizes(p, r);
  dmd_out_str(out, "  ");
  dmd_print_percent(out, r->usable, p->records->heap.bytes);
  dmd_out_str(out, " of the heap (");
  dmd_print_percent(out, cumulative, p->records->heap.bytes);
  dmd_out_str(out, " cumulative)\n");
  if (section != DMD_SECTION_ALL) {
    dmd_out_str(out, "  ");
    dmd_print_percent(out, r->usable, s->sum.bytes);
    dmd_out_str(out, " of ");
    dmd_out_str(out, dmd_print_section_name(p, section));
    dmd_out_str(out, " (");
    dmd_print_percent(out, cumulative, s->sum.bytes);
    dmd_out_str(out, " cumulative)\n");
  }
  print_stack(p, r, DMD_RECORD_ALLOCATED_AT);
  print_owner(p, r);
  print_known(p, r);
  print_tags(p, r);
  if (section == DMD_SECTION_UNREPORTED)
    dmd_print_hint(p, r);
  print_reports(p, r);
  dmd_out_str(out, "}\n\n");
}
