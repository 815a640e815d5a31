/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=text&view=: {"text"}: the contents of a view as dmdv prints them, for pasting. view is
 * records (with by, as a table), record (with id), faults, tree or overview, with their keys;
 * max-records limits the records or rows. With format=markdown the text is in a fenced code block.
 */
#include "analyse/records/filter.h"
#include "base/limits.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/text/text.h"
#include "show/text/text_rows.h"
#include "show/text/text_tree.h"

typedef enum { RECORDS, RECORD, FAULTS, TREE, OVERVIEW } text_view_t;

typedef struct {
  dmd_session_t *page;
  dmd_view_t *view;
  dmd_selection_t selection;
  dmd_by_t by;
  uint32_t max_records;
  unsigned only; /* see dmd_text_options_t */
} maker_t;

/* ---- Records. ---- */

/* The name of the file, or of both files of a difference, and what is picked. */
static void title_of(const maker_t *m, dmd_strbuf_t *title) {
  dmd_strbuf_init(title, m->page->env);
  if (m->view->old != DMD_VIEW_ALONE) {
    dmd_strbuf_str(title, dmd_session_file(m->page, m->view->old)->name.text);
    dmd_strbuf_str(title, " ");
  }
  dmd_strbuf_str(title, dmd_session_file(m->page, m->view->of)->name.text);
  if (dmd_picks_are_any(&m->view->picks)) {
    dmd_strbuf_str(title, ", ");
    dmd_picks_describe(&m->view->picks, title);
  }
}

static void print_records(const maker_t *m, const dmd_records_t *records, dmd_out_t *out) {
  const dmd_profile_t *runs[2];
  dmd_strbuf_t title;
  title_of(m, &title);
  dmd_view_runs(m->view, m->page, runs);
  dmd_text_options_t options = {.title = title.text,
                                .old = runs[1] != NULL ? runs[0] : NULL,
                                .new = runs[1],
                                .with_run = true,
                                .max_records = m->max_records,
                                .only = m->only,
                                .owners = m->view->pieces.owners};
  dmd_text_print(out, records, &options);
  dmd_strbuf_destroy(&title);
}

static void print_rows(const maker_t *m, const dmd_records_t *records, dmd_out_t *out) {
  dmd_rows_t rows;
  dmd_rows_init(&rows, records, m->by, m->only);
  dmd_rows_print(out, &rows, m->max_records);
  dmd_rows_destroy(&rows);
}

static void filter(const maker_t *m, dmd_records_t *records) {
  const dmd_selection_t *s = &m->selection;
  dmd_filter_t filter;
  if (s->text[0] == '\0')
    return;
  dmd_filter_init_matching(&filter, records->profile, s->text,
                           s->is_regex ? m->page->patterns->match : NULL,
                           s->is_regex ? m->page->patterns->ctx : NULL);
  dmd_records_filter(records, dmd_filter_passes, &filter);
  dmd_filter_destroy(&filter);
}

/* Prints records as dmdv print and diff do. Makes new records, so that the view's stay as they
 * are. */
static void make_records(const maker_t *m, dmd_out_t *out) {
  static const dmd_sort_by_t sorts[] = {
      [DMD_SESSION_SORT_USABLE] = DMD_SORT_USABLE, [DMD_SESSION_SORT_REQ] = DMD_SORT_REQ,
      [DMD_SESSION_SORT_SLOP] = DMD_SORT_SLOP,     [DMD_SESSION_SORT_NUM] = DMD_SORT_NUM_BLOCKS,
      [DMD_SESSION_SORT_NAME] = DMD_SORT_USABLE,
  };
  dmd_records_t records;
  dmd_records_init(&records, m->view->profile, m->view->max_frames, sorts[m->selection.sort]);
  dmd_view_tell(m->view, &records);
  if (m->view->before != NULL)
    dmd_records_drop_unchanged(&records);
  filter(m, &records);
  if (m->by == DMD_BY_RECORD)
    print_records(m, &records, out);
  else
    print_rows(m, &records, out);
  dmd_records_destroy(&records);
}

static void make_record(const maker_t *m, uint32_t id, dmd_out_t *out) {
  const dmd_record_t *r = dmd_records_at(&m->view->records, id);
  dmd_record_rank_t rank = dmd_answer_rank(&m->view->records, id);
  dmd_pieces_print_record(&m->view->pieces, out, rank.rank, r, rank.cumulative);
}

/* ---- The answer. ---- */

static bool make_tree(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  const dmd_session_file_t *of, *old;
  bool verbose = dmd_query_flag(query, "verbose");
  if (!dmd_session_files_of(page, query, &of, &old))
    return false;
  dmd_amounts_t amounts;
  const char *why = dmd_answer_amounts(&amounts, of, old, verbose);
  if (why == NULL)
    dmd_tree_print(out, &amounts, amounts.n_order == 0 ? "no difference\n" : "", verbose);
  dmd_amounts_destroy(&amounts);
  return why == NULL ||
         dmd_query_reject(query, "these memory reports cannot be shown as a tree", why);
}

/* The parts to print besides the summary. */
static unsigned parts_of(const maker_t *m, text_view_t what) {
  if (what == FAULTS)
    return DMD_TEXT_FAULTS;
  if (m->view->profile->mode != DMD_MODE_DARK_MATTER)
    return 0;
  return what == OVERVIEW ? 1u << DMD_SECTION_UNREPORTED | DMD_TEXT_FAULTS : m->selection.sections;
}

static bool make_of_view(dmd_session_t *page, dmd_query_t *query, text_view_t what,
                         dmd_out_t *out) {
  maker_t m = {.page = page, .by = what == RECORDS ? dmd_by_read(query) : DMD_BY_RECORD};
  m.max_records =
      (uint32_t)dmd_query_number(query, "max-records", 1, DMD_MAX_SHOWN, what == OVERVIEW ? 5 : 10);
  dmd_selection_read(&m.selection, page, query);
  m.view = query->failed ? NULL : dmd_session_view(page, query);
  if (m.view == NULL)
    return false;
  m.only = parts_of(&m, what);
  if (what != RECORD) {
    make_records(&m, out);
    return true;
  }
  uint32_t n = m.view->records.records.last;
  uint32_t id = (uint32_t)dmd_query_number(query, "id", 1, n, 0);
  if (query->failed || id == 0)
    return dmd_query_reject(query, "there is no such record",
                            "id must come from a row of ask=records");
  make_record(&m, id, out);
  return true;
}

/* Adds a fence of more backquotes than any run of them in the text. */
static void add_fence(dmd_strbuf_t *to, const dmd_strbuf_t *text) {
  size_t longest = 2, run = 0;
  for (size_t i = 0; i < text->n; i++) {
    run = text->text[i] == '`' ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  for (size_t i = 0; i <= longest; i++)
    dmd_strbuf_str(to, "`");
}

static void write_answer(dmd_out_t *out, const dmd_strbuf_t *text, bool is_markdown) {
  dmd_strbuf_t all;
  dmd_jsonout_t j;
  dmd_strbuf_init(&all, text->env);
  if (is_markdown) {
    add_fence(&all, text);
    dmd_strbuf_str(&all, "text\n");
  }
  dmd_strbuf_bytes(&all, text->text, text->n);
  if (is_markdown) {
    add_fence(&all, text);
    dmd_strbuf_str(&all, "\n");
  }
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&j, "text", all.text);
  dmd_jsonout_end(&j);
  dmd_strbuf_destroy(&all);
}

bool dmd_ask_text(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  static const char *const views[] = {"records", "record", "faults", "tree", "overview"};
  static const char *const formats[] = {"text", "markdown"};
  text_view_t what = dmd_query_word(query, "view", views, 5, RECORDS);
  bool is_markdown = dmd_query_word(query, "format", formats, 2, 0) == 1;
  dmd_strbuf_t text;
  dmd_out_t printed;
  dmd_strbuf_init(&text, page->env);
  dmd_out_init(&printed, dmd_strbuf_write, &text);
  bool good = !query->failed && (what == TREE ? make_tree(page, query, &printed)
                                              : make_of_view(page, query, what, &printed));
  dmd_out_flush(&printed);
  if (good)
    write_answer(out, &text, is_markdown);
  dmd_strbuf_destroy(&text);
  return good;
}
