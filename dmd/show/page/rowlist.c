/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/rowlist.h"

#include "base/str.h"

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
