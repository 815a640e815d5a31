/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/recordlist.h"

#include "analyse/records/filter.h"
#include "analyse/records/record.h"
#include "base/str.h"

/* ---- Selection. ---- */

bool dmd_selection_read(dmd_selection_t *selection, const dmd_session_t *page, dmd_query_t *query) {
  static const char *const sections[] = {"all", "unreported", "once", "twice"};
  static const unsigned bits[] = {0, 1u << DMD_SECTION_UNREPORTED, 1u << DMD_SECTION_ONCE,
                                  1u << DMD_SECTION_TWICE};
  static const char *const sorts[] = {"usable", "req", "slop", "num", "name"};
  selection->sections = bits[dmd_query_word(query, "section", sections, 4, 0)];
  selection->sort = dmd_query_word(query, "sort", sorts, 5, DMD_SESSION_SORT_USABLE);
  static const char *const directions[] = {"0", "1"};
  unsigned usual = selection->sort == DMD_SESSION_SORT_NAME ? 0 : 1;
  selection->backwards = dmd_query_word(query, "desc", directions, 2, usual) != usual;
  selection->is_regex = dmd_query_flag(query, "regex");
  selection->text = dmd_query_str(query, "q", "");
  if (!selection->is_regex || selection->text[0] == '\0')
    return !query->failed;
  if (page->patterns == NULL)
    return dmd_query_reject(query, "regular expressions are not supported here", "leave out regex");
  const char *text = selection->text;
  if (!page->patterns->is_good(page->patterns->ctx, text + (text[0] == '!' || text[0] == '\\')))
    return dmd_query_reject(query, "this is not a regular expression", text);
  return !query->failed;
}

/* ---- Order. ---- */

uint32_t dmd_record_own_frame(const dmd_records_t *records, dmd_allocfns_t *allocfns,
                              const dmd_record_t *r, size_t *place) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
  *place = n > 0 ? dmd_first_own_frame(allocfns, frames, n) : 0;
  return n > 0 ? frames[*place] : DMD_NONE;
}

static int compare_texts(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_frames_t *frames = ctx;
  return dmd_str_compare(dmd_frames_text(frames, a), dmd_frames_text(frames, b));
}

/* The rank of each frame among all, sorted by text; DMD_NONE comes last. */
static uint32_t *rank_frames(const dmd_profile_t *profile) {
  uint32_t n = dmd_frames_count(&profile->frames);
  uint32_t *rank = dmd_env_alloc(profile->env, "dmd.page.rank", ((size_t)n + 1) * sizeof *rank);
  uint32_t *order = dmd_sorted_ids(profile->env, n, compare_texts, &profile->frames);
  rank[DMD_NONE] = n;
  for (uint32_t i = 0; i < n; i++)
    rank[order[i]] = i;
  dmd_env_free(profile->env, order);
  return rank;
}

/* Order of first occurrence in the profile. */
static uint64_t first_met(const void *ctx, uint32_t id) {
  (void)ctx;
  return UINT32_MAX - id;
}

/* The reversed rank of a record's name; ctx: ranks by record. */
static uint64_t rank_of(const void *ctx, uint32_t id) {
  return UINT32_MAX - ((const uint32_t *)ctx)[id];
}

static void sort_by_name(dmd_recordlist_t *list) {
  const dmd_records_t *records = list->records;
  const dmd_env_t *env = records->profile->env;
  uint32_t *of_frames = rank_frames(records->profile);
  uint32_t *rank =
      dmd_env_alloc(env, "dmd.page.rank", ((size_t)records->records.last + 1) * sizeof *rank);
  for (uint32_t i = 0; i < list->all.n; i++) {
    size_t place;
    uint32_t id = list->sorted[i];
    rank[id] = of_frames[dmd_record_own_frame(records, list->allocfns, dmd_records_at(records, id),
                                              &place)];
  }
  dmd_sort_by_number(env, list->sorted, list->all.n, rank_of, rank);
  dmd_env_free(env, rank);
  dmd_env_free(env, of_frames);
}

/* Ties by name are ordered by usable bytes, all other ties by first occurrence. */
static void sort_list(dmd_recordlist_t *list, unsigned n_sections) {
  static const dmd_sort_by_t by[] = {
      [DMD_SESSION_SORT_USABLE] = DMD_SORT_USABLE, [DMD_SESSION_SORT_REQ] = DMD_SORT_REQ,
      [DMD_SESSION_SORT_SLOP] = DMD_SORT_SLOP,     [DMD_SESSION_SORT_NUM] = DMD_SORT_NUM_BLOCKS,
      [DMD_SESSION_SORT_NAME] = DMD_SORT_USABLE,
  };
  const dmd_env_t *env = list->records->profile->env;
  if (list->sort == DMD_SESSION_SORT_USABLE && n_sections <= 1)
    return; /* a section is in this order already */
  dmd_sort_by_number(env, list->sorted, list->all.n, first_met, NULL);
  dmd_records_sort(list->records, list->sorted, list->all.n, by[list->sort]);
  if (list->sort == DMD_SESSION_SORT_NAME)
    sort_by_name(list);
}

/* ---- Lists. ---- */

void dmd_recordlist_init(dmd_recordlist_t *list, const dmd_records_t *records,
                         dmd_allocfns_t *allocfns) {
  *list = (dmd_recordlist_t){.records = records, .allocfns = allocfns};
  dmd_strbuf_init(&list->text, records->profile->env);
}

static void forget_found(dmd_recordlist_t *list) {
  dmd_env_free(list->records->profile->env, list->found);
  list->found = NULL;
}

void dmd_recordlist_destroy(dmd_recordlist_t *list) {
  forget_found(list);
  dmd_env_free(list->records->profile->env, list->stacks);
  dmd_env_free(list->records->profile->env, list->sorted);
  dmd_strbuf_destroy(&list->text);
}

static bool has_name(const dmd_records_t *records, const dmd_record_t *r,
                     dmd_record_field_id_t field) {
  bool several;
  return dmd_record_has_report(&dmd_record_fields[field], r) &&
         dmd_record_name(records, r, field, &several) != DMD_NONE;
}

static void note_names(dmd_recordlist_t *list) {
  const dmd_records_t *records = list->records;
  bool any_reporters = dmd_intern_count(&records->profile->names) > 0;
  bool any_tags = dmd_intern_count(&records->profile->tags) > 0;
  list->has_reporters = list->has_tags = false;
  for (uint32_t i = 0; i < list->all.n; i++) {
    const dmd_record_t *r = dmd_records_at(records, list->sorted[i]);
    if (any_reporters && !list->has_reporters)
      list->has_reporters = has_name(records, r, DMD_RECORD_REPORTER);
    if (any_tags && !list->has_tags)
      list->has_tags = has_name(records, r, DMD_RECORD_TAG);
  }
}

/* Fills in the stacks of the sorted list. */
static void note_stacks(dmd_recordlist_t *list) {
  const dmd_records_t *records = list->records;
  dmd_env_free(records->profile->env, list->stacks);
  list->stacks = NULL;
  list->stacks = dmd_env_alloc(records->profile->env, "dmd.page.stacks",
                               ((size_t)list->all.n + 1) * sizeof *list->stacks);
  list->all.sum = (dmd_blocksum_t){0};
  for (uint32_t i = 0; i < list->all.n; i++) {
    const dmd_record_t *r = dmd_records_at(records, list->sorted[i]);
    list->stacks[i] = r->stack;
    dmd_blocksum_add(&list->all.sum, dmd_record_sum(r));
  }
}

static void make_sorted(dmd_recordlist_t *list, unsigned sections, dmd_session_sort_t sort) {
  const dmd_records_t *records = list->records;
  const dmd_env_t *env = records->profile->env;
  if (list->sorted != NULL && list->sections == sections && list->sort == sort)
    return;
  forget_found(list);
  dmd_env_free(env, list->sorted);
  list->sorted = NULL;
  list->sorted = dmd_env_alloc(env, "dmd.page.sorted",
                               ((size_t)records->records.last + 1) * sizeof *list->sorted);
  list->sections = sections;
  list->sort = sort;
  list->all.n = 0;
  unsigned n_sections = 0;
  for (int i = 0; i < DMD_N_SECTIONS; i++) {
    const dmd_section_records_t *s = &records->section[i];
    if (sections != 0 && !(sections & 1u << i))
      continue;
    dmd_mem_copy(list->sorted + list->all.n, s->ids, s->n * sizeof *s->ids);
    list->all.n += s->n;
    n_sections += s->n > 0;
  }
  sort_list(list, n_sections);
  note_stacks(list);
  note_names(list);
}

static void make_found(dmd_recordlist_t *list, const dmd_session_t *page, const char *text,
                       bool is_regex) {
  const dmd_records_t *records = list->records;
  if (list->found != NULL && list->is_regex == is_regex && dmd_str_equal(list->text.text, text))
    return;
  forget_found(list);
  dmd_strbuf_cut(&list->text, 0);
  dmd_strbuf_str(&list->text, text);
  list->is_regex = is_regex;
  list->of_found = (dmd_recordsum_t){.n = 0};
  uint32_t *found = dmd_env_alloc(records->profile->env, "dmd.page.found",
                                  ((size_t)list->all.n + 1) * sizeof *list->found);
  list->found = found;
  dmd_filter_t filter;
  dmd_filter_init_matching(&filter, records->profile, list->text.text,
                           is_regex ? page->patterns->match : NULL,
                           is_regex ? page->patterns->ctx : NULL);
  dmd_filter_judge(&filter, records);
  for (uint32_t i = 0; i < list->all.n; i++)
    if (dmd_filter_passes_stack(&filter, list->stacks[i])) {
      found[list->of_found.n++] = list->sorted[i];
      dmd_blocksum_add(&list->of_found.sum,
                       dmd_record_sum(dmd_records_at(records, list->sorted[i])));
    }
  dmd_filter_destroy(&filter);
}

void dmd_recordlist_select(dmd_recordlist_t *list, const dmd_session_t *page,
                           const dmd_selection_t *selection) {
  bool has_sections = list->records->profile->mode == DMD_MODE_DARK_MATTER;
  make_sorted(list, has_sections ? selection->sections : 0, selection->sort);
  bool is_filtered = selection->text[0] != '\0';
  if (is_filtered)
    make_found(list, page, selection->text, selection->is_regex);
  list->ids = is_filtered ? list->found : list->sorted;
  list->shown = is_filtered ? list->of_found : list->all;
  list->backwards = selection->backwards;
}

/* ---- Sums. ---- */

void dmd_rowlist_init(dmd_rowlist_t *list, const dmd_records_t *records) {
  *list = (dmd_rowlist_t){.records = records};
  dmd_strbuf_init(&list->text, records->profile->env);
}

static void forget(dmd_rowlist_t *list) {
  const dmd_env_t *env = list->records->profile->env;
  if (list->is_made)
    dmd_rows_destroy(&list->rows);
  list->is_made = false;
  dmd_env_free(env, list->shown);
  list->shown = NULL;
}

void dmd_rowlist_destroy(dmd_rowlist_t *list) {
  forget(list);
  dmd_strbuf_destroy(&list->text);
}

void dmd_rowlist_make(dmd_rowlist_t *list, const dmd_recordlist_t *records, dmd_by_t by,
                      const dmd_selection_t *selection) {
  if (list->is_made && list->by == by && list->sections == selection->sections &&
      list->is_regex == selection->is_regex && dmd_str_equal(list->text.text, selection->text))
    return;
  forget(list);
  list->by = by;
  list->sections = selection->sections;
  list->is_regex = selection->is_regex;
  dmd_strbuf_cut(&list->text, 0);
  dmd_strbuf_str(&list->text, selection->text);
  dmd_rows_begin(&list->rows, list->records, by);
  list->is_made = true;
  for (uint32_t i = 0; i < records->shown.n; i++)
    dmd_rows_add(&list->rows, dmd_records_at(list->records, records->ids[i]));
  dmd_rows_finish(&list->rows);
  list->shown = dmd_env_alloc(list->records->profile->env, "dmd.page.rows",
                              ((size_t)list->rows.n + 1) * sizeof *list->shown);
}

static int compare_num(const void *ctx, uint32_t a, uint32_t b) {
  int order = dmd_compare_magnitudes(dmd_rows_at(ctx, a)->num, dmd_rows_at(ctx, b)->num);
  return order != 0 ? order : (a > b) - (a < b);
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b) {
  return dmd_str_compare(dmd_rows_name(ctx, a), dmd_rows_name(ctx, b));
}

static void turn(uint32_t *ids, uint32_t n) {
  for (uint32_t i = 0; i < n / 2; i++) {
    uint32_t id = ids[i];
    ids[i] = ids[n - 1 - i];
    ids[n - 1 - i] = id;
  }
}

void dmd_rowlist_show(dmd_rowlist_t *list, const char *name, const dmd_selection_t *selection) {
  list->n = 0;
  for (uint32_t i = 0; i < list->rows.n; i++)
    if (dmd_str_find(dmd_rows_name(&list->rows, i), name) != NULL)
      list->shown[list->n++] = i;
  /* Rows are already ordered by bytes. */
  if (selection->sort == DMD_SESSION_SORT_NUM || selection->sort == DMD_SESSION_SORT_NAME)
    dmd_sort(list->records->profile->env, list->shown, list->n,
             selection->sort == DMD_SESSION_SORT_NUM ? compare_num : compare_names, &list->rows);
  if (selection->backwards)
    turn(list->shown, list->n);
}
