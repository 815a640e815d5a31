/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_waste.h"

#include "analyse/waste/padding.h"
#include "base/mem.h"
#include "base/str.h"
#include "show/text/print.h"
#include "show/text/record_json.h"
#include "show/text/text_waste_advice.h"

/* ---- Text. ---- */

enum { WIDTH = 15, BLOCKS_WIDTH = 12, KIND_WIDTH = 11, TEXT_COLUMN = 40 };

/* The place among a stack's frames of the function that allocated; n: none. */
static size_t place_of(const uint32_t *frames, size_t n, uint32_t own) {
  size_t i = 0;
  while (i < n && frames[i] != own)
    i++;
  return i;
}

/* How many callers tell a finding from the others of its kind, type and function; 0: it is alone.
 */
static size_t callers_apart(const dmd_waste_t *w, const dmd_waste_finding_t *f, size_t own) {
  enum { NEAR = 1000 }; /* not to compare all with all */
  size_t n, n_other, most = 0;
  const uint32_t *frames = dmd_records_frames(w->records, f->stack, &n);
  for (uint32_t i = 0; i < w->n && i < NEAR; i++) {
    const dmd_waste_finding_t *other = dmd_waste_at(w, i);
    if (other->kind != f->kind || other->name != f->name || other->stack == f->stack ||
        other->stack == DMD_NONE)
      continue;
    const uint32_t *of_other = dmd_records_frames(w->records, other->stack, &n_other);
    size_t k = 0;
    while (k < n && k < n_other && frames[k] == of_other[k])
      k++;
    if (k > own && k < n && k - own > most)
      most = k - own;
  }
  return most;
}

/* Appends who called the function that allocated, each function once, as far as findings differ in
 * these. */
static void add_callers(dmd_strbuf_t *to, const dmd_waste_t *w, const dmd_waste_finding_t *f,
                        uint32_t own) {
  enum { CALLERS = 2 };
  size_t n, n_shown = 0;
  const uint32_t *frames = dmd_records_frames(w->records, f->stack, &n);
  size_t i = place_of(frames, n, own), apart = callers_apart(w, f, i);
  dmd_strbuf_t name, last;
  dmd_strbuf_init(&name, w->graph->env);
  dmd_strbuf_init(&last, w->graph->env);
  dmd_places_function(&w->keys->places, own, &last);
  for (size_t k = 1; i + k < n && (n_shown < CALLERS || k <= apart); k++) {
    dmd_strbuf_cut(&name, 0);
    dmd_places_function(&w->keys->places, frames[i + k], &name);
    if (dmd_str_equal(name.text, last.text))
      continue;
    dmd_strbuf_str(to, n_shown++ == 0 ? " from " : ", ");
    dmd_strbuf_str(to, name.text);
    dmd_strbuf_cut(&last, 0);
    dmd_strbuf_str(&last, name.text);
  }
  dmd_strbuf_destroy(&last);
  dmd_strbuf_destroy(&name);
}

/* A name such as "char[] from lpNew" ends with what the line says, too. */
void dmd_waste_what(dmd_strbuf_t *to, const dmd_waste_t *w, const dmd_waste_finding_t *f,
                    bool with_callers) {
  const dmd_env_t *env = w->graph->env;
  const char *name = dmd_kinds_name(w->keys->kinds, f->name);
  const dmd_graph_block_t *block = dmd_heapgraph_block(w->graph, f->example);
  dmd_strbuf_t type, line;
  dmd_out_t out;
  dmd_strbuf_init(&type, env);
  dmd_strbuf_init(&line, env);
  dmd_strbuf_str(&type, name);
  uint32_t stack = dmd_heapgraph_profile_stack(w->graph, block->stack);
  dmd_places_line(&w->keys->places, stack, &line);
  if (f->stack != DMD_NONE && with_callers)
    add_callers(&line, w, f, dmd_places_own_frame(&w->keys->places, stack));
  for (size_t i = type.n; i > 0 && f->stack != DMD_NONE; i--)
    if (dmd_str_begins(type.text + i - 1, "from ") && (i == 1 || type.text[i - 2] == ' ')) {
      dmd_strbuf_cut(&type, i == 1 ? 0 : i - 2);
      break;
    }
  dmd_out_init(&out, dmd_strbuf_write, to);
  dmd_print_types(&out, env, type.text);
  if (f->stack != DMD_NONE) {
    dmd_out_str(&out, type.n > 0 ? ", " : "");
    dmd_print_types(&out, env, line.text);
  }
  dmd_out_flush(&out);
  dmd_strbuf_destroy(&line);
  dmd_strbuf_destroy(&type);
}

/* The finding of which the total counts most, or NULL. */
static const dmd_waste_finding_t *largest(const dmd_waste_t *w) {
  const dmd_waste_finding_t *most = NULL;
  for (uint32_t i = 0; i < w->n; i++)
    if (most == NULL || dmd_waste_at(w, i)->counted > most->counted)
      most = dmd_waste_at(w, i);
  return most;
}

void dmd_waste_sentence(dmd_strbuf_t *to, const dmd_waste_t *w) {
  static const char *const nouns[DMD_N_WASTE_KINDS] = {
      [DMD_WASTE_LOST] = "lost blocks",
      [DMD_WASTE_CONSTANT] = "blocks of equal bytes",
      [DMD_WASTE_DUPLICATE] = "duplicates",
      [DMD_WASTE_CONTAINER] = "unused capacity",
      [DMD_WASTE_UNTOUCHED] = "ends of zero",
      [DMD_WASTE_PADDING] = "padding",
      [DMD_WASTE_SMALL] = "small blocks",
      [DMD_WASTE_SLOP] = "slop",
      [DMD_WASTE_PINNED] = "free bytes of pages that blocks pin"};
  const dmd_waste_finding_t *most = largest(w);
  dmd_out_t out;
  if (most == NULL)
    return;
  dmd_out_init(&out, dmd_strbuf_write, to);
  dmd_print_bytes(&out, w->bytes);
  dmd_out_str(&out, " could be saved, ");
  dmd_print_percent(&out, (int64_t)w->bytes, (int64_t)dmd_waste_whole(w));
  dmd_out_str(&out, " of the heap. The largest part, ");
  dmd_print_bytes(&out, most->counted);
  dmd_out_str(&out, ", is ");
  dmd_out_str(&out, dmd_waste_is_never_written(w, most) ? "ends that were never written"
                                                        : nouns[most->kind]);
  dmd_out_str(&out, ": ");
  dmd_out_flush(&out);
  dmd_waste_what(to, w, most, true);
  dmd_strbuf_str(to, ".");
}

static void print_finding(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, w->graph->env);
  dmd_print_number_column(out, (int64_t)f->bytes, WIDTH);
  dmd_print_number_column(out, (int64_t)f->blocks, BLOCKS_WIDTH);
  dmd_out_str(out, "  ");
  dmd_out_left(out, dmd_waste_kind_name((dmd_waste_kind_t)f->kind), KIND_WIDTH);
  dmd_waste_what(&text, w, f, true);
  dmd_print_wrapped(out, text.text, TEXT_COLUMN);
  dmd_out_left(out, "", TEXT_COLUMN);
  dmd_strbuf_cut(&text, 0);
  dmd_waste_advice(&text, w, f);
  dmd_print_wrapped(out, text.text, TEXT_COLUMN);
  dmd_strbuf_destroy(&text);
}

static void print_findings(dmd_out_t *out, const dmd_waste_t *w, uint32_t max_rows) {
  uint32_t n_shown = 0, n_counting = 0;
  dmd_out_right(out, "would save", WIDTH);
  dmd_out_right(out, "blocks", BLOCKS_WIDTH);
  dmd_out_str(out, "  kind       what\n");
  for (uint32_t i = 0; i < w->n; i++) {
    const dmd_waste_finding_t *finding = dmd_waste_at(w, i);
    if (finding->counted == 0)
      continue;
    n_counting++;
    if (max_rows != 0 && n_shown == max_rows)
      continue;
    print_finding(out, w, finding);
    n_shown++;
  }
  dmd_print_left_out(out, n_counting, n_shown, " more finding", " more findings");
}

static void print_rows(dmd_out_t *out, const dmd_waste_t *w, dmd_waste_by_t by, uint32_t max_rows) {
  static const char *const heads[] = {"", "kind", "type", "function", "file", "library"};
  dmd_waste_rows_t rows;
  dmd_waste_rows_init(&rows, w, by);
  uint32_t n = rows.rows.last, n_shown = max_rows == 0 || n < max_rows ? n : max_rows;
  dmd_out_right(out, "would save", WIDTH);
  dmd_out_right(out, "findings", BLOCKS_WIDTH);
  dmd_out_str(out, "  ");
  dmd_out_str(out, heads[by]);
  dmd_out_char(out, '\n');
  for (uint32_t i = 0; i < n_shown; i++) {
    const dmd_waste_row_t *row = DMD_POOL_AT(&rows.rows, const dmd_waste_row_t, rows.order[i]);
    dmd_print_number_column(out, (int64_t)row->counted, WIDTH);
    dmd_print_number_column(out, row->findings, BLOCKS_WIDTH);
    dmd_out_str(out, "  ");
    dmd_print_types(out, w->graph->env, dmd_intern_get_str(&rows.names, row->name));
    dmd_out_char(out, '\n');
  }
  dmd_print_left_out(out, n, n_shown, " more", " more");
  dmd_waste_rows_destroy(&rows);
}

static void print_total(dmd_out_t *out, const dmd_waste_t *w) {
  bool is_first = true;
  dmd_print_bytes(out, w->bytes);
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)w->blocks, false, "block", "blocks");
  dmd_out_str(out, " would be saved, ");
  dmd_print_percent(out, (int64_t)w->bytes, (int64_t)dmd_waste_whole(w));
  dmd_out_str(out, " of the heap. Each block counts once:\n");
  for (int kind = 0; kind < DMD_N_WASTE_KINDS; kind++) {
    if (w->of[kind] == 0)
      continue;
    dmd_out_str(out, is_first ? "  " : ", ");
    dmd_out_str(out, dmd_waste_kind_name((dmd_waste_kind_t)kind));
    dmd_out_char(out, ' ');
    dmd_print_unsigned(out, w->of[kind]);
    is_first = false;
  }
  dmd_out_str(out, "\n\n");
}

static void print_pages(dmd_out_t *out, const dmd_waste_t *w) {
  const dmd_pagebytes_t *p = &w->pages;
  if (p->resident == 0)
    return;
  dmd_out_str(out, "# ");
  dmd_print_bytes(out, p->resident);
  dmd_out_str(out, " of pages in memory: ");
  dmd_print_unsigned(out, p->live);
  dmd_out_str(out, " live, ");
  dmd_print_unsigned(out, p->slop);
  dmd_out_str(out, " slop, ");
  dmd_print_unsigned(out, p->free);
  dmd_out_str(out, " free beside blocks, ");
  dmd_print_unsigned(out, p->empty);
  dmd_out_str(out, " on pages without blocks\n");
}

static void print_hint(dmd_out_t *out, const dmd_waste_t *w) {
  if (!w->graph->has_contents)
    dmd_out_str(out,
                "# constant, duplicate and untouched blocks are found if the program runs with "
                "--waste=yes, too\n");
}

/* A heap graph shows one moment, at which the program may already have freed what it needed. */
static void print_peak_hint(dmd_out_t *out, const dmd_waste_t *w) {
  const char *trigger = w->graph->profile.run.trigger;
  uint64_t peak = w->graph->peak_szB;
  bool has_little = w->heap_szB < DMD_WASTE_LEAST_SZB || w->heap_szB < peak / 2;
  if (!has_little || trigger == NULL || !dmd_str_equal(trigger, "exit"))
    return;
  dmd_out_str(out, "# the program has ");
  dmd_print_bytes(out, w->heap_szB);
  dmd_out_str(out, " left at its exit");
  if (peak > 0) {
    dmd_out_str(out, ", of ");
    dmd_print_unsigned(out, peak);
    dmd_out_str(out, " at its peak");
  }
  dmd_out_str(out,
              ": run it with --dump-at-peak=yes --graph=yes, and look at the last graph before "
              "that of the exit\n");
}

void dmd_waste_print(dmd_out_t *out, const dmd_waste_t *w, dmd_waste_by_t by, uint32_t max_rows) {
  if (w->n == 0) {
    dmd_out_str(out, "No finding saves ");
    dmd_print_bytes(out, w->options->least_szB);
    dmd_out_str(out, " or more.\n");
    print_peak_hint(out, w);
    print_pages(out, w);
    print_hint(out, w);
    return;
  }
  print_peak_hint(out, w);
  print_total(out, w);
  if (by == DMD_WASTE_BY_FINDING)
    print_findings(out, w, max_rows);
  else
    print_rows(out, w, by, max_rows);
  if (w->n_less > 0) {
    dmd_out_str(out, "# and ");
    dmd_print_count(out, w->n_less, false, "finding", "findings");
    dmd_out_str(out, " of less than ");
    dmd_print_bytes(out, w->options->least_szB);
    dmd_out_str(out, " (--min-bytes=1 shows them)\n");
  }
  print_pages(out, w);
  print_hint(out, w);
}

/* ---- JSON. ---- */

static void write_name(void *ctx, const char *name) {
  dmd_jsonout_str(ctx, name);
}

static void write_padding(dmd_jsonout_t *j, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_types_t *types = w->keys->kinds->typing->types;
  dmd_padding_t padding = dmd_padding_of(types, f->type);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, w->graph->env);
  dmd_type_name(types, f->type, &name);
  dmd_jsonout_key_str(j, "struct", name.text);
  dmd_strbuf_destroy(&name);
  dmd_jsonout_key_u64(j, "values", f->values);
  dmd_jsonout_key_u64(j, "size", padding.szB);
  dmd_jsonout_key_u64(j, "holes", padding.n_holes);
  dmd_jsonout_key_u64(j, "holeBytes", padding.holes_szB);
  dmd_jsonout_key_u64(j, "tailBytes", padding.tail_szB);
  dmd_jsonout_key_u64(j, "best", padding.best_szB);
  dmd_jsonout_key(j, "order");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  dmd_padding_order(types, f->type, write_name, j);
  dmd_jsonout_end(j);
}

static void write_resident(dmd_jsonout_t *j, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  if (w->graph->residents.last > 0)
    dmd_jsonout_key_u64(j, "resident", f->resident);
}

/* What only one kind of waste has. */
static void write_details(dmd_jsonout_t *j, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  switch ((dmd_waste_kind_t)f->kind) {
  case DMD_WASTE_SLOP:
    dmd_jsonout_key_u64(j, "size", f->usual.szB);
    dmd_jsonout_key_u64(j, "sizeBlocks", f->usual.blocks);
    dmd_jsonout_key_u64(j, "usable", f->usual.usable);
    if (f->lower > 0)
      dmd_jsonout_key_u64(j, "lower", f->lower);
    break;
  case DMD_WASTE_PINNED:
    dmd_jsonout_key_u64(j, "pageBytes", f->values);
    break;
  case DMD_WASTE_PADDING:
    write_padding(j, w, f);
    break;
  case DMD_WASTE_LOST:
    dmd_jsonout_key_u64(j, "definitely", f->values);
    break;
  case DMD_WASTE_DUPLICATE:
    dmd_jsonout_key_u64(j, "contents", f->values);
    dmd_jsonout_key_str(j, "holder", dmd_waste_holder(w, f->example));
    break;
  case DMD_WASTE_CONSTANT:
    dmd_jsonout_key_u64(j, "byte", dmd_heapgraph_contents(w->graph, f->example)->byte);
    write_resident(j, w, f);
    break;
  case DMD_WASTE_CONTAINER:
  case DMD_WASTE_UNTOUCHED:
    dmd_jsonout_key_u64(j, "used", f->used);
    dmd_jsonout_key_u64(j, "enough", f->enough);
    if (f->kind == DMD_WASTE_UNTOUCHED) {
      write_resident(j, w, f);
      dmd_jsonout_key_bool(j, "neverWritten", dmd_waste_is_never_written(w, f));
    }
    if (f->holder != DMD_NONE)
      dmd_jsonout_key_str(j, "holder", dmd_kinds_name(w->keys->kinds, f->holder));
    if (f->way != DMD_NONE)
      dmd_jsonout_key_str(j, "member", dmd_kinds_name(w->keys->kinds, f->way));
    break;
  default:
    break;
  }
}

void dmd_waste_write_members(dmd_jsonout_t *j, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_strbuf_t advice;
  dmd_strbuf_init(&advice, w->graph->env);
  dmd_waste_advice(&advice, w, f);
  dmd_jsonout_key_str(j, "kind", dmd_waste_kind_name((dmd_waste_kind_t)f->kind));
  dmd_jsonout_key_u64(j, "bytes", f->bytes);
  dmd_jsonout_key_u64(j, "counted", f->counted);
  dmd_jsonout_key_u64(j, "blocks", f->blocks);
  dmd_jsonout_key_u64(j, "requested", f->requested);
  dmd_jsonout_key_str(j, "type", dmd_kinds_name(w->keys->kinds, f->name));
  dmd_jsonout_key_str(j, "evidence", dmd_kinds_evidence(w->keys->kinds, f->name));
  dmd_jsonout_key(j, "allocatedAt");
  if (f->stack == DMD_NONE) {
    dmd_jsonout_null(j);
  } else {
    size_t n;
    const uint32_t *frames = dmd_records_frames(w->records, f->stack, &n);
    dmd_json_write_frames(j, w->records->profile, frames, n);
  }
  dmd_jsonout_key(j, "example");
  dmd_jsonout_address(j, dmd_heapgraph_block(w->graph, f->example)->addr);
  write_details(j, w, f);
  dmd_jsonout_key_str(j, "advice", advice.text);
  dmd_strbuf_destroy(&advice);
}

void dmd_waste_write_sums(dmd_jsonout_t *j, const dmd_waste_t *w) {
  dmd_jsonout_key_u64(j, "heap", w->heap_szB);
  dmd_jsonout_key(j, "total");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "blocks", w->blocks);
  dmd_jsonout_key_u64(j, "bytes", w->bytes);
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "kinds");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  for (int kind = 0; kind < DMD_N_WASTE_KINDS; kind++)
    dmd_jsonout_key_u64(j, dmd_waste_kind_name((dmd_waste_kind_t)kind), w->of[kind]);
  dmd_jsonout_end(j);
  if (w->pages.resident > 0) {
    dmd_jsonout_key(j, "pages");
    dmd_pagebytes_write(j, &w->pages);
  }
}

void dmd_pagebytes_write(dmd_jsonout_t *j, const dmd_pagebytes_t *p) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "resident", p->resident);
  dmd_jsonout_key_u64(j, "live", p->live);
  dmd_jsonout_key_u64(j, "slop", p->slop);
  dmd_jsonout_key_u64(j, "free", p->free);
  dmd_jsonout_key_u64(j, "empty", p->empty);
  dmd_jsonout_end(j);
}

static void write_rows(dmd_jsonout_t *j, const dmd_waste_t *w, dmd_waste_by_t by) {
  dmd_waste_rows_t rows;
  dmd_waste_rows_init(&rows, w, by);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < rows.rows.last; i++) {
    const dmd_waste_row_t *row = DMD_POOL_AT(&rows.rows, const dmd_waste_row_t, rows.order[i]);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "name", dmd_intern_get_str(&rows.names, row->name));
    dmd_jsonout_key_u64(j, "findings", row->findings);
    dmd_jsonout_key_u64(j, "counted", row->counted);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_waste_rows_destroy(&rows);
}

void dmd_waste_json(dmd_out_t *out, const dmd_waste_t *w, dmd_waste_by_t by) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_waste_write_sums(&j, w);
  if (by != DMD_WASTE_BY_FINDING)
    write_rows(&j, w, by);
  dmd_jsonout_key(&j, "findings");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < w->n; i++) {
    dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
    dmd_waste_write_members(&j, w, dmd_waste_at(w, i));
    dmd_jsonout_end(&j);
  }
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}
