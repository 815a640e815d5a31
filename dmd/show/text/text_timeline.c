/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_timeline.h"

#include "analyse/records/rows.h"
#include "analyse/time/grown.h"
#include "analyse/time/growth.h"
#include "analyse/time/when.h"
#include "base/format.h"
#include "show/text/print.h"
#include "show/text/text_tree.h"

/* ---- The chart. ---- */

enum { WIDTH = 100, LABEL = 12, COLUMNS = WIDTH - LABEL - 2, ROWS = 12, EIGHTHS = 8 };

typedef struct {
  const dmd_timeline_t *timeline;
  uint64_t from, to;                        /* places on the axis */
  uint64_t top;                             /* bytes at the upper edge; not 0 */
  uint64_t largest[COLUMNS];                /* bytes */
  uint64_t last[COLUMNS], last_at[COLUMNS]; /* the last of them, and its place */
  bool has_any[COLUMNS];
  char under[COLUMNS + 1]; /* the line below the axis */
} chart_t;

static uint32_t column_of(const chart_t *c, const dmd_timepoint_t *at) {
  uint64_t place = dmd_timeline_place(c->timeline, at);
  place = place < c->from ? c->from : place > c->to ? c->to : place;
  double share = (double)(place - c->from) / (double)(c->to - c->from + 1);
  uint32_t column = (uint32_t)(share * COLUMNS);
  return column < COLUMNS ? column : COLUMNS - 1; /* the share of a large one is rounded to 1 */
}

static void add_moment(chart_t *c, const dmd_timepoint_t *at) {
  uint32_t i = column_of(c, at);
  uint64_t place = dmd_timeline_place(c->timeline, at);
  if (!c->has_any[i] || at->szB > c->largest[i])
    c->largest[i] = at->szB;
  if (!c->has_any[i] || place >= c->last_at[i]) {
    c->last[i] = at->szB;
    c->last_at[i] = place;
  }
  c->has_any[i] = true;
}

/* Where nothing is known the heap is as it was before. */
static void fill_gaps(chart_t *c, uint64_t at_start) {
  for (uint32_t i = 0; i < COLUMNS; i++) {
    if (!c->has_any[i])
      c->largest[i] = c->last[i] = i == 0 ? at_start : c->last[i - 1];
    if (c->largest[i] > c->top)
      c->top = c->largest[i];
  }
}

/* Marks have their number; from the tenth on, and where several meet, a ^. */
static void put_under(chart_t *c, const dmd_timepoint_t *at, char sign) {
  char *to = &c->under[column_of(c, at)];
  *to = *to == ' ' || sign == 'P' ? sign : *to == 'P' ? 'P' : '^';
}

static void make_chart(chart_t *c, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  dmd_timepoint_t start = dmd_when_start(profile), peak = dmd_when_peak(profile),
                  end = dmd_when_end(profile);
  *c = (chart_t){.timeline = timeline,
                 .from = dmd_timeline_place(timeline, &start),
                 .to = dmd_timeline_place(timeline, &end),
                 .top = 1};
  for (uint32_t i = 0; i < COLUMNS; i++)
    c->under[i] = ' ';
  for (uint32_t id = 1; id <= timeline->points.last; id++)
    add_moment(c, dmd_timeline_point(timeline, id));
  for (uint32_t id = 1; id <= timeline->marks.last; id++) {
    const dmd_timepoint_t *at = &dmd_timeline_mark(timeline, id)->at;
    add_moment(c, at);
    put_under(c, at, id < 10 ? (char)('0' + id) : '^');
  }
  add_moment(c, &peak);
  put_under(c, &peak, 'P');
  fill_gaps(c, start.szB);
}

/* How high a column is, in eighths of a row; a value above 0 can be seen. */
static uint32_t height_of(const chart_t *c, uint32_t i) {
  uint32_t height = (uint32_t)((double)c->largest[i] / (double)c->top * (ROWS * EIGHTHS) + 0.5);
  return height == 0 && c->largest[i] > 0 ? 1 : height;
}

static void print_cell(dmd_out_t *out, uint32_t eighths, bool is_utf8) {
  static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char plain[] = " ...:::##";
  if (is_utf8)
    dmd_out_str(out, blocks[eighths]);
  else
    dmd_out_char(out, plain[eighths]);
}

/* A size for the edge, in TB if it is too long in MB. */
static void format_label(char label[DMD_AMOUNT_MAX], uint64_t szB) {
  enum { TB_SHIFT = 40 };
  size_t n = dmd_format_amount(label, (int64_t)szB, DMD_MEMREPORT_BYTES, false);
  if (n > LABEL)
    dmd_format_str(label + dmd_format_commas(label, (int64_t)(szB >> TB_SHIFT)), " TB");
}

static void print_row(dmd_out_t *out, const chart_t *c, uint32_t row, bool is_utf8) {
  char label[DMD_AMOUNT_MAX] = "";
  if (row == ROWS - 1 || row == ROWS / 2 - 1)
    format_label(label, c->top / (row == ROWS - 1 ? 1 : 2));
  dmd_out_right(out, label, LABEL);
  dmd_out_str(out, is_utf8 ? " │" : " |");
  uint32_t end = 0;
  for (uint32_t i = 0; i < COLUMNS; i++)
    if (height_of(c, i) > row * EIGHTHS)
      end = i + 1;
  for (uint32_t i = 0; i < end; i++) {
    uint32_t height = height_of(c, i), below = row * EIGHTHS;
    uint32_t eighths = height <= below ? 0 : height - below;
    print_cell(out, eighths > EIGHTHS ? EIGHTHS : eighths, is_utf8);
  }
  dmd_out_char(out, '\n');
}

static void format_place(char text[DMD_FORMAT_MAX], const dmd_timeline_t *timeline,
                         uint64_t place) {
  if (timeline->counts_instructions)
    dmd_format_instructions(text, place);
  else
    dmd_format_elapsed(text, place);
}

/* The times of the edges and the middle. */
static void print_axis(dmd_out_t *out, const chart_t *c, bool is_utf8) {
  char text[DMD_FORMAT_MAX];
  const uint64_t span = c->to - c->from;
  dmd_out_right(out, "0", LABEL);
  dmd_out_str(out, is_utf8 ? " └" : " +");
  for (uint32_t i = 0; i < COLUMNS; i++)
    dmd_out_str(out, is_utf8 ? "─" : "-");
  dmd_out_char(out, '\n');
  format_place(text, c->timeline, c->from);
  dmd_out_right(out, "", LABEL + 2);
  dmd_out_left(out, text, COLUMNS / 2);
  format_place(text, c->timeline, c->from + span / 2);
  dmd_out_left(out, text, COLUMNS / 4);
  format_place(text, c->timeline, c->to);
  dmd_out_right(out, text, COLUMNS - COLUMNS / 2 - COLUMNS / 4);
  dmd_out_char(out, '\n');
}

static void print_under(dmd_out_t *out, const chart_t *c) {
  uint32_t end = COLUMNS;
  while (end > 0 && c->under[end - 1] == ' ')
    end--;
  dmd_out_right(out, "", LABEL + 2);
  dmd_out_bytes(out, c->under, end);
  dmd_out_char(out, '\n');
}

static void print_chart(dmd_out_t *out, const dmd_profile_t *profile, bool is_utf8) {
  chart_t chart;
  make_chart(&chart, profile);
  for (uint32_t row = ROWS; row-- > 0;)
    print_row(out, &chart, row, is_utf8);
  print_axis(out, &chart, is_utf8);
  print_under(out, &chart);
}

/* ---- The text. ---- */

static bool is_sampled(const dmd_profile_t *profile) {
  return profile->run.sample_interval > 0;
}

/* `after 0.8 s: 1,234 bytes in 5 blocks`, or `after 12.34 Mi (0.8 s): ` */
static void print_moment(dmd_out_t *out, const dmd_profile_t *profile, const char *name,
                         const dmd_timepoint_t *at) {
  char text[DMD_FORMAT_MAX];
  dmd_out_left(out, name, name[0] == '\0' ? 0 : 7);
  dmd_out_str(out, "after ");
  if (profile->timeline.counts_instructions) {
    dmd_format_instructions(text, at->n_instructions);
    dmd_out_str(out, text);
    dmd_out_str(out, " (");
  }
  dmd_format_elapsed(text, at->ms);
  dmd_out_str(out, text);
  dmd_out_str(out, profile->timeline.counts_instructions ? "): " : ": ");
  dmd_print_count(out, (int64_t)at->szB, is_sampled(profile), "byte", "bytes");
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)at->n_blocks, is_sampled(profile), "block", "blocks");
}

static void print_resident(dmd_out_t *out, const dmd_timepoint_t *at) {
  if (at->resident_szB == DMD_MEMORY_UNKNOWN)
    return;
  dmd_out_str(out, "; ");
  dmd_print_bytes(out, at->resident_szB);
  dmd_out_str(out, " resident");
}

static void print_line(dmd_out_t *out, const dmd_profile_t *profile, const char *name,
                       const dmd_timepoint_t *at) {
  print_moment(out, profile, name, at);
  print_resident(out, at);
  dmd_out_char(out, '\n');
}

/* When a point had about as much; with too few points nothing is said. */
static void print_most_resident(dmd_out_t *out, const dmd_profile_t *profile) {
  uint64_t most = profile->run.most_resident_szB, seen = 0, ms = 0;
  if (most == 0)
    return;
  for (uint32_t id = 1; id <= profile->timeline.points.last; id++) {
    const dmd_timepoint_t *at = dmd_timeline_point(&profile->timeline, id);
    if (at->resident_szB != DMD_MEMORY_UNKNOWN && at->resident_szB > seen) {
      seen = at->resident_szB;
      ms = at->ms;
    }
  }
  dmd_out_str(out, "physical memory: ");
  dmd_print_bytes(out, most);
  dmd_out_str(out, " at most");
  if ((double)seen >= 0.9 * (double)most) {
    char text[DMD_FORMAT_MAX];
    dmd_format_elapsed(text, ms);
    dmd_out_str(out, ", about after ");
    dmd_out_str(out, text);
  }
  dmd_out_char(out, '\n');
}

static void print_marks(dmd_out_t *out, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  for (uint32_t id = 1; id <= timeline->marks.last; id++) {
    const dmd_timemark_t *mark = dmd_timeline_mark(timeline, id);
    dmd_out_char(out, '#');
    dmd_out_u64(out, id);
    dmd_out_char(out, ' ');
    if (mark->dump > 0) {
      dmd_out_str(out, "dump ");
      dmd_out_u64(out, mark->dump);
      dmd_out_char(out, ' ');
    }
    if (mark->text != DMD_NONE) {
      dmd_out_safe(out, dmd_intern_get_str(&profile->names, mark->text));
      dmd_out_char(out, ' ');
    }
    print_line(out, profile, "", &mark->at);
  }
}

/* `+1,234` or `-1,234` */
static void print_change(dmd_out_t *out, uint64_t from, uint64_t to, const char *what) {
  if (to >= from)
    dmd_out_char(out, '+');
  dmd_print_number(out, (int64_t)(to - from), false);
  dmd_out_str(out, what);
}

static void print_span(dmd_out_t *out, const dmd_profile_t *profile, const dmd_timespan_t *span) {
  print_line(out, profile, "from", &span->from);
  print_line(out, profile, "to", &span->to);
  dmd_out_left(out, "change", 7);
  print_change(out, span->from.szB, span->to.szB, " bytes in ");
  print_change(out, span->from.n_blocks, span->to.n_blocks, " blocks; ");
  dmd_print_count(out, (int64_t)(span->to.alloc_szB - span->from.alloc_szB), is_sampled(profile),
                  "byte", "bytes");
  dmd_out_str(out, " were allocated in between\n");
}

/* The line of the program that a stack allocates at. */
static void print_place(dmd_out_t *out, const dmd_profile_t *profile, uint32_t stack) {
  dmd_places_t places;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, profile->env);
  dmd_places_init(&places, profile);
  dmd_places_line(&places, stack, &name);
  dmd_out_safe(out, name.text);
  dmd_places_destroy(&places);
  dmd_strbuf_destroy(&name);
}

/* The part of the growth that the stack has, in whole per cent. */
static uint64_t percent_of_stack(const dmd_growth_t *growth) {
  return (uint64_t)((double)growth->stack_szB_per_s * 100 / (double)growth->szB_per_s + 0.5);
}

static void print_growth(dmd_out_t *out, const dmd_profile_t *profile, const dmd_growth_t *growth) {
  char text[DMD_AMOUNT_MAX];
  dmd_format_amount(text, (int64_t)growth->szB_per_s, DMD_MEMREPORT_BYTES, false);
  dmd_out_str(out, text);
  dmd_out_str(out, "/s since ");
  dmd_format_elapsed(text, growth->from_ms);
  dmd_out_str(out, text);
  if (growth->stack != DMD_NONE) {
    dmd_out_str(out, "; ");
    dmd_out_u64(out, percent_of_stack(growth));
    dmd_out_str(out, "% of it at ");
    print_place(out, profile, growth->stack);
  }
}

bool dmd_print_growth(dmd_out_t *out, const char *before, const dmd_profile_t *profile) {
  dmd_growth_t growth;
  if (!dmd_growth_find(&profile->timeline, &growth))
    return false;
  dmd_out_str(out, before);
  print_growth(out, profile, &growth);
  dmd_out_char(out, '\n');
  return true;
}

enum { ROWS_SHOWN = 10, ROW = 18 };

static void print_row_of_change(dmd_out_t *out, int64_t szB) {
  char text[DMD_FORMAT_MAX + 1];
  size_t n = szB > 0;
  text[0] = '+';
  dmd_format_commas(text + n, szB);
  dmd_out_right(out, text, ROW);
  dmd_out_str(out, "  ");
}

/* The largest changes, growth first; the others are added to *others. */
static void print_rows(dmd_out_t *out, const dmd_profile_t *profile, const dmd_grown_row_t *rows,
                       uint32_t n, bool are_tags, int64_t *others) {
  for (uint32_t i = 0; i < n; i++) {
    bool is_shown = n <= ROWS_SHOWN || i < ROWS_SHOWN / 2 || i >= n - ROWS_SHOWN / 2;
    if (!is_shown) {
      *others = (int64_t)((uint64_t)*others + (uint64_t)rows[i].szB);
      continue;
    }
    print_row_of_change(out, rows[i].szB);
    if (are_tags)
      dmd_out_safe(out, dmd_intern_get_str(&profile->tags, rows[i].id));
    else
      print_place(out, profile, rows[i].id);
    dmd_out_char(out, '\n');
  }
}

/* `by stack, from 0.4 s to 19.8 s:` and a line for each. */
static void print_grown(dmd_out_t *out, const dmd_profile_t *profile, const dmd_timespan_t *span) {
  dmd_grown_t grown;
  char text[DMD_FORMAT_MAX];
  if (!dmd_grown_find(profile, &span->from, &span->to, &grown))
    return;
  format_place(text, &profile->timeline, dmd_timeline_place(&profile->timeline, &grown.from));
  dmd_out_str(out, "\nby stack, from ");
  dmd_out_str(out, text);
  format_place(text, &profile->timeline, dmd_timeline_place(&profile->timeline, &grown.to));
  dmd_out_str(out, " to ");
  dmd_out_str(out, text);
  dmd_out_str(out, ", in bytes:\n");
  print_rows(out, profile, grown.stacks, grown.n_stacks, false, &grown.others);
  if (grown.others != 0) {
    print_row_of_change(out, grown.others);
    dmd_out_str(out, "other stacks\n");
  }
  int64_t other_tags = 0;
  if (grown.n_tags > 0)
    dmd_out_str(out, "by tag:\n");
  print_rows(out, profile, grown.tags, grown.n_tags, true, &other_tags);
}

void dmd_timeline_print(dmd_out_t *out, const dmd_profile_t *profile, const dmd_timespan_t *span,
                        bool is_utf8) {
  dmd_timepoint_t start = dmd_when_start(profile), peak = dmd_when_peak(profile),
                  end = dmd_when_end(profile);
  print_chart(out, profile, is_utf8);
  dmd_out_char(out, '\n');
  if (profile->timeline.is_forked)
    print_line(out, profile, "fork", &start);
  print_line(out, profile, "peak", &peak);
  print_line(out, profile, "end", &end);
  print_most_resident(out, profile);
  print_marks(out, profile);
  dmd_print_growth(out, "grows steadily by ", profile);
  dmd_out_char(out, '\n');
  print_span(out, profile, span);
  print_grown(out, profile, span);
}

/* ---- JSON. ---- */

static void json_figures(dmd_jsonout_t *j, const dmd_profile_t *profile,
                         const dmd_timepoint_t *at) {
  dmd_jsonout_key_u64(j, "milliseconds", at->ms);
  dmd_jsonout_key_u64(j, "bytes", at->szB);
  dmd_jsonout_key_u64(j, "blocks", at->n_blocks);
  dmd_jsonout_key_u64(j, "allocated", at->alloc_szB);
  if (at->resident_szB != DMD_MEMORY_UNKNOWN)
    dmd_jsonout_key_u64(j, "resident", at->resident_szB);
  if (profile->timeline.counts_instructions)
    dmd_jsonout_key_u64(j, "instructions", at->n_instructions);
}

static void json_moment(dmd_jsonout_t *j, const dmd_profile_t *profile, const char *key,
                        const dmd_timepoint_t *at) {
  if (key != NULL)
    dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  json_figures(j, profile, at);
  dmd_jsonout_end(j);
}

static void json_marks(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "marks");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= profile->timeline.marks.last; id++) {
    const dmd_timemark_t *mark = dmd_timeline_mark(&profile->timeline, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    if (mark->text != DMD_NONE)
      dmd_jsonout_key_str(j, "text", dmd_intern_get_str(&profile->names, mark->text));
    if (mark->dump > 0)
      dmd_jsonout_key_u64(j, "dump", mark->dump);
    json_figures(j, profile, &mark->at);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

/* What print prints, as a string. */
static void json_printed(dmd_jsonout_t *j, const char *key, const dmd_profile_t *profile,
                         void (*print)(dmd_out_t *out, const dmd_profile_t *profile,
                                       const void *subject),
                         const void *subject) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_strbuf_init(&text, profile->env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  print(&out, profile, subject);
  dmd_out_flush(&out);
  dmd_jsonout_key_str(j, key, text.text);
  dmd_strbuf_destroy(&text);
}

static void print_stack(dmd_out_t *out, const dmd_profile_t *profile, const void *stack) {
  print_place(out, profile, *(const uint32_t *)stack);
}

static void print_growth_text(dmd_out_t *out, const dmd_profile_t *profile, const void *growth) {
  dmd_out_str(out, "grows steadily by ");
  print_growth(out, profile, growth);
}

/* A stack's place and frames, the innermost first. */
static void json_stack(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  json_printed(j, "name", profile, print_stack, &stack);
  dmd_jsonout_key(j, "stack");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++)
    dmd_jsonout_str(j, dmd_frames_text(&profile->frames, frames[i]));
  dmd_jsonout_end(j);
}

static void json_growth(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_growth_t growth;
  if (!dmd_growth_find(&profile->timeline, &growth))
    return;
  dmd_jsonout_key(j, "growth");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "since", growth.from_ms);
  dmd_jsonout_key_u64(j, "bytesPerSecond", growth.szB_per_s);
  json_printed(j, "text", profile, print_growth_text, &growth);
  if (growth.stack != DMD_NONE) {
    dmd_jsonout_key_u64(j, "ofStack", growth.stack_szB_per_s);
    json_stack(j, profile, growth.stack);
  }
  dmd_jsonout_end(j);
}

static void json_span(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_timespan_t *span) {
  json_moment(j, profile, "from", &span->from);
  json_moment(j, profile, "to", &span->to);
  dmd_jsonout_key(j, "change");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key(j, "bytes");
  dmd_jsonout_i64(j, (int64_t)(span->to.szB - span->from.szB));
  dmd_jsonout_key(j, "blocks");
  dmd_jsonout_i64(j, (int64_t)(span->to.n_blocks - span->from.n_blocks));
  dmd_jsonout_key(j, "allocated");
  dmd_jsonout_i64(j, (int64_t)(span->to.alloc_szB - span->from.alloc_szB));
  dmd_jsonout_end(j);
}

static void json_list(dmd_jsonout_t *j, const char *key, const uint64_t *numbers, uint32_t n) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < n; i++)
    dmd_jsonout_u64(j, numbers[i]);
  dmd_jsonout_end(j);
}

static void json_breakdowns(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  dmd_jsonout_key(j, "stacks");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < timeline->stacks.last; i++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    json_stack(j, profile, *dmd_timeline_stack(timeline, i));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "tags");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < timeline->tags.last; i++)
    dmd_jsonout_str(j, dmd_intern_get_str(&profile->tags, *dmd_timeline_tag(timeline, i)));
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "breakdowns");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++) {
    const dmd_breakdown_t *breakdown = &timeline->breakdowns[i];
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    json_figures(j, profile, &breakdown->at);
    json_list(j, "stacks", breakdown->stacks, timeline->stacks.last);
    json_list(j, "tags", breakdown->tags, timeline->tags.last);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void json_grown(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_timespan_t *span) {
  dmd_grown_t grown;
  if (!dmd_grown_find(profile, &span->from, &span->to, &grown))
    return;
  dmd_jsonout_key(j, "grown");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  json_moment(j, profile, "from", &grown.from);
  json_moment(j, profile, "to", &grown.to);
  dmd_jsonout_key(j, "stacks");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < grown.n_stacks; i++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key(j, "bytes");
    dmd_jsonout_i64(j, grown.stacks[i].szB);
    json_stack(j, profile, grown.stacks[i].id);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "others");
  dmd_jsonout_i64(j, grown.others);
  dmd_jsonout_key(j, "tags");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < grown.n_tags; i++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key(j, "bytes");
    dmd_jsonout_i64(j, grown.tags[i].szB);
    dmd_jsonout_key_str(j, "name", dmd_intern_get_str(&profile->tags, grown.tags[i].id));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

void dmd_timeline_json(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_timespan_t *span) {
  const dmd_timeline_t *timeline = &profile->timeline;
  dmd_timepoint_t start = dmd_when_start(profile), peak = dmd_when_peak(profile),
                  end = dmd_when_end(profile);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  if (timeline->is_forked)
    dmd_jsonout_key_bool(j, "forked", true);
  dmd_jsonout_key_u64(j, "spacing", timeline->spacing_ms);
  json_moment(j, profile, "start", &start);
  json_moment(j, profile, "peak", &peak);
  json_moment(j, profile, "end", &end);
  if (profile->run.most_resident_szB > 0)
    dmd_jsonout_key_u64(j, "residentPeak", profile->run.most_resident_szB);
  dmd_jsonout_key(j, "points");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= timeline->points.last; id++)
    json_moment(j, profile, NULL, dmd_timeline_point(timeline, id));
  dmd_jsonout_end(j);
  json_marks(j, profile);
  json_breakdowns(j, profile);
  json_growth(j, profile);
  json_span(j, profile, span);
  json_grown(j, profile, span);
  dmd_jsonout_end(j);
}
